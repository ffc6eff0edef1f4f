/* The linear program's bound, for people. */
#ifndef BR_CLI_BOUNDS_LP_BOUND_H
#define BR_CLI_BOUNDS_LP_BOUND_H

#include <bigrocks/bound.h>
#include <stdio.h>

/* Beyond this many tasks the linear program rarely converges in its time, so it runs only on
 * request.
 */
enum { CLI_LP_TASKS = 5000 };

/* The answer in words, such as "11.5 s (interval LP; limit)" or "not available (...)". */
void cli_print_lp_bound(FILE *out, const struct br_bound_answer *lp);

#endif
