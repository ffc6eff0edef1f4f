/* How a job grows: what the files that build it share. Only those of this folder include it. */
#ifndef BR_PLANNER_MODEL_DAG_BUILD_H
#define BR_PLANNER_MODEL_DAG_BUILD_H

#include "base/collections/index.h"
#include "planner/model/dag.h"

struct br_override {
    uint32_t task_of_stage, stage;
    int64_t duration_ns;
};

/* The stage index outlives br_dag_finish; everything else serves building only. */
struct br_dag_build {
    uint32_t resource_room, stage_room, demand_room, edge_room, attribute_room, doubt_room;
    uint32_t overrides, override_room;
    struct br_override *override;
    struct br_index by_id, by_ends;
    uint32_t last_edge;
    bool ranges; /* an edge was given as a range */
};

/* Counts allocations against the job's memory, if it keeps one, until the function returns. */
#define BR_IN_MEMORY(dag)                                                                          \
    __attribute__((cleanup(br_dag_leave), unused)) const struct br_dag *in_memory =                \
        br_dag_enter(dag)

static inline const struct br_dag *br_dag_enter(const struct br_dag *dag)
{
    if (dag->memory)
        br_memory_enter(dag->memory);
    return dag;
}

static inline void br_dag_leave(const struct br_dag **dag)
{
    if ((*dag)->memory)
        br_memory_leave();
}

/* BR_USAGE if the job is finished. */
enum br_status br_dag_refuse_finished(const struct br_dag *dag, struct br_diag *diag);
/* BR_USAGE if the job is finished, or has no such stage. */
enum br_status br_dag_refuse_stage(const struct br_dag *dag, uint32_t stage, struct br_diag *diag);
/* The number of the resource, which is added if it is new. `amount` is the text of an amount of
 * it. */
enum br_status br_dag_demand_resource(struct br_dag *dag, const char *name, const char *amount,
                                      uint32_t *resource, struct br_diag *diag);
/* The edge between two stages. BR_BAD_INPUT if there is none: "%s go from ...", with what is to be
 * set. */
enum br_status br_dag_edge_between(const struct br_dag *dag, uint32_t parent, uint32_t child,
                                   const char *what, uint32_t *edge, struct br_diag *diag);

#endif
