/* A run with deadlines: control loops of runtime/deadline limit how many tasks of each job run at
 * once, or how much of the cluster they demand. The run's own clock is the loops'. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "cli/running/deadline/deadline.h"
#include "base/numbers/real.h"
#include "cli/terminal/say.h"

/* The change of the probability to be on time that is worth a message. */
#define TOLD_AGAIN 0.05

void cli_run_deadline_close(struct cli_run_deadline *deadline)
{
    for (uint32_t k = 0; k < deadline->loops; k++) {
        br_table_close(&deadline->loop[k].file);
        br_deadline_release(&deadline->loop[k].made);
        free(deadline->loop[k].done);
    }
    free(deadline->loop);
    free(deadline->memory);
    free(deadline->rival);
    free(deadline->portion);
    free(deadline->decision);
    free(deadline->which);
    *deadline = (struct cli_run_deadline){0};
}

/* ---- Telling ---- */

/* Names of jobs, if there are several, before a message. */
static void begin_words(const struct cli_run_deadline *deadline, const struct cli_run_loop *loop)
{
    fputs("bigrocks: ", stderr);
    if (deadline->loops > 1) {
        cli_print_text(stderr, loop->job->name);
        fputs(": ", stderr);
    }
}

/* "97 %"; whole percents, and neither 0 nor 100 unless it is certain. */
static int percent_of(double share)
{
    int percent = (int)br_real_whole(100 * share);
    return share > 0 && percent < 1 ? 1 : share < 1 && percent > 99 ? 99 : percent;
}

static void running_deadline_tell(const struct cli_run_deadline *deadline,
                                  struct cli_run_loop *loop,
                                  const struct br_control_decision *decision,
                                  struct cli_progress *progress, int64_t now_ns)
{
    char left[CLI_SECONDS_TEXT], until[CLI_SECONDS_TEXT];
    if (deadline->quiet ||
        (loop->told >= 0 && fabs(decision->on_time - loop->told) < TOLD_AGAIN - 1e-9))
        return;
    const int64_t tenth = 100000000;
    loop->told = decision->on_time;
    cli_progress_end(progress);
    begin_words(deadline, loop);
    fprintf(stderr,
            "on time with probability %d %%: %s s until the deadline, %s s left on average with ",
            percent_of(decision->on_time),
            cli_seconds((loop->deadline_ns - now_ns) / tenth * tenth, until),
            cli_seconds(decision->left_ns / tenth * tenth, left));
    if (!decision->amount)
        fputs("the least that it can have, for which it waits\n", stderr);
    else if (deadline->kind == BR_SHARES)
        fprintf(stderr, "%" PRIu32 " %% of the cluster\n", decision->amount);
    else
        fprintf(stderr, "%" PRIu32 " tasks at once\n", decision->amount);
}

/* ---- Deciding ---- */

/* A job that learns its durations has learned more: its loop reads the new table from now on. That
 * is not noise, so the next decision is not smoothed. */
static void deadline_take_tables(struct cli_run_deadline *deadline)
{
    for (uint32_t k = 0; k < deadline->loops; k++) {
        struct cli_run_loop *loop = &deadline->loop[k];
        struct br_made_table made;
        if (!cli_run_learn_table(cli_run_job_of(loop->job)->input.learn, &made))
            continue;
        const struct br_utility utility = loop->control.utility;
        br_deadline_release(&loop->made);
        loop->made = made;
        loop->table = loop->control.table = &loop->made.table;
        br_control_move(&loop->control, &utility);
        loop->blind = false;
        deadline->ended = true; /* decide now */
    }
}

/* The loops of jobs with work left, as rivals. */
static uint32_t running_deadline_line_up(struct cli_run_deadline *deadline, int64_t now_ns)
{
    uint32_t rivals = 0;
    for (uint32_t k = 0; k < deadline->loops; k++) {
        struct cli_run_loop *loop = &deadline->loop[k];
        if (loop->given_up || !loop->open || loop->blind)
            continue;
        deadline->rival[rivals] =
            (struct br_rival){&loop->control, {now_ns, loop->done, loop->begun}, 1};
        deadline->portion[rivals].turn = loop->turn;
        deadline->which[rivals++] = k;
    }
    return rivals;
}

void cli_run_deadline_tick(struct cli_run_deadline *deadline, struct cli_progress *progress,
                           int64_t now_ns)
{
    if (!deadline->loops)
        return;
    deadline_take_tables(deadline);
    if (now_ns < deadline->due_ns && !deadline->ended)
        return;
    uint32_t rivals = running_deadline_line_up(deadline, now_ns);
    if (rivals == 1)
        br_control_decide(deadline->rival[0].control, &deadline->rival[0].view, deadline->decision);
    else if (rivals > 1)
        br_together_decide(deadline->rival, rivals, deadline->total, deadline->memory,
                           deadline->portion, deadline->decision);
    for (uint32_t k = 0; k < rivals; k++) {
        struct cli_run_loop *loop = &deadline->loop[deadline->which[k]];
        loop->limit = deadline->decision[k].amount;
        loop->turn = deadline->portion[k].turn;
        loop->begun = loop->begun || loop->limit;
        running_deadline_tell(deadline, loop, &deadline->decision[k], progress, now_ns);
    }
    deadline->ended = false;
    while (deadline->due_ns <= now_ns)
        deadline->due_ns += deadline->period_ns;
}

static struct cli_run_loop *find_loop(const struct cli_run_deadline *deadline,
                                      const struct br_run_job *job)
{
    for (uint32_t k = 0; k < deadline->loops; k++)
        if (deadline->loop[k].job == job)
            return &deadline->loop[k];
    return NULL;
}

void cli_run_deadline_done(struct cli_run_deadline *deadline, const struct br_run_job *job,
                           uint32_t task)
{
    struct cli_run_loop *loop = find_loop(deadline, job);
    if (!loop)
        return;
    loop->done[br_dag_task_stage(job->dag, task)]++;
    loop->begun = true;
    loop->open--;
    deadline->ended |= !loop->open && deadline->loops > 1;
}

void cli_run_deadline_failed(struct cli_run_deadline *deadline, const struct br_run_job *job)
{
    struct cli_run_loop *loop = find_loop(deadline, job);
    if (!loop || loop->given_up)
        return;
    /* The job will never finish, so others come first; with --keep-going it goes on at its pace. */
    loop->given_up = true;
    deadline->ended |= deadline->loops > 1;
}

/* ---- The end ---- */

void cli_run_deadline_result(const struct cli_run_deadline *deadline,
                             const struct br_run_result *result)
{
    char seconds[CLI_SECONDS_TEXT];
    for (uint32_t k = 0; k < deadline->loops && !deadline->quiet; k++) {
        const struct cli_run_loop *loop = &deadline->loop[k];
        int64_t end_ns =
            loop->open || deadline->loops == 1 ? result->wall_ns : loop->job->result.end_ns;
        int64_t early_ns = loop->deadline_ns - end_ns;
        if (early_ns >= 0 && loop->open)
            continue;
        begin_words(deadline, loop);
        if (early_ns < 0)
            fprintf(stderr, "the deadline has passed %s s before%s\n",
                    cli_seconds(-early_ns, seconds), loop->open ? ", and the job is not done" : "");
        else
            fprintf(stderr, "the deadline is met, %s s early\n", cli_seconds(early_ns, seconds));
    }
}
