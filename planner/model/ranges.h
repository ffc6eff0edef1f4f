/* Ranges: edges by which a task waits for some consecutive tasks of the parent.
 *
 * Every room but the readers and writers of jobs sees barriers and one-to-one edges alone: a job
 * with ranges is divided when it is finished. Each task of a stage that a range joins is a stage of
 * its own then, and so are those of stages joined one to one with such. A stage of one task has the
 * id of that task, so plans of the divided job are plans of the job. */
#ifndef BR_PLANNER_MODEL_RANGES_H
#define BR_PLANNER_MODEL_RANGES_H

#include "planner/model/dag.h"

/* Tasks of the parent, by their index: first .. end - 1. */
struct br_range {
    uint32_t first, end;
};

/* Those for which task i of `children` waits. O(1). */
static inline struct br_range br_range_of(uint32_t parents, uint32_t children, uint32_t overlap,
                                          uint32_t i)
{
    const uint64_t p = parents, n = children;
    const uint64_t first = i * p / n, end = ((i + UINT64_C(1)) * p + n - 1) / n + overlap;
    return (struct br_range){.first = first > overlap ? (uint32_t)(first - overlap) : 0,
                             .end = end < p ? (uint32_t)end : parents};
}

/* The job as its file has it, with ranges. */
static inline const struct br_dag *br_dag_written(const struct br_dag *dag)
{
    return dag->written ? dag->written : dag;
}

/* Does the job have ranges? Makes those that are barriers or one-to-one by their counts such edges.
 * As a part of br_dag_finish, before any order is made. O(edges). */
bool br_dag_settle_ranges(struct br_dag *dag);
/* Makes the divided job of a finished one with ranges; in *made, to be finished and destroyed, NULL
 * after a failure. BR_BAD_INPUT if it is too large. As a part of br_dag_finish. */
enum br_status br_dag_divide(const struct br_dag *dag, struct br_dag **made, struct br_diag *diag);
/* `dag` becomes the divided job, which is finished, and owns the job as written. */
void br_dag_take_divided(struct br_dag *dag, struct br_dag *made);
/* Makes a job in which each task of the finished one is a stage of its own, with the same edges
 * between tasks; in *made, to be finished and destroyed, NULL after a failure. BR_BAD_INPUT if it
 * has more than BR_MAX_STAGES tasks, or BR_MAX_EDGES pairs of them wait for each other. O(its tasks
 * and edges). */
enum br_status br_dag_by_task(const struct br_dag *dag, struct br_dag **made, struct br_diag *diag);

/* For both: the job, to be finished, with each task of these stages (a flag by stage) as a stage.
 */
enum br_status br_dag_make_divided(const struct br_dag *from, const bool *single,
                                   struct br_dag **made, struct br_diag *diag);

#endif
