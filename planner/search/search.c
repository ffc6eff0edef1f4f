/* Runs the quick methods first. Then improves the best schedule in cycles, each with twice the
 * placements of the one before. Jobs whose quick schedule meets the bound skip the search. */
#include "planner/search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/process/clock.h"
#include "base/process/stop.h"
#include "base/invariant.h"
#include "planner/graphene/graphene.h"
#include "planner/improve/stage_search.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/keep.h"
#include "planner/schedule/work_path.h"
#include "planner/search/cycle.h"
#include "planner/search/exact_search.h"
#include "planner/search/portfolio.h"

enum { FAST_THRESHOLDS = 4, GRAPHENE_VARIANTS = 6 /* of a set T, about */ };
/* On jobs of more than LARGE_TASKS tasks the methods run in the order of what they bring for their
 * placements, each only if those before it have left the part open. They begin with orders of whole
 * stages, too. Effort fast has no room for slow and weak baselines and the published method. If
 * serial generation made the best schedule shorter than parallel generation did, more of it
 * follows. If not, or on jobs of fewer than LARGE_MANY tasks, which the population over stages
 * costs less, fast takes LARGE_STAGES schedules' worth of that instead, or LARGE_PLACEMENTS
 * placements if that is more, unless the gap is at most the makespan divided by LARGE_NEAR. It
 * takes nothing more from a gap of 1/LARGE_CLOSE of it on. All that costs at most as much as
 * LARGE_PASSES schedules by parallel generation. On 2 to FEW_MACHINES machines, if the gap is still
 * more than the makespan divided by FEW_GAP, a search on a miniature of FEW_TASKS tasks, with
 * FEW_SEARCH schedules' worth of the job's placements, takes the place of that, and FEW_PASSES more
 * may be spent in all. On more machines its orders bring less than they cost. On the largest jobs,
 * BR_PORTFOLIO_LARGE and up, it has two orders, and HUGE_STAGES. (See bench/large.)
 */
enum {
    LARGE_TASKS = 4000,
    LARGE_MANY = 15000,
    LARGE_PASSES = 200,
    LARGE_STAGES = 40,
    HUGE_STAGES = 24,
    LARGE_PLACEMENTS = 800000,
    LARGE_NEAR = 200,
    LARGE_CLOSE = 10000,
    FEW_MACHINES = 48,
    FEW_GAP = 32,
    FEW_TASKS = 2000,
    FEW_SEARCH = 40,
    FEW_PASSES = 60
};
/* Variants of the published method that are longer than the best schedule by more than its length
 * divided by this are given up: justification would hardly make them the shortest. On large jobs
 * the best schedule is a justified one. */
enum { BEAT = 8, LARGE_BEAT = 16 };
/* By the clock, on jobs of more than SLOW_TASKS tasks the slow baselines wait for the others. */
enum { SLOW_TASKS = 20000 };
/* The shares of the time left that the slow baselines, the published method, justification and
 * bounds may take. The default effort has about default_ns of time. */
static const double slow_turn = 0.6, graphene_turn = 0.25, justify_turn = 0.35, bound_turn = 0.25;
static const double default_ns = 5e9;

uint32_t br_search_rows(void)
{
    uint32_t n = 0;
    while (br_heuristic_at(n))
        n++;
    return n;
}

/* Reports the best schedule if it is shorter than `before`. */
static void planner_search_tell(const struct br_search *s, int64_t before)
{
    const struct br_elite_entry *first = &s->elite.entry[0];
    if (s->elite.count && first->schedule.makespan < before)
        br_run_found(&s->run, first->schedule.makespan, first->method);
}

bool br_search_is_large(const struct br_instance *in)
{
    return in->tasks > LARGE_TASKS;
}

static bool is_large(const struct br_search *s)
{
    return br_search_is_large(s->run.in);
}

/* Is little to be spent on a job of that size? */
static bool is_hurried(const struct br_search *s)
{
    return is_large(s) && s->options->effort == BR_EFFORT_FAST;
}

/* Even less, since serial generation costs too much, and nothing but the best is kept? */
static bool is_huge(const struct br_search *s)
{
    return is_hurried(s) && s->run.in->tasks > BR_PORTFOLIO_LARGE;
}

static int64_t best_makespan(const struct br_search *s)
{
    return s->elite.count ? s->elite.entry[0].schedule.makespan : INT64_MAX;
}

/* The best bound by arguments without a search, as far as the options ask for it. By the clock the
 * slow arguments have a turn, and count only if they end within it: their proof takes as long
 * again. */
static struct br_bound planner_search_argue(struct br_search *s)
{
    enum br_plan_bound asked = s->options->bound;
    struct br_bounds_effort effort = {.enough = best_makespan(s),
                                      .cheap = s->turn || asked == BR_PLAN_BOUND_CHEAP,
                                      .stop = s->run.stop};
    if (asked == BR_PLAN_BOUND_NONE)
        return (struct br_bound){s->reach.critical_path, "critical path"};
    if (s->reach.critical_path >= effort.enough)
        return (struct br_bound){s->reach.critical_path, "critical path"};
    struct br_bound bound = br_bounds_by(s->origin, &effort);
    if (!s->turn || asked == BR_PLAN_BOUND_CHEAP || bound.ticks < 0 || bound.ticks >= effort.enough)
        return bound;
    effort.cheap = false;
    effort.stop = br_search_turn(s, bound_turn * s->turn_share);
    struct br_bound more = br_bounds_by(s->origin, &effort);
    return more.ticks < 0 || !br_stopped(effort.stop) ? more : bound;
}

/* The lower bound. It is worked on only while it can still rise, below the best schedule so far,
 * and while there is time. False when memory is out. */
static bool planner_search_find_bound(struct br_search *s)
{
    int64_t began_ns = br_now_ns();
    s->bound = planner_search_argue(s);
    s->combinatorial = s->bound;
    br_search_time(&s->run.counters.bound_ns, &began_ns);
    return s->bound.ticks >= 0;
}

/* Why a schedule as long as `makespan` needs no search; NULL if it needs one. */
static const char *bypass_reason(const struct br_search *s, int64_t makespan)
{
    if (makespan - s->bound.ticks > br_search_slack(s, makespan))
        return NULL;
    if (s->run.in->tasks == 1)
        return "a single task";
    if (makespan == s->reach.critical_path) {
        int64_t sum = 0;
        for (uint32_t t = 0; t < s->run.in->tasks; t++)
            sum += s->run.in->duration[t];
        return sum == makespan ? "a chain" : "it fits the cluster as fast as its critical path";
    }
    return "greedy placement reaches the lower bound";
}

/* The most placements that the published method, as one of many, may be expected to take: about
 * half of those that the search after it may take, or of those for which the clock leaves time. */
static uint64_t graphene_placements(const struct br_search *s)
{
    uint64_t most = br_cycle_placements(s->run.in) / 2;
    double times = (double)s->options->time_limit_ns * s->run.share / default_ns;
    return s->turn && times > 1 ? (uint64_t)(times * (double)most) : most;
}

static struct br_graphene_settings graphene_settings(const struct br_search *s)
{
    const struct br_plan_options *o = s->options;
    struct br_graphene_settings settings = {.frag_score = o->frag_score,
                                            .threshold_limit = o->threshold_limit,
                                            .troublesome_limit = o->troublesome_limit,
                                            .beat = INT64_MAX};
    if (o->effort == BR_EFFORT_FAST &&
        (settings.threshold_limit == 0 || settings.threshold_limit > FAST_THRESHOLDS))
        settings.threshold_limit = FAST_THRESHOLDS;
    if (s->method.kind == BR_METHOD_BEST && (o->effort == BR_EFFORT_DEFAULT || s->turn)) {
        uint64_t most = graphene_placements(s);
        while (settings.threshold_limit > FAST_THRESHOLDS &&
               (uint64_t)settings.threshold_limit * settings.threshold_limit * GRAPHENE_VARIANTS *
                       s->run.in->tasks >
                   most)
            settings.threshold_limit--;
    }
    return settings;
}

/* Plain greedy placement, which is the result of an empty T. With a budget of one candidate the
 * search tries only that, and without a stop flag it always ends with a schedule. */
static bool greedy(struct br_run *run, struct br_schedule *schedule,
                   struct br_graphene_settings settings, struct br_graphene_report *report)
{
    run->placements = settings.threshold_limit = 1;
    run->stop = NULL;
    run->threads = 1;
    run->step = NULL;
    bool ok = br_graphene(run, &settings, schedule, report);
    report->pairs = report->distinct = report->duplicate = report->pruned = 0;
    run->counters.graphene_pairs = run->counters.graphene_sets = 0; /* they were not tried */
    run->counters.graphene_known = run->counters.graphene_pruned = 0;
    return ok;
}

/* Reports the search of the published method, whether or not its schedule is kept. */
static bool report_graphene(struct br_search *s, const struct br_graphene_report *search,
                            const struct br_graphene_report *kept)
{
    struct br_plan_part *out = &s->report;
    out->pairs = search->pairs;
    out->distinct = search->distinct;
    out->duplicate = search->duplicate;
    out->pruned = search->pruned;
    out->variants = search->variants;
    if (!kept)
        return true;
    out->long_score = kept->long_score;
    out->frag_score = kept->frag_score;
    out->t = kept->t;
    out->s = kept->s;
    out->p = kept->p;
    out->c = kept->c;
    return !kept->order[0] || (out->order = br_arena_text(s->arena, kept->order));
}

/* Method "graphene". Even its first placement stops at the bound. */
static bool plan_graphene(struct br_search *s)
{
    if (!planner_search_find_bound(s))
        return false;
    struct br_graphene_settings settings = graphene_settings(s);
    struct br_graphene_report report, found;
    const struct br_graphene_report *search = &report, *kept = &report;
    struct br_schedule best, schedule = {0};
    struct br_run first_run = br_search_begin(s), run = first_run, *spent = &first_run;
    int64_t began_ns = br_now_ns();
    bool ok = br_schedule_init(&best, s->run.in) && greedy(&first_run, &best, settings, &report);
    if (ok) {
        s->report.bypass = bypass_reason(s, best.makespan);
        s->cut |= !s->report.bypass && br_stopped(s->run.stop);
    }
    int64_t first = ok ? best.makespan : INT64_MAX;
    if (ok && !s->report.bypass && !s->cut) {
        br_run_found(&s->run, first, br_method_graphene);
        spent = &run;
        ok = br_schedule_init(&schedule, s->run.in) &&
             br_graphene(&run, &settings, &schedule, &found);
        if (ok) {
            bool finished = schedule.makespan < INT64_MAX;
            if (finished)
                br_schedule_swap(&schedule, &best);
            s->cut |= found.cut;
            search = &found;
            kept = finished ? &found : &report;
        }
    }
    if (ok) {
        br_run_take(&s->run, spent);
        br_search_time(&s->run.counters.graphene_ns, &began_ns);
        br_elite_add(&s->elite, &best, br_method_graphene, 0);
        ok = report_graphene(s, search, kept);
        planner_search_tell(s, search == &report ? INT64_MAX : first);
    }
    br_schedule_finish(&schedule);
    br_schedule_finish(&best);
    return ok;
}

/* Takes a schedule by a simple order as the best, and finds the bound. */
static bool take_simple(struct br_search *s, struct br_schedule *schedule, const char *name,
                        uint32_t row, int64_t began_ns)
{
    s->run.spent += s->run.in->tasks;
    s->run.counters.heuristic_schedules++;
    s->run.counters.heuristic_placements += s->run.in->tasks;
    br_search_time(&s->run.counters.heuristic_ns, &began_ns);
    br_elite_add(&s->elite, schedule, name, row);
    const bool ok = planner_search_find_bound(s);
    planner_search_tell(s, INT64_MAX);
    return ok;
}

/* The schedule of one row of the table of heuristics. The stop flag does not apply: there has to be
 * a plan. */
static bool run_row(struct br_search *s, uint32_t row)
{
    struct br_schedule schedule;
    const struct br_heuristic *heuristic = br_heuristic_at(row);
    int64_t began_ns = br_now_ns();
    bool ok = br_schedule_init(&schedule, s->run.in) &&
              heuristic->run(&schedule, s->run.in, &s->reach, s->run.seed, NULL);
    if (ok) {
        s->trial[row] = schedule.makespan;
        ok = take_simple(s, &schedule, heuristic->named.name, row, began_ns);
    }
    br_schedule_finish(&schedule);
    return ok;
}

/* The schedule in the order of the caller's. */
static bool plan_given(struct br_search *s)
{
    struct br_schedule schedule;
    int64_t began_ns = br_now_ns();
    bool ok = br_schedule_init(&schedule, s->run.in) &&
              br_heuristic_given(&schedule, s->run.in, s->place) &&
              take_simple(s, &schedule, br_method_given, 0, began_ns);
    br_schedule_finish(&schedule);
    return ok;
}

/* Method "best" if there is nothing to choose, or no time for it: the first row alone. */
static bool plan_first(struct br_search *s)
{
    if (!run_row(s, 0))
        return false;
    s->report.bypass = bypass_reason(s, best_makespan(s));
    for (uint32_t row = 1; s->run.in->tasks == 1 && br_heuristic_at(row); row++)
        s->trial[row] = s->trial[0]; /* as every order does */
    s->cut |= !s->report.bypass && br_stopped(s->run.stop);
    return true;
}

/* Is there something to gain, and time for it? Effort fast leaves large jobs as they are from a
 * small gap on. */
static bool search_is_open(const struct br_search *s)
{
    const int64_t makespan = best_makespan(s), least = is_hurried(s) ? makespan / LARGE_CLOSE : 0;
    return !s->report.bypass && !br_search_done(s) && makespan - s->bound.ticks > least &&
           !br_stopped(s->run.stop);
}

/* Chooses the rows of the table that run at once. */
enum rows { FIRST_ROW = 1, QUICK_ROWS = 2, SLOW_ROWS = 4, WEAK_ROWS = 8 };

static enum rows kind_of_row(uint32_t row)
{
    const struct br_heuristic *heuristic = br_heuristic_at(row);
    return row == 0          ? FIRST_ROW
           : heuristic->slow ? SLOW_ROWS
           : heuristic->weak ? WEAK_ROWS
                             : QUICK_ROWS;
}

/* Runs baselines, whose results say whether any search is needed. */
static bool run_rows(struct br_search *s, struct br_portfolio *portfolio, unsigned kinds)
{
    int64_t best = best_makespan(s), began_ns = br_now_ns();
    uint32_t row[BR_PORTFOLIO_WORK], rows = 0;
    /* On large jobs what takes longest goes first, unless the clock is short: so no thread waits
     * for it in the end. */
    const unsigned early = is_large(s) && !s->turn ? kinds & SLOW_ROWS : 0;
    for (uint32_t k = 0; br_heuristic_at(k); k++)
        if (early & kind_of_row(k))
            row[rows++] = k;
    for (uint32_t k = 0; br_heuristic_at(k); k++)
        if (kinds & ~early & kind_of_row(k))
            row[rows++] = k;
    if (!br_portfolio_baselines(portfolio, row, rows, s->trial))
        return false;
    br_run_take(&s->run, portfolio->run);
    br_search_time(&s->run.counters.heuristic_ns, &began_ns);
    if (best_makespan(s) < best && !planner_search_find_bound(s))
        return false;
    planner_search_tell(s, best);
    s->report.bypass = bypass_reason(s, best_makespan(s));
    return true;
}

/* Runs the baselines, on a large job as far as they are needed. By the clock, those that are slow
 * on large jobs come last, and effort fast has neither these nor the weak. It has the first alone
 * on the largest jobs, and where that leaves next to no gap. */
static bool run_baselines(struct br_search *s, struct br_portfolio *portfolio)
{
    const bool divided = s->turn && s->run.in->tasks > SLOW_TASKS && !is_hurried(s);
    const unsigned quick = QUICK_ROWS | (is_hurried(s) ? 0 : WEAK_ROWS);
    const unsigned rest = divided || is_hurried(s) ? quick : quick | SLOW_ROWS;
    bool ok = run_rows(s, portfolio, is_large(s) ? FIRST_ROW : FIRST_ROW | rest);
    if (is_huge(s) || (is_hurried(s) && ok && !search_is_open(s)))
        return ok;
    if (ok && is_large(s) && !s->report.bypass)
        ok = run_rows(s, portfolio, rest);
    if (ok && divided && !s->report.bypass) {
        portfolio->run->stop = br_search_turn(s, slow_turn * s->turn_share);
        ok = run_rows(s, portfolio, SLOW_ROWS);
    }
    s->cut |= ok && !s->report.bypass && br_stopped(s->run.stop);
    return ok;
}

/* Adds the schedule by the longest way of work, the second that effort fast has for the largest
 * jobs. */
static bool run_work_path(struct br_search *s, struct br_portfolio *portfolio)
{
    struct br_schedule schedule;
    const int64_t best = best_makespan(s);
    int64_t began_ns = br_now_ns();
    bool ok = br_schedule_init(&schedule, s->run.in), found = false;
    if (ok) {
        found = br_work_path(&schedule, s->run.in, s->run.stop);
        ok = found || br_stopped(s->run.stop);
    }
    if (found) {
        br_portfolio_add(portfolio, &schedule, "stages");
        s->run.spent += s->run.in->tasks;
        s->run.counters.heuristic_schedules++;
        s->run.counters.heuristic_placements += s->run.in->tasks;
        planner_search_tell(s, best);
    }
    br_search_time(&s->run.counters.heuristic_ns, &began_ns);
    br_schedule_finish(&schedule);
    return ok;
}

/* Adds schedules by orders of whole stages. */
static bool run_stage_orders(struct br_search *s, struct br_portfolio *portfolio)
{
    int64_t best = best_makespan(s), began_ns = br_now_ns();
    *portfolio->run = br_search_begin(s);
    const bool ok = br_portfolio_stages(portfolio);
    br_run_take(&s->run, portfolio->run);
    br_search_time(&s->run.counters.heuristic_ns, &began_ns);
    planner_search_tell(s, best);
    return ok;
}

/* Adds the schedule of the published method to the portfolio. */
static bool run_graphene(struct br_search *s, struct br_portfolio *portfolio,
                         struct br_graphene_report *found)
{
    struct br_graphene_settings settings = graphene_settings(s);
    struct br_schedule schedule;
    int64_t best = best_makespan(s);
    /* A variant somewhat longer than the best schedule may still end up the shortest once it is
     * justified. */
    settings.beat = best + best / (is_large(s) ? LARGE_BEAT : BEAT) + 1;
    struct br_run run = br_search_begin(s);
    run.placements = s->run.placements;
    run.stop = br_search_turn(s, graphene_turn * s->turn_share);
    run.share *= BR_SEARCH_QUICK;
    int64_t began_ns = br_now_ns();
    bool ok =
        br_schedule_init(&schedule, s->run.in) && br_graphene(&run, &settings, &schedule, found);
    if (ok) {
        s->cut |= found->cut && (!s->turn || br_stopped(s->run.stop));
        br_run_take(&s->run, &run);
        br_search_time(&s->run.counters.graphene_ns, &began_ns);
        if (schedule.makespan < INT64_MAX)
            br_portfolio_add(portfolio, &schedule, br_method_graphene);
        planner_search_tell(s, best);
    }
    br_schedule_finish(&schedule);
    return ok;
}

/* Justifies, with what is left of the limits. */
static bool run_justify(struct br_search *s, struct br_portfolio *portfolio, unsigned works)
{
    int64_t best = best_makespan(s), began_ns = br_now_ns();
    *portfolio->run = br_search_begin(s);
    portfolio->run->stop = br_search_turn(s, justify_turn * s->turn_share);
    bool ok = br_portfolio_justify(portfolio, works);
    br_run_take(&s->run, portfolio->run);
    br_search_time(&s->run.counters.justify_ns, &began_ns);
    s->cut |= portfolio->cut && (!s->turn || br_stopped(s->run.stop));
    planner_search_tell(s, best);
    return ok;
}

/* A round or two of the population over stages. */
static bool run_stages(struct br_search *s, struct br_portfolio *portfolio)
{
    int64_t began_ns = br_now_ns();
    struct br_run run = br_search_begin(s);
    const uint64_t passes = (uint64_t)(is_huge(s) ? HUGE_STAGES : LARGE_STAGES) * s->run.in->tasks;
    const uint64_t left = portfolio->most > portfolio->used ? portfolio->most - portfolio->used : 1;
    uint64_t most = passes > LARGE_PLACEMENTS ? passes : LARGE_PLACEMENTS;
    const int64_t makespan = best_makespan(s);
    if (s->run.in->machines == 1 || makespan - s->bound.ticks <= makespan / LARGE_NEAR)
        return true;
    most = most < left ? most : left;
    if (!run.placements || run.placements > most)
        run.placements = most;
    run.stop = br_search_turn(s, slow_turn * s->turn_share);
    bool ok = br_stage_search(&run, false);
    portfolio->used += run.spent;
    br_run_take(&s->run, &run);
    br_search_time(&s->run.counters.stages_ns, &began_ns);
    return ok;
}

/* Does a search on a miniature suit the part, after the first justification? */
static bool suits_miniature(const struct br_search *s)
{
    const int64_t makespan = best_makespan(s);
    return is_hurried(s) && !is_huge(s) && s->run.in->machines > 1 &&
           s->run.in->machines <= FEW_MACHINES && makespan - s->bound.ticks > makespan / FEW_GAP;
}

/* Adds schedules in orders of the miniature's, and justifies them. */
static bool run_miniature(struct br_search *s, struct br_portfolio *portfolio)
{
    const int64_t best = best_makespan(s);
    int64_t began_ns = br_now_ns();
    *portfolio->run = br_search_begin(s);
    struct br_run *run = portfolio->run;
    const uint64_t most = (uint64_t)FEW_SEARCH * s->run.in->tasks;
    if (!run->placements || run->placements > most)
        run->placements = most;
    run->stop = br_search_turn(s, slow_turn * s->turn_share);
    portfolio->most += (uint64_t)FEW_PASSES * s->run.in->tasks;
    const bool ok = br_portfolio_miniature(portfolio, FEW_TASKS);
    br_run_take(&s->run, run);
    br_search_time(&s->run.counters.stages_ns, &began_ns);
    planner_search_tell(s, best);
    return ok;
}

/* Method "best": the baselines, the published method, all of them justified, and searches. */
static bool plan_best(struct br_search *s)
{
    struct br_graphene_report found = {.long_score = NAN, .frag_score = NAN};
    struct br_portfolio portfolio;
    struct br_run run = br_search_begin(s);
    const bool hurried = is_hurried(s);
    bool ok = br_portfolio_init(&portfolio, &run);
    portfolio.closes = is_large(s);
    portfolio.few = hurried;
    portfolio.most = hurried ? (uint64_t)LARGE_PASSES * s->run.in->tasks : 0;
    ok = ok && run_baselines(s, &portfolio);
    if (ok && is_large(s) && !is_huge(s) && search_is_open(s))
        ok = run_stage_orders(s, &portfolio);
    if (ok && is_huge(s) && search_is_open(s))
        ok = run_work_path(s, &portfolio);
    if (ok && is_large(s) && search_is_open(s))
        ok = run_justify(s, &portfolio, BR_WORKS_QUICK);
    const bool few = ok && suits_miniature(s);
    if (ok && few && search_is_open(s))
        ok = run_miniature(s, &portfolio);
    if (ok && is_large(s) && search_is_open(s))
        ok = run_justify(s, &portfolio, BR_WORKS_KEPT);
    const bool pays = portfolio.pays;
    if (ok && hurried && pays && !few && search_is_open(s))
        ok = run_justify(s, &portfolio, BR_WORKS_KEPT);
    if (ok && hurried && !few && !(pays && s->run.in->tasks >= LARGE_MANY) && search_is_open(s))
        ok = run_stages(s, &portfolio);
    if (ok && !hurried && search_is_open(s))
        ok = run_graphene(s, &portfolio, &found);
    if (ok && search_is_open(s))
        ok = run_justify(s, &portfolio, hurried ? BR_WORKS_BEST : BR_WORKS_ALL);
    br_portfolio_finish(&portfolio);
    if (ok && !s->report.bypass && !br_search_done(s)) {
        s->cut |= br_stopped(s->run.stop);
        if (s->options->effort != BR_EFFORT_FAST && !s->turn && !br_stopped(s->run.stop))
            ok = s->first_cycle ? s->first_cycle(s) : br_search_cycle(s, 0);
    }
    bool kept = ok && s->elite.entry[0].method == br_method_graphene;
    return ok && report_graphene(s, &found, kept ? &found : NULL);
}

bool br_search_part(struct br_search *s)
{
    s->report = (struct br_plan_part){.stages = s->run.in->stages, .tasks = s->run.in->tasks};
    s->report.long_score = s->report.frag_score = NAN;
    s->noise = br_rounding_noise(s->origin);
    s->run.reach = &s->reach;
    s->run.elite = &s->elite;
    bool best = s->method.kind == BR_METHOD_BEST;
    bool first = best && (s->run.in->tasks == 1 || br_stopped(s->run.stop));
    bool many = best && !first && s->run.in->tasks <= BR_PORTFOLIO_LARGE;
    if (!br_elite_init(&s->elite, s->run.in, many ? BR_ELITES : 1) ||
        !br_reach_init(&s->reach, s->run.in))
        return false;
    bool ok = s->method.kind == BR_METHOD_GRAPHENE    ? plan_graphene(s)
              : s->method.kind == BR_METHOD_HEURISTIC ? run_row(s, s->method.row)
              : s->method.kind == BR_METHOD_GIVEN     ? plan_given(s)
              : first                                 ? plan_first(s)
                                                      : plan_best(s);
    assert(!ok || br_search_best(s)->makespan >= s->bound.ticks);
    return ok;
}

bool br_search_on(struct br_search *s, uint32_t cycle)
{
    bool ok = br_search_cycle(s, cycle);
    assert(!ok || br_search_best(s)->makespan >= s->bound.ticks);
    return ok;
}

/* Do schedules by this method start every task as early as possible? Schedules by parallel
 * generation do: at every earlier time, the running tasks left no room. A task without duration
 * needs no room, but waits there for the tasks of its stage that come first in the order. */
static bool starts_early(const struct br_instance *in, const char *method)
{
    for (uint32_t row = 0; br_heuristic_at(row); row++) {
        const struct br_heuristic *heuristic = br_heuristic_at(row);
        if (heuristic->named.name != method)
            continue;
        for (uint32_t t = 1; t < in->tasks; t++)
            if ((in->duration[t] == 0) != (in->duration[t - 1] == 0) &&
                in->task_stage[t] == in->task_stage[t - 1])
                return false;
        return heuristic->key != NULL;
    }
    return false;
}

bool br_search_settle(struct br_search *s)
{
    struct br_elite_entry *best = &s->elite.entry[0];
    const int64_t before = best->schedule.makespan;
    int64_t began_ns = br_now_ns();
    if (s->method.kind != BR_METHOD_BEST || starts_early(s->run.in, best->method))
        return true;
    bool ok = br_left_shift(&best->schedule, s->run.in, is_hurried(s), s->run.stop,
                            &s->run.counters.shift_moved);
    if (ok && best->schedule.makespan < before)
        br_run_found(&s->run, best->schedule.makespan, "shifted");
    br_search_time(&s->run.counters.shift_ns, &began_ns);
    assert(!ok || br_search_best(s)->makespan >= s->bound.ticks);
    return ok;
}

void br_search_count(const struct br_search *s, struct br_counters *sums)
{
    br_counters_add(sums, &s->run.counters);
    sums->parts++;
    sums->parts_bypassed += s->report.bypass != NULL;
    if (s->exact)
        br_exact_search_count(s->exact, sums);
}

void br_search_finish(struct br_search *s)
{
    br_exact_search_destroy(s->exact);
    br_elite_finish(&s->elite);
    br_reach_finish(&s->reach);
}
