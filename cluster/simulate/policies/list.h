/* List scheduling of many jobs: whenever there is room, the job of the least key starts its first
 * ready task that fits, in an order within the job. A row of the table is a key and an order. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_LIST_H
#define BR_CLUSTER_SIMULATE_POLICIES_LIST_H

#include "cluster/simulate/policies/rule.h"
#include "cluster/simulate/policy.h"

enum br_status br_ranked_create(const struct br_ranked_rule *rule,
                                const struct br_policy_setup *setup, void **policy,
                                struct br_diag *diag);
void br_ranked_destroy(void *policy);
enum br_status br_ranked_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                struct br_diag *diag);
enum br_status br_ranked_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                             struct br_diag *diag);
void br_ranked_expect(void *policy, uint32_t job, uint32_t task, bool closely);
enum br_status br_ranked_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_ranked_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag);
enum br_status br_ranked_lost(void *policy, uint32_t job, uint32_t task, int64_t now_ns,
                              struct br_diag *diag);
uint32_t br_ranked_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                          uint32_t room, int64_t *wake_ns);

/* From now on at most so many tasks of the job run at once; more than that which run go on. False
 * when memory is out. */
bool br_ranked_limit(void *policy, uint32_t job, uint32_t limit);
/* From now on its running tasks demand at most so many percents of the cluster, of every resource;
 * those that run go on. For rules by_share. False when memory is out. */
bool br_ranked_cap(void *policy, uint32_t job, uint32_t percent);
/* The guarantee, request and turn that a job's key uses, beside the limit. */
struct br_ranked_share {
    uint32_t guarantee, ask, turn; /* see rule.h */
};
bool br_ranked_guarantee(void *policy, uint32_t job, const struct br_ranked_share *share);
/* The enforcer's job, and what is free on the machine (NULL: it is away); borrowed, until the next
 * event. */
const struct br_job *br_ranked_job(const void *policy, uint32_t job);
const int64_t *br_ranked_free(void *policy, uint32_t machine);
uint32_t br_ranked_resources(const void *policy);
/* Its tasks that run. */
uint32_t br_ranked_running(const void *policy, uint32_t job);

#endif
