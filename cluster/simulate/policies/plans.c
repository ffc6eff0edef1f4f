#include "cluster/simulate/policies/plans.h"

#include <assert.h>
#include <stdlib.h>

#include "base/process/clock.h"
#include "base/process/parallel.h"
#include "base/process/stop.h"

enum br_status br_plans_init(struct br_plans *plans, const struct br_workload *workload,
                             const struct br_cluster *cluster,
                             const struct br_plan_options *options, struct br_diag *diag)
{
    *plans = (struct br_plans){.workload = workload, .cluster = cluster, .options = *options};
    plans->plan = calloc(2 * ((size_t)workload->dags + 1), sizeof *plans->plan);
    if (!plans->plan)
        return br_fail_memory(diag);
    plans->network = plans->plan + workload->dags + 1;
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
    for (uint32_t d = 0; d < plans->workload->dags; d++) {
        br_plan_destroy(plans->plan[d]);
        br_plan_destroy(plans->network[d]);
    }
    free(plans->plan);
    pthread_mutex_destroy(&plans->lock);
}

/* Plans the dag, within the limit of placements. NULL if that fails. */
static struct br_plan *plans_make(const struct br_plans *plans, uint32_t dag_number,
                                  const struct br_stop *stop, struct br_diag *diag)
{
    const struct br_dag *dag = plans->workload->dag[dag_number].dag;
    struct br_plan_options options = plans->options;
    struct br_plan *plan;
    options.stop = stop;
    if (br_plans_by_path(plans, dag_number))
        options.method = "cp";
    return br_plan_make(dag, plans->cluster, &options, &plan, diag) ? NULL : plan;
}

/* Keeps a plan just made, in which the time since began_ns went. */
static void plans_keep(struct br_plans *plans, uint32_t dag_number, struct br_plan *plan,
                       int64_t began_ns)
{
    assert(!plans->plan[dag_number]);
    plans->plan[dag_number] = plan;
    plans->seconds += (double)(br_now_ns() - began_ns) * 1e-9;
    plans->made += plan != NULL;
    plans->by_path += plan && br_plans_by_path(plans, dag_number);
}

bool br_plans_by_path(const struct br_plans *plans, uint32_t dag_number)
{
    uint64_t placements = plans->options.placements;
    return placements && placements / BR_PLANS_PASSES < plans->workload->dag[dag_number].dag->tasks;
}

const struct br_plan *br_plans_get(void *context, const struct br_arrival *arrival,
                                   struct br_diag *diag)
{
    struct br_plans *plans = context;
    uint32_t d = arrival->dag_number;
    pthread_mutex_lock(&plans->lock);
    if (!plans->plan[d]) {
        int64_t began_ns = br_now_ns();
        plans_keep(plans, d, plans_make(plans, d, NULL, diag), began_ns);
    }
    const struct br_plan *made = plans->plan[d];
    pthread_mutex_unlock(&plans->lock);
    return made;
}

const struct br_plan *br_plans_get_network(void *context, const struct br_arrival *arrival,
                                           struct br_diag *diag)
{
    struct br_plans *plans = context;
    uint32_t d = arrival->dag_number;
    pthread_mutex_lock(&plans->lock);
    if (!plans->network[d]) {
        int64_t began_ns = br_now_ns();
        struct br_plan *plan = plans_make(plans, d, NULL, diag);
        if (plan && br_plan_network(plan, plans->workload->dag[d].dag, plans->cluster,
                                    &plans->options, diag)) {
            br_plan_destroy(plan);
            plan = NULL;
        }
        plans->network[d] = plan;
        plans->seconds += (double)(br_now_ns() - began_ns) * 1e-9;
        plans->made += plan != NULL;
    }
    const struct br_plan *made = plans->network[d];
    pthread_mutex_unlock(&plans->lock);
    return made;
}

/* ---- Ahead ---- */

struct by_size {
    uint32_t tasks, dag;
};

static int compare_sizes(const void *a, const void *b)
{
    const struct by_size *x = a, *y = b;
    if (x->tasks != y->tasks)
        return x->tasks > y->tasks ? -1 : 1;
    return x->dag < y->dag ? -1 : 1;
}

struct preparing {
    struct br_plans *plans;
    const struct br_stop *stop;
    const struct by_size *order; /* the largest first */
};

static bool prepare_one(void *context, uint32_t worker, uint32_t index)
{
    struct preparing *preparing = context;
    struct br_plans *plans = preparing->plans;
    uint32_t d = preparing->order[index].dag;
    int64_t began_ns = br_now_ns();
    (void)worker;
    if (br_stopped(preparing->stop))
        return false;
    struct br_plan *plan = plans_make(plans, d, preparing->stop, NULL);
    if (br_stopped(preparing->stop)) { /* it may have been cut short */
        br_plan_destroy(plan);
        return false;
    }
    pthread_mutex_lock(&plans->lock);
    plans_keep(plans, d, plan, began_ns);
    pthread_mutex_unlock(&plans->lock);
    return true;
}

enum br_status br_plans_prepare(struct br_plans *plans, uint32_t threads,
                                const struct br_stop *stop, struct br_diag *diag)
{
    uint32_t count = 0;
    struct by_size *size = malloc(((size_t)plans->workload->dags + 1) * sizeof *size);
    if (!size)
        return br_fail_memory(diag);
    for (uint32_t d = 0; d < plans->workload->dags; d++)
        if (!plans->plan[d])
            size[count++] = (struct by_size){plans->workload->dag[d].dag->tasks, d};
    qsort(size, count, sizeof *size, compare_sizes);
    struct preparing preparing = {plans, stop, size};
    br_parallel(threads, count, prepare_one, &preparing);
    free(size);
    return BR_OK;
}
