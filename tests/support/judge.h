/* Schedules judged by the verifier, which shares no code with any search. */
#ifndef BR_TESTS_SUPPORT_JUDGE_H
#define BR_TESTS_SUPPORT_JUDGE_H

#include "planner/schedule/schedule.h"
#include "tests/support/random_job.h"

/* Fails the test where the schedule of the job's instance is not feasible, or its makespan and sum
 * of ends are not what it says. */
void judge_schedule(const struct random_job *job, const struct br_instance *in,
                    const struct br_schedule *schedule);

#endif
