#include "planner/planning/baseline_plan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <bigrocks/bound.h>

#include "base/collections/memory.h"
#include "planner/instance/plan.h"
#include "planner/instance/relax.h"
#include "planner/eligibility/features.h"
#include "planner/eligibility/units.h"
#include "planner/modes/baselines.h"
#include "planner/modes/search.h"
#include "planner/planning/general_plan.h"

struct baseline {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_plan_options *options;
    struct br_modes *modes;
    struct br_choice choice;
    struct br_bound_result bound;
    const char *name;
    struct br_diag *diag;
};

/* Also finds out whether machines hold every task, so it is needed if no bound is asked for. */
static enum br_status baseline_bound(struct baseline *b)
{
    struct br_bound_options options = br_bound_options_default();
    options.conflicts = 0;
    options.stop = b->options->stop;
    options.time_limit_ns = b->options->time_limit_ns;
    if (!br_features(b->dag, b->cluster))
        return br_bound_best(b->dag, b->cluster, &options, &b->bound, b->diag);
    struct br_relaxed relaxed;
    enum br_status status = br_relax(b->dag, b->cluster, BR_RELAX_MACHINES, &relaxed, b->diag);
    if (!status)
        status = br_bound_best(relaxed.dag, relaxed.cluster, &options, &b->bound, b->diag);
    if (!status && b->bound.certificate)
        b->bound.certificate->relaxation = BR_RELAX_MACHINES;
    br_relaxed_finish(&relaxed);
    return status;
}

/* Places the tasks by the order that is given. */
static bool baseline_follow(const struct br_modes *modes, const struct br_plan_options *options,
                            struct br_choice *choice, bool *afforded)
{
    struct br_mode_lister *lister = br_mode_lister_create(modes);
    for (uint32_t k = 0; k < modes->tasks; k++)
        choice->rank[options->order[k]] = k;
    bool ok = lister && br_modes_afford(modes, options->seed, choice->way, afforded);
    if (ok && *afforded)
        ok = br_mode_lister_run(lister, choice, false, true);
    br_mode_lister_destroy(lister);
    return ok;
}

/* Row k of the baselines, or the order if one is given. */
static enum br_status baseline_schedule(struct baseline *b, uint32_t k)
{
    const size_t n = (size_t)b->dag->tasks + 1;
    struct br_choice *c = &b->choice;
    bool afforded = false;
    c->way = br_malloc(n * sizeof *c->way);
    c->rank = br_malloc(n * sizeof *c->rank);
    c->start = br_malloc(n * sizeof *c->start);
    c->end = br_malloc(n * sizeof *c->end);
    c->machine = br_malloc(n * sizeof *c->machine);
    if (!c->way || !c->rank || !c->start || !c->end || !c->machine ||
        !(b->options->order ? baseline_follow(b->modes, b->options, c, &afforded)
                            : br_baseline_run(b->modes, k, b->options->seed, c, &afforded)))
        return br_fail_memory(b->diag);
    return afforded ? BR_OK : br_modes_refuse_budgets(b->diag);
}

static enum br_status baseline_put(struct baseline *b, struct br_plan **made)
{
    struct br_plan *plan = *made = br_plan_create(b->dag->tasks);
    if (!plan || !br_plan_allow_alternatives(plan, b->dag) ||
        !(plan->part = br_arena_array(&plan->arena, 1, sizeof *plan->part)))
        return br_fail_memory(b->diag);
    for (uint32_t t = 0; t < b->dag->tasks; t++) {
        plan->start_ns[t] = b->choice.start[t];
        plan->machine[t] = b->choice.machine[t];
        plan->subset[t] = 'S';
        if (plan->alternative)
            plan->alternative[t] = b->modes->way[b->choice.way[t]].alternative;
    }
    plan->method = b->name;
    plan->seed = b->options->seed;
    const int64_t makespan_ns = b->choice.makespan, bound_ns = b->bound.lower_bound_ns;
    plan->lower_bound_ns = bound_ns < makespan_ns ? bound_ns : makespan_ns;
    plan->bound_method = br_arena_text(&plan->arena, b->bound.method);
    if (b->options->bound != BR_PLAN_BOUND_NONE) {
        plan->certificate = b->bound.certificate;
        b->bound.certificate = NULL;
    }
    plan->placements = plan->counters.placements = b->dag->tasks;
    snprintf(plan->source.why, sizeof plan->source.why, "not asked for");
    plan->parts = 1;
    plan->part[0] = (struct br_plan_part){.stages = b->dag->stages,
                                          .tasks = b->dag->tasks,
                                          .method = b->name,
                                          .makespan_ns = makespan_ns,
                                          .lower_bound_ns = plan->lower_bound_ns,
                                          .bound_method = plan->bound_method};
    return plan->bound_method ? br_plan_rank_on(plan, b->dag, b->cluster, b->diag)
                              : br_fail_memory(b->diag);
}

static enum br_status baseline_make(struct baseline *b, uint32_t k, struct br_plan **plan)
{
    if (b->options->objective != BR_OBJECTIVE_MAKESPAN)
        return br_fail(b->diag, BR_USAGE, "take method best, or the objective makespan",
                       b->options->order ? "a given %s knows the objective makespan alone"
                                         : "method %s knows the objective makespan alone",
                       b->name);
    char who[64];
    snprintf(who, sizeof who, b->options->order ? "a given %s" : "the method %s", b->name);
    enum br_status status =
        br_features_refuse(b->dag, b->cluster, BR_MODE_LISTER_FEATURES, who, b->diag);
    if (!status)
        status = br_units_check(b->cluster, b->dag, b->diag);
    if (!status)
        status = br_modes_create(b->dag, b->cluster, &b->modes, b->diag);
    if (!status)
        status = baseline_bound(b);
    if (!status)
        status = baseline_schedule(b, k);
    if (!status)
        status = baseline_put(b, plan);
    return status ? status : br_plan_verify_made(*plan, b->dag, b->cluster, b->diag);
}

static enum br_status baseline_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                                    const struct br_plan_options *options, uint32_t k,
                                    struct br_plan **plan, struct br_diag *diag)
{
    struct baseline b = {.dag = dag,
                         .cluster = cluster,
                         .options = options,
                         .name = options->order ? "order" : br_named_name(&br_baselines, k),
                         .diag = diag};
    const enum br_status status = baseline_make(&b, k, plan);
    br_bound_result_finish(&b.bound);
    br_free(b.choice.way);
    br_free(b.choice.rank);
    br_free(b.choice.start);
    br_free(b.choice.end);
    br_free(b.choice.machine);
    br_modes_destroy(b.modes);
    if (status) {
        br_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

enum br_status br_baseline_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                                const struct br_plan_options *options, uint32_t k,
                                struct br_plan **plan, struct br_diag *diag)
{
    assert(!options->order);
    return baseline_plan(dag, cluster, options, k, plan, diag);
}

enum br_status br_baseline_plan_order(const struct br_dag *dag, const struct br_cluster *cluster,
                                      const struct br_plan_options *options, struct br_plan **plan,
                                      struct br_diag *diag)
{
    assert(options->order);
    return baseline_plan(dag, cluster, options, 0, plan, diag);
}
