/* The policies, in the order in which help lists them: ROW(NAME) for br_simulate_policy_NAME, which
 * stands in the file of its family. A new one is its row there and its name here. */
#ifndef BR_CLUSTER_SIMULATE_ROWS_H
#define BR_CLUSTER_SIMULATE_ROWS_H

#include "cluster/simulate/policy.h"

#define BR_SIMULATE_POLICIES(ROW)                                                                  \
    ROW(graphene)                                                                                  \
    ROW(order)                                                                                     \
    ROW(tetris)                                                                                    \
    ROW(tetris_plan)                                                                               \
    ROW(capacity)                                                                                  \
    ROW(capacity_plan)                                                                             \
    ROW(fifo)                                                                                      \
    ROW(fair)                                                                                      \
    ROW(weighted_fair)                                                                             \
    ROW(weighted_fair_tuned)                                                                       \
    ROW(drf)                                                                                       \
    ROW(sjf)                                                                                       \
    ROW(srpt)                                                                                      \
    ROW(srpt_plan)                                                                                 \
    ROW(joint)                                                                                     \
    ROW(placed)                                                                                    \
    ROW(placed_network)                                                                            \
    ROW(cp)                                                                                        \
    ROW(deadline)                                                                                  \
    ROW(deadline_fixed)                                                                            \
    ROW(deadline_amdahl)                                                                           \
    ROW(deadline_most)                                                                             \
    ROW(deadline_arbiter)                                                                          \
    ROW(gs_point)                                                                                  \
    ROW(gs_3sigma)                                                                                 \
    ROW(gs_3sigma_tl)                                                                              \
    ROW(gs_slearn)                                                                                 \
    ROW(gs_slearn_adaptive)                                                                        \
    ROW(gs_slearn_dag)                                                                             \
    ROW(gs_posterior)                                                                              \
    ROW(gs_oracle)                                                                                 \
    ROW(las)                                                                                       \
    ROW(shortest)                                                                                  \
    ROW(shortest_3sigma)                                                                           \
    ROW(shortest_slearn)                                                                           \
    ROW(shortest_oracle)                                                                           \
    ROW(shortest_remaining)                                                                        \
    ROW(random)

#define BR_SIMULATE_POLICY_DECLARE(name)                                                           \
    extern const struct br_policy_row br_simulate_policy_##name;
BR_SIMULATE_POLICIES(BR_SIMULATE_POLICY_DECLARE)

#endif
