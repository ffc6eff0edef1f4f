/* A run with a deadline: the control loop of runtime/deadline limits how many tasks run at once.
 * The run's own clock is the loop's. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/real.h"
#include "cli/common/control.h"
#include "cli/common/say.h"
#include "cli/running/run_parts.h"

/* How far the probability to be on time moves before it is told again. */
#define TOLD_AGAIN 0.05

/* "YYYY-MM-DDTHH:MM" or with ":SS", by this machine's clock and zone: seconds from now on. */
static bool read_moment(const char *text, double *seconds)
{
    struct tm tm = {.tm_isdst = -1};
    struct timespec now;
    const char *end = strptime(text, "%Y-%m-%dT%H:%M", &tm);
    if (end && *end == ':')
        end = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    time_t at = end && !*end ? mktime(&tm) : (time_t)-1;
    if (at == (time_t)-1)
        return false;
    clock_gettime(CLOCK_REALTIME, &now);
    *seconds = (double)(at - now.tv_sec) - (double)now.tv_nsec * 1e-9;
    return true;
}

static enum br_status read_deadline(const char *text, double *seconds, struct br_diag *diag)
{
    struct br_decimal value = {0};
    if (br_decimal_parse_nearest(text, &value) == BR_DECIMAL_OK)
        *seconds = br_real_of(value);
    else if (!read_moment(text, seconds))
        return br_fail(diag, BR_USAGE,
                       "give seconds from the start on, or a moment such as 2026-01-31T18:00",
                       "--deadline '%.40s' is no time", text);
    if (*seconds <= 0)
        return br_fail(diag, BR_USAGE, "give a later one", "--deadline '%.40s' is past", text);
    if (*seconds > 3e8)
        return br_fail(diag, BR_USAGE, "give one within ten years", "--deadline '%.40s' is too far",
                       text);
    return BR_OK;
}

/* What makes no sense with a deadline. */
static enum br_status check(const struct cli_settings *settings, const struct cli_run_jobs *jobs,
                            struct br_diag *diag)
{
    const char *other = jobs->count != 1                        ? "several jobs"
                        : strcmp(settings->run.on, "here") != 0 ? "--on"
                                                                : NULL;
    if (other)
        return br_fail(diag, BR_USAGE, "see 'bigrocks help run'",
                       "--deadline is of one job on this machine, and goes without %s", other);
    if (!settings->control.table)
        return br_fail(diag, BR_USAGE, "make one by 'bigrocks deadline JOB -o TABLE'",
                       "--deadline needs --table FILE, the job's table of the time left");
    return BR_OK;
}

enum br_status cli_run_deadline_open(const struct cli_settings *settings,
                                     const struct cli_run_jobs *jobs,
                                     struct cli_run_deadline *deadline, struct br_diag *diag)
{
    struct br_control_options options;
    struct br_utility utility;
    double seconds = 0;
    *deadline = (struct cli_run_deadline){.quiet = settings->output.quiet, .told = -1};
    if (!settings->control.deadline)
        return settings->control.table ? br_fail(diag, BR_USAGE, "add --deadline, or leave it out",
                                                 "--table is for a run with a deadline")
                                       : BR_OK;
    enum br_status status = check(settings, jobs, diag);
    if (!status)
        status = read_deadline(settings->control.deadline, &seconds, diag);
    if (!status)
        status = cli_control_read(&settings->control, &options, diag);
    if (!status)
        status = br_table_open(settings->control.table, &deadline->table, diag);
    if (!status)
        status = br_table_check_job(&deadline->table, jobs->job[0].dag, NULL, diag);
    if (!status && deadline->table.kind != BR_TOKENS)
        status = br_fail(diag, BR_BAD_INPUT, "make it with --tokens",
                         "%.80s: its allocations are shares, and a run needs tokens",
                         settings->control.table);
    if (status)
        return status;
    deadline->dag = jobs->job[0].dag;
    deadline->done = calloc(deadline->dag->stages, sizeof *deadline->done);
    if (!deadline->done)
        return br_fail_memory(diag);
    utility = br_utility_of_deadline(seconds);
    deadline->deadline_ns = br_real_whole(seconds * 1e9);
    deadline->period_ns = br_real_whole(options.period_s * 1e9);
    return br_control_init(&deadline->control, &deadline->table, &options, &utility, diag);
}

void cli_run_deadline_close(struct cli_run_deadline *deadline)
{
    br_table_close(&deadline->table);
    free(deadline->done);
    *deadline = (struct cli_run_deadline){0};
}

/* "97 %"; whole percents, and neither 0 nor 100 unless it is certain. */
static int percent_of(double share)
{
    int percent = (int)br_real_whole(100 * share);
    return share > 0 && percent < 1 ? 1 : share < 1 && percent > 99 ? 99 : percent;
}

static void tell(struct cli_run_deadline *deadline, const struct br_control_decision *decision,
                 struct cli_progress *progress, int64_t now_ns)
{
    char left[CLI_SECONDS_TEXT], until[CLI_SECONDS_TEXT];
    if (deadline->quiet ||
        (deadline->told >= 0 && fabs(decision->on_time - deadline->told) < TOLD_AGAIN - 1e-9))
        return;
    const int64_t tenth = 100000000;
    deadline->told = decision->on_time;
    cli_progress_end(progress);
    cli_say("on time with probability %d %%: %s s until the deadline, %s s left on average with "
            "%" PRIu32 " tasks at once",
            percent_of(decision->on_time),
            cli_seconds((deadline->deadline_ns - now_ns) / tenth * tenth, until),
            cli_seconds(decision->left_ns / tenth * tenth, left), decision->amount);
}

void cli_run_deadline_tick(struct cli_run_deadline *deadline, struct cli_progress *progress,
                           int64_t now_ns)
{
    struct br_control_decision decision;
    if (!deadline->done || now_ns < deadline->due_ns)
        return;
    const struct br_control_view view = {now_ns, deadline->done, deadline->begun};
    br_control_decide(&deadline->control, &view, &decision);
    deadline->limit = decision.amount;
    deadline->begun = true;
    while (deadline->due_ns <= now_ns)
        deadline->due_ns += deadline->period_ns;
    tell(deadline, &decision, progress, now_ns);
}

void cli_run_deadline_done(struct cli_run_deadline *deadline, uint32_t task)
{
    if (!deadline->done)
        return;
    deadline->done[br_dag_task_stage(deadline->dag, task)]++;
    deadline->begun = true;
}

void cli_run_deadline_result(const struct cli_run_deadline *deadline,
                             const struct br_run_result *result)
{
    char seconds[CLI_SECONDS_TEXT];
    if (!deadline->done || deadline->quiet)
        return;
    int64_t early_ns = deadline->deadline_ns - result->wall_ns;
    bool all = !result->failed && !result->left;
    if (early_ns < 0)
        cli_say("the deadline has passed %s s before%s", cli_seconds(-early_ns, seconds),
                all ? "" : ", and the job is not done");
    else if (all)
        cli_say("the deadline is met, %s s early", cli_seconds(early_ns, seconds));
}
