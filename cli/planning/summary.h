/* The summary of a plan. */
#ifndef BR_CLI_PLANNING_SUMMARY_H
#define BR_CLI_PLANNING_SUMMARY_H

#include <bigrocks/bigrocks.h>
#include <stdio.h>

/* Prints how long and how good the plan is; `asked` is the method that was asked for. lp_note says
 * why there was no linear program; NULL if there was one. */
void cli_print_summary(FILE *out, const struct br_plan *plan, const struct br_dag *dag,
                       const struct br_cluster *cluster, const char *asked, const char *lp_note);
/* Prints the course of the search, part by part. */
void cli_print_explanation(FILE *out, const struct br_plan *plan);

#endif
