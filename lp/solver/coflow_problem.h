/* The order of coflows as text: what comes in and what goes out, both in JSON.
 *
 *   {"ports": 4, "coflows": [{"release": 0.5, "parts": [[0, 1.25], [3, 2]]}, ...]}
 *
 * A part is a port and the time that the coflow needs there. Times are seconds. The answer has the
 * rows that prove the bound, [coflow, port, since, weight] and [coflow, coflow, coflow, weight]:
 *
 *   {"status": "optimal", "mean": 3.5, "rows": [[0, 3, 0, 1], ...], "cycles": [...]} */
#ifndef BR_LP_SOLVER_COFLOW_PROBLEM_H
#define BR_LP_SOLVER_COFLOW_PROBLEM_H

#include "lp/solver/coflow_order.h"

/* Reads the text of the file, "-" for standard input, solves, and writes to standard output. */
enum br_status lp_coflow_problem(const char *path, struct lp_budget *budget, struct br_diag *diag);

#endif
