/* Sums in the order of dags and jobs, so that they are the same everywhere. */
#include "workload/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/real.h"

static uint64_t hash_name(const void *context, uint32_t number)
{
    return br_hash_text(((const struct br_work *)context)->resource[number]);
}

static bool equal_name(const void *context, uint32_t number, const void *key)
{
    return strcmp(((const struct br_work *)context)->resource[number], key) == 0;
}

static const struct br_index_keys name_keys = {hash_name, equal_name};

static bool grow(struct br_work *work)
{
    if (work->resources < work->room)
        return true;
    uint32_t room = work->room * 2 + 16;
    const char **resource = br_arena_array(&work->arena, room, sizeof *resource);
    const char **unit = br_arena_array(&work->arena, room, sizeof *unit);
    double *amount_s = br_arena_array(&work->arena, room, sizeof *amount_s);
    if (!resource || !unit || !amount_s)
        return false;
    if (work->resources) {
        memcpy(resource, work->resource, work->resources * sizeof *resource);
        memcpy(unit, work->unit, work->resources * sizeof *unit);
        memcpy(amount_s, work->amount_s, work->resources * sizeof *amount_s);
    }
    work->resource = resource;
    work->unit = unit;
    work->amount_s = amount_s;
    work->room = room;
    return true;
}

static enum br_status find_resource(struct br_work *work, const struct br_resource *resource,
                                    uint32_t *number, struct br_diag *diag)
{
    *number =
        br_index_find(&work->names, &name_keys, work, resource->name, br_hash_text(resource->name));
    if (*number != UINT32_MAX) {
        if (!work->unit[*number])
            work->unit[*number] = resource->unit;
        return BR_OK;
    }
    if (!grow(work))
        return br_fail_memory(diag);
    *number = work->resources;
    work->resource[*number] = resource->name;
    work->unit[*number] = resource->unit;
    if (!br_index_add(&work->names, &name_keys, work, *number))
        return br_fail_memory(diag);
    work->resources++;
    return BR_OK;
}

/* Adds `times` runs of the dag with these durations of its tasks. */
static enum br_status add_runs(struct br_work *work, const struct br_dag *dag,
                               const int64_t *duration_ns, double times, struct br_diag *diag)
{
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        double busy_s = 0;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            busy_s += (double)duration_ns[t] / 1e9;
        work->task_s += times * busy_s;
        for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
            uint32_t number = 0;
            enum br_status status =
                find_resource(work, &dag->resource[dag->demand[d].resource], &number, diag);
            if (status)
                return status;
            work->amount_s[number] += times * (busy_s * br_real_of(dag->demand[d].amount));
        }
    }
    return BR_OK;
}

enum br_status br_work_make(const struct br_workload *workload, struct br_work *work,
                            struct br_diag *diag)
{
    *work = (struct br_work){0};
    uint32_t *declared = calloc((size_t)workload->dags + 1, sizeof *declared);
    enum br_status status = declared ? BR_OK : br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        if (!job->true_ns)
            declared[job->dag]++;
        else
            status = add_runs(work, workload->dag[job->dag].dag, job->true_ns, 1, diag);
    }
    for (uint32_t d = 0; d < workload->dags && !status; d++)
        if (declared[d])
            status = add_runs(work, workload->dag[d].dag, workload->dag[d].dag->duration_ns,
                              declared[d], diag);
    free(declared);
    return status;
}

void br_work_finish(struct br_work *work)
{
    br_index_finish(&work->names);
    br_arena_finish(&work->arena);
    *work = (struct br_work){0};
}

double br_work_seconds(const struct br_work *work, uint32_t resource,
                       const struct br_cluster *cluster)
{
    double capacity = 0;
    for (uint32_t c = 0; c < cluster->classes; c++)
        capacity += cluster->cls[c].count *
                    br_real_of(br_cluster_capacity(cluster, c, work->resource[resource]));
    if (work->amount_s[resource] <= 0)
        return 0;
    return capacity > 0 ? work->amount_s[resource] / capacity : INFINITY;
}

enum br_status br_work_most_loaded(const struct br_work *work, const struct br_cluster *cluster,
                                   double *seconds, uint32_t *resource, struct br_diag *diag)
{
    *seconds = 0;
    *resource = UINT32_MAX;
    for (uint32_t r = 0; r < work->resources; r++) {
        double busy_s = br_work_seconds(work, r, cluster);
        if (busy_s == INFINITY)
            return br_fail(diag, BR_BAD_INPUT, "give a cluster that has it",
                           "jobs demand '%.80s', which the cluster does not have",
                           work->resource[r]);
        if (busy_s > *seconds) {
            *seconds = busy_s;
            *resource = r;
        }
    }
    return BR_OK;
}
