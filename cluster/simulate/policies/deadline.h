/* Jobs with deadlines under control loops [Ferguson12]: tokens limit how many tasks of a job run at
 * once, or shares how much of the cluster they demand. Jobs with deadlines are guaranteed their
 * tokens, in the order of their arrival; those without take what is left, first come first served.
 * Each loop decides for itself, so that all together may ask for more than there is. The arbiter
 * gives out what there is; what a job leaves over of its tokens, and nobody without a deadline
 * wants, others may use beyond theirs. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_DEADLINE_H
#define BR_CLUSTER_SIMULATE_POLICIES_DEADLINE_H

#include "runtime/deadline/control.h"
#include "cluster/simulate/policy.h"

/* A deadline that moves while jobs run. */
struct br_deadline_change {
    int64_t after_ns;    /* of the job's arrival */
    int64_t deadline_ns; /* from then on, counted from the arrival as well */
};

/* The settings of control loops; borrowed as long as the policy. */
struct br_deadline_settings {
    struct br_control_options control; /* forecast and adaptation are the row's */
    enum br_allocation kind;           /* of all tables */
    uint32_t total; /* tokens or percents of the cluster, which the arbiter shares; at least 1 */
    /* The table of the dag; NULL if there is none (diag says why). */
    const struct br_deadline_table *(*table)(void *context, uint32_t dag_number,
                                             struct br_diag *diag);
    void *context;
    bool spare; /* what others leave over a job may use beyond its tokens, as under the arbiter */
    bool evict; /* tasks beyond tokens end if a job that has fewer than it is guaranteed needs room;
                   allocations are tokens */
    const struct br_utility *utility; /* by job of the workload; NULL: those of their deadlines */
    uint32_t changes;                 /* by time */
    const struct br_deadline_change *change;
};

/* A row. */
struct br_deadline_rule {
    enum br_forecast forecast;
    enum br_adaptation adaptation;
    bool arbiter; /* raw allocations of all jobs are chosen together */
};

#endif
