/* plan --minimize storage:R: a plan with the least peak of a resource. */
#ifndef BR_CLI_PLANNING_LEAST_H
#define BR_CLI_PLANNING_LEAST_H

#include <stdio.h>

#include "cli/options/settings.h"
#include "parsers/parsers.h"
#include "planner/peak/least.h"
#include <bigrocks/planner.h>

/* Begins as {0}. */
struct cli_least {
    const char *resource; /* borrowed; NULL: the option was not given */
    struct br_least_peak peak;
};

/* BR_USAGE for an option that names no resource, or that goes with no other. */
enum br_status cli_least_read(const struct cli_settings *settings, struct cli_least *least,
                              struct br_diag *diag);
/* Plans; the cluster of the input has then as much of the resource as the plan needs. */
enum br_status cli_least_plan(struct cli_least *least, struct br_input *input,
                              const struct br_plan_options *options, struct br_plan **plan,
                              struct br_diag *diag);
/* A line of the summary, if the option was given. */
void cli_least_print(FILE *out, const struct cli_least *least, const struct br_dag *dag);
void cli_least_finish(struct cli_least *least);

#endif
