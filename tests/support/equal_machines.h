/* Instances of jobs that a test writes out, on machines that are all alike. */
#ifndef BR_TESTS_SUPPORT_EQUAL_MACHINES_H
#define BR_TESTS_SUPPORT_EQUAL_MACHINES_H

#include <bigrocks/bigrocks.h>

#include "planner/instance/instance.h"

/* Finishes the job, which it takes over, and makes its instance on so many machines that each hold
 * so much of every resource that the job demands. NULL where something fails. */
struct br_instance *on_equal_machines(struct br_dag *dag, uint32_t machines, const char *amount);

#endif
