/* Saath: all of a coflow or nothing, least contention first [Jajoo17]; see saath.c. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_SAATH_H
#define BR_CLUSTER_COFLOW_POLICIES_SAATH_H

#include "cluster/coflow/fabric/policy.h"

extern const struct br_names br_saath_options; /* of struct br_coflow_option */
enum br_status br_saath_create(const struct br_coflow_setup *setup, void **policy,
                               struct br_diag *diag);
void br_saath_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_saath_decide(void *policy);
void br_saath_destroy(void *policy);

#endif
