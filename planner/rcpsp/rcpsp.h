/* Fast schedule generation for an instance on one machine: searches look at millions of schedules.
 *
 * One machine that holds everything is the resource-constrained project scheduling problem, and
 * its schedules come from activity lists [Kolisch96]: the tasks in an order in which each follows
 * its parents. Serial generation starts each task of the list as early as the tasks before it
 * allow; the same from the end of the list and the end of time backward gives right-justified
 * schedules. Whatever the direction, results are starts, in ticks from 0.
 *
 * The model is shared by all threads and never changes; each thread has a workspace of its own.
 * After creation nothing allocates.
 */
#ifndef BR_PLANNER_RCPSP_RCPSP_H
#define BR_PLANNER_RCPSP_RCPSP_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/model/instance.h"
#include "planner/schedule/place.h"

struct br_rcpsp_model;
struct br_rcpsp_workspace;

/* How free capacity over time is kept. The schedules are the same. */
enum br_rcpsp_profile {
    BR_RCPSP_CHOOSE, /* what suits the instance best */
    BR_RCPSP_SLICES, /* 32 ticks at a time; durations must be short, see br_rcpsp_model_profile */
    BR_RCPSP_EVENTS, /* a list of the times at which free capacity changes */
    BR_RCPSP_WIDE,   /* the same, without packing several resources into one word */
};

/* Longer than any schedule: the schedule was given up because it would exceed the limit. */
#define BR_RCPSP_CUT INT64_MAX
#define BR_RCPSP_NO_LIMIT (INT64_MAX - 1)

/* The model of an instance of one machine (asserted); borrows the instance. NULL when memory is
 * out. O(tasks x resources + arcs between tasks), where a barrier counts as one arc for each task
 * at either of its ends. */
struct br_rcpsp_model *br_rcpsp_model_create(const struct br_instance *instance,
                                             enum br_rcpsp_profile profile);
void br_rcpsp_model_destroy(struct br_rcpsp_model *model);
/* The profile in use: never BR_RCPSP_CHOOSE, and BR_RCPSP_EVENTS where slices were asked for but
 * the horizon or the capacities are too large for them. */
enum br_rcpsp_profile br_rcpsp_model_profile(const struct br_rcpsp_model *model);

/* A workspace; borrows the model. NULL when memory is out. */
struct br_rcpsp_workspace *br_rcpsp_workspace_create(const struct br_rcpsp_model *model);
void br_rcpsp_workspace_destroy(struct br_rcpsp_workspace *workspace);

/* Serial generation from a list in which parents come first; backward it is read from its end.
 * Fills start (by task) and gives the makespan; or BR_RCPSP_CUT, with start undefined, as soon as a
 * task's end and the longest path after it exceed the limit, which happens exactly if the makespan
 * does. O(arcs between tasks + tasks x steps of the profile that are searched). */
int64_t br_rcpsp_serial(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int64_t limit, int64_t *start);

/* Parallel generation [Kolisch96]: time goes forward (or backward), and whatever is ready and fits
 * starts now, tasks earlier in `priority`, any permutation, first. Otherwise as br_rcpsp_serial;
 * the limit counts likewise. */
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
 * makespan) where that is less. */
void br_rcpsp_sort(struct br_rcpsp_workspace *workspace, uint32_t *list, const int64_t *start);

#endif
