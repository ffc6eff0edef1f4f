/* A lower bound on one part by trying makespans: each one that is refuted puts the bound above it.
 */
#ifndef BR_LP_SOLVER_DESTRUCTIVE_H
#define BR_LP_SOLVER_DESTRUCTIVE_H

#include "lp/solver/refute.h"

enum lp_end {
    LP_END_DONE,  /* the relaxation allows the next makespan */
    LP_END_LARGE, /* more than LP_STAGES stages: not tried */
    LP_END_SPENT, /* a limit was reached */
    LP_END_FAULT, /* the solver gave up the program */
};

/* The largest bound proven, at least `proven`, in ticks. If it is more, *proof (whose memory is the
 * arena's) is why: in the numbers of the whole job, of which this is a part. */
int64_t lp_destructive_bound(const struct br_instance *whole, const struct br_instance *part,
                             int64_t proven, struct lp_budget *budget, struct br_arena *arena,
                             struct br_proof *proof, enum lp_end *end);

#endif
