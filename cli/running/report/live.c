/* The list of running tasks is short: searching it at each end costs less than the task did. */
#include "cli/running/report/live.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "cli/terminal/say.h"
#include "planner/model/dag.h"

enum { SHOWN = 12 }; /* lines of each kind */

static volatile sig_atomic_t asked;

static void live_ask(int signal_number)
{
    (void)signal_number;
    asked = 1;
}

void cli_live_begin(struct cli_live *live, const struct br_dag *dag)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = live_ask;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, NULL);
    *live = (struct cli_live){.dag = dag, .done = dag ? calloc((size_t)dag->tasks + 1, 1) : NULL};
    if (!live->done)
        live->dag = NULL; /* if memory is out, the status says less */
}

void cli_live_finish(struct cli_live *live)
{
    free(live->running);
    free(live->done);
    *live = (struct cli_live){0};
}

void cli_live_resumed(struct cli_live *live, uint32_t task)
{
    if (live->done)
        live->done[task] = true;
}

void cli_live_started(struct cli_live *live, const struct br_run_job *job, uint32_t task,
                      int64_t now_ns)
{
    if (br_grow(&live->running, live->count, &live->room, sizeof *live->running))
        live->running[live->count++] = (struct cli_live_task){job, task, now_ns};
}

void cli_live_ended(struct cli_live *live, const struct br_task_end *end)
{
    for (uint32_t k = 0; k < live->count; k++)
        if (live->running[k].job == end->job && live->running[k].task == end->task) {
            memmove(&live->running[k], &live->running[k + 1],
                    (--live->count - k) * sizeof *live->running);
            break;
        }
    if (end->outcome != BR_TASK_DONE)
        return;
    if (live->done)
        live->done[end->task] = true;
    live->lasted += (double)(end->end_ns - end->start_ns) / 1e9;
    live->planned += (double)end->job->dag->duration_ns[end->task] / 1e9;
}

int64_t cli_live_left(const struct cli_live *live, const struct br_run_state *state)
{
    if (state->predicted_ns < 0 || !state->runtime)
        return -1;
    double left = (double)(state->predicted_ns - state->now_ns);
    if (live->planned > 0 && live->lasted > 0)
        left *= live->lasted / live->planned;
    return left < 0 ? 0 : left < 9e18 ? (int64_t)left : INT64_MAX;
}

bool cli_live_asked(void)
{
    bool was = asked;
    asked = 0;
    return was;
}

static void live_print_task(const struct br_run_job *job, uint32_t task)
{
    char id[300];
    br_dag_task_id(job->dag, task, id, sizeof id);
    fputs("  ", stderr);
    cli_print_text(stderr, id);
}

static bool live_is_over(const struct cli_live *live, uint32_t s)
{
    const struct br_stage *stage = &live->dag->stage[s];
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        if (!live->done[t])
            return false;
    return true;
}

static bool live_runs(const struct cli_live *live, uint32_t s)
{
    for (uint32_t k = 0; k < live->count; k++)
        if (br_dag_task_stage(live->dag, live->running[k].task) == s)
            return true;
    return false;
}

/* Prints the waiting stages, each with its unfinished parents. */
static void print_waits(const struct cli_live *live)
{
    const struct br_dag *dag = live->dag;
    uint32_t waiting = 0;
    for (uint32_t k = 0; k < dag->stages; k++) {
        uint32_t s = dag->topological[k], parents = 0;
        if (live_is_over(live, s) || live_runs(live, s) || waiting++ >= SHOWN)
            continue;
        for (uint32_t e = 0; e < dag->edges; e++) {
            if (dag->edge[e].child != s || live_is_over(live, dag->edge[e].parent))
                continue;
            if (parents == 0) {
                fputs("  ", stderr);
                cli_print_text(stderr, dag->stage[s].id);
            }
            if (parents < 4) {
                fputs(parents ? ", " : " waits for ", stderr);
                cli_print_text(stderr, dag->stage[dag->edge[e].parent].id);
            }
            parents++;
        }
        if (parents > 4)
            fprintf(stderr, " and %" PRIu32 " more", parents - 4);
        if (parents == 0) {
            fputs("  ", stderr);
            cli_print_text(stderr, dag->stage[s].id);
            fputs(" waits for room on a machine", stderr);
        }
        fputc('\n', stderr);
    }
    if (waiting > SHOWN)
        fprintf(stderr, "  and %" PRIu32 " more wait\n", waiting - SHOWN);
}

void cli_live_print(const struct cli_live *live, const struct br_run_state *state)
{
    const int64_t tenth = 100000000;
    char now[CLI_SECONDS_TEXT], planned[CLI_SECONDS_TEXT];
    int64_t left = cli_live_left(live, state);
    fprintf(stderr,
            "bigrocks: after %s s: %" PRIu32 " of %" PRIu32 " tasks done, %" PRIu32
            " running, %" PRIu32 " failed",
            cli_seconds(state->now_ns / tenth * tenth, now), state->finished, state->tasks,
            state->running, state->failed);
    if (left >= 0)
        fprintf(stderr, ", about %s s left", cli_seconds(left / tenth * tenth, now));
    fputc('\n', stderr);
    for (uint32_t k = 0; k < live->count && k < SHOWN; k++) {
        const struct cli_live_task *one = &live->running[k];
        live_print_task(one->job, one->task);
        fprintf(stderr, " runs for %s s of %s s\n",
                cli_seconds((state->now_ns - one->start_ns) / tenth * tenth, now),
                cli_seconds(one->job->dag->duration_ns[one->task], planned));
    }
    if (live->count > SHOWN)
        fprintf(stderr, "  and %" PRIu32 " more run\n", live->count - SHOWN);
    if (live->dag)
        print_waits(live);
    fflush(stderr);
}
