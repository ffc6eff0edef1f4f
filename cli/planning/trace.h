/* The course of a search. */
#ifndef BR_CLI_PLANNING_TRACE_H
#define BR_CLI_PLANNING_TRACE_H

#include <bigrocks/planner.h>
#include <stdio.h>

#include "cli/terminal/progress.h"

/* Records the better plans that a search reports: as rows of a file and, if `say` is set, as lines
 * on standard error. */
struct cli_trace {
    bool say;
    FILE *file;                    /* NULL: none */
    const char *path;              /* borrowed */
    struct cli_progress *progress; /* cleared before a line */
};
/* Opens the file (NULL: none; "-": standard output), which can be read while it grows, and writes
 * its header. */
enum br_status cli_trace_begin(struct cli_trace *trace, const char *path, struct br_diag *diag);
/* For br_plan_options.found; the context is the struct. */
void cli_trace_found(void *trace, const struct br_incumbent *incumbent);
/* Closes the file. Returns the status, or BR_SYSTEM if writing failed. */
enum br_status cli_trace_end(struct cli_trace *trace, enum br_status status, struct br_diag *diag);

#endif
