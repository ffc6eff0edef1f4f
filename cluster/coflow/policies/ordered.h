/* Policies that serve coflows in an order by MADD; see ordered.c. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_ORDERED_H
#define BR_CLUSTER_COFLOW_POLICIES_ORDERED_H

#include "cluster/coflow/fabric/policy.h"

/* br_coflow_row.detail. From BR_ORDER_ANEW on the order is found at every decision. */
enum {
    BR_ORDER_FIFO,
    BR_ORDER_BOTTLENECK, /* smallest effective bottleneck first */
    BR_ORDER_LENGTH,
    BR_ORDER_WIDTH,
    BR_ORDER_SIZE,
    BR_ORDER_ANEW,
    BR_ORDER_BOTTLENECK_LEFT = BR_ORDER_ANEW,
    BR_ORDER_BSSI,
};

enum br_status br_ordered_create(const struct br_coflow_setup *setup, void **policy,
                                 struct br_diag *diag);
void br_ordered_event(void *policy, enum br_coflow_event event, uint32_t coflow);
void br_ordered_decide(void *policy);
void br_ordered_destroy(void *policy);

#endif
