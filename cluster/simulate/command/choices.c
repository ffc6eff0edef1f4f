#include "cluster/simulate/command/choices.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "planner/model/features.h"
#include "planner/modes/fixed.h"

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

/* The true durations of jobs of the dag, for a job that has further tasks, which take no time. */
static bool choices_lengthen(struct br_workload *workload, uint32_t d, uint32_t before,
                             uint32_t after)
{
    for (uint32_t j = 0; j < workload->jobs; j++) {
        struct br_workload_job *job = &workload->job[j];
        if (job->dag != d || !job->true_ns || after <= before)
            continue;
        int64_t *longer = br_arena_array(&workload->arena, after, sizeof *longer);
        if (!longer)
            return false;
        memset(longer, 0, after * sizeof *longer);
        memcpy(longer, job->true_ns, before * sizeof *longer);
        job->true_ns = longer;
    }
    return true;
}

static enum br_status choices_of(struct br_workload *workload, uint32_t d,
                                 const struct br_cluster *cluster,
                                 const struct br_plan_options *options, struct br_fixed *fixed,
                                 struct br_diag *diag)
{
    struct br_dag **dag = &workload->dag[d].dag;
    struct br_plan *plan = NULL;
    enum br_status status = br_plan_make(*dag, cluster, options, &plan, diag);
    if (!status)
        status = br_fixed_make(*dag, cluster, plan, BR_SELECTED_RUN, fixed, diag);
    br_plan_destroy(plan);
    if (status)
        return status;
    if (!choices_lengthen(workload, d, (*dag)->tasks, fixed->dag->tasks))
        return br_fail_memory(diag);
    br_dag_destroy(*dag);
    *dag = fixed->dag;
    fixed->dag = NULL;
    return BR_OK;
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

enum br_status br_choices_make(struct br_workload *workload, const struct br_cluster *cluster,
                               const struct br_plan_options *options, struct br_cluster **chosen,
                               uint32_t *dags, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    uint64_t tasks = 0;
    *chosen = NULL;
    *dags = 0;
    for (uint32_t d = 0; d < workload->dags && !status; d++) {
        struct br_fixed fixed = {NULL, NULL, NULL, NULL};
        if (!(br_features(workload->dag[d].dag, cluster) & BR_FEATURES_MODES))
            continue;
        if (!*chosen)
            status = choices_bare(cluster, chosen, diag);
        if (!status)
            status = choices_of(workload, d, cluster, options, &fixed, diag);
        if (!status)
            status = choices_offer(*chosen, fixed.cluster, workload->tasks, diag);
        br_fixed_finish(&fixed);
        ++*dags;
    }
    for (uint32_t j = 0; j < workload->jobs && !status; j++)
        tasks += workload->dag[workload->job[j].dag].dag->tasks;
    if (*chosen && !status)
        workload->tasks = tasks;
    return status;
}
