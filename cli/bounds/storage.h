/* bound --storage: how much of a resource a job needs, and how long it takes with how much. */
#ifndef BR_CLI_BOUNDS_STORAGE_H
#define BR_CLI_BOUNDS_STORAGE_H

#include "cli/options/settings.h"
#include "parsers/parsers.h"
#include "planner/peak/least.h"

enum br_status cli_storage(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag);

/* "12 GiB, proven least (...)", or how far from its bound it is; without an end of line. */
void cli_print_least(FILE *out, const struct br_dag *dag, const char *resource,
                     const struct br_least_peak *least);

#endif
