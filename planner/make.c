/* From a job and a cluster to a verified plan: the parts between cuts, each planned by the method
 * asked for, one after another on one time line.
 *
 * The planning runs in a thread of its own, with the caller supervising it: that is where the time
 * limit, the caller's stop flag and the progress callback are looked after. Nothing that the
 * supervisor does can change a plan, except by ending the search. */
#include <bigrocks/planner.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/parallel.h"
#include "planner/bounds/bounds.h"
#include "planner/graphene.h"
#include "planner/heuristic.h"
#include "planner/improve.h"
#include "planner/part.h"
#include "planner/plan.h"
#include "planner/portfolio.h"

enum { SUPERVISION_MS = 50, PROGRESS_MS = 100, FAST_THRESHOLDS = 4 };
/* What the default effort grants the search: passes over a small job, placements on a large one. */
enum { DEFAULT_PASSES = 6000, DEFAULT_PLACEMENTS = 10000000 };

struct br_plan_options br_plan_options_default(void)
{
    return (struct br_plan_options){
        .method = "best",
        .effort = BR_EFFORT_DEFAULT,
        .seed = 1,
        .frag_score = BR_FRAG_BOUND,
        .threshold_limit = 16,
        .troublesome_limit = 1,
    };
}

static const struct {
    const char *name, *summary;
} search_methods[] = {
    {"best", "the best of graphene and all baselines, justified, part by part (the default)"},
    {"graphene", "troublesome tasks first, the rest around them (Graphene, OSDI 2016)"},
};
enum { SEARCH_METHODS = sizeof search_methods / sizeof search_methods[0] };

const char *br_method_name(uint32_t k)
{
    if (k < SEARCH_METHODS)
        return search_methods[k].name;
    const struct br_heuristic *row = br_heuristic_at(k - SEARCH_METHODS);
    return row ? row->name : NULL;
}

const char *br_method_summary(uint32_t k)
{
    if (k < SEARCH_METHODS)
        return search_methods[k].summary;
    const struct br_heuristic *row = br_heuristic_at(k - SEARCH_METHODS);
    return row ? row->summary : NULL;
}

/* One call of br_plan_make, shared between the planning thread and the supervisor. */
struct making {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    struct br_plan *plan;
    struct br_diag diag;
    enum br_status status;

    volatile int stop;    /* set by the supervisor; read through br_stopped */
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool finished;
    bool timed_out;
    struct br_progress progress;
};

/* One part while it is planned. */
struct part_making {
    struct making *making;
    const struct br_instance *in;
    struct br_reach reach;
    struct br_bound bound;
    struct br_schedule best;
    const char *method;       /* of best */
    int64_t *trial;           /* by heuristic: makespan, or INT64_MAX where it was not finished */
    uint64_t progress_before; /* candidates of the parts before */
};

static uint32_t heuristic_rows(void)
{
    uint32_t n = 0;
    while (br_heuristic_at(n))
        n++;
    return n;
}

static void on_candidate(void *context, uint64_t done, uint64_t total, int64_t makespan)
{
    struct part_making *part = context;
    struct making *making = part->making;
    pthread_mutex_lock(&making->lock);
    making->progress.done = part->progress_before + done;
    making->progress.total = part->progress_before + total;
    making->progress.makespan_ns = makespan == INT64_MAX ? 0 : makespan * part->in->tick_ns;
    making->progress.lower_bound_ns = part->bound.ticks * part->in->tick_ns;
    pthread_mutex_unlock(&making->lock);
}

/* Why a schedule as long as `makespan` needs no search; NULL where it does. */
static const char *bypass_reason(const struct part_making *part, int64_t makespan)
{
    if (makespan > part->bound.ticks)
        return NULL;
    if (part->in->tasks == 1)
        return "a single task";
    if (makespan == part->reach.critical_path) {
        int64_t sum = 0;
        for (uint32_t t = 0; t < part->in->tasks; t++)
            sum += part->in->duration[t];
        return sum == makespan ? "a chain" : "it fits the cluster as fast as its critical path";
    }
    return "greedy placement reaches the lower bound";
}

/* Plain greedy placement, which is what an empty T comes to: with a budget of one candidate the
 * search tries just that, and with no stop flag it always ends with a schedule. */
static bool greedy(struct part_making *part, struct br_graphene_options options,
                   struct br_graphene_report *report)
{
    options.placements = options.threshold_limit = 1;
    options.stop = NULL;
    options.threads = 1;
    options.progress = NULL;
    bool ok = br_graphene(&part->best, part->in, &part->reach, &options, report);
    report->pairs = report->distinct = report->duplicate = report->pruned = 0;
    return ok;
}

static struct br_graphene_options graphene_options(struct part_making *part)
{
    struct making *making = part->making;
    const struct br_plan_options *o = &making->options;
    struct br_graphene_options options = {
        .frag_score = o->frag_score,
        .threshold_limit = o->threshold_limit,
        .troublesome_limit = o->troublesome_limit,
        .threads = o->threads,
        .placements = o->placements,
        .stop = &making->stop,
        .beat = INT64_MAX,
        .lower_bound = part->bound.ticks,
        .progress = on_candidate,
        .progress_context = part,
    };
    if (o->effort == BR_EFFORT_FAST &&
        (options.threshold_limit == 0 || options.threshold_limit > FAST_THRESHOLDS))
        options.threshold_limit = FAST_THRESHOLDS;
    return options;
}

/* What is told of the published method's search, whether or not its schedule is kept. */
static bool report_search(struct part_making *part, struct br_plan_part *out,
                          const struct br_graphene_report *search,
                          const struct br_graphene_report *kept)
{
    struct br_plan *plan = part->making->plan;
    out->pairs = search->pairs;
    out->distinct = search->distinct;
    out->duplicate = search->duplicate;
    out->pruned = search->pruned;
    out->variants = search->variants;
    plan->placements += search->placements;
    part->progress_before += search->distinct;
    if (!kept)
        return true;
    out->long_score = kept->long_score;
    out->frag_score = kept->frag_score;
    out->t = kept->t;
    out->s = kept->s;
    out->p = kept->p;
    out->c = kept->c;
    return !kept->order[0] || (out->order = br_arena_text(&plan->arena, kept->order));
}

/* Method "graphene". */
static bool make_graphene(struct part_making *part, struct br_plan_part *out, bool *cut)
{
    struct br_graphene_options options = graphene_options(part);
    struct br_graphene_report report, found;
    if (!greedy(part, options, &report))
        return false;
    part->method = "graphene";
    out->bypass = bypass_reason(part, part->best.makespan);
    if (out->bypass)
        return report_search(part, out, &report, &report);
    if (br_stopped(&part->making->stop)) {
        *cut = true;
        return report_search(part, out, &report, &report);
    }
    struct br_schedule schedule;
    bool ok = br_schedule_init(&schedule, part->in) &&
              br_graphene(&schedule, part->in, &part->reach, &options, &found);
    if (ok) {
        bool finished = schedule.makespan < INT64_MAX;
        if (finished)
            br_schedule_swap(&schedule, &part->best);
        *cut |= found.cut;
        ok = report_search(part, out, &found, finished ? &found : &report);
    }
    br_schedule_finish(&schedule);
    return ok;
}

/* What is left of the limit of placements; at least 1, since 0 is no limit. */
static uint64_t placements_left(const struct part_making *part, uint64_t spent)
{
    uint64_t limit = part->making->options.placements;
    return limit == 0 ? 0 : limit > spent ? limit - spent : 1;
}

/* What the default effort grants the search; a placement costs a look at many of the machines. */
static uint64_t default_placements(const struct br_instance *in)
{
    uint64_t passes = (uint64_t)DEFAULT_PASSES * in->tasks;
    uint64_t most = DEFAULT_PLACEMENTS / (1 + in->machines / 4);
    return passes < most ? passes : most;
}

/* Searches on from the elite, with twice the placements in every next cycle. */
static bool improve(struct part_making *part, struct br_elite *elite, uint64_t spent,
                    uint32_t cycle, bool *cut)
{
    struct making *making = part->making;
    const struct br_plan_options *o = &making->options;
    struct br_improve_report report;
    struct br_improve_options options = {
        .seed = o->seed + cycle,
        .threads = o->threads,
        .placements = default_placements(part->in) << (cycle < 30 ? cycle : 30),
        .lower_bound = part->bound.ticks,
        .stop = &making->stop,
        .moves = BR_MOVES_ALL,
    };
    uint64_t left = placements_left(part, spent);
    bool limited = left && left < options.placements;
    if (limited)
        options.placements = left;
    bool ok = br_improve(elite, part->in, &part->reach, &options, &report);
    making->plan->placements += report.placements;
    *cut |= report.stopped || (limited && elite->entry[0].schedule.makespan > part->bound.ticks);
    return ok;
}

/* Method "best": the baselines, the published method, and all of them justified. */
static bool make_best(struct part_making *part, struct br_plan_part *out, bool *cut)
{
    struct making *making = part->making;
    struct br_portfolio own, *portfolio = &own;
    struct br_elite_entry *first = &own.elite.entry[0];
    struct br_graphene_report found = {.long_score = NAN, .frag_score = NAN};
    *portfolio = (struct br_portfolio){.in = part->in,
                                       .reach = &part->reach,
                                       .seed = making->options.seed,
                                       .threads = making->options.threads,
                                       .stop = &making->stop};
    bool ok = br_portfolio_init(portfolio) &&
              br_portfolio_baselines(portfolio, 0, heuristic_rows(), part->trial);
    if (ok) {
        out->bypass = bypass_reason(part, first->schedule.makespan);
        *cut |= !out->bypass && br_stopped(&making->stop);
    }
    if (ok && !out->bypass && !br_stopped(&making->stop)) {
        struct br_graphene_options options = graphene_options(part);
        struct br_schedule schedule;
        /* A variant that is somewhat longer than what is there may still end up the shortest once
         * it is justified. */
        int64_t best = first->schedule.makespan;
        options.beat = best + best / 8 + 1;
        ok = br_schedule_init(&schedule, part->in) &&
             br_graphene(&schedule, part->in, &part->reach, &options, &found);
        if (ok) {
            *cut |= found.cut;
            if (schedule.makespan < INT64_MAX)
                br_portfolio_add(portfolio, &schedule, "graphene");
        }
        br_schedule_finish(&schedule);
        if (ok && first->schedule.makespan > part->bound.ticks && !br_stopped(&making->stop)) {
            ok = br_portfolio_justify(portfolio, placements_left(part, found.placements));
            *cut |= portfolio->cut;
        }
        if (ok && making->options.effort != BR_EFFORT_FAST)
            ok = improve(part, &portfolio->elite, found.placements + portfolio->placements, 0, cut);
    }
    if (ok) {
        br_schedule_copy(&part->best, &first->schedule);
        part->method = first->method;
        making->plan->placements += portfolio->placements;
        ok =
            report_search(part, out, &found, strcmp(part->method, "graphene") == 0 ? &found : NULL);
    }
    br_portfolio_finish(portfolio);
    return ok;
}

/* A method of the table of heuristics. The stop flag is not for it: there has to be a plan. */
static bool make_baseline(struct part_making *part)
{
    struct making *making = part->making;
    uint32_t row = 0;
    while (strcmp(br_heuristic_at(row)->name, making->options.method) != 0)
        row++;
    const struct br_heuristic *heuristic = br_heuristic_at(row);
    if (!heuristic->run(&part->best, part->in, &part->reach, making->options.seed, NULL))
        return false;
    part->trial[row] = part->best.makespan;
    part->method = heuristic->name;
    making->plan->placements += part->in->tasks;
    return true;
}

/* Copies a part's schedule into the plan, `offset` ticks after the start. */
static void put_part(struct br_plan *plan, struct br_plan_part *out, const struct br_instance *in,
                     const struct br_schedule *schedule, int64_t offset)
{
    for (uint32_t t = 0; t < in->tasks; t++) {
        uint32_t task = in->task_origin[t];
        plan->start_ns[task] = (offset + schedule->start[t]) * in->tick_ns;
        plan->machine[task] = schedule->machine[t];
        plan->subset[task] = schedule->subset[t];
    }
    out->start_ns = offset * in->tick_ns;
    out->makespan_ns = schedule->makespan * in->tick_ns;
}

/* Plans one part and copies it into the plan, `offset` ticks after the start. */
static bool make_part(struct part_making *part, struct br_plan_part *out, int64_t offset, bool *cut)
{
    struct making *making = part->making;
    const struct br_instance *in = part->in;
    struct br_plan *plan = making->plan;
    const char *method = making->options.method;
    *out = (struct br_plan_part){.stages = in->stages, .tasks = in->tasks};
    out->long_score = out->frag_score = NAN;
    if (!br_schedule_init(&part->best, in) || !br_reach_init(&part->reach, in))
        return false;
    part->bound = br_bounds_best(in);
    bool ok = strcmp(method, "best") == 0       ? make_best(part, out, cut)
              : strcmp(method, "graphene") == 0 ? make_graphene(part, out, cut)
                                                : make_baseline(part);
    if (!ok)
        return false;
    put_part(plan, out, in, &part->best, offset);
    out->method = part->method;
    out->lower_bound_ns = part->bound.ticks * in->tick_ns;
    return true;
}

/* Sums of the heuristics' makespans over the parts, for those that were finished in all. */
static bool add_trials(struct br_plan *plan, const int64_t *trial, uint32_t rows, int64_t tick_ns)
{
    plan->trial = br_arena_array(&plan->arena, rows + 1, sizeof *plan->trial);
    if (!plan->trial)
        return false;
    for (uint32_t row = 0; row < rows; row++)
        if (trial[row] != INT64_MAX)
            plan->trial[plan->trials++] =
                (struct br_plan_trial){br_heuristic_at(row)->name, trial[row] * tick_ns};
    return true;
}

/* One more search of a part, from its best schedule. */
static bool search_part(struct making *making, const struct br_instance *in,
                        struct br_schedule *best, struct br_plan_part *out, uint32_t cycle,
                        bool *cut)
{
    struct part_making part = {.making = making, .in = in};
    struct br_elite elite;
    bool ok = br_elite_init(&elite, in, BR_ELITES) && br_reach_init(&part.reach, in);
    part.bound.ticks = out->lower_bound_ns / in->tick_ns;
    if (ok) {
        br_elite_add(&elite, best, out->method, 0);
        ok = improve(&part, &elite, making->plan->placements, cycle, cut);
    }
    if (ok) {
        br_schedule_copy(best, &elite.entry[0].schedule);
        out->method = elite.entry[0].method;
    }
    br_elite_finish(&elite);
    br_reach_finish(&part.reach);
    return ok;
}

/* Effort max: goes round the parts whose best schedule is kept, longer in every cycle, until each
 * has reached its bound or something ends the search. */
static bool search_on(struct making *making, const struct br_parts *parts, struct br_schedule *kept,
                      bool *cut)
{
    struct br_plan *plan = making->plan;
    bool ok = true, open = true, ended = false;
    for (uint32_t cycle = 1; ok && open && !ended; cycle++) {
        open = false;
        for (uint32_t k = 0; ok && !ended && k < parts->count; k++) {
            struct br_plan_part *out = &plan->part[k];
            const struct br_instance *in = parts->part[k];
            if (!kept[k].start || kept[k].makespan * in->tick_ns <= out->lower_bound_ns)
                continue;
            open = true;
            ended = br_stopped(&making->stop);
            if (ended)
                *cut = true;
            else
                ok = search_part(making, in, &kept[k], out, cycle, &ended);
        }
    }
    *cut |= ended;
    int64_t offset = 0;
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        struct br_plan_part *out = &plan->part[k];
        const struct br_instance *in = parts->part[k];
        int64_t shift = offset * in->tick_ns - out->start_ns;
        if (kept[k].start) {
            put_part(plan, out, in, &kept[k], offset);
        } else {
            for (uint32_t t = 0; t < in->tasks; t++)
                plan->start_ns[in->task_origin[t]] += shift;
            out->start_ns += shift;
        }
        offset += out->makespan_ns / in->tick_ns;
    }
    return ok;
}

static bool make_parts(struct making *making, const struct br_parts *parts)
{
    struct br_plan *plan = making->plan;
    const struct br_plan_options *o = &making->options;
    uint32_t rows = heuristic_rows();
    struct part_making part = {.making = making};
    int64_t *trial = calloc(rows + 1, sizeof *trial);
    int64_t offset = 0, bound = 0;
    bool ok = trial != NULL, cut = false, mixed = false;
    const struct br_plan_part *main_part = NULL;
    bool on = o->effort == BR_EFFORT_MAX && strcmp(o->method, "best") == 0;
    struct br_schedule *kept = on ? calloc(parts->count, sizeof *kept) : NULL;
    part.trial = calloc(rows + 1, sizeof *part.trial);
    plan->part = br_arena_array(&plan->arena, parts->count, sizeof *plan->part);
    ok = ok && part.trial && plan->part && (kept || !on);
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        part.in = parts->part[k];
        for (uint32_t row = 0; row < rows; row++)
            part.trial[row] = INT64_MAX;
        ok = make_part(&part, &plan->part[k], offset, &cut);
        offset += part.best.makespan;
        bound += part.bound.ticks;
        plan->parts++;
        if (ok && on && part.best.makespan > part.bound.ticks)
            br_schedule_swap(&kept[k], &part.best);
        for (uint32_t row = 0; row < rows; row++)
            trial[row] = trial[row] == INT64_MAX || part.trial[row] == INT64_MAX
                             ? INT64_MAX
                             : trial[row] + part.trial[row];
        plan->bound_method = part.bound.method;
        br_schedule_finish(&part.best);
        br_reach_finish(&part.reach);
    }
    if (ok && on)
        ok = search_on(making, parts, kept, &cut);
    /* What needed no search names the plan only where nothing did. */
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        const struct br_plan_part *made = &plan->part[k];
        if (!main_part || (main_part->bypass && !made->bypass))
            main_part = made;
        else if (!made->bypass)
            mixed |= strcmp(made->method, main_part->method) != 0;
    }
    if (ok) {
        int64_t tick = parts->whole->tick_ns;
        struct br_bound whole = {bound, plan->bound_method};
        if (parts->count > 1)
            whole = br_bounds_sum(parts->whole);
        plan->lower_bound_ns = whole.ticks * tick;
        plan->bound_method = whole.method;
        plan->method = mixed ? o->method : main_part->method;
        if (cut)
            plan->note = o->placements && !br_stopped(&making->stop)
                             ? "the limit of placements ended the search"
                             : "the search was ended early";
        ok = add_trials(plan, trial, rows, tick);
    }
    for (uint32_t k = 0; kept && k < parts->count; k++)
        br_schedule_finish(&kept[k]);
    free(kept);
    free(trial);
    free(part.trial);
    return ok;
}

static enum br_status make(struct making *making)
{
    struct br_instance *in = NULL;
    struct br_parts parts = {0};
    struct br_diag *diag = &making->diag;
    enum br_status status = br_instance_create(making->dag, making->cluster, &in, diag);
    if (status)
        return status;
    status = br_parts_create(in, &parts, diag);
    if (status)
        goto out;
    making->plan = br_plan_create(in->tasks);
    if (!making->plan || !make_parts(making, &parts)) {
        status = br_fail_memory(diag);
        goto out;
    }
    making->plan->seed = making->options.seed;
    making->plan->method = br_arena_text(&making->plan->arena, making->plan->method);
    if (!making->plan->method)
        status = br_fail_memory(diag);
    else
        status = br_plan_rank(making->plan, making->dag, diag);
    if (!status) {
        status = br_plan_verify(making->plan, making->dag, making->cluster, 1, NULL, NULL, diag);
        if (status == BR_NO) /* never shown as an answer: a plan that fails is our fault */
            status = diag->status = BR_SYSTEM;
    }
out:
    br_parts_finish(&parts);
    br_instance_destroy(in);
    return status;
}

static void *make_thread(void *argument)
{
    struct making *making = argument;
    making->status = make(making);
    pthread_mutex_lock(&making->lock);
    making->finished = true;
    pthread_cond_signal(&making->changed);
    pthread_mutex_unlock(&making->lock);
    return NULL;
}

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Waits for the planning thread, passing on stop, limit and progress. */
static void supervise(struct making *making)
{
    const struct br_plan_options *o = &making->options;
    int64_t begin = now_ns(), shown = begin;
    pthread_mutex_lock(&making->lock);
    while (!making->finished) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += SUPERVISION_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&making->changed, &making->lock, &until);
        int64_t now = now_ns();
        making->timed_out |= o->time_limit_ns > 0 && now - begin >= o->time_limit_ns;
        if (making->timed_out || br_stopped(o->stop))
            __atomic_store_n(&making->stop, 1, __ATOMIC_RELAXED);
        if (o->progress && now - shown >= PROGRESS_MS * 1000000L && !making->finished) {
            struct br_progress progress = making->progress;
            shown = now;
            pthread_mutex_unlock(&making->lock);
            o->progress(o->progress_context, &progress);
            pthread_mutex_lock(&making->lock);
        }
    }
    pthread_mutex_unlock(&making->lock);
}

static bool known_method(const char *method)
{
    for (uint32_t k = 0; br_method_name(k); k++)
        if (strcmp(br_method_name(k), method) == 0)
            return true;
    return false;
}

enum br_status br_plan_make(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan_options *options, struct br_plan **plan,
                            struct br_diag *diag)
{
    struct making making = {.dag = dag,
                            .cluster = cluster,
                            .options = options ? *options : br_plan_options_default(),
                            .lock = PTHREAD_MUTEX_INITIALIZER};
    struct br_plan_options *o = &making.options;
    pthread_condattr_t attributes;
    pthread_t thread;
    *plan = NULL;
    if (!o->method)
        o->method = "best";
    if (!known_method(o->method))
        return br_fail(diag, BR_USAGE, "see the list of methods", "there is no method '%s'",
                       o->method);
    if (!(o->troublesome_limit >= 0 && o->troublesome_limit <= 1))
        return br_fail(diag, BR_USAGE, "give a share from 0 to 1",
                       "the limit on the share of troublesome work is %g", o->troublesome_limit);
    if (o->threads == 0)
        o->threads = br_processors();
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&making.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    int error = pthread_create(&thread, NULL, make_thread, &making);
    if (error == 0) {
        supervise(&making);
        pthread_join(thread, NULL);
        if (making.status && diag)
            *diag = making.diag;
        if (!making.status && making.timed_out && making.plan->note)
            making.plan->note = "the time limit ended the search";
    } else {
        making.status = br_fail(diag, BR_SYSTEM, "allow the process more threads or memory",
                                "cannot start the planning thread: %s", strerror(error));
    }
    pthread_cond_destroy(&making.changed);
    pthread_mutex_destroy(&making.lock);
    if (making.status)
        br_plan_destroy(making.plan);
    else
        *plan = making.plan;
    return making.status;
}
