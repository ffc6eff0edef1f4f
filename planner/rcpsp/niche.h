/* Niches: who competes for a place in a population. A new schedule that is near another takes that
 * one's place or none, whatever others there are, so a good schedule and its likenesses do not fill
 * the population [Harik95]. How near is near shrinks as the budget ends [Segura17]. */
#ifndef BR_PLANNER_RCPSP_NICHE_H
#define BR_PLANNER_RCPSP_NICHE_H

#include <stdbool.h>
#include <stdint.h>

#include "planner/rcpsp/model.h"

/* A schedule that lives in a population. */
struct br_individual {
    uint32_t *list; /* in the order in which the next generation reads it, in the other direction */
    uint16_t *at;   /* by task: when it runs, as br_niche_locate tells */
    int64_t makespan;
    uint64_t mark; /* equal for equal schedules, and hardly ever for others */
    uint32_t bred; /* children of which it was the mother */
    bool parallel; /* gene: generated in parallel */
};

/* By how many bits starts are shortened, so that those of schedules up to twice as long as `ticks`
 * have differences below 2^15. */
unsigned br_niche_shift(int64_t ticks);

/* Where the schedule is, as numbers modulo 2^16: the starts, of backward generation the time from
 * each start to the end, both without their last `shift` bits. start is in ticks from 0. */
void br_niche_locate(enum br_direction direction, uint32_t tasks, const int64_t *start,
                     int64_t makespan, unsigned shift, uint16_t *at);

/* How far apart two schedules of the same direction are: the sum over the tasks of the differences
 * of their numbers, each the shorter way round. Where the sum exceeds the limit, some number that
 * does. Costs some 20 ns for 120 tasks. From 2^17 tasks on the sum may pass 2^32, and begins at 0
 * again; not where the limit is below 2^32 - 2^21. */
uint32_t br_niche_distance(uint32_t tasks, const uint16_t *one, const uint16_t *other,
                           uint32_t limit);

/* Whose place a new schedule may take, of `size` individuals: of the first `window` from `from` on,
 * round and round, the nearest one, if it is within the radius; else the longest of all, of several
 * the one at `from` or the first. O(size + window x tasks). */
struct br_individual *br_niche_rival(struct br_individual *side, uint32_t size, uint32_t from,
                                     uint32_t window, uint32_t tasks, const uint16_t *at,
                                     uint32_t radius);

#endif
