/* Fair shares by flow; see fair.c. */
#ifndef BR_SIMULATE_COFLOW_POLICIES_FAIR_H
#define BR_SIMULATE_COFLOW_POLICIES_FAIR_H

#include "simulate/coflow/fabric/policy.h"

enum br_status br_fair_create(const struct br_coflow_setup *setup, void **policy,
                              struct br_diag *diag);
void br_fair_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_fair_decide(void *policy);
void br_fair_destroy(void *policy);

#endif
