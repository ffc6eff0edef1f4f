/* How far it is: a line on the terminal. */
#ifndef BR_CLI_COMMON_PROGRESS_H
#define BR_CLI_COMMON_PROGRESS_H

#include <bigrocks/planner.h>
#include <stdbool.h>
#include <stdint.h>

/* A line on the terminal that shows how far it is, once something takes longer than a second. It is
 * never wider than the terminal at that moment. */
struct cli_progress {
    bool shown, drawn, colour;
    int bar;          /* characters of the bar in a terminal that wide */
    uint32_t columns; /* 0: nothing has been drawn */
    int64_t began_ns; /* monotonic */
    int64_t shown_ns; /* when the line was drawn last */
};
/* Does nothing ever where standard error is no terminal, or quiet. */
void cli_progress_begin(struct cli_progress *progress, bool quiet);
/* For br_plan_options.progress; the context is the struct. */
void cli_progress_plan(void *progress, const struct br_progress *state);
/* For br_bound_options.progress; the context is the struct. */
void cli_progress_bound(void *progress, int64_t past_ns, int64_t limit_ns);
/* So many of the jobs are done, some of them refused. */
void cli_progress_jobs(struct cli_progress *progress, uint32_t done, uint32_t total,
                       uint32_t refused);
/* So many tasks of a run are done and running; `text` is what else there is to say,
 * what matters most first, since its end is cut where the terminal is narrow. */
void cli_progress_run(struct cli_progress *progress, uint32_t done, uint32_t total,
                      uint32_t running, const char *text);
/* Clears the line; the next call draws it again. */
void cli_progress_end(struct cli_progress *progress);

#endif
