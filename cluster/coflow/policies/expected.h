/* Pilots, expected sizes and an improved order; see expected.c. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_EXPECTED_H
#define BR_CLUSTER_COFLOW_POLICIES_EXPECTED_H

#include "cluster/coflow/fabric/policy.h"

extern const struct br_names br_expected_options; /* of struct br_coflow_option */
enum br_status br_expected_create(const struct br_coflow_setup *setup, void **policy,
                                  struct br_diag *diag);
void br_expected_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_expected_flow(void *policy, uint32_t coflow, uint32_t receiver, double bytes);
void br_expected_decide(void *policy);
void br_expected_destroy(void *policy);

#endif
