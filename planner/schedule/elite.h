/* The few best schedules found so far, by any finder. Ordered by makespan, sum of ends and the
 * number that the finder gave it, so that the elite depends on what was added and not on when:
 * threads may add in any order, one at a time. */
#ifndef BR_PLANNER_SCHEDULE_ELITE_H
#define BR_PLANNER_SCHEDULE_ELITE_H

#include "planner/schedule/schedule.h"

enum { BR_ELITES = 6 };

struct br_elite {
    uint32_t count, room;
    struct br_elite_entry {
        struct br_schedule schedule;
        const char *method; /* static storage */
        uint64_t number;
    } entry[BR_ELITES]; /* the best first */
};

/* Empty, with all memory for `room` schedules, at most BR_ELITES. False when memory is out (finish
 * is still fine). */
bool br_elite_init(struct br_elite *elite, const struct br_instance *instance, uint32_t room);
void br_elite_finish(struct br_elite *elite);

/* Takes a copy if the schedule belongs to the best; if two have the same makespan and sum of ends,
 * the one with the lower number stays. Schedules without a makespan are passed over. */
void br_elite_add(struct br_elite *elite, const struct br_schedule *schedule, const char *method,
                  uint64_t number);
/* Copies a schedule that is better than all others to the front. Replaces the entry that the last
 * such call put in front, so a series of improvements does not push out the other entries. */
void br_elite_lead(struct br_elite *elite, const struct br_schedule *schedule, const char *method);

#endif
