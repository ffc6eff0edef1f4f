/* The dual values that refute a makespan, as a proof that others can check. */
#ifndef BR_LP_SOLVER_PROOF_H
#define BR_LP_SOLVER_PROOF_H

#include "lp/solver/cut.h"
#include "planner/instance/certificate.h"

struct lp_proof {
    struct br_arena *arena;          /* of what is written */
    const struct br_instance *whole; /* borrowed */
    struct br_proof proof;           /* of kind prices; prices 0: there is none yet */
};

/* Replaces the proof by that of these dual values of stages and cuts: that the makespan is too
 * short. The part and its windows are left to the caller. False when memory is out. */
bool lp_proof_write(struct lp_proof *proof, const struct lp_problem *problem,
                    const struct lp_intervals *intervals, int64_t makespan, const int64_t *dual,
                    const struct lp_cuts *cuts, uint32_t cut_count, const int64_t *cut_dual);

#endif
