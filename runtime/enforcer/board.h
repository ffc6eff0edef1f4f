/* Keeps the data across all jobs in step with each of them: the trees of offers by group and by
 * machine, the machines that are worth a pass, and the sums behind eta. */
#ifndef BR_RUNTIME_ENFORCER_BOARD_H
#define BR_RUNTIME_ENFORCER_BOARD_H

#include "runtime/enforcer/model.h"

/* The number of the group's tree of kinds, or of its tree of planned tasks on the machine. */
static inline uint32_t br_board_tree(const struct br_runtime *runtime, uint32_t group)
{
    return group * (runtime->machines + 1);
}

static inline uint32_t br_board_local_tree(const struct br_runtime *runtime, uint32_t group,
                                           uint32_t machine)
{
    return br_board_tree(runtime, group) + 1 + machine;
}

/* Makes room for the trees of one more group, or for a job that gets this number, with all its
 * ready tasks. False when memory is out. O(machines); O(tasks + machines). */
bool br_board_add_group(struct br_runtime *runtime);
bool br_board_add(struct br_runtime *runtime, struct br_job *job, uint32_t number);
/* Makes room for the tasks that become ready when the task finishes, or for one task. False when
 * memory is out. O(children). */
bool br_board_reserve_children(struct br_runtime *runtime, const struct br_job *job, uint32_t task);
bool br_board_reserve_one(struct br_runtime *runtime);
/* Makes room for all offers that a job with a limit may have, as long as it has one; false when
 * memory is out. The second call gives it back. */
bool br_board_reserve_limited(struct br_runtime *runtime, const struct br_job *job);
void br_board_release_limited(struct br_runtime *runtime, const struct br_job *job);

/* Removes from the trees the offers that the job's limits keep back now, and returns the others. */
void br_board_hold(struct br_runtime *runtime, uint32_t number);

/* The job has changed; there is room for its new ready tasks. O(tasks that have come or gone x log
 * offers x resources), and now and then all offers of the job. */
void br_board_update(struct br_runtime *runtime, uint32_t number);
/* The job goes. */
void br_board_drop(struct br_runtime *runtime, uint32_t number);

/* An invariant: the trees hold the ready tasks, and the sums are right. O(tasks of all jobs). */
bool br_board_is_sound(const struct br_runtime *runtime);

#endif
