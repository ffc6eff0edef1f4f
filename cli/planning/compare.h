/* The data of `bigrocks check`, and the comparison of jobs and clusters. */
#ifndef BR_CLI_PLANNING_COMPARE_H
#define BR_CLI_PLANNING_COMPARE_H

#include <stdbool.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

struct cli_check {
    const struct br_dag *job, *own;         /* the given job, and the plan's */
    const struct br_cluster *cluster, *old; /* the given cluster, and the plan's */
    uint64_t faults;
    bool quiet;
};

enum { CLI_FAULTS_SHOWN = 20 };

/* Counts a fault and prints it, unless quiet or many were printed. The first function takes a
 * struct cli_check as context. */
void cli_check_take(void *context, const char *text);
void cli_check_fault(struct cli_check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Compares the jobs. *same_tasks: they have the same tasks, so the plan can be translated; map[s]
 * is the given job's number of stage s of the plan's job, edge_map[e] that of edge e. False when
 * memory is out. */
bool cli_check_jobs(struct cli_check *check, uint32_t *map, uint32_t *edge_map, bool *same_tasks);
/* Do they have the same machines? */
bool cli_check_same_cluster(const struct br_cluster *a, const struct br_cluster *b);

#endif
