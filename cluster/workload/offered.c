/* Sums in the order of dags and jobs, so that they are the same everywhere. */
#include "cluster/workload/offered.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

static uint64_t offered_hash_name(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_offered *)context)->resource[number]);
}

static bool offered_equal_name(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_offered *)context)->resource[number], key) == 0;
}

static const struct br_index_keys name_keys = {offered_hash_name, offered_equal_name};

static bool offered_grow(struct br_offered *offered)
{
    if (offered->resources < offered->room)
        return true;
    uint32_t room = offered->room * 2 + 16;
    const char **resource = br_arena_array(&offered->arena, room, sizeof *resource);
    const char **unit = br_arena_array(&offered->arena, room, sizeof *unit);
    double *amount_s = br_arena_array(&offered->arena, room, sizeof *amount_s);
    if (!resource || !unit || !amount_s)
        return false;
    if (offered->resources) {
        memcpy(resource, offered->resource, offered->resources * sizeof *resource);
        memcpy(unit, offered->unit, offered->resources * sizeof *unit);
        memcpy(amount_s, offered->amount_s, offered->resources * sizeof *amount_s);
    }
    offered->resource = resource;
    offered->unit = unit;
    offered->amount_s = amount_s;
    offered->room = room;
    return true;
}

static enum br_status offered_find_resource(struct br_offered *offered,
                                            const struct br_resource *resource, uint32_t *number,
                                            struct br_diag *diag)
{
    *number = br_index_find(&offered->names, &name_keys, offered, resource->name,
                            br_hash_text(resource->name));
    if (*number != UINT32_MAX) {
        if (!offered->unit[*number])
            offered->unit[*number] = resource->unit;
        return BR_OK;
    }
    if (!offered_grow(offered))
        return br_fail_memory(diag);
    *number = offered->resources;
    assert(*number < offered->room);
    offered->resource[*number] = resource->name;
    offered->unit[*number] = resource->unit;
    if (!br_index_add(&offered->names, &name_keys, offered, *number))
        return br_fail_memory(diag);
    offered->resources++;
    return BR_OK;
}

/* Adds `times` runs of the dag with these durations of its tasks. */
static enum br_status add_runs(struct br_offered *offered, const struct br_dag *dag,
                               const int64_t *duration_ns, double times, struct br_diag *diag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        double busy_s = 0;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            busy_s += (double)duration_ns[t] / 1e9;
        offered->task_s += times * busy_s;
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
            uint32_t number = 0;
            enum br_status status = offered_find_resource(
                offered, &dag->resource[dag->demand[d].resource], &number, diag);
            if (status)
                return status;
            offered->amount_s[number] += times * (busy_s * br_real_of(dag->demand[d].amount));
        }
    }
    return BR_OK;
}

enum br_status br_offered_make(const struct br_workload *workload, struct br_offered *offered,
                               struct br_diag *diag)
{
    *offered = (struct br_offered){0};
    uint32_t *declared = calloc((size_t)workload->dags + 1, sizeof *declared);
    enum br_status status = declared ? BR_OK : br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        if (!job->true_ns)
            declared[job->dag]++;
        else
            status = add_runs(offered, workload->dag[job->dag].dag, job->true_ns, 1, diag);
    }
    for (uint32_t d = 0; d < workload->dags && !status; d++)
        if (declared[d])
            status = add_runs(offered, workload->dag[d].dag, workload->dag[d].dag->duration_ns,
                              declared[d], diag);
    free(declared);
    return status;
}

void br_offered_finish(struct br_offered *offered)
{
    br_index_finish(&offered->names);
    br_arena_finish(&offered->arena);
    *offered = (struct br_offered){0};
}

double br_offered_seconds(const struct br_offered *offered, uint32_t resource,
                          const struct br_cluster *cluster)
{
    double capacity = 0;
    for (uint32_t c = 0; c < cluster->classes; c++)
        capacity += cluster->cls[c].count *
                    br_real_of(br_cluster_capacity(cluster, c, offered->resource[resource]));
    if (offered->amount_s[resource] <= 0)
        return 0;
    return capacity > 0 ? offered->amount_s[resource] / capacity : INFINITY;
}

enum br_status br_offered_most(const struct br_offered *offered, const struct br_cluster *cluster,
                               double *seconds, uint32_t *resource, struct br_diag *diag)
{
    *seconds = 0;
    *resource = UINT32_MAX;
    for (uint32_t r = 0; r < offered->resources; r++) {
        double busy_s = br_offered_seconds(offered, r, cluster);
        if (busy_s == INFINITY)
            return br_fail(diag, BR_BAD_INPUT, "give a cluster that has it",
                           "jobs demand '%.80s', which the cluster does not have",
                           offered->resource[r]);
        if (busy_s > *seconds) {
            *seconds = busy_s;
            *resource = r;
        }
    }
    return BR_OK;
}
