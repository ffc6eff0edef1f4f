/* A rolling joint plan: at arrivals and at ends of jobs, the order in which the jobs that are there
 * go first is searched by looking ahead, and kept until the next. Durations are the declared ones;
 * nothing is known of jobs to come. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_JOINT_H
#define BR_CLUSTER_SIMULATE_JOINT_JOINT_H

#include "cluster/simulate/policy.h"

/* Placements that a search may take if the row's number is not given. */
#define BR_JOINT_BUDGET 200000

enum br_status br_joint_create(const struct br_policy_setup *setup, void **policy,
                               struct br_diag *diag);
void br_joint_destroy(void *policy);
enum br_status br_joint_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                               struct br_diag *diag);
enum br_status br_joint_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                            struct br_diag *diag);
enum br_status br_joint_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_joint_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag);
uint32_t br_joint_decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                         int64_t *wake_ns);

/* When the job would end if the order stayed, nobody came, and all went as declared from now on.
 * After a decision, for a job that is there. */
int64_t br_joint_foresee(void *policy, uint32_t job, int64_t now_ns);

#endif
