/* A policy for executors: a row of a table, which rows.h names. It decides for one simulator at a
 * time, from the simulator's public part. */
#ifndef BR_CLUSTER_EXECUTORS_POLICY_H
#define BR_CLUSTER_EXECUTORS_POLICY_H

#include "base/text/named.h"
#include "cluster/executors/executors.h"

struct br_executors_row;

struct br_executors_setup {
    const struct br_executors_row *row;
    uint64_t seed;         /* for policies that draw */
    double number;         /* of NAME=NUMBER; NAN: not given */
    double trouble;        /* of a row with `troubles`; 0: as usual */
    const uint32_t *order; /* of a row with `orders`: jobs, the first first; borrowed */
    const void *model;     /* of a policy that was learned; NULL: none was given */
};

struct br_executors_choice {
    uint32_t stage; /* number in sim->stage, or BR_EXECUTORS_STAY */
    uint32_t limit; /* of executors of its job */
};

struct br_executors_row {
    struct br_named named;
    const char *number; /* what NUMBER means; NULL: it takes none */
    /* A tuned row is run with every number from `least` to `most`, `step` apart, and told by the
     * best, for each seed by itself. 0: not tuned. */
    double least, most, step;
    /* Each of these numbers is tried with so many thresholds of what is troublesome, from 1 /
     * (troubles + 1) on, evenly below 1; 0: none is. */
    uint32_t troubles;
    bool orders; /* it is run with the best of all orders of jobs: see orders.h */
    int detail;  /* of the policy's own, as is `usual`: the number if none is given */
    double usual;
    enum br_status (*create)(const struct br_executors_setup *setup, void **policy,
                             struct br_diag *diag);
    /* A run begins, after its reset. NULL: nobody asks. */
    enum br_status (*begin)(void *policy, const struct br_executors *sim, struct br_diag *diag);
    struct br_executors_choice (*decide)(void *policy, const struct br_executors *sim);
    void (*destroy)(void *policy);
};

extern const struct br_names br_executors_policies;
/* The rows that are not learned, for k = 0, 1, ...; NULL past the end. */
const struct br_executors_row *br_executors_policy(uint32_t k);

/* Runs what `sim` was reset to under the policy, to its end. */
enum br_status br_executors_follow(struct br_executors *sim, const struct br_executors_row *row,
                                   void *policy, struct br_diag *diag);

#endif
