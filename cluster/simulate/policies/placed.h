/* Jobs that follow plans to their machines. When a job arrives, the machines of its plan are given
 * to real ones of their class: the one with most to do in the plan to the one with least to do now,
 * and so on. From then on a machine starts what is ready there and fits, the job of the least work
 * first, within a job in the order of its plan. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_PLACED_H
#define BR_CLUSTER_SIMULATE_POLICIES_PLACED_H

#include "cluster/simulate/policy.h"

struct br_placed_rule {
    bool network; /* by plans that account for transfers */
};

enum br_status br_placed_create(const struct br_placed_rule *rule,
                                const struct br_policy_setup *setup, void **policy,
                                struct br_diag *diag);
void br_placed_destroy(void *policy);
enum br_status br_placed_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                struct br_diag *diag);
enum br_status br_placed_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                             struct br_diag *diag);
enum br_status br_placed_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_placed_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag);
const uint32_t *br_placed_places(void *policy, uint32_t job);
enum br_status br_placed_supplied(void *policy, uint32_t job, uint32_t task, struct br_diag *diag);
uint32_t br_placed_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                          uint32_t room, int64_t *wake_ns);

#endif
