/* Workloads with outcomes that no simulator made, for what measures and writes outcomes. */
#ifndef BR_TESTS_CLUSTER_WORKLOAD_MADE_H
#define BR_TESTS_CLUSTER_WORKLOAD_MADE_H

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/outcome.h"

struct made {
    struct br_workload *workload;
    struct br_cluster *cluster;
    struct br_outcome outcome;
};

/* Three jobs of two groups on two machines; small enough to measure by hand. `name` is part of the
 * names of the workload, the cluster, a group, a job and a resource. */
void made_small(struct made *made, const char *name);
/* Up to thirty jobs of up to six groups, with spans anywhere between a job's arrival and its end,
 * pauses of hours, failures, jobs that do not finish; all from the seed. */
void made_random(struct made *made, uint64_t seed);
/* That many jobs of ten tasks each, over that many seconds. */
void made_large(struct made *made, uint32_t jobs, int64_t seconds);
void made_finish(struct made *made);

#endif
