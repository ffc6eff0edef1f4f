/* The scheduler GS of [Jajoo22, 5.1.1]: ten queues by the predicted work of jobs, which share the
 * cluster by weights a tenth of each other; first come first served within. Pilots have a queue of
 * their own, the second. And two without queues: by attained service, and the shortest predicted
 * work first. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_GS_H
#define BR_CLUSTER_SIMULATE_POLICIES_GS_H

#include "runtime/predict/evaluate.h"
#include "cluster/simulate/policy.h"

enum br_gs_order {
    BR_GS_QUEUES,    /* by predicted work */
    BR_GS_ATTAINED,  /* by the time that its ended tasks took, with no prediction */
    BR_GS_SHORTEST,  /* no queues: the least predicted work first */
    BR_GS_REMAINING, /* the same of what is left of it, predicted again as tasks end */
};

/* A row. */
struct br_gs_rule {
    enum br_gs_order order;
    const char *predictor; /* NULL: none */
};

enum br_status br_gs_create(const struct br_gs_rule *rule, const struct br_policy_setup *setup,
                            void **policy, struct br_diag *diag);
void br_gs_destroy(void *policy);
enum br_status br_gs_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                            struct br_diag *diag);
enum br_status br_gs_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                         struct br_diag *diag);
enum br_status br_gs_retire(void *policy, uint32_t job, struct br_diag *diag);
enum br_status br_gs_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag);
uint32_t br_gs_decide(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                      int64_t *wake_ns);

#endif
