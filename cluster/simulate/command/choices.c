#include "cluster/simulate/command/choices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "cluster/simulate/command/budgets.h"
#include "planner/eligibility/features.h"
#include "planner/modes/fixed.h"

struct choosing {
    struct br_workload *workload;
    struct br_cluster *cluster; /* with what is left to be consumed */
    const struct br_plan_options *options;
    struct br_cluster **chosen;
    struct br_diag *diag;
};

/* Offers what keeps tasks on their classes, as much of it as all tasks together could demand; the
 * cluster has all else already. */
static enum br_status choices_offer(struct br_cluster *chosen, const struct br_cluster *from,
                                    uint64_t tasks, struct br_diag *diag)
{
    char amount[24];
    enum br_status status = BR_OK;
    snprintf(amount, sizeof amount, "%" PRIu64, tasks);
    for (uint32_t c = 0; c < from->classes; c++)
        for (uint32_t k = 0; k < from->cls[c].capacities && !status; k++) {
            const char *resource = from->cls[c].capacity[k].resource;
            if (!br_class_capacity(&chosen->cls[c], resource))
                status = br_cluster_add_capacity(chosen, c, resource, amount, diag);
        }
    return status;
}

/* The true durations of the job, for a dag that has further tasks, which take no time. */
static bool choices_lengthen(struct br_workload *workload, struct br_workload_job *job,
                             uint32_t before, uint32_t after)
{
    if (!job->true_ns || after <= before)
        return true;
    int64_t *longer = br_arena_array(&workload->arena, after, sizeof *longer);
    if (!longer)
        return false;
    memset(longer, 0, after * sizeof *longer);
    memcpy(longer, job->true_ns, before * sizeof *longer);
    job->true_ns = longer;
    return true;
}

/* The job of the plan's choice. What it holds may not be shared: the simulator counts machines. */
static enum br_status choices_fix(struct choosing *c, const struct br_dag *dag,
                                  const struct br_plan *plan, struct br_fixed *fixed)
{
    enum br_status status = br_fixed_make(dag, c->cluster, plan, BR_SELECTED_RUN, fixed, c->diag);
    if (!status)
        status = br_features_refuse(fixed->dag, fixed->cluster, 0, "the simulator", c->diag);
    return status ? status : choices_offer(*c->chosen, fixed->cluster, c->workload->tasks, c->diag);
}

/* All jobs of the dag run by one choice. */
static enum br_status choices_of(struct choosing *c, uint32_t d)
{
    struct br_dag **dag = &c->workload->dag[d].dag;
    struct br_fixed fixed = {NULL, NULL, NULL, NULL};
    struct br_plan *plan = NULL;
    enum br_status status = br_plan_make(*dag, c->cluster, c->options, &plan, c->diag);
    if (!status)
        status = choices_fix(c, *dag, plan, &fixed);
    for (uint32_t j = 0; j < c->workload->jobs && !status; j++)
        if (c->workload->job[j].dag == d &&
            !choices_lengthen(c->workload, &c->workload->job[j], (*dag)->tasks, fixed.dag->tasks))
            status = br_fail_memory(c->diag);
    if (!status) {
        br_dag_destroy(*dag);
        *dag = fixed.dag;
        fixed.dag = NULL;
    }
    br_plan_destroy(plan);
    br_fixed_finish(&fixed);
    return status;
}

/* ---- Jobs that consume ---- */

/* A dag of which jobs consume: the choice of the last of them. */
struct consuming {
    struct br_dag *dag; /* as given; NULL: it consumes nothing, or has no job yet */
    struct br_plan *plan;
    uint32_t number; /* of the choice in the workload */
};

/* Puts the job of the plan's choice into the place of dag d, or behind all if another choice is
 * there. */
static enum br_status choices_put(struct choosing *c, uint32_t d, struct consuming *of)
{
    struct br_fixed fixed = {NULL, NULL, NULL, NULL};
    const struct br_workload_dag row = c->workload->dag[d];
    const bool first = row.dag == of->dag;
    enum br_status status = choices_fix(c, of->dag, of->plan, &fixed);
    if (!status && first) {
        c->workload->dag[d].dag = fixed.dag;
        of->number = d;
        fixed.dag = NULL;
    } else if (!status) {
        status =
            br_workload_add_dag(c->workload, fixed.dag, row.path, row.entry, &of->number, c->diag);
        fixed.dag = NULL;
    }
    if (!status && !first) {
        c->workload->dag[of->number].scale = row.scale;
        c->workload->dag[of->number].parallel = row.parallel;
        c->workload->dag[of->number].cpu_only = row.cpu_only;
    }
    br_fixed_finish(&fixed);
    return status;
}

/* Plans for the job with what those before it have left. */
static enum br_status choices_plan_left(struct choosing *c, const char *job, struct consuming *of)
{
    struct br_diag why = {0};
    br_plan_destroy(of->plan);
    of->plan = NULL;
    const enum br_status status = br_plan_make(of->dag, c->cluster, c->options, &of->plan, &why);
    if (!status && !br_budgets_take(of->dag, of->plan, c->cluster))
        return br_fail(c->diag, BR_BAD_INPUT, "use fewer decimals",
                       "what job '%.80s' consumes cannot be added up", job);
    if (status && c->diag) {
        *c->diag = why;
        snprintf(c->diag->what, sizeof c->diag->what,
                 "of what the cluster has left for job '%.80s': %.500s", job, why.what);
    }
    return status;
}

/* The job takes the choice of the one before it if what is left suffices for that, and else is
 * planned again with what is left. */
static enum br_status choices_consume(struct choosing *c, struct br_workload_job *job,
                                      struct consuming *of)
{
    const uint32_t d = job->dag;
    enum br_status status = BR_OK;
    if (!of->dag)
        of->dag = c->workload->dag[d].dag;
    if (!of->plan || !br_budgets_take(of->dag, of->plan, c->cluster)) {
        status = choices_plan_left(c, job->id, of);
        if (!status)
            status = choices_put(c, d, of);
    }
    if (!status && !choices_lengthen(c->workload, job, of->dag->tasks,
                                     c->workload->dag[of->number].dag->tasks))
        status = br_fail_memory(c->diag);
    if (!status)
        job->dag = of->number;
    return status;
}

/* Jobs that consume in the order of their arrival, then all others. *dags of them have a choice. */
static enum br_status choices_take_all(struct choosing *c, uint32_t *dags)
{
    const uint32_t given = c->workload->dags;
    struct consuming *of = calloc((size_t)given + 1, sizeof *of);
    enum br_status status = of ? BR_OK : br_fail_memory(c->diag);
    for (uint32_t j = 0; j < c->workload->jobs && !status; j++) {
        struct br_workload_job *job = &c->workload->job[j];
        if (of[job->dag].dag || br_budgets_count(c->workload->dag[job->dag].dag))
            status = choices_consume(c, job, &of[job->dag]);
    }
    for (uint32_t d = 0; d < given && !status; d++) {
        const bool chooses = br_features(c->workload->dag[d].dag, c->cluster) & BR_FEATURES_MODES;
        *dags += of[d].dag || chooses;
        if (!of[d].dag && chooses)
            status = choices_of(c, d);
    }
    for (uint32_t d = 0; of && d < given; d++) {
        if (of[d].dag && of[d].dag != c->workload->dag[d].dag)
            br_dag_destroy(of[d].dag);
        br_plan_destroy(of[d].plan);
    }
    free(of);
    return status;
}

/* The cluster without speeds: that of a choice whose job needs nothing of it, and is kept from no
 * machine. */
static enum br_status choices_bare(const struct br_cluster *cluster, struct br_cluster **chosen,
                                   struct br_diag *diag)
{
    struct br_dag *nothing = br_dag_create(NULL);
    struct br_plan *plan = br_plan_create(1);
    struct br_fixed fixed = {NULL, NULL, NULL, NULL};
    enum br_status status = nothing && plan ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_dag_add_stage(nothing, "nothing", 1, 0, NULL, diag);
    if (!status)
        status = br_dag_finish(nothing, diag);
    if (!status)
        status = br_fixed_make(nothing, cluster, plan, BR_SELECTED_DRAWN, &fixed, diag);
    *chosen = fixed.cluster;
    fixed.cluster = NULL;
    br_fixed_finish(&fixed);
    br_plan_destroy(plan);
    br_dag_destroy(nothing);
    return status;
}

static enum br_status choices_make_all(struct choosing *c, uint32_t *dags)
{
    enum br_status status = BR_OK;
    for (uint32_t d = 0; d < c->workload->dags && !*c->chosen && !status; d++)
        if (br_features(c->workload->dag[d].dag, c->cluster) & BR_FEATURES_MODES)
            status = choices_bare(c->cluster, c->chosen, c->diag);
    return status || !*c->chosen ? status : choices_take_all(c, dags);
}

enum br_status br_choices_make(struct br_workload *workload, struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_cluster **chosen,
                               uint32_t *dags, struct br_diag *diag)
{
    struct choosing c = {workload, cluster, options, chosen, diag};
    uint64_t tasks = 0;
    *chosen = NULL;
    *dags = 0;
    const enum br_status status = choices_make_all(&c, dags);
    for (uint32_t j = 0; j < workload->jobs && !status; j++)
        tasks += workload->dag[workload->job[j].dag].dag->tasks;
    if (*chosen && !status)
        workload->tasks = tasks;
    return status;
}
