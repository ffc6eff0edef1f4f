/* Small random workloads with a cluster to run them on, for property tests. */
#ifndef BR_TESTS_SUPPORT_RANDOM_WORKLOAD_H
#define BR_TESTS_SUPPORT_RANDOM_WORKLOAD_H

#include "planner/model/cluster/cluster.h"
#include "cluster/simulate/policy.h"
#include "cluster/workload/world.h"

struct random_workload {
    struct br_workload *workload; /* finished */
    struct br_cluster *cluster;
    int64_t step_ns; /* the longest declared duration, at least 1: a measure for other times */
};

/* Up to `jobs` jobs of up to `tasks` tasks (see random_job.h) for one cluster: jobs that share
 * dags, that arrive together, at once or spread; one to three groups of several weights; weights
 * and deadlines of jobs; some with recorded durations. All depends on the seed alone. False when
 * memory is out. */
bool random_workload_make(uint64_t seed, uint32_t jobs, uint32_t tasks,
                          struct random_workload *random);
void random_workload_finish(struct random_workload *random);

/* Worlds to run it in: 0 is the default, and every other goes wrong in a way of its own; the last
 * one in all ways. */
enum { RANDOM_WORLDS = 6 };
struct br_world random_world(uint32_t k, uint64_t seed, int64_t step_ns);

/* The number to give a row: its own (NAN), or a small one where its own would take long. */
double random_number(const struct br_policy_row *row);

#endif
