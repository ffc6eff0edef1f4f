/* Does a job fit beside others that have been promised deadlines? [Ferguson12, 1] Pure functions
 * over tables; nothing is allocated. */
#ifndef BR_RUNTIME_DEADLINE_ADMISSION_H
#define BR_RUNTIME_DEADLINE_ADMISSION_H

#include "runtime/deadline/control.h"

/* A job that runs, or asks to be admitted. Table borrowed. */
struct br_candidacy {
    const struct br_deadline_table *table;
    double progress;   /* 0: it has not begun */
    double deadline_s; /* from now on */
};

/* The time within which the job ends with this allocation, at the options' probability (0: 95 %),
 * with slack and dead zone included; index as in the table. */
double br_admission_time_s(const struct br_candidacy *job, const struct br_control_options *options,
                           uint32_t index);
/* The least allocation, of the table and up to the most, with which the job meets its deadline in
 * this sense; 0: none does. */
uint32_t br_admission_need(const struct br_candidacy *job,
                           const struct br_control_options *options);
/* The earliest deadline that the job meets in this sense with `amount` or less; INFINITY if that is
 * below every allocation of the table. */
double br_admission_earliest_s(const struct br_candidacy *job,
                               const struct br_control_options *options, uint32_t amount);

#endif
