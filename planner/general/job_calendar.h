/* What changes with time in a job with features; only job*.c include this. */
#ifndef BR_PLANNER_GENERAL_JOB_CALENDAR_H
#define BR_PLANNER_GENERAL_JOB_CALENDAR_H

#include "planner/general/job.h"

/* Sums of all durations, releases and lags, and sums of all amounts, stay below it. */
#define BR_GENERAL_MOST (INT64_MAX / 8)

/* An amount of the resource as an integer. BR_BAD_INPUT if it is too large or has more digits. */
enum br_status br_general_scale(const struct br_general *job, uint32_t resource,
                                struct br_decimal amount, int64_t *scaled, struct br_diag *diag);
/* Lists the windows of machines and the changes of amounts. */
enum br_status br_general_take_calendar(struct br_general *job, struct br_diag *diag);

#endif
