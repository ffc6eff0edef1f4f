/* Sets of tasks that can run together on one machine, found in the course of column generation and
 * kept from one tried makespan to the next. */
#ifndef BR_LP_SOLVER_PATTERNS_H
#define BR_LP_SOLVER_PATTERNS_H

#include "base/collections/index.h"
#include "lp/solver/problem.h"

struct lp_pattern {
    uint32_t cls, members;
    uint32_t *stage, *tasks; /* tasks[k] of stage[k], by index into the problem */
    uint64_t hash;
    uint32_t first, last; /* intervals first .. last - 1 lie in the windows of all members */
};

struct lp_patterns {
    struct br_arena arena;
    const struct lp_problem *problem;
    uint32_t count, room;
    struct lp_pattern *pattern;
    struct br_index by_tasks;
};

void lp_patterns_init(struct lp_patterns *patterns, const struct lp_problem *problem);
void lp_patterns_finish(struct lp_patterns *patterns);

/* The number of the set with tasks[v] of each stage v on a machine of the class, added if it is
 * new, with the windows of these intervals; UINT32_MAX when memory is out. */
uint32_t lp_patterns_add(struct lp_patterns *patterns, uint32_t cls, const uint32_t *tasks,
                         const struct lp_intervals *intervals);
/* Brings first and last of all sets to these intervals. */
void lp_patterns_place(struct lp_patterns *patterns, const struct lp_intervals *intervals);

#endif
