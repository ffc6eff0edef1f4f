/* One part of a job as the linear program sees it: the stages that have work, when they can run,
 * and which of them cannot run together. */
#ifndef BR_LP_SOLVER_PROBLEM_H
#define BR_LP_SOLVER_PROBLEM_H

#include "planner/bounds/packing.h"

/* Most stages with work that the linear program takes on. */
#define LP_STAGES BR_PACKING_STAGES

struct lp_problem {
    struct br_arena arena;
    const struct br_instance *in; /* borrowed */
    uint32_t count;               /* stages with work; the arrays below are by index into them */
    uint32_t *stage;              /* number in the instance; parents first */
    int64_t *work;                /* sum of durations */
    int64_t *head, *tail;         /* ticks that must pass before and after */
    uint32_t *tasks;
    uint32_t *slots; /* how many of the tasks can run at once on the whole cluster */
    bool *ahead;     /* [u * count + v]: every task of u is an ancestor of every task of v */
    int64_t least;   /* the lower bound that heads, tails and energy give */
};

/* BR_OK with count 0 if the part has no work or more than LP_STAGES stages with work. */
enum br_status lp_problem_init(struct lp_problem *problem, const struct br_instance *in,
                               struct br_diag *diag);
void lp_problem_finish(struct lp_problem *problem);
/* The problem as the search for heavy sets takes it; borrows from it. */
struct br_packing lp_problem_packing(const struct lp_problem *problem);

/* The time up to a tried makespan, cut wherever the window of a stage begins or ends. A stage may
 * run in the intervals first[v] .. last[v] - 1 and in no others. */
struct lp_intervals {
    uint32_t count;
    int64_t *point; /* count + 1 */
    uint32_t *first, *last;
};

/* False when memory is out. All windows must hold the longest task: makespan >= problem->least. */
bool lp_intervals_init(struct lp_intervals *intervals, const struct lp_problem *problem,
                       int64_t makespan);
void lp_intervals_finish(struct lp_intervals *intervals);

#endif
