/* Policies that the enforcer of runtime/ carries out, driven as the local driver drives it. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_ENFORCED_H
#define BR_CLUSTER_SIMULATE_POLICIES_ENFORCED_H

#include "cluster/simulate/policy.h"

struct br_enforced_rule {
    const char *policy; /* of the enforcer's table */
    bool plans;         /* jobs come with plans; else they rank by their longest paths */
    bool everywhere;    /* no machine is remote: the penalty is 1 */
};

enum br_status br_enforced_create(const struct br_enforced_rule *rule,
                                  const struct br_policy_setup *setup, void **policy,
                                  struct br_diag *diag);
void br_enforced_destroy(void *policy);
enum br_status br_enforced_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                  struct br_diag *diag);
enum br_status br_enforced_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                               struct br_diag *diag);
void br_enforced_expect(void *policy, uint32_t job, uint32_t task, bool closely);
enum br_status br_enforced_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_enforced_machine(void *policy, uint32_t machine, bool there,
                                   struct br_diag *diag);
uint32_t br_enforced_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                            uint32_t room, int64_t *wake_ns);

#endif
