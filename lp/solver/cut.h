/* Rules that every plan keeps to within a makespan beyond who fits whom: inequalities over the time
 * that stages run in some intervals. Each goes into the linear program once it is violated there.
 */
#ifndef BR_LP_SOLVER_CUT_H
#define BR_LP_SOLVER_CUT_H

#include "lp/solver/problem.h"

enum lp_cut_kind {
    /* In one interval the tasks of a stage run for at most the sum of their durations, each cut to
     * the interval. */
    LP_CUT_LIMIT,
    /* Stages of which each is wholly ahead of the next never run at the same time: in one interval
     * the sum of (time that the stage runs) / (tasks of it that can run at once) is at most the
     * interval. */
    LP_CUT_CHAIN,
    /* However a task is moved within its window, some of it lies in a run of intervals: what is
     * left over there both when it starts as early and when it starts as late as it can. */
    LP_CUT_MANDATORY,
};

struct lp_cut {
    enum lp_cut_kind kind;
    uint32_t first, last; /* intervals first .. last - 1 */
    int64_t value;        /* the right side: at most; for LP_CUT_MANDATORY at least */
    uint32_t count;
    uint32_t *stage; /* members, by index into the problem */
};

struct lp_cuts {
    struct br_arena arena;
    uint32_t count, room;
    struct lp_cut *cut;
};
void lp_cuts_finish(struct lp_cuts *cuts);

/* The time that a multiset of tasks (tasks[v] of stage v) running for one tick brings to the left
 * side of the cut; exact to rounding, for the linear program only. */
double lp_cut_coefficient(const struct lp_cut *cut, const struct lp_problem *problem,
                          const uint32_t *tasks);

/* Changes weight[v], by stage, by what the cut with a dual value (0 or more) says about a task of v
 * that runs in one of its intervals. Summed over the intervals with the time that each stage runs
 * there in any plan, the change is at least -dual x value, or, for LP_CUT_MANDATORY, at least
 * dual x value. */
void lp_cut_apply(const struct lp_cut *cut, const struct lp_problem *problem, int64_t dual,
                  int64_t *weight);

/* Adds the cuts that time[v * intervals + k], how long stage v runs in interval k, violates most.
 * False when memory is out. */
bool lp_cuts_separate(struct lp_cuts *cuts, const struct lp_problem *problem,
                      const struct lp_intervals *intervals, int64_t makespan, const double *time);

#endif
