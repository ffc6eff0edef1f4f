/* Which task waits for which, task by task, as the definition of edges has it. */
#ifndef BR_TESTS_SUPPORT_PRECEDENCE_H
#define BR_TESTS_SUPPORT_PRECEDENCE_H

#include "planner/instance/instance.h"

/* before[a * tasks + b], to be freed: an edge makes b wait for a. */
char *precedence_edges(const struct br_instance *in);
/* The same with all that waits for b, and so on: a is a strict ancestor of b. */
char *precedence_closure(const struct br_instance *in);

#endif
