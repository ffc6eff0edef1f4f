/* The policies, in the order in which they are listed: ROW(NAME) for br_executors_policy_NAME,
 * which stands in the file of its family. A new one is its row there and its name here. */
#ifndef BR_CLUSTER_EXECUTORS_ROWS_H
#define BR_CLUSTER_EXECUTORS_ROWS_H

#include "cluster/executors/policy.h"

#define BR_EXECUTORS_POLICIES(ROW)                                                                 \
    ROW(fifo)                                                                                      \
    ROW(sjf_cp)                                                                                    \
    ROW(fair)                                                                                      \
    ROW(weighted_fair_naive)                                                                       \
    ROW(weighted_fair)                                                                             \
    ROW(weighted_fair_tuned)                                                                       \
    ROW(tetris)                                                                                    \
    ROW(graphene)                                                                                  \
    ROW(graphene_tuned)                                                                            \
    ROW(bound)                                                                                     \
    ROW(bound_stages)                                                                              \
    ROW(order_search)                                                                              \
    ROW(random)

#define BR_EXECUTORS_POLICY_DECLARE(name)                                                          \
    extern const struct br_executors_row br_executors_policy_##name;
BR_EXECUTORS_POLICIES(BR_EXECUTORS_POLICY_DECLARE)

#endif
