/* Aalo: coflows sink through queues as they send [Chowdhury15]; see aalo.c. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_AALO_H
#define BR_CLUSTER_COFLOW_POLICIES_AALO_H

#include "cluster/coflow/fabric/policy.h"

enum { BR_AALO, BR_AALO_ORACLE }; /* br_coflow_row.detail */

extern const struct br_names br_aalo_options; /* of struct br_coflow_option */
enum br_status br_aalo_create(const struct br_coflow_setup *setup, void **policy,
                              struct br_diag *diag);
void br_aalo_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_aalo_decide(void *policy);
void br_aalo_destroy(void *policy);

#endif
