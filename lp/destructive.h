/* A lower bound on one part by trying makespans: each one that is refuted puts the bound above it.
 */
#ifndef BR_LP_DESTRUCTIVE_H
#define BR_LP_DESTRUCTIVE_H

#include "lp/refute.h"

enum lp_end {
    LP_END_DONE,  /* the relaxation allows the next makespan */
    LP_END_LARGE, /* more than LP_STAGES stages: not tried */
    LP_END_SPENT, /* a limit was reached */
    LP_END_FAULT, /* the solver gave up the program */
};

/* The largest bound proven, at least `proven`, in ticks. */
int64_t lp_destructive_bound(const struct br_instance *part, int64_t proven,
                             struct lp_budget *budget, enum lp_end *end);

#endif
