#include "planner/planning/modes_plan.h"

#include <stdio.h>
#include <string.h>

#include <bigrocks/bound.h>

#include "base/collections/memory.h"
#include "base/process/alarm.h"
#include "base/process/clock.h"
#include "planner/instance/plan.h"
#include "planner/instance/relax.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/units.h"
#include "planner/modes/search.h"
#include "planner/modes/selected.h"
#include "planner/planning/general_plan.h"
#include "planner/search/bound/best_bound.h"
#include "planner/search/make_plan.h"
#include "planner/search/method.h"
#include "planner/planning/modes_exact.h"

/* Schedules that the choice of ways tries by effort, fast so many a task within limits, and the
 * most placements of these efforts. */
static const uint64_t fast_each = 4, fast_least = 100, fast_schedules = 300;
static const uint64_t default_schedules = 60000, max_schedules = 1000000;
/* Under effort fast the job of the choice gets so many, if it has at most so many tasks. */
static const uint64_t fast_inner_schedules = 50, fast_inner_tasks = 75;
static const uint64_t fast_placements = 200000, default_placements = 5000000;
/* Schedules of one individual; the share of a limit for the choice, and for the bound. */
enum { SCHEDULES_EACH = 3 };
static const double choice_share = 0.25, inner_share = 0.1, bound_share = 0.1;
/* Conflicts of the exact search; effort fast has none. */
static const uint64_t default_conflicts = 10000, max_conflicts = 1000000;
static const char least_way[] = "job in which every task takes the least of its ways";
static const char population[] = "population";
/* Schedules that cost as much as a conflict. */
static const uint64_t conflict_schedules = 6;
static const char all_ways[] = "clauses learned over all ways";

struct modes_plan {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    struct br_plan_options options;
    struct br_method method;
    struct br_modes *modes;
    struct br_modes_found found;
    struct br_multipliers multipliers;
    struct br_selected selected;
    struct br_plan *inner; /* of the selected job; NULL: none is needed */
    struct br_modes_exact exact;
    bool limits;        /* the inner plan has a limit that the caller did not set */
    const char *finder; /* the method of the plan */
    int64_t began_ns, lower_bound_ns;
    uint64_t breeds; /* populations beside the exact search */
    bool by_multipliers;
    struct br_certificate *certificate;
    struct br_diag *diag;
};

static bool is_fast(const struct modes_plan *p)
{
    return br_effort_meant(&p->options) == BR_EFFORT_FAST;
}

static uint64_t fast_schedules_of(uint64_t tasks)
{
    const uint64_t least = fast_each * tasks > fast_least ? fast_each * tasks : fast_least;
    return least < fast_schedules ? least : fast_schedules;
}

static uint64_t modes_placements(const struct modes_plan *p)
{
    const uint64_t n = p->modes->tasks;
    const uint64_t least = SCHEDULES_EACH * n;
    uint64_t most = 0;
    switch (br_effort_meant(&p->options)) {
    case BR_EFFORT_FAST:
        most = fast_schedules_of(n) * n;
        most = most < fast_placements ? most : fast_placements;
        break;
    case BR_EFFORT_MAX:
        most = p->options.time_limit_ns ? UINT64_MAX : max_schedules * n;
        break;
    default:
        most =
            default_schedules * n < default_placements ? default_schedules * n : default_placements;
    }
    if (p->options.placements && p->options.placements / 2 < most)
        most = p->options.placements / 2;
    return most > least ? most : least;
}

/* ---- The bound ---- */

/* The bound that the options mean, but effort fast takes the cheap one: of the least ways the
 * others are hardly ever more. */
static enum br_plan_bound bound_meant(const struct modes_plan *p)
{
    if (p->options.bound == BR_PLAN_BOUND_AUTO && is_fast(p))
        return BR_PLAN_BOUND_CHEAP;
    return br_plan_bound_meant(&p->options, &p->method);
}

static enum br_status bound_relaxed_job(const struct modes_plan *p,
                                        const struct br_relaxed *relaxed,
                                        struct br_bound_result *result)
{
    struct br_bound_options options = br_bound_options_default();
    options.conflicts = 0;
    options.stop = p->options.stop;
    options.time_limit_ns = (int64_t)(bound_share * (double)p->options.time_limit_ns);
    if (bound_meant(p) != BR_PLAN_BOUND_FULL)
        return br_cheap_bound(relaxed->dag, relaxed->cluster, options.stop, result, p->diag);
    return br_bound_best(relaxed->dag, relaxed->cluster, &options, result, p->diag);
}

static enum br_status bound_least_way(struct modes_plan *p)
{
    struct br_relaxed relaxed;
    struct br_bound_result result = {0};
    enum br_status status = br_relax(p->dag, p->cluster, BR_RELAX_MACHINES, &relaxed, p->diag);
    if (!status)
        status = bound_relaxed_job(p, &relaxed, &result);
    if (!status) {
        p->lower_bound_ns = result.lower_bound_ns;
        if (bound_meant(p) != BR_PLAN_BOUND_NONE) {
            p->certificate = result.certificate;
            result.certificate = NULL;
        }
        if (p->certificate)
            p->certificate->relaxation = BR_RELAX_MACHINES;
    }
    br_bound_result_finish(&result);
    br_relaxed_finish(&relaxed);
    return status;
}

/* The bound by multipliers, which also count what is consumed. */
static enum br_status bound_by_multipliers(struct modes_plan *p)
{
    if (is_fast(p) || bound_meant(p) != BR_PLAN_BOUND_FULL || !br_modes_exact_suits(p->modes))
        return BR_OK;
    if (!br_multipliers_find(p->modes, BR_MULTIPLIER_ROUNDS, p->options.stop, &p->multipliers))
        return br_fail_memory(p->diag);
    if (p->multipliers.bound_ns <= p->lower_bound_ns)
        return BR_OK;
    struct br_certificate *c = br_multipliers_certify(p->modes, &p->multipliers);
    if (!c)
        return br_fail_memory(p->diag);
    const enum br_status status =
        br_certificate_verify(c, p->dag, p->cluster, p->multipliers.bound_ns, NULL);
    if (status) { /* a job that the check does not know: the bound stays as it is */
        br_certificate_destroy(c);
        return status == BR_SYSTEM ? br_fail_memory(p->diag) : BR_OK;
    }
    p->lower_bound_ns = p->multipliers.bound_ns;
    p->by_multipliers = true;
    br_certificate_destroy(p->certificate);
    p->certificate = c;
    return BR_OK;
}

/* ---- The choice, and its plan ---- */

static enum br_status choose(struct modes_plan *p)
{
    struct br_alarm alarm;
    const int64_t limit_ns = (int64_t)(choice_share * (double)p->options.time_limit_ns);
    br_alarm_begin(&alarm, CLOCK_MONOTONIC,
                   limit_ns ? br_clock_ns(CLOCK_MONOTONIC) + limit_ns : INT64_MAX, p->options.stop);
    const struct br_modes_budget budget = {.placements = modes_placements(p),
                                           .enough = p->lower_bound_ns,
                                           .stop = &alarm.stop,
                                           .seed = p->options.seed,
                                           .by_stage = !br_selected_splits(p->dag)};
    const size_t n = (size_t)p->modes->tasks + 1;
    p->found.way = br_malloc(n * sizeof *p->found.way);
    p->found.start = br_malloc(n * sizeof *p->found.start);
    p->found.machine = br_malloc(n * sizeof *p->found.machine);
    const bool ok = p->found.way && p->found.start && p->found.machine &&
                    br_modes_search(p->modes, &budget, &p->found);
    br_alarm_end(&alarm);
    if (!ok)
        return br_fail_memory(p->diag);
    return p->found.afforded ? BR_OK : br_modes_refuse_budgets(p->diag);
}

/* Is the schedule with which the choice was found a plan, and its method none of the others? */
static bool has_plan(const struct modes_plan *p)
{
    return p->method.kind == BR_METHOD_BEST &&
           !(br_features(p->dag, p->cluster) & ~(unsigned)BR_MODE_LISTER_FEATURES);
}

/* Plans the job of the choice, unless the schedule of the choice is as short as any. */
static enum br_status plan_choice(struct modes_plan *p)
{
    if (has_plan(p) && p->found.makespan <= p->lower_bound_ns)
        return BR_OK;
    struct br_plan_options options = p->options;
    if (is_fast(p))
        options.bound = BR_PLAN_BOUND_NONE; /* what bounds the choice bounds no other */
    if (options.time_limit_ns) {
        const double share = br_modes_exact_suits(p->modes) ? inner_share : 1;
        const int64_t left = options.time_limit_ns - (br_now_ns() - p->began_ns);
        options.time_limit_ns = (int64_t)(share * (double)left);
        options.time_limit_ns = options.time_limit_ns > 1000000 ? options.time_limit_ns : 1000000;
    }
    if (options.placements)
        options.placements -=
            p->found.spent < options.placements - 1 ? p->found.spent : options.placements - 1;
    p->limits =
        is_fast(p) && has_plan(p) && !options.placements && p->dag->tasks <= fast_inner_tasks;
    if (p->limits)
        options.placements = fast_inner_schedules * p->dag->tasks;
    enum br_status status =
        br_selected_make(p->modes, p->found.way, BR_SELECTED_PLANNED, &p->selected, p->diag);
    if (status)
        return status;
    return br_features(p->selected.dag, p->selected.cluster)
               ? br_general_plan(p->selected.dag, p->selected.cluster, &options, &p->inner, p->diag)
               : br_make_plan(p->selected.dag, p->selected.cluster, &options, &p->inner, p->diag);
}

/* ---- The plan ---- */

/* The machine if the way runs there, else the first on which it does: tasks without duration need
 * no room, so that the resource of their classes does not keep them there. */
static uint32_t allowed_machine(const struct br_modes *modes, uint32_t way, uint32_t machine)
{
    const struct br_way *w = &modes->way[way];
    for (uint32_t k = 0; k < w->classes; k++) {
        const struct br_class *cls = &modes->cluster->cls[modes->class_of[w->first_class + k]];
        if (machine >= cls->first_machine && machine < cls->first_machine + cls->count)
            return machine;
    }
    return modes->cluster->cls[modes->class_of[w->first_class]].first_machine;
}

/* The shorter of both schedules by task of the given job, and whose it is. */
static bool take_shorter(struct modes_plan *p)
{
    struct br_modes_exact *e = &p->exact;
    const size_t tasks = p->dag->tasks, n = tasks + 1;
    *e = (struct br_modes_exact){.modes = p->modes,
                                 .multipliers = &p->multipliers,
                                 .way = br_malloc(n * sizeof *e->way),
                                 .machine = br_malloc(n * sizeof *e->machine),
                                 .start_ns = br_malloc(n * sizeof *e->start_ns),
                                 .lower_ns = p->lower_bound_ns};
    if (!e->way || !e->machine || !e->start_ns)
        return false;
    memcpy(e->way, p->found.way, tasks * sizeof *e->way);
    if (!p->inner || (has_plan(p) && p->found.makespan < p->inner->makespan_ns)) {
        memcpy(e->start_ns, p->found.start, tasks * sizeof *e->start_ns);
        memcpy(e->machine, p->found.machine, tasks * sizeof *e->machine);
        e->makespan_ns = p->found.makespan;
        p->finder = population;
        return true;
    }
    e->makespan_ns = p->inner->makespan_ns;
    p->finder = p->inner->method;
    for (uint32_t t = 0; t < p->inner->tasks; t++) {
        const uint32_t task = p->selected.origin[t];
        if (task == UINT32_MAX)
            continue;
        e->start_ns[task] = p->inner->start_ns[t];
        e->machine[task] = allowed_machine(p->modes, p->found.way[task], p->inner->machine[t]);
    }
    return true;
}

static uint64_t conflicts_meant(const struct modes_plan *p)
{
    switch (br_effort_meant(&p->options)) {
    case BR_EFFORT_FAST:
        return 0;
    case BR_EFFORT_MAX:
        return p->options.time_limit_ns ? UINT64_MAX : max_conflicts;
    default:
        return default_conflicts;
    }
}

/* Another population, which begins with the schedule at hand. */
static bool breed_again(void *context, struct br_modes_exact *e, uint64_t conflicts)
{
    struct modes_plan *p = context;
    const size_t tasks = p->dag->tasks;
    const struct br_modes_budget budget = {.placements = conflicts * conflict_schedules * tasks,
                                           .enough = e->lower_ns,
                                           .stop = e->stop,
                                           .seed = p->options.seed + ++p->breeds,
                                           .from_way = e->way,
                                           .from_start = e->start_ns};
    const uint64_t before = p->found.spent;
    if (!br_modes_search(p->modes, &budget, &p->found))
        return false;
    p->found.spent += before;
    if (p->found.afforded && p->found.makespan < e->makespan_ns) {
        memcpy(e->way, p->found.way, tasks * sizeof *e->way);
        memcpy(e->machine, p->found.machine, tasks * sizeof *e->machine);
        memcpy(e->start_ns, p->found.start, tasks * sizeof *e->start_ns);
        e->makespan_ns = p->found.makespan;
        p->finder = population;
    }
    return true;
}

static enum br_status improve_exactly(struct modes_plan *p)
{
    struct br_alarm alarm;
    if (!take_shorter(p))
        return br_fail_memory(p->diag);
    if (!br_modes_exact_suits(p->modes))
        return BR_OK;
    const int64_t end_ns = p->began_ns + p->options.time_limit_ns;
    br_alarm_begin(&alarm, CLOCK_MONOTONIC, p->options.time_limit_ns ? end_ns : INT64_MAX,
                   p->options.stop);
    p->exact.conflicts = conflicts_meant(p);
    p->exact.stop = &alarm.stop;
    if (has_plan(p) && !p->options.placements) {
        p->exact.other = breed_again;
        p->exact.context = p;
    }
    bool ok = br_modes_exact_run(&p->exact);
    if (ok && !p->exact.ran && p->exact.other && p->exact.conflicts == UINT64_MAX &&
        p->exact.lower_ns < p->exact.makespan_ns) /* populations have all of the time */
        ok = breed_again(p, &p->exact, UINT64_MAX / conflict_schedules / (p->dag->tasks + 1));
    br_alarm_end(&alarm);
    return ok ? BR_OK : br_fail_memory(p->diag);
}

/* What the plan of the job of the choice says of itself. */
static void put_inner(const struct modes_plan *p, struct br_plan *to)
{
    const struct br_plan *from = p->inner;
    to->note = p->limits ? NULL : from->note;
    to->placements += from->placements;
    to->counters = from->counters;
    for (uint32_t t = 0; t < from->tasks && p->finder == from->method; t++)
        if (p->selected.origin[t] != UINT32_MAX)
            to->subset[p->selected.origin[t]] = from->subset[t];
}

static enum br_status modes_put(struct modes_plan *p, struct br_plan **made)
{
    struct br_plan *to = *made = br_plan_create(p->dag->tasks);
    if (!to || !br_plan_allow_alternatives(to, p->dag) ||
        !(to->part = br_arena_array(&to->arena, 1, sizeof *to->part)))
        return br_fail_memory(p->diag);
    for (uint32_t t = 0; t < p->dag->tasks; t++) {
        to->start_ns[t] = p->exact.start_ns[t];
        to->machine[t] = p->exact.machine[t];
        to->subset[t] = 'S';
        if (to->alternative)
            to->alternative[t] = p->modes->way[p->exact.way[t]].alternative;
    }
    to->placements = p->found.spent;
    if (p->inner)
        put_inner(p, to);
    to->method = br_arena_text(&to->arena, p->finder);
    to->seed = p->options.seed;
    const int64_t makespan_ns = p->exact.makespan_ns;
    to->lower_bound_ns = p->exact.lower_ns < makespan_ns ? p->exact.lower_ns : makespan_ns;
    to->bound_method = p->exact.raised     ? all_ways
                       : p->by_multipliers ? br_multipliers_name
                                           : least_way;
    if (!p->exact.raised) {
        to->certificate = p->certificate;
        p->certificate = NULL;
    }
    to->counters.jobs = 1;
    to->counters.placements = to->placements;
    br_counters_add(&to->counters, &p->exact.counters);
    snprintf(to->source.why, sizeof to->source.why, "not asked for");
    to->parts = 1;
    to->part[0] = (struct br_plan_part){.stages = p->dag->stages,
                                        .tasks = p->dag->tasks,
                                        .method = to->method,
                                        .makespan_ns = makespan_ns,
                                        .lower_bound_ns = to->lower_bound_ns,
                                        .bound_method = to->bound_method};
    return to->method ? br_plan_rank_on(to, p->dag, p->cluster, p->diag) : br_fail_memory(p->diag);
}

static enum br_status plan_modes(struct modes_plan *p, struct br_plan **plan)
{
    if (p->options.objective != BR_OBJECTIVE_MAKESPAN)
        return br_features_refuse(p->dag, p->cluster, 0, "an objective other than the makespan",
                                  p->diag);
    enum br_status status = br_units_check(p->cluster, p->dag, p->diag);
    if (!status)
        status = br_modes_create(p->dag, p->cluster, &p->modes, p->diag);
    if (!status)
        status = bound_least_way(p);
    if (!status)
        status = bound_by_multipliers(p);
    if (!status)
        status = choose(p);
    if (!status)
        status = plan_choice(p);
    if (!status)
        status = improve_exactly(p);
    if (!status)
        status = modes_put(p, plan);
    return status ? status : br_plan_verify_made(*plan, p->dag, p->cluster, p->diag);
}

enum br_status br_modes_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_plan **plan,
                             struct br_diag *diag)
{
    struct modes_plan p = {.dag = dag,
                           .cluster = cluster,
                           .options = options ? *options : br_plan_options_default(),
                           .began_ns = br_now_ns(),
                           .diag = diag};
    if (!br_method_find(p.options.method, &p.method))
        return br_make_plan(dag, cluster, options, plan, diag); /* which says so */
    enum br_status status = plan_modes(&p, plan);
    br_plan_destroy(p.inner);
    br_selected_finish(&p.selected);
    br_certificate_destroy(p.certificate);
    br_free(p.found.way);
    br_free(p.found.start);
    br_free(p.found.machine);
    br_multipliers_finish(&p.multipliers);
    br_free(p.exact.way);
    br_free(p.exact.machine);
    br_free(p.exact.start_ns);
    br_modes_destroy(p.modes);
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}
