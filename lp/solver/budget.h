/* The budget left for refutations, and the clock that counts it. */
#ifndef BR_LP_SOLVER_BUDGET_H
#define BR_LP_SOLVER_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct lp_budget {
    int64_t rounds;   /* of the linear program; counted down */
    int64_t nodes;    /* of searches for sets; counted down */
    double deadline;  /* by lp_now(); 0: none */
    bool doubt;       /* set if a makespan was left open for want of nodes, not by the relaxation */
    uint32_t threads; /* that search for sets side by side, on which no answer depends; 0: one */
};

/* Is the time over? */
bool lp_late(const struct lp_budget *budget);
/* Seconds on a clock that only goes forward. */
double lp_now(void);
/* From here on lp_now() tells the processor time of this process. */
void lp_count_processor_time(void);
/* Seconds that are left, by the clock on the wall, and 0 if there is no deadline. If processor
 * time counts, more than that: a process gets at least a share of a processor on a busy
 * machine. */
double lp_left(const struct lp_budget *budget);

#endif
