#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "planner/planning/general_state.h"
#include "planner/search/make_plan.h"

/* The share of a time limit for the plan of the relaxed job. */
static const double relaxed_share = 0.25;
/* From so many tasks on the order comes from the job without what passes time for outputs, which
 * would double its tasks, and the bound is found apart. */
enum { LARGE = 4000 };
static const char without_features[] = "job without what is held, shared or timed";

/* The proof of the relaxed job as one of the given job. */
static void take_certificate(struct br_certificate **to, struct br_certificate **from,
                             enum br_relaxation relaxation)
{
    br_certificate_destroy(*to);
    *to = *from;
    *from = NULL;
    if (*to)
        (*to)->relaxation = relaxation;
}

/* The plan of the relaxed job as one of the given job, which has the first of its tasks. */
static enum br_status take_exact(const struct br_dag *dag, struct br_plan *from,
                                 struct br_plan **plan, struct br_diag *diag)
{
    struct br_plan *to = *plan = br_plan_create(dag->tasks);
    if (!to)
        return br_fail_memory(diag);
    memcpy(to->start_ns, from->start_ns, dag->tasks * sizeof *to->start_ns);
    memcpy(to->machine, from->machine, dag->tasks * sizeof *to->machine);
    memcpy(to->subset, from->subset, dag->tasks);
    to->method = br_arena_text(&to->arena, from->method);
    to->bound_method = br_arena_text(&to->arena, from->bound_method);
    to->note = from->note;
    to->seed = from->seed;
    to->lower_bound_ns = from->lower_bound_ns;
    to->placements = from->placements;
    to->counters = from->counters;
    to->source = from->source;
    take_certificate(&to->certificate, &from->certificate, BR_RELAX_MACHINES);
    if (!to->method || !to->bound_method)
        return br_fail_memory(diag);
    return br_plan_rank(to, dag, diag);
}

enum br_status br_general_exact(const struct br_dag *dag, const struct br_relaxed *relaxed,
                                const struct br_plan_options *options, struct br_plan **plan,
                                struct br_diag *diag)
{
    struct br_plan *of_relaxed = NULL;
    enum br_status status =
        br_make_plan(relaxed->dag, relaxed->cluster, options, &of_relaxed, diag);
    if (!status)
        status = take_exact(dag, of_relaxed, plan, diag);
    br_plan_destroy(of_relaxed);
    return status;
}

static int by_start(const void *a, const void *b, void *context)
{
    const struct br_plan *plan = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (plan->start_ns[x] != plan->start_ns[y])
        return plan->start_ns[x] < plan->start_ns[y] ? -1 : 1;
    return plan->rank[x] < plan->rank[y] ? -1 : 1;
}

static void take_order(struct general_plan *g, const struct br_plan *plan, uint32_t *order)
{
    for (uint32_t t = 0; t < g->job->tasks; t++)
        order[t] = t;
    br_sort_within(order, g->job->tasks, sizeof *order, by_start, (void *)plan);
    for (uint32_t k = 0; k < g->job->tasks; k++)
        g->hint[order[k]] = k;
}

/* If the plan is one of the given job, it is the best so far. */
static enum br_status take_if_it_fits(struct general_plan *g, struct br_plan *of_relaxed)
{
    struct br_diag ignored = {0};
    struct br_plan *plan;
    enum br_status status = take_exact(g->dag, of_relaxed, &plan, g->diag);
    if (status || br_plan_verify(plan, g->dag, g->cluster, 1, NULL, NULL, &ignored) != BR_OK) {
        br_plan_destroy(plan);
        return status;
    }
    g->fitting = plan;
    g->best.whole = true;
    g->best.late = 0;
    g->best.makespan = plan->makespan_ns;
    memcpy(g->best.start, plan->start_ns, g->job->tasks * sizeof *g->best.start);
    memcpy(g->best.machine, plan->machine, g->job->tasks * sizeof *g->best.machine);
    return BR_OK;
}

static struct br_plan_options quick_options(const struct general_plan *g)
{
    struct br_plan_options options = g->options;
    if (g->alone)
        return options;
    options.method = NULL;
    options.order = NULL;
    options.effort = BR_EFFORT_FAST;
    options.objective = BR_OBJECTIVE_MAKESPAN;
    options.found = NULL;
    options.progress = NULL;
    options.time_limit_ns = (int64_t)(relaxed_share * (double)g->options.time_limit_ns);
    options.placements = 0;
    return options;
}

static enum br_status take_hint(struct general_plan *g, const struct br_relaxed *relaxed,
                                bool proves)
{
    const struct br_plan_options options = quick_options(g);
    struct br_plan *plan = NULL;
    enum br_status status = br_make_plan(relaxed->dag, relaxed->cluster, &options, &plan, g->diag);
    uint32_t *order = br_malloc(((size_t)g->job->tasks + 1) * sizeof *order);
    g->hint = br_malloc(((size_t)g->job->tasks + 1) * sizeof *g->hint);
    if (!status && (!order || !g->hint))
        status = br_fail_memory(g->diag);
    if (!status) {
        take_order(g, plan, order);
        g->source = plan->source;
        g->placements += plan->placements;
        if (proves) {
            g->lower_bound_ns = plan->lower_bound_ns;
            g->bound_method = without_features;
            take_certificate(&g->certificate, &plan->certificate, BR_RELAX_MACHINES);
        }
        if (!g->options.order)
            status = take_if_it_fits(g, plan);
    }
    br_free(order);
    br_plan_destroy(plan);
    return status;
}

/* Takes the bound of the relaxed job if it is more than is known. */
static enum br_status bound_by(struct general_plan *g, const struct br_relaxed *relaxed,
                               enum br_relaxation relaxation, const char *method)
{
    struct br_bound_result result = {0};
    struct br_diag ignored = {0};
    struct br_bound_options options = br_bound_options_default();
    options.conflicts = 0;
    options.stop = &g->alarm.stop;
    options.time_limit_ns = (int64_t)(relaxed_share * (double)g->options.time_limit_ns);
    const enum br_status status =
        br_bound_best(relaxed->dag, relaxed->cluster, &options, &result, &ignored);
    if (!status && result.lower_bound_ns > g->lower_bound_ns) {
        g->lower_bound_ns = result.lower_bound_ns;
        g->bound_method = method;
        take_certificate(&g->certificate, &result.certificate, relaxation);
    }
    br_bound_result_finish(&result);
    return status == BR_SYSTEM ? br_fail_memory(g->diag) : BR_OK;
}

enum br_status br_general_hint(struct general_plan *g)
{
    struct br_relaxed plain = {0};
    if (g->job->tasks < LARGE || !g->job->outputs)
        return take_hint(g, g->relaxed, true);
    enum br_status status = br_relax_plain(g->dag, g->cluster, &plain, g->diag);
    if (!status)
        status = take_hint(g, &plain, false);
    br_relaxed_finish(&plain);
    return status ? status : bound_by(g, g->relaxed, BR_RELAX_MACHINES, without_features);
}

enum br_status br_general_bound_pool(struct general_plan *g)
{
    struct br_relaxed pool;
    struct br_diag ignored = {0};
    enum br_status status = br_relax(g->dag, g->cluster, BR_RELAX_POOL, &pool, &ignored);
    if (!status)
        status = bound_by(g, &pool, BR_RELAX_POOL, "all machines as one, with what they share");
    br_relaxed_finish(&pool);
    return status == BR_SYSTEM ? br_fail_memory(g->diag) : BR_OK;
}
