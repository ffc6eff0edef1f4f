/* A complete schedule of an instance, in ticks from 0, and how good it is. */
#ifndef BR_PLANNER_SCHEDULE_SCHEDULE_H
#define BR_PLANNER_SCHEDULE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/wide.h"
#include "planner/instance/instance.h"
#include "planner/schedule/place.h"

struct br_schedule {
    uint32_t tasks;
    int64_t *start;    /* by task */
    uint32_t *machine; /* by task */
    char *subset;      /* by task: T, S, P or C */
    int64_t makespan;
    br_uwide ends; /* sum of all ends: of two equal makespans, the denser is better */
};

/* All arrays allocated; subsets are 'S'. False when memory is out (finish is still fine). */
bool br_schedule_init(struct br_schedule *schedule, const struct br_instance *instance);
void br_schedule_finish(struct br_schedule *schedule);

/* Takes over what the placer holds, shifted to begin at 0; every task must be placed. */
void br_schedule_take(struct br_schedule *schedule, const struct br_instance *instance,
                      const struct br_placer *placer, const char *subset);
/* Recomputes makespan and ends from start. */
void br_schedule_measure(struct br_schedule *schedule, const struct br_instance *instance);
/* Shorter makespan, then smaller sum of ends. */
bool br_schedule_better(const struct br_schedule *a, const struct br_schedule *b);
/* Copies contents between schedules of one instance. */
void br_schedule_copy(struct br_schedule *to, const struct br_schedule *from);
/* Exchanges the contents. */
void br_schedule_swap(struct br_schedule *a, struct br_schedule *b);

#endif
