/* Tasks on lines: the bound that counts how whole durations fill a time, as in cutting stock. */
#ifndef BR_LP_SOLVER_LINES_H
#define BR_LP_SOLVER_LINES_H

#include "lp/solver/refute.h"
#include "planner/bounds/measure.h"

/* The largest bound proven, at least `proven`, in ticks; if it is more, *proof (whose memory is the
 * arena's, in the numbers of the whole job) is why. By these measures of the part, or if they are
 * NULL by those of br_measures_init. Takes from the budget. Not inside lp_guarded(). */
int64_t lp_lines_bound(const struct br_instance *whole, const struct br_instance *part,
                       const struct br_measures *measures, int64_t proven, struct lp_budget *budget,
                       struct br_arena *arena, struct br_proof *proof);

#endif
