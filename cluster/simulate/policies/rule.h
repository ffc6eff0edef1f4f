/* A list policy as a rule: whose turn it is among jobs, and which task within a job. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_RULE_H
#define BR_CLUSTER_SIMULATE_POLICIES_RULE_H

#include "runtime/enforcer/jobs/job.h"

/* The facts that a job's key is made of. Shares are of the whole cluster. */
struct br_ranked_job {
    struct br_job *job; /* the enforcer's: states, ranks, work that is left */
    uint32_t number;    /* in the workload: the order of arrival */
    uint32_t group;
    double weight;
    double total;       /* work of all its tasks: demand shares x seconds */
    double share;       /* if by_share: the most of its running tasks' demands of a resource */
    double tail_s;      /* the longest path that hangs on any ready task, declared */
    uint32_t limit;     /* of its tasks at once; UINT32_MAX: none */
    uint32_t guarantee; /* of tasks at once, or in percents of the cluster, for keys; 0: none */
    uint32_t ask;       /* what it needs of them, guaranteed or not */
    uint32_t turn;      /* among those that have less than they ask for */
    uint64_t draw;      /* a number drawn anew whenever one of its tasks starts */
    double once;        /* of rule->once, if any */
};

enum br_ranked_order {
    BR_RANKED_BREADTH,
    BR_RANKED_TAIL,
    BR_RANKED_PLAN, /* asks for the job's plan */
};

struct br_ranked_rule {
    enum br_ranked_order order;
    bool by_group; /* the group that has the least share over its weight goes first */
    bool by_share; /* the key asks for the job's share */
    /* The least goes first, then the job that came first. `number` is the row's option. */
    double (*key)(const struct br_ranked_job *job, double number);
    double number; /* if the option is not given */
    /* A part of the key that never changes, found at arrival; may be NULL. */
    double (*once)(const struct br_ranked_job *job, double number);
};

#endif
