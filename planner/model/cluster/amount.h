/* Amounts of resources as texts, with every fault told. */
#ifndef BR_PLANNER_MODEL_CLUSTER_AMOUNT_H
#define BR_PLANNER_MODEL_CLUSTER_AMOUNT_H

#include "base/numbers/decimal.h"
#include "base/text/diag.h"

/* An amount >= 0 such as "2", "0.59" or "4GiB". BR_BAD_INPUT, with the owner ("output 'x' of stage
 * 's'") and the resource in the text, if it is none or the resource has no name. */
enum br_status br_amount_read(const char *owner, const char *resource, const char *text,
                              struct br_decimal *amount, struct br_diag *diag);

#endif
