/* One makespan, refuted by windows that are narrowed for it, or else by the linear program. */
#ifndef BR_LP_SOLVER_ATTEMPT_H
#define BR_LP_SOLVER_ATTEMPT_H

#include "lp/solver/refute.h"
#include "planner/bounds/tighten.h"

struct lp_attempt {
    const struct br_instance *whole, *part; /* borrowed */
    struct lp_problem *problem;             /* windows as of the last refutation */
    struct lp_patterns *patterns;
    const struct lp_packers *packers;
    struct lp_budget *budget;
    /* The part's stages, measures, and passes that hold for every makespan. */
    struct br_proof windows;
};

/* The outcome of trying a makespan. */
struct lp_outcome {
    enum lp_answer answer;
    /* Refuted: why. Else with its windows alone, to which an argument may be added. All memory is
     * the arena's. */
    struct br_proof proof;
    struct br_task_windows windows; /* after all passes, unless spent */
};

/* `known`: windows that already hold, with those of a->windows among them, so that its passes are
 * left out; NULL: nothing but these. Inside lp_guarded() only. */
struct lp_outcome lp_attempt(struct lp_attempt *a, struct br_arena *arena, int64_t makespan,
                             const struct br_task_windows *known);

#endif
