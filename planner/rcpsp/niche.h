/* Niches: they decide which schedules compete for a place in a population. A new schedule that is
 * near another takes the place of that one or none, so a good schedule and those like it do not
 * fill the population [Harik95]. The radius of a niche shrinks towards the end of the budget
 * [Segura17]. */
#ifndef BR_PLANNER_RCPSP_NICHE_H
#define BR_PLANNER_RCPSP_NICHE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/rcpsp/model.h"

/* A schedule that lives in a population. */
struct br_individual {
    uint32_t *list; /* in the order in which the next generation reads it, in the other direction */
    uint16_t *at;   /* by task: when it runs, from br_niche_locate */
    int64_t makespan;
    uint64_t mark; /* equal for equal schedules, and hardly ever equal for others */
    uint32_t bred; /* children of which it was the mother */
    bool parallel; /* gene: generated in parallel */
};

/* The bits by which starts are shortened, so that those of schedules up to twice as long as `ticks`
 * have differences below 2^15. */
unsigned br_niche_shift(int64_t ticks);

/* Writes the place of the schedule as numbers modulo 2^16: the starts, or for backward generation
 * the time from each start to the end, without their last `shift` bits. start is in ticks from
 * 0. */
void br_niche_locate(enum br_direction direction, uint32_t tasks, const int64_t *start,
                     int64_t makespan, unsigned shift, uint16_t *at);

/* How far apart two schedules of the same direction are: the sum over the tasks of the differences
 * of their numbers, each the shorter way round. If the sum exceeds the limit, the result is some
 * number above the limit. Costs some 20 ns for 120 tasks. From 2^17 tasks on the sum may pass 2^32
 * and begin at 0 again, but not if the limit is below 2^32 - 2^21. */
uint32_t br_niche_distance(uint32_t tasks, const uint16_t *one, const uint16_t *other,
                           uint32_t limit);

/* The individual, of `size`, whose place a new schedule may take. It is the nearest of the first
 * `window` from `from` on, cyclically, if that is within the radius. Else it is the longest of all;
 * of several, the one at `from` or the first. O(size + window x tasks). */
struct br_individual *br_niche_rival(struct br_individual *side, uint32_t size, uint32_t from,
                                     uint32_t window, uint32_t tasks, const uint16_t *at,
                                     uint32_t radius);

#endif
