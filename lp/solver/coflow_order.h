/* The linear program over the order of coflows, by rows as they are needed; see
 * cluster/coflow/bounds/order_bound.h for what its rows say. */
#ifndef BR_LP_SOLVER_COFLOW_ORDER_H
#define BR_LP_SOLVER_COFLOW_ORDER_H

#include "lp/solver/destructive.h"

/* Most coflows that it takes on: it has a variable for each pair. */
#define LP_ORDER_COFLOWS 150

struct lp_order_part {
    uint32_t coflow;
    double length;
};

struct lp_order {
    uint32_t coflows, ports;
    double *release; /* by coflow */
    uint64_t *first; /* of a port's parts, by falling release; one more ends the last */
    struct lp_order_part *part;
};

/* A row that has a weight at the optimum: of a coflow, a port and a release; or a cycle of three
 * coflows. */
struct lp_order_row {
    uint32_t coflow[3]; /* of a row that is no cycle: itself, and `since` whose release */
    uint32_t port;      /* UINT32_MAX: a cycle */
    double weight;
};

struct lp_order_answer {
    enum lp_end end;
    double sum; /* of completion times */
    uint32_t rows;
    struct lp_order_row *row; /* free() */
};

/* Solves it within the budget's rounds and time; what is there at a limit is an answer, too. Of
 * more coflows nothing is solved (LP_END_LARGE). False when memory is out. */
bool lp_order_solve(const struct lp_order *order, struct lp_budget *budget,
                    struct lp_order_answer *answer);

#endif
