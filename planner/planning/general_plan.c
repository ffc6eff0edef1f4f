#include "planner/planning/general_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/process/clock.h"
#include "planner/general/enumerate.h"
#include "planner/eligibility/features.h"
#include "planner/model/task_order.h"
#include "planner/planning/general_state.h"
#include "planner/search/make_plan.h"
#include "planner/search/method.h"

/* Placements of the search by effort: so many for a job, and so many a task. */
static const uint64_t fast_placements = 120000, fast_of_task = 6;
static const uint64_t default_placements = 6000000, default_of_task = 40;
/* Nodes of the enumeration of all schedules of a small job, by effort. */
static const uint64_t fast_nodes = 20000, default_nodes = 1000000, max_nodes = 20000000;
/* Features that change nothing if no resource that they need can run short. */
enum {
    unseen = BR_FEATURE_OUTPUTS | BR_FEATURE_RELEASES | BR_FEATURE_LAGS | BR_FEATURE_SHARED,
};

static uint64_t placements_meant(const struct general_plan *g)
{
    const uint64_t n = g->job->tasks;
    if (g->options.placements)
        return g->options.placements;
    switch (br_effort_meant(&g->options)) {
    case BR_EFFORT_FAST:
        return fast_placements > fast_of_task * n ? fast_placements : fast_of_task * n;
    case BR_EFFORT_MAX:
        return UINT64_MAX;
    default:
        return default_placements > default_of_task * n ? default_placements : default_of_task * n;
    }
}

static void general_found(void *context, const struct br_general_schedule *schedule,
                          const char *finder, uint64_t placements)
{
    const struct general_plan *g = context;
    if (!g->options.found || schedule->late)
        return;
    const struct br_incumbent incumbent = {.elapsed_ns = br_now_ns() - g->began_ns,
                                           .parts = 1,
                                           .makespan_ns = schedule->makespan,
                                           .lower_bound_ns = g->lower_bound_ns,
                                           .finder = finder,
                                           .placements = g->placements + placements};
    g->options.found(g->options.found_context, &incumbent);
}

static bool is_met(const struct general_plan *g)
{
    return g->best.whole && !g->best.late && g->best.makespan <= g->lower_bound_ns;
}

/* Searches with so many placements, and takes what is better. */
static enum br_status search_more(struct general_plan *g, struct br_general_run *run,
                                  uint64_t placements)
{
    struct br_general_schedule found = {0};
    run->placements = placements;
    const bool ok = br_general_schedule_init(&found, g->job) && br_general_search(run, &found);
    if (ok && br_general_schedule_better(&found, &g->best)) {
        br_general_schedule_copy(g->job, &g->best, &found);
        g->finder = run->finder;
    }
    g->placements += run->spent;
    run->spent = 0;
    run->seed++;
    br_general_schedule_finish(&found);
    return ok ? BR_OK : br_fail_memory(g->diag);
}

static enum br_status look_at_all(struct general_plan *g)
{
    const enum br_effort effort = br_effort_meant(&g->options);
    struct br_general_enumeration all = {
        .job = g->job,
        .nodes = effort == BR_EFFORT_FAST  ? fast_nodes
                 : effort == BR_EFFORT_MAX ? max_nodes
                                           : default_nodes,
        .lower_bound = g->lower_bound_ns,
        .stop = &g->alarm.stop,
    };
    const int64_t before = g->best.whole && !g->best.late ? g->best.makespan : INT64_MAX;
    if (g->job->tasks > BR_GENERAL_ENUMERATED || is_met(g))
        return BR_OK;
    if (!br_general_enumerate(&all, &g->best))
        return br_fail_memory(g->diag);
    g->placements += all.looked;
    g->complete = all.complete;
    if (!g->best.whole || g->best.late)
        return BR_OK;
    if (g->best.makespan < before)
        g->finder = "all schedules";
    if (all.complete && g->best.makespan > g->lower_bound_ns) {
        g->lower_bound_ns = g->best.makespan;
        g->bound_method = "all schedules";
        br_certificate_destroy(g->certificate); /* which proves less */
        g->certificate = NULL;
    }
    return BR_OK;
}

/* The one schedule of the order that is given. */
static enum br_status follow_given(struct general_plan *g)
{
    uint32_t *place = br_dag_places(g->dag, g->options.order);
    struct br_reserve *reserve = g->job->any_stored ? br_reserve_create(g->job, &g->witness) : NULL;
    struct br_generator *generator =
        place && (reserve || !g->job->any_stored) ? br_generator_create(g->job, reserve) : NULL;
    const bool ok = generator && br_generator_run(generator, place, BR_TURNS_FREE, &g->best);
    g->placements += g->job->tasks;
    g->finder = br_method_given;
    br_generator_destroy(generator);
    br_reserve_destroy(reserve);
    br_free(place);
    return ok ? BR_OK : br_fail_memory(g->diag);
}

static enum br_status search_schedule(struct general_plan *g)
{
    const uint64_t placements = placements_meant(g);
    const bool small = g->job->tasks <= BR_GENERAL_ENUMERATED;
    struct br_general_run run = {
        .job = g->job,
        .hint = g->hint,
        .seed = g->options.seed,
        .lower_bound = g->lower_bound_ns,
        .stop = &g->alarm.stop,
        .found = general_found,
        .context = g,
    };
    enum br_status status = br_general_find_witness(g);
    const bool hopes = g->answer != BR_WITNESS_NONE && !g->options.order;
    run.witness = g->job->any_stored && g->answer == BR_WITNESS_FOUND ? &g->witness : NULL;
    if (!status && hopes)
        status = search_more(g, &run, small ? placements / 16 : placements);
    else if (!status && g->answer == BR_WITNESS_FOUND)
        status = follow_given(g);
    if (!status && !g->options.order)
        status = look_at_all(g);
    if (!status && small && !g->complete && !is_met(g) && hopes)
        status = search_more(g, &run, placements);
    g->stopped = run.stopped;
    g->limited = !is_met(g) && !g->options.order && g->options.placements &&
                 g->placements >= g->options.placements;
    if (status || g->fitting)
        return status;
    if (!g->best.whole)
        return g->answer == BR_WITNESS_FOUND ? br_general_refuse_unplaced(g)
                                             : br_general_refuse_storage(g);
    return br_general_refuse_late(g);
}

/* The plan of the relaxed job, with the bound and its proof. */
static void put_fitting(struct general_plan *g, struct br_plan **made)
{
    struct br_plan *plan = *made = g->fitting;
    g->fitting = NULL;
    plan->lower_bound_ns =
        g->lower_bound_ns < plan->makespan_ns ? g->lower_bound_ns : plan->makespan_ns;
    plan->bound_method = g->bound_method;
    plan->certificate = g->certificate;
    g->certificate = NULL;
    plan->placements = plan->counters.placements = g->placements;
}

static enum br_status general_put(struct general_plan *g, struct br_plan **made)
{
    if (!g->finder) {
        put_fitting(g, made);
        return BR_OK;
    }
    const struct br_general *job = g->job;
    struct br_plan *plan = *made = br_plan_create(job->tasks);
    if (!plan || !(plan->part = br_arena_array(&plan->arena, 1, sizeof *plan->part)))
        return br_fail_memory(g->diag);
    memcpy(plan->start_ns, g->best.start, job->tasks * sizeof *plan->start_ns);
    memcpy(plan->machine, g->best.machine, job->tasks * sizeof *plan->machine);
    memset(plan->subset, 'S', job->tasks);
    plan->method = g->finder;
    plan->seed = g->options.seed;
    plan->lower_bound_ns =
        g->lower_bound_ns < g->best.makespan ? g->lower_bound_ns : g->best.makespan;
    plan->bound_method = g->bound_method;
    plan->source = g->source;
    if (!g->source.found && plan->lower_bound_ns < g->best.makespan &&
        strncmp(g->source.why, "not needed", strlen("not needed")) == 0)
        snprintf(plan->source.why, sizeof plan->source.why,
                 "not needed (the relaxed job's plan meets its bound)");
    plan->certificate = g->certificate;
    g->certificate = NULL;
    plan->placements = g->placements;
    plan->counters.jobs = 1;
    plan->counters.placements = plan->placements;
    if (g->stopped)
        plan->note = "the search was ended early";
    else if (g->limited)
        plan->note = "the limit of placements ended the search";
    plan->parts = 1;
    plan->part[0] = (struct br_plan_part){.stages = job->stages,
                                          .tasks = job->tasks,
                                          .method = g->finder,
                                          .makespan_ns = g->best.makespan,
                                          .lower_bound_ns = plan->lower_bound_ns,
                                          .bound_method = plan->bound_method};
    return br_plan_rank(plan, g->dag, g->diag);
}

static enum br_status plan_generally(struct general_plan *g, const struct br_relaxed *relaxed,
                                     struct br_plan **plan)
{
    g->relaxed = relaxed;
    const enum br_effort effort = br_effort_meant(&g->options);
    enum br_status status = br_general_create(g->dag, g->cluster, &g->job, g->diag);
    if (status)
        return status;
    if (!br_general_schedule_init(&g->best, g->job))
        return br_fail_memory(g->diag);
    g->best.late = g->best.makespan = INT64_MAX;
    g->alone = !g->options.order && !g->job->any_stored && !g->job->shared_short &&
               !(br_features(g->dag, g->cluster) & ~(unsigned)unseen);
    status = br_general_hint(g);
    if (!status && g->options.bound != BR_PLAN_BOUND_NONE &&
        br_relax_pool_helps(g->dag, g->cluster))
        status = br_general_bound_pool(g);
    if (!status && !is_met(g) && !(g->fitting && (g->alone || effort == BR_EFFORT_FAST)))
        status = search_schedule(g);
    return status ? status : general_put(g, plan);
}

static void general_finish(struct general_plan *g)
{
    br_general_schedule_finish(&g->best);
    br_certificate_destroy(g->certificate);
    br_plan_destroy(g->fitting);
    br_free(g->hint);
    br_free(g->witness.order);
    br_free(g->witness.machine);
    br_general_destroy(g->job);
}

enum br_status br_plan_verify_made(const struct br_plan *plan, const struct br_dag *dag,
                                   const struct br_cluster *cluster, struct br_diag *diag)
{
    enum br_status status = br_plan_verify(plan, dag, cluster, 1, NULL, NULL, diag);
    if (status == BR_NO) { /* never returned as an answer: a plan that fails is our fault */
        status = BR_SYSTEM;
        if (diag)
            diag->status = status;
    }
    return status;
}

enum br_status br_general_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_plan **plan,
                               struct br_diag *diag)
{
    return br_general_plan_by(dag, cluster, options, NULL, plan, diag);
}

enum br_status br_general_plan_by(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan_options *options,
                                  const struct br_witness *known, struct br_plan **plan,
                                  struct br_diag *diag)
{
    struct br_relaxed relaxed = {0};
    struct br_diag own = {0};
    struct general_plan g = {.dag = dag,
                             .cluster = cluster,
                             .options = options ? *options : br_plan_options_default(),
                             .began_ns = br_now_ns(),
                             .known = known,
                             .diag = diag ? diag : &own};
    struct br_method method;
    if (!br_method_find(g.options.method, &method))
        return br_make_plan(dag, cluster, options, plan, diag); /* which says so */
    if (g.options.objective != BR_OBJECTIVE_MAKESPAN)
        return br_features_refuse(dag, cluster, 0, "an objective other than the makespan", diag);
    enum br_status status = br_relax(dag, cluster, BR_RELAX_MACHINES, &relaxed, g.diag);
    if (!status && relaxed.exact && !g.options.order) {
        status = br_general_exact(dag, &relaxed, options, plan, g.diag);
    } else if (!status) {
        const int64_t limit = g.options.time_limit_ns;
        br_alarm_begin(&g.alarm, CLOCK_MONOTONIC,
                       limit > 0 ? br_clock_ns(CLOCK_MONOTONIC) + limit - limit / 20 : INT64_MAX,
                       g.options.stop);
        status = plan_generally(&g, &relaxed, plan);
        br_alarm_end(&g.alarm);
        general_finish(&g);
    }
    br_relaxed_finish(&relaxed);
    if (!status)
        status = br_plan_verify_made(*plan, dag, cluster, diag);
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}
