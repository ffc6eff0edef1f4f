/* The optimal makespan of a very small job, by trying everything. */
#ifndef BR_TESTS_SUPPORT_ORACLE_H
#define BR_TESTS_SUPPORT_ORACLE_H

#include "planner/instance/instance.h"

#define ORACLE_TASKS 8u

/* The least makespan of any plan, in ticks, for up to ORACLE_TASKS tasks and eight machines. */
int64_t oracle_optimum(const struct br_instance *in);

#endif
