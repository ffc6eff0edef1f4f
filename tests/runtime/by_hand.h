/* Small jobs and machines, for tests whose results are worked out by hand. The caller destroys
 * them.
 */
#ifndef TESTS_RUNTIME_BY_HAND_H
#define TESTS_RUNTIME_BY_HAND_H

#include <bigrocks/dag.h>

#include "planner/model/cluster/cluster.h"

/* One stage of so many tasks of 1000 ns, each of which demands that much cpu. */
struct br_dag *wide_job(uint32_t tasks, const char *amount);
/* One machine with cpu, net and 8 of mem. */
struct br_cluster *one_machine(const char *cpu, const char *net);
/* A stage of one task with one demand; its number. */
uint32_t add_stage(struct br_dag *dag, const char *id, int64_t duration_ns, const char *resource,
                   const char *amount);

#endif
