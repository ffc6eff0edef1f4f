/* The virtual resource-time space: every machine's free capacity over all time, from minus to plus
 * infinity. Tasks are put in and taken out again in reverse order; nothing is ever copied.
 *
 * All times are ticks, all intervals half-open. A task of duration 0 takes no capacity. If
 * several machines offer the same time, the one with the least free capacity along the demand
 * (dot product of demand and free vector, both as shares of a whole machine) is taken: best fit;
 * ties go to the lower machine number. Best fit keeps copies of a task on the machine that took
 * the first as long as it holds them, which is why placing copies in bulk gives what placing them
 * one by one does.
 */
#ifndef BR_PLANNER_SPACE_SPACE_H
#define BR_PLANNER_SPACE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/instance/instance.h"

struct br_space;

struct br_fit {
    int64_t start;
    uint32_t machine;
};

/* An empty space over the instance's machines; borrows the instance. NULL when memory is out. */
struct br_space *br_space_create(const struct br_instance *instance);
void br_space_destroy(struct br_space *space);

/* Sets how much each resource counts in best fit: positive factors by resource, 1 if NULL. Changes
 * which of several machines is taken, never the time. */
void br_space_set_weights(struct br_space *space, const double *factor);

/* The earliest start >= from at which one machine holds the stage's demand for the whole duration.
 * Holes count. Always found, since time is unbounded and some machine holds every demand. A look at
 * every touched machine. */
struct br_fit br_space_earliest(const struct br_space *space, uint32_t stage, int64_t duration,
                                int64_t from);
/* As br_space_earliest, if that start is before the limit: else false. Looks no further. */
bool br_space_earliest_before(const struct br_space *space, uint32_t stage, int64_t duration,
                              int64_t from, int64_t limit, struct br_fit *fit);
/* The mirror image: the latest start such that the task ends by `until`. */
struct br_fit br_space_latest(const struct br_space *space, uint32_t stage, int64_t duration,
                              int64_t until);

/* The earliest start >= from on that machine; on any as by br_space_earliest if there is no such
 * machine, or it does not hold the demand. O(breakpoints of the machine). */
struct br_fit br_space_earliest_on(const struct br_space *space, uint32_t machine, uint32_t stage,
                                   int64_t duration, int64_t from);

/* Either of the first two. holes.h answers series of searches sooner. */
struct br_fit br_space_find(const struct br_space *space, bool forward, uint32_t stage,
                            int64_t duration, int64_t bound);

/* The number of tasks of the stage that fit there side by side, up to `most`; at least 1 for a fit
 * just found. */
uint32_t br_space_copies(const struct br_space *space, uint32_t stage, int64_t duration,
                         struct br_fit fit, uint32_t most);

/* Puts `copies` tasks of the stage there; they must fit. False when memory is out, with the space
 * unchanged. Amortised O(breakpoints of the machine). */
bool br_space_place(struct br_space *space, uint32_t stage, int64_t duration, struct br_fit fit,
                    uint32_t copies);

/* Places `copies` tasks of the stage, each as br_space_earliest or br_space_latest would have it
 * one by one, and hands every batch to settle. One search a machine and one a batch, O(log
 * machines) each beside. False when memory is out, with a part of them placed. */
bool br_space_fill(struct br_space *space, bool forward, uint32_t stage, int64_t duration,
                   int64_t bound, uint32_t copies,
                   void (*settle)(void *context, struct br_fit fit, uint32_t copies),
                   void *context);

/* Undo: everything placed since the mark is taken out again. */
uint64_t br_space_mark(const struct br_space *space);
void br_space_undo(struct br_space *space, uint64_t mark);

/* Least start and greatest end of what is placed; both 0 if nothing is. */
int64_t br_space_begin(const struct br_space *space);
int64_t br_space_end(const struct br_space *space);

#endif
