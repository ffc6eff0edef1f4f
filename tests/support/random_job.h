/* Small random jobs with clusters to plan them on, for property tests. */
#ifndef BR_TESTS_SUPPORT_RANDOM_JOB_H
#define BR_TESTS_SUPPORT_RANDOM_JOB_H

#include <stdbool.h>
#include <stdint.h>

#include <bigrocks/bigrocks.h>

#define RANDOM_JOB_TASKS 64u

struct random_job {
    struct br_dag *dag; /* finished */
    struct br_cluster *cluster;
};

/* A job of 1 to `tasks` (at most RANDOM_JOB_TASKS) tasks and a cluster that holds each of them: one
 * pool, or up to three machines of one or two classes; one to three resources, whole or decimal
 * amounts; stages of several tasks, durations of their own, tasks without duration or without
 * demand; barriers and one-to-one edges, none to many. All depends on the seed alone. With
 * `shuffle` other than 0 the same stages are added in another order (and so numbered otherwise).
 * False when memory is out. */
bool random_job_make(uint64_t seed, uint32_t tasks, uint64_t shuffle, struct random_job *job);
void random_job_finish(struct random_job *job);

/* Jobs as above, all for one cluster of up to nine machines, which holds every task of each. The
 * caller destroys what it gets. False when memory is out; then nothing is left. */
bool random_jobs_make(uint64_t seed, uint32_t tasks, uint32_t count, struct br_dag **dag,
                      struct br_cluster **cluster);

/* How many random jobs a long test is to try: `count`, or the percentage of it, at least twenty,
 * that BIGROCKS_TEST_SHARE names: less than 100 for programs that are slow or tested elsewhere in
 * full, more for a long run. */
unsigned random_jobs(unsigned count);

#endif
