/* Why tasks run by the alternatives that the plan chose. */
#ifndef BR_CLI_PLANNING_EXPLAIN_WAYS_H
#define BR_CLI_PLANNING_EXPLAIN_WAYS_H

#include <bigrocks/bigrocks.h>
#include <stdio.h>

/* Prints each stage with alternatives by the alternatives that its tasks run by, and why not by the
 * others; nothing for a job without alternatives. */
enum br_status cli_explain_ways(FILE *out, const struct br_plan *plan, const struct br_dag *dag,
                                const struct br_cluster *cluster, struct br_diag *diag);

#endif
