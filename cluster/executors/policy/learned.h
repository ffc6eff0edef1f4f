/* The policy `learned`: a trained model decides. */
#ifndef BR_LEARN_LEARNED_H
#define BR_LEARN_LEARNED_H

#include "cluster/executors/policy.h"

/* The setup's model is a struct br_model (cluster/executors/network/model.h), which has to outlive
 * the policy. Without a number, and with 0, always the likeliest stage and limit; with 1 they are
 * drawn by their probabilities, as in training. */
extern const struct br_executors_row br_executors_policy_learned;

#endif
