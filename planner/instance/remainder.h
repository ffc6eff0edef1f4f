/* What rounding takes off the tasks of a chain. In every schedule of the job, some chain of tasks,
 * each after the end of the one before, is at least as long with rounded durations as the shortest
 * schedule of the rounded job: the tasks in the order of the schedule, each as early as the others
 * allow, are such a schedule. So the true schedule is longer than a bound of the rounded job by the
 * least that tasks of that length lose by rounding. (The relaxation lets any tasks be a chain.) */
#ifndef BR_PLANNER_INSTANCE_REMAINDER_H
#define BR_PLANNER_INSTANCE_REMAINDER_H

#include "planner/instance/instance.h"

/* The tasks of an instance by the share of their length that rounding takes off, the least first;
 * all 0: none, so that the rest is 0. */
struct br_remainders {
    uint32_t tasks;
    struct br_remainder {
        int64_t length, rest; /* in multiples of the rounding, and the ticks beyond these */
    } * task;
};

/* Leaves it empty if memory is out, or the rounding is 1. O(tasks x log tasks). */
void br_remainders_init(struct br_remainders *remainders, const struct br_instance *instance,
                        int64_t rounding);
/* The least ticks that tasks, whose rounded lengths add up to `length` multiples of the rounding or
 * more, lose, if parts of tasks may be taken. O(tasks). */
int64_t br_remainders_least(const struct br_remainders *remainders, int64_t length);
void br_remainders_finish(struct br_remainders *remainders);

/* br_remainders_least of the instance's. */
int64_t br_remainder(const struct br_instance *instance, int64_t rounding, int64_t length);

#endif
