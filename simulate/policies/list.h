/* List scheduling of many jobs: whenever there is room, the job of the least key starts its first
 * ready task that fits, in an order within the job. A row of the table is a key and an order. */
#ifndef BR_SIMULATE_POLICIES_LIST_H
#define BR_SIMULATE_POLICIES_LIST_H

#include "runtime/enforcer/job.h"
#include "simulate/policy.h"

/* What the key of a job is made of. Shares are of the whole cluster. */
struct br_list_job {
    struct br_job *job; /* the enforcer's: states, ranks, work that is left */
    uint32_t number;    /* in the workload: the order of arrival */
    uint32_t group;
    double weight;
    double total;  /* work of all its tasks: demand shares x seconds */
    double share;  /* its dominant share: the most of its running tasks' demands */
    double tail_s; /* the longest path that hangs on any ready task, declared */
    uint64_t draw; /* a number drawn anew whenever one of its tasks starts */
};

enum br_list_order {
    BR_LIST_BREADTH,
    BR_LIST_TAIL,
    BR_LIST_PLAN, /* asks for the job's plan */
};

struct br_list_rule {
    enum br_list_order order;
    bool by_group; /* the group that has the least share over its weight goes first */
    /* The least goes first, then the job that came first. `number` is the row's option. */
    double (*key)(const struct br_list_job *job, double number);
    double number; /* where the option is not given */
};

enum br_status br_list_create(const struct br_list_rule *rule, const struct br_policy_setup *setup,
                              void **policy, struct br_diag *diag);
void br_list_destroy(void *policy);
enum br_status br_list_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                              struct br_diag *diag);
enum br_status br_list_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                           struct br_diag *diag);
enum br_status br_list_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_list_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag);
uint32_t br_list_decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                        int64_t *wake_ns);

#endif
