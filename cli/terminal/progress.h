/* Progress, as a line on the terminal. */
#ifndef BR_CLI_TERMINAL_PROGRESS_H
#define BR_CLI_TERMINAL_PROGRESS_H

#include <bigrocks/planner.h>
#include <stdbool.h>
#include <stdint.h>

/* A line on the terminal that shows the progress of work that takes longer than a second. It is
 * never wider than the terminal is then. */
struct cli_progress {
    bool shown, drawn, colour;
    int bar;          /* characters of the bar at the terminal's width */
    uint32_t columns; /* 0: nothing has been drawn */
    int64_t began_ns; /* monotonic */
    int64_t shown_ns; /* when the line was drawn last */
};
/* Does nothing if standard error is no terminal, or if quiet. */
void cli_progress_begin(struct cli_progress *progress, bool quiet);
/* For br_plan_options.progress; the context is the struct. */
void cli_progress_plan(void *progress, const struct br_progress *state);
/* For br_bound_options.progress; the context is the struct. */
void cli_progress_bound(void *progress, int64_t past_ns, int64_t limit_ns);
/* Number of finished jobs, and how many of them were refused. */
void cli_progress_jobs(struct cli_progress *progress, uint32_t done, uint32_t total,
                       uint32_t refused);
/* Number of finished and running tasks of a run. `text` has further facts, the most important
 * first, since its end is cut on a narrow terminal. */
void cli_progress_run(struct cli_progress *progress, uint32_t done, uint32_t total,
                      uint32_t running, const char *text);
/* Clears the line; the next call draws it again. */
void cli_progress_end(struct cli_progress *progress);

#endif
