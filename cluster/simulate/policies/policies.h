/* The table of policies. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_POLICIES_H
#define BR_CLUSTER_SIMULATE_POLICIES_POLICIES_H

#include "base/text/named.h"
#include "cluster/simulate/policy.h"

/* The k-th row, k = 0, 1, ...; NULL past the end. */
extern const struct br_names br_simulate_policies;
const struct br_policy_row *br_policies_at(uint32_t k);
/* The row of "NAME" or "NAME=NUMBER", and the number (NAN: none given). BR_USAGE with a suggestion
 * if there is none, or the row takes no number. */
enum br_status br_policies_find(const char *text, const struct br_policy_row **row, double *number,
                                struct br_diag *diag);

#endif
