/* A policy that does what a test tells it: starts at given times, and a log of what it was told. */
#ifndef BR_TESTS_CLUSTER_SIMULATE_SCRIPT_H
#define BR_TESTS_CLUSTER_SIMULATE_SCRIPT_H

#include "cluster/simulate/engine.h"

struct script_step {
    int64_t at_ns; /* in this order */
    uint32_t job, task, machine;
};

enum { SCRIPT_LOG = 1024 };

struct script {
    struct br_policy_row row; /* to be simulated */
    const struct script_step *step;
    uint32_t steps, next;
    bool sleeps;               /* it asks for no time at which it is called */
    int64_t asks_ns;           /* and once for this one, where not 0 */
    bool no_decisions;         /* "d" is not logged */
    char log[SCRIPT_LOG];      /* as "a0@1 e0.2@3 f0.2@3 r0@3 m1-@4 m1+@5 d@5", in whole seconds */
    struct br_arrival arrival; /* the last one */
    struct br_ended ended;     /* the same */
};

/* Starts each step at its time; it asks to be called then. */
void script_begin(struct script *script, const struct script_step *step, uint32_t steps);

/* A workload to be finished, on a cluster of `machines` equal machines with these capacities, such
 * as "net=10,cpu=4". Ends the test where that fails. */
struct small {
    struct br_workload *workload;
    struct br_cluster *cluster;
    struct br_simulate_options options;
};
void small_begin(struct small *small, uint32_t machines, const char *capacities);
/* Adds a dag of one stage a pair of words: "4:net=10" lasts 4 s and demands that; each stage waits
 * for the one before where `chain`. Returns its number. */
uint32_t small_dag(struct small *small, const char *const *stage, uint32_t stages, bool chain);
/* Adds a job of it that arrives at that second. */
void small_job(struct small *small, uint32_t dag, int64_t arrival_s);
/* Finishes the workload where it is not, and runs it under the row. */
enum br_status small_run(struct small *small, const struct br_policy_row *row,
                         struct br_outcome *outcome, struct br_diag *diag);
/* The task's k-th span of that end in the outcome; ends the test where there is none. */
const struct br_span *small_span(const struct br_outcome *outcome, uint32_t job, uint32_t task,
                                 enum br_span_end end, uint32_t k);
void small_finish(struct small *small);

#endif
