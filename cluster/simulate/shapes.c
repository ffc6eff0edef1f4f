#include "cluster/simulate/shapes.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"

static bool fits_somewhere(const struct br_cluster *cluster, const struct br_capacities *capacities,
                           const int64_t *demand)
{
    uint32_t width = capacities->scale.resources;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        uint32_t r = 0;
        while (r < width && demand[r] <= capacities->capacity[(size_t)c * width + r])
            r++;
        if (r == width)
            return true;
    }
    return false;
}

static bool take_parents(struct br_arena *arena, const struct br_dag *dag,
                         struct br_job_shape *shape)
{
    uint32_t *first;
    if (!BR_ARRAY(arena, br_csr_room(dag->stages), first) ||
        !BR_ARRAY(arena, dag->edges, shape->parent))
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(first, dag->edge[e].child);
    br_csr_sum(first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        shape->parent[br_csr_place(first, edge->child)] =
            (struct br_shape_parent){edge->parent, edge->type == BR_ONE_TO_ONE};
    }
    assert(first[dag->stages] == dag->edges);
    shape->parent_first = first;
    return true;
}

static enum br_status make_shape(struct br_arena *arena, const struct br_dag *dag,
                                 const struct br_cluster *cluster,
                                 const struct br_capacities *capacities, struct br_job_shape *shape,
                                 struct br_diag *diag)
{
    struct br_kinds kinds;
    shape->dag = dag;
    if (!BR_ARRAY(arena, dag->tasks, shape->task_stage) ||
        !BR_ARRAY(arena, dag->stages, shape->stage_kind) || !take_parents(arena, dag, shape))
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            shape->task_stage[dag->stage[s].first_task + i] = s;
    enum br_status status =
        br_kinds_find(arena, dag, &capacities->scale, shape->stage_kind, &kinds, diag);
    shape->demand = kinds.demand;
    uint32_t width = capacities->scale.resources;
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (!fits_somewhere(cluster, capacities,
                            shape->demand + (size_t)shape->stage_kind[s] * width))
            status = br_fail_at(diag, dag->stage[s].pos, BR_BAD_INPUT,
                                "give the cluster a larger machine, or the task a smaller demand",
                                "no machine holds a task of stage '%.80s'", dag->stage[s].id);
    return status;
}

enum br_status br_shapes_make(struct br_arena *arena, const struct br_workload *workload,
                              const struct br_cluster *cluster,
                              const struct br_capacities *capacities, struct br_job_shape **shapes,
                              struct br_diag *diag)
{
    enum br_status status = BR_OK;
    if (!BR_ARRAY(arena, workload->dags, *shapes))
        return br_fail_memory(diag);
    for (uint32_t d = 0; d < workload->dags && !status; d++) {
        const struct br_workload_dag *row = &workload->dag[d];
        br_diag_file(diag, row->path ? row->path : row->dag->source);
        status = make_shape(arena, row->dag, cluster, capacities, &(*shapes)[d], diag);
    }
    if (!status)
        br_diag_file(diag, NULL);
    return status;
}
