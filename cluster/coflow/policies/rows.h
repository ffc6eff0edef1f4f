/* The policies, in the order in which help lists them: ROW(NAME) for br_coflow_policy_NAME, which
 * stands in the file of its family. A new one is its row there and its name here. */
#ifndef BR_CLUSTER_COFLOW_POLICIES_ROWS_H
#define BR_CLUSTER_COFLOW_POLICIES_ROWS_H

#include "cluster/coflow/fabric/policy.h"

#define BR_COFLOW_POLICIES(ROW)                                                                    \
    ROW(expected)                                                                                  \
    ROW(expected_oracle)                                                                           \
    ROW(philae)                                                                                    \
    ROW(philae_a)                                                                                  \
    ROW(philae_b)                                                                                  \
    ROW(philae_c)                                                                                  \
    ROW(aalo)                                                                                      \
    ROW(saath)                                                                                     \
    ROW(aalo_oracle)                                                                               \
    ROW(varys)                                                                                     \
    ROW(scf)                                                                                       \
    ROW(ncf)                                                                                       \
    ROW(lcf)                                                                                       \
    ROW(fifo)                                                                                      \
    ROW(remaining_bottleneck_first)                                                                \
    ROW(sincronia)                                                                                 \
    ROW(fair)

#define BR_COFLOW_POLICY_DECLARE(name) extern const struct br_coflow_row br_coflow_policy_##name;
BR_COFLOW_POLICIES(BR_COFLOW_POLICY_DECLARE)

#endif
