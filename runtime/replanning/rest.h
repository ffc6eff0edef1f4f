/* Plans the rest of a running job again. */
#ifndef BR_RUNTIME_REPLANNING_REST_H
#define BR_RUNTIME_REPLANNING_REST_H

#include <bigrocks/planner.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

enum br_rest_state { BR_REST_WAITING, BR_REST_RUNNING, BR_REST_ENDED };

/* The state of the job. Arrays are by task, and borrowed. */
struct br_rest {
    const uint8_t *state;       /* enum br_rest_state; failed tasks have ended, too */
    const int64_t *duration_ns; /* expected; for a running task its time left */
    const bool *pilot;          /* waiting ones come before all others */
    int64_t now_ns;             /* on the clock of the resulting plan */
};

/* The tasks that have not ended as a job, with the edges among them. *task gives each of its tasks
 * the number in the original job. Both are the caller's. BR_NO: all have ended, or the rest is too
 * entangled for a job of reasonable size. O(tasks + edges). */
enum br_status br_rest_job(const struct br_dag *dag, const struct br_rest *rest,
                           struct br_dag **made, uint32_t **task, struct br_diag *diag);

/* A plan of all tasks of the job that gives their order, not their machines: ended tasks, running
 * ones, waiting pilots, the others as in a plan of the rest. Starts and makespan are those of that
 * plan. *plan is the caller's. BR_NO as above, else as br_plan_make. */
enum br_status br_rest_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_rest *rest, const struct br_plan_options *options,
                            struct br_plan **plan, struct br_diag *diag);
/* That order from a plan of the whole job before it has begun. */
enum br_status br_rest_order(const struct br_dag *dag, const struct br_plan *whole,
                             const bool *pilot, struct br_plan **plan, struct br_diag *diag);

#endif
