#include "simulate/policies/plans.h"

#include <stdlib.h>

#include "base/process/clock.h"

enum br_status br_plans_init(struct br_plans *plans, const struct br_workload *workload,
                             const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_diag *diag)
{
    *plans = (struct br_plans){.workload = workload, .cluster = cluster, .options = *options};
    plans->plan = calloc((size_t)workload->dags + 1, sizeof *plans->plan);
    if (!plans->plan)
        return br_fail_memory(diag);
    if (pthread_mutex_init(&plans->lock, NULL)) {
        free(plans->plan);
        plans->plan = NULL;
        return br_fail_memory(diag);
    }
    return BR_OK;
}

void br_plans_finish(struct br_plans *plans)
{
    if (!plans->plan)
        return;
    for (uint32_t d = 0; d < plans->workload->dags; d++)
        br_plan_destroy(plans->plan[d]);
    free(plans->plan);
    pthread_mutex_destroy(&plans->lock);
}

const struct br_plan *br_plans_get(void *context, const struct br_arrival *arrival,
                                   struct br_diag *diag)
{
    struct br_plans *plans = context;
    pthread_mutex_lock(&plans->lock);
    struct br_plan **plan = &plans->plan[arrival->dag_number];
    if (!*plan) {
        int64_t began_ns = br_now_ns();
        if (br_plan_make(arrival->dag, plans->cluster, &plans->options, plan, diag))
            *plan = NULL;
        plans->seconds += (double)(br_now_ns() - began_ns) * 1e-9;
        plans->made += *plan != NULL;
    }
    const struct br_plan *made = *plan;
    pthread_mutex_unlock(&plans->lock);
    return made;
}
