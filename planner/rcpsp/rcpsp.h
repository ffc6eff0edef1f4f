/* Fast schedule generation for an instance on one machine: searches look at millions of schedules.
 *
 * One machine that holds everything is the resource-constrained project scheduling problem, and its
 * schedules come from activity lists [Kolisch96]: the tasks in an order in which each follows its
 * parents. Serial generation starts each task of the list as early as the tasks before it allow;
 * from the end of the list and of time backward, it gives right-justified schedules. Results are
 * starts in ticks from 0, in both directions.
 *
 * The model is shared by all threads and never changes; each thread has a workspace of its own.
 * After creation nothing allocates. */
#ifndef BR_PLANNER_RCPSP_RCPSP_H
#define BR_PLANNER_RCPSP_RCPSP_H

#include "planner/rcpsp/kernels.h"

/* Serial generation from a list in which parents come first; backward it is read from its end.
 * Fills start (by task) and gives the makespan; or BR_RCPSP_CUT, with start undefined, as soon as a
 * task's end and the longest path after it exceed the limit, which happens exactly if the makespan
 * does. O(arcs between tasks + tasks x steps of the profile that are searched). */
int64_t br_rcpsp_serial(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int64_t limit, int64_t *start);

/* Parallel generation [Kolisch96]: time goes forward (or backward), and each ready task that fits
 * starts now, those earlier in `priority` first. `priority` is any permutation. Otherwise as
 * br_rcpsp_serial, also for the limit. */
int64_t br_rcpsp_parallel(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                          const uint32_t *priority, int64_t limit, int64_t *start);

/* Double justification [Valls05]: all tasks move right, by decreasing ends, as late as the makespan
 * allows, then left, by increasing starts. start is a schedule of the list's tasks, by task, and
 * list an order in which parents come first; both are replaced, the list by the tasks in order of
 * their new starts. Gives the new makespan, never larger than the old one. Costs two serial
 * generations and two counting sorts. */
int64_t br_rcpsp_justify(struct br_rcpsp_workspace *workspace, uint32_t *list, int64_t *start);

/* Sorts the list by start; tasks that start together keep their order. So a list in which parents
 * come first still has them first if start is feasible. O(tasks + makespan), or O(tasks log
 * makespan) if that is less. */
void br_rcpsp_sort(struct br_rcpsp_workspace *workspace, uint32_t *list, const int64_t *start);

#endif
