/* Which tasks ranges join, and which stages they divide. */
#include "planner/model/ranges.h"

#include "base/collections/memory.h"
#include "planner/model/dag_build.h"

/* Do the first and the last task, and so all of them, wait for every task of the parent? */
static bool is_whole(uint32_t parents, uint32_t children, uint32_t overlap)
{
    return br_range_of(parents, children, overlap, 0).end == parents &&
           br_range_of(parents, children, overlap, children - 1).first == 0;
}

bool br_dag_settle_ranges(struct br_dag *dag)
{
    bool any = false;
    for (uint32_t e = 0; e < dag->edges; e++) {
        struct br_edge *edge = &dag->edge[e];
        const uint32_t parents = dag->stage[edge->parent].tasks;
        const uint32_t children = dag->stage[edge->child].tasks;
        if (edge->type == BR_RANGE && is_whole(parents, children, edge->overlap))
            edge->type = BR_BARRIER;
        if (edge->type == BR_RANGE && parents == children && edge->overlap == 0)
            edge->type = BR_ONE_TO_ONE;
        if (edge->type != BR_RANGE)
            edge->overlap = 0; /* such as that of a range which a barrier overrode */
        any |= edge->type == BR_RANGE;
    }
    return any;
}

/* The first stage of a group: a union-find with paths halved. */
static uint32_t ranges_leader(uint32_t *leader, uint32_t s)
{
    while (leader[s] != s)
        s = leader[s] = leader[leader[s]];
    return s;
}

/* Marks the stages that ranges join, and all that are joined to them one to one. False: memory. */
static bool find_single(const struct br_dag *dag, bool *single)
{
    uint32_t *leader = br_malloc((size_t)dag->stages * sizeof *leader);
    if (!leader)
        return false;
    for (uint32_t s = 0; s < dag->stages; s++)
        leader[s] = s;
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        if (edge->type == BR_ONE_TO_ONE)
            leader[ranges_leader(leader, edge->parent)] = ranges_leader(leader, edge->child);
    }
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        if (edge->type == BR_RANGE)
            single[ranges_leader(leader, edge->parent)] =
                single[ranges_leader(leader, edge->child)] = true;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        single[s] = single[ranges_leader(leader, s)];
    br_free(leader);
    return true;
}

enum br_status br_dag_divide(const struct br_dag *dag, struct br_dag **made, struct br_diag *diag)
{
    bool *single = br_calloc(dag->stages, sizeof *single);
    *made = NULL;
    enum br_status status = single && find_single(dag, single) ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_dag_make_divided(dag, single, made, diag);
    br_free(single);
    return status;
}

void br_dag_take_divided(struct br_dag *dag, struct br_dag *made)
{
    /* `made` becomes the job as written. */
    struct br_dag written = *dag;
    *dag = *made;
    *made = written;
    dag->memory = written.memory;
    made->memory = NULL;
    /* What br_dag_reset keeps stays where it is: it is not of the memory. */
    struct br_dag_build build = *dag->build;
    *dag->build = *made->build;
    *made->build = build;
    made->build = dag->build;
    dag->build = written.build;
    dag->written = made;
}

enum br_status br_dag_by_task(const struct br_dag *dag, struct br_dag **made, struct br_diag *diag)
{
    const struct br_dag *from = br_dag_written(dag);
    bool *single = br_malloc((size_t)from->stages * sizeof *single);
    *made = NULL;
    if (!single)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < from->stages; s++)
        single[s] = true;
    const enum br_status status = br_dag_make_divided(from, single, made, diag);
    br_free(single);
    return status;
}
