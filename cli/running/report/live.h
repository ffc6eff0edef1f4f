/* Messages during a run: its progress and, on SIGUSR1, what runs and what waits for what. */
#ifndef BR_CLI_RUNNING_REPORT_LIVE_H
#define BR_CLI_RUNNING_REPORT_LIVE_H

#include "runtime/drivers/common/run.h"

/* The running tasks and the speed so far. Zeroed: nothing has run. */
struct cli_live {
    struct cli_live_task {
        const struct br_run_job *job;
        uint32_t task;
        int64_t start_ns;
    } * running;
    uint32_t count, room;
    const struct br_dag *dag; /* of the only job; NULL if there are several */
    bool *done;               /* its tasks */
    double lasted, planned;   /* seconds of finished tasks: measured, and by their durations */
};

/* From here on SIGUSR1 asks for the status. The dag is that of the only job, or NULL. */
void cli_live_begin(struct cli_live *live, const struct br_dag *dag);
void cli_live_finish(struct cli_live *live);
void cli_live_resumed(struct cli_live *live, uint32_t task);
void cli_live_started(struct cli_live *live, const struct br_run_job *job, uint32_t task,
                      int64_t now_ns);
void cli_live_ended(struct cli_live *live, const struct br_task_end *end);
/* Nanoseconds left of the job at the speed so far: the enforcer's forecast, times the ratio by
 * which tasks lasted longer than planned. -1 if there is no forecast. */
int64_t cli_live_left(const struct cli_live *live, const struct br_run_state *state);
/* Prints the status on standard error if it was requested since the last call; then true. */
bool cli_live_asked(void);
void cli_live_print(const struct cli_live *live, const struct br_run_state *state);

#endif
