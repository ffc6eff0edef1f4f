/* Tiny workloads that are solved by trying everything. */
#ifndef BR_TESTS_CLUSTER_SIMULATE_TINY_H
#define BR_TESTS_CLUSTER_SIMULATE_TINY_H

#include <stdbool.h>

#include "planner/model/cluster/cluster.h"
#include "cluster/workload/workload.h"

enum { TINY_TASKS = 7, TINY_JOBS = 4, TINY_MACHINES = 2, TINY_RESOURCES = 2 };

/* Times in whole seconds, amounts in whole units. */
struct tiny {
    int jobs, tasks, machines, resources;
    int arrival[TINY_JOBS], weight[TINY_JOBS];
    int job[TINY_TASKS], stage[TINY_TASKS]; /* stages by number in the job */
    int lasts[TINY_TASKS], declared[TINY_TASKS];
    int demand[TINY_TASKS][TINY_RESOURCES];
    unsigned parents[TINY_TASKS]; /* bits */
    int capacity[TINY_MACHINES][TINY_RESOURCES];
};

/* All from the seed: 2 to 4 jobs of 1 to 3 tasks, at most TINY_TASKS in all, in chains, barriers,
 * one-to-one edges or apart; arrivals from 0 on; 1 or 2 machines, 1 or 2 resources. */
struct tiny tiny_make(uint64_t seed);

/* The same for the library; true_ns: by job, by task. */
struct tiny_workload {
    struct br_workload *workload;
    struct br_cluster *cluster;
    int64_t room[TINY_JOBS][TINY_TASKS];
    const int64_t *true_ns[TINY_JOBS];
};
bool tiny_build(const struct tiny *tiny, struct tiny_workload *built);
void tiny_finish(struct tiny_workload *built);

/* The least sum of times from arrival to end, plain and weighted, and the least time from the first
 * arrival to the last end. Each by a schedule of its own. */
struct tiny_optimum {
    double sum, weighted, makespan;
};
struct tiny_optimum tiny_solve(const struct tiny *tiny);

/* What the best of some random schedules comes to where resource 0 may be overbooked: tasks that
 * use it on a machine slow down in proportion. */
struct tiny_optimum tiny_overbook(const struct tiny *tiny, uint64_t seed, int schedules);

#endif
