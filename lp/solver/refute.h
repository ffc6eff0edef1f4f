/* Is there a plan within a makespan? Proves "no" if a linear relaxation is infeasible.
 *
 * The relaxation [Brucker00]: time is cut into intervals; in each, every machine shares its time
 * among sets of tasks that fit it together and have no task with its ancestor; every stage gets its
 * work. Sets are generated as they are needed, cuts (cut.h) as they are violated.
 *
 * The proof does not rest on the solver. Its dual values, rounded to integers, weigh the stages; if
 * the weighted work is more than what the intervals can hold at most by weight, found exactly for
 * every interval and class of machines, then no plan exists, wherever the weights come from.
 */
#ifndef BR_LP_SOLVER_REFUTE_H
#define BR_LP_SOLVER_REFUTE_H

#include "lp/solver/budget.h"
#include "lp/solver/packers.h"
#include "lp/solver/patterns.h"
#include "lp/solver/proof.h"

enum lp_answer {
    LP_REFUTED, /* proven: no plan within the makespan */
    LP_OPEN,    /* the relaxation allows one */
    LP_SPENT,   /* the budget ended first, or memory was out, or the solver failed */
};

/* makespan >= problem->least. Inside lp_guarded() only. If it is refuted, *proof is why. */
enum lp_answer lp_refute(const struct lp_problem *problem, int64_t makespan,
                         struct lp_patterns *patterns, const struct lp_packers *packers,
                         struct lp_budget *budget, struct lp_proof *proof);

#endif
