/* Philae: sizes from pilots, then queues [Jajoo19]; see philae.c. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_PHILAE_H
#define BR_CLUSTER_COFLOW_POLICIES_PHILAE_H

#include "cluster/coflow/fabric/policy.h"

/* The number by which coflows are assigned to queues; br_coflow_row.detail. */
enum { BR_PHILAE_SIZE, BR_PHILAE_LEFT, BR_PHILAE_CONTENTION, BR_PHILAE_WEIGHTED };

extern const struct br_names br_philae_options; /* of struct br_coflow_option */
enum br_status br_philae_create(const struct br_coflow_setup *setup, void **policy,
                                struct br_diag *diag);
void br_philae_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_philae_decide(void *policy);
void br_philae_destroy(void *policy);

#endif
