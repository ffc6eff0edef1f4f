/* A policy that stands before another one: it passes all on, keeps a slow view of its own of jobs,
 * machines and ready tasks, and fails the test where a decision is not what the other's name
 * promises. It shares no code with the policies. */
#ifndef BR_TESTS_CLUSTER_SIMULATE_WATCH_H
#define BR_TESTS_CLUSTER_SIMULATE_WATCH_H

#include "base/numbers/rng.h"
#include "cluster/simulate/policy.h"
#include "tests/support/amounts.h"

struct watched_job;

struct watch {
    struct br_policy_row row; /* to be simulated */
    const struct br_policy_row *inner;
    double number;      /* the row's, where it takes one */
    bool idles;         /* it may leave room that something ready fits into */
    uint32_t most_room; /* of decisions that the inner policy is asked for at once; 0: all */
    /* What is checked of a job against another depends on this; see watch.c. */
    const struct watch_rule *rule;   /* NULL: nothing of the order */
    uint64_t decisions, passed_over; /* decisions seen, and those that had another job to choose */

    void *policy; /* the inner one */
    const struct br_policy_setup *setup;
    struct amounts amounts;
    double total[AMOUNTS_RESOURCES]; /* of the cluster */
    int64_t *free;                   /* [machine * resources], with what may be overbooked */
    bool *there;
    struct watched_job *job; /* by number */
    uint32_t jobs;           /* room for so many */
};

/* Before each simulation of up to `jobs` jobs. The number is the row's own where it is NAN. */
void watch_begin(struct watch *watch, const struct br_policy_row *inner, double number,
                 uint32_t jobs);

#endif
