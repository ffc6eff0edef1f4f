/* Prepares a run with deadlines: its deadlines or utilities, the loops' options, and a table of the
 * time left for every job. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/real.h"
#include "base/process/clock.h"
#include "cli/inputs/job_table.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/control.h"
#include "cli/running/deadline/deadline.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"

/* ---- Deadlines ---- */

/* "YYYY-MM-DDTHH:MM" or with ":SS", in this machine's time zone: seconds from now. */
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

static enum br_status read_deadlines(const char *list, uint32_t jobs, struct br_utility *utility,
                                     struct br_diag *diag)
{
    struct br_list_entry entry;
    uint32_t count = 0;
    while (br_list_next(BR_LIST_WORD, &list, &entry)) {
        double seconds = 0;
        char *part = strndup(entry.name, entry.length);
        enum br_status status = part ? read_deadline(part, &seconds, diag) : br_fail_memory(diag);
        free(part);
        if (status)
            return status;
        if (count < jobs)
            utility[count] = br_utility_of_deadline(seconds);
        count++;
    }
    if (count != 1 && count != jobs)
        return br_fail(diag, BR_USAGE, "give one for all jobs, or one for each in their order",
                       "--deadline names %u times, and there are %u jobs", count, jobs);
    for (uint32_t k = 1; k < jobs && count == 1; k++)
        utility[k] = utility[0];
    return BR_OK;
}

/* ---- Tables ---- */

/* Checks the kind of the table's allocations: it must be equal in all tables, and shares must be
 * those of the run's own cluster. */
static enum br_status check_kind(struct cli_run_deadline *deadline, const char *path,
                                 const struct br_cluster *cluster, bool first, struct br_diag *diag)
{
    struct br_deadline_table table;
    enum br_status status = br_table_open(path, &table, diag);
    if (!status && !first && table.kind != deadline->kind)
        status = br_fail(diag, BR_BAD_INPUT, "make all with --tokens, or none",
                         "%.80s: some tables have tokens as allocations, and others shares", path);
    if (!status && table.kind == BR_SHARES &&
        table.cluster_fingerprint != br_cluster_fingerprint(cluster))
        status = br_fail(diag, BR_BAD_INPUT, "make a table for this cluster by 'bigrocks deadline'",
                         "%.80s: its shares are of another cluster ('%.60s')", path, table.cluster);
    if (!status)
        deadline->kind = table.kind;
    br_table_close(&table);
    return status;
}

static enum br_status open_table(struct cli_run_deadline *deadline, const char *path,
                                 const struct br_cluster *cluster, bool first, struct br_diag *diag)
{
    bool any = false;
    enum br_status status = check_kind(deadline, path, cluster, first, diag);
    for (uint32_t k = 0; k < deadline->loops && !status; k++) {
        struct cli_run_loop *loop = &deadline->loop[k];
        struct br_diag other = {0};
        if (loop->table || br_table_open(path, &loop->file, &other))
            continue;
        status = br_table_check_job(&loop->file, loop->job->dag, NULL, diag);
        if (!status) {
            loop->table = &loop->file;
            any = true;
            continue;
        }
        br_table_close(&loop->file);
        loop->file = (struct br_deadline_table){0};
        if (deadline->loops > 1)
            status = BR_OK; /* it may belong to another job */
    }
    if (!status && !any)
        status = br_fail(diag, BR_BAD_INPUT, "make one of a job of this run, or leave it out",
                         "%.80s: a table of another job than those of this run", path);
    return status;
}

static enum br_status deadline_open_tables(const char *list, const struct br_cluster *cluster,
                                           struct cli_run_deadline *deadline, struct br_diag *diag)
{
    struct br_list_entry entry;
    bool first = true;
    enum br_status status = BR_OK;
    while (!status && br_list_next(BR_LIST_WORD, &list, &entry)) {
        char *path = strndup(entry.name, entry.length);
        status = path ? open_table(deadline, path, cluster, first, diag) : br_fail_memory(diag);
        free(path);
        first = false;
    }
    return status;
}

/* The table of a job, if no file gives one. */
static enum br_status open_make_table(const struct cli_settings *settings,
                                      const struct br_cluster *cluster, uint32_t most,
                                      struct cli_run_deadline *deadline, struct cli_run_loop *loop,
                                      struct br_diag *diag)
{
    const struct cli_job_to_run job = {
        .dag = loop->job->dag,
        .cluster = cluster,
        .history = settings->needs.history,
        .kind = deadline->kind,
        .most = most,
        .threads = cli_threads(&settings->search),
    };
    int64_t began_ns = br_now_ns();
    enum br_status status = cli_job_table_make(&job, cli_interrupt_catch(), &loop->made, diag);
    cli_interrupt_release();
    loop->table = &loop->made.table;
    if (!status && !deadline->quiet)
        cli_say("made the table of %s in %.1f s: %" PRIu32 " allocations, %" PRIu32
                " runs for each; 'bigrocks deadline' keeps one for --table",
                loop->job->name, (double)(br_now_ns() - began_ns) * 1e-9,
                loop->made.table.allocations, loop->made.table.runs);
    return status;
}

/* ---- All of it ---- */

/* Refuses options that make no sense, with or without deadlines. */
static enum br_status open_check(const struct cli_settings *settings, struct br_diag *diag)
{
    const struct cli_control_settings *control = &settings->control;
    if (!control->deadline && !control->utility)
        return control->table ? br_fail(diag, BR_USAGE, "add --deadline, or leave it out",
                                        "--table is for a run with a deadline")
                              : BR_OK;
    if (control->deadline && control->utility)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "a --utility has its deadline, so --deadline goes without");
    if (settings->run.on != CLI_HERE)
        return br_fail(diag, BR_USAGE, "see 'bigrocks help run'",
                       "--deadline is of jobs on this machine, and goes without --on");
    return BR_OK;
}

static enum br_status make_loops(struct cli_run_jobs *jobs, struct cli_run_deadline *deadline,
                                 struct br_diag *diag)
{
    deadline->loop = calloc(jobs->count, sizeof *deadline->loop);
    if (!deadline->loop)
        return br_fail_memory(diag);
    deadline->loops = jobs->count;
    for (uint32_t k = 0; k < jobs->count; k++) {
        struct cli_run_loop *loop = &deadline->loop[k];
        loop->job = &jobs->job[k];
        loop->told = -1;
        loop->open = loop->job->dag->tasks;
        loop->done = calloc((size_t)loop->job->dag->stages + 1, sizeof *loop->done);
        if (!loop->done)
            return br_fail_memory(diag);
    }
    return BR_OK;
}

/* The most tasks at once: as many as the cluster holds of the job that it holds most of, or all of
 * the cluster. */
static enum br_status find_total(const struct cli_run_jobs *jobs, uint32_t most,
                                 struct cli_run_deadline *deadline, struct br_diag *diag)
{
    uint32_t held = 1;
    enum br_status status = BR_OK;
    if (deadline->kind == BR_SHARES) {
        deadline->total = most < 100 ? most : 100;
        return BR_OK;
    }
    for (uint32_t k = 0; k < jobs->count && !status; k++) {
        uint32_t one = 0;
        status = cli_tasks_at_once(jobs->job[k].dag, jobs->cluster, &one, diag);
        held = one > held ? one : held;
    }
    deadline->total = held < most ? held : most;
    return status;
}

static enum br_status make_memory(struct cli_run_deadline *deadline, struct br_diag *diag)
{
    size_t loops = deadline->loops;
    deadline->memory = malloc(br_together_memory(deadline->loops, deadline->total));
    deadline->rival = calloc(loops, sizeof *deadline->rival);
    deadline->portion = calloc(loops, sizeof *deadline->portion);
    deadline->decision = calloc(loops, sizeof *deadline->decision);
    deadline->which = calloc(loops, sizeof *deadline->which);
    return deadline->memory && deadline->rival && deadline->portion && deadline->decision &&
                   deadline->which
               ? BR_OK
               : br_fail_memory(diag);
}

/* The loop waits for its first table, and its job may use all there is meanwhile. */
static enum br_status begin_blind(const struct cli_run_deadline *deadline,
                                  struct cli_run_loop *loop, const struct br_control_options *like,
                                  const struct br_utility *utility, struct br_diag *diag)
{
    loop->blind = true;
    loop->limit = deadline->total;
    loop->control = (struct br_control){.options = *like, .utility = *utility};
    if (!deadline->quiet)
        cli_say("nothing tells yet how long %s takes: up to %" PRIu32
                " tasks at once until its first tasks have been measured",
                loop->job->name, deadline->total);
    return br_control_check(like, diag);
}

/* The loop's table and its start. */
static enum br_status
begin_loop(const struct cli_settings *settings, const struct cli_run_jobs *jobs,
           const struct br_control_options *like, const struct br_utility *utility,
           struct cli_run_deadline *deadline, uint32_t k, struct br_diag *diag)
{
    struct cli_run_loop *loop = &deadline->loop[k];
    struct cli_run_learn *learn = jobs->one[k].input.learn;
    loop->deadline_ns = br_real_whole(br_utility_deadline(utility) * 1e9);
    if (deadline->kind == BR_SHARES)
        jobs->job[k].share = &loop->limit;
    else
        jobs->job[k].limit = &loop->limit;
    if (learn)
        cli_run_learn_foresee(learn, like->most);
    if (learn && !cli_run_learn_knows(learn))
        return begin_blind(deadline, loop, like, utility, diag);
    enum br_status status =
        loop->table ? BR_OK
                    : open_make_table(settings, jobs->cluster, like->most, deadline, loop, diag);
    return status ? status : br_control_init(&loop->control, loop->table, like, utility, diag);
}

enum br_status cli_run_deadline_open(const struct cli_settings *settings, struct cli_run_jobs *jobs,
                                     struct cli_run_deadline *deadline, struct br_diag *diag)
{
    const struct cli_control_settings *control = &settings->control;
    struct br_control_options options;
    *deadline = (struct cli_run_deadline){.quiet = settings->output.quiet};
    enum br_status status = open_check(settings, diag);
    if (status || (!control->deadline && !control->utility))
        return status;
    struct br_utility *utility = calloc(jobs->count, sizeof *utility);
    if (!utility)
        return br_fail_memory(diag);
    status = control->utility ? cli_utilities_read(control->utility, utility, jobs->count, diag)
                              : read_deadlines(control->deadline, jobs->count, utility, diag);
    if (!status)
        status = cli_control_read(control, &options, diag);
    if (!status)
        status = make_loops(jobs, deadline, diag);
    if (!status && control->table)
        status = deadline_open_tables(control->table, jobs->cluster, deadline, diag);
    if (!status)
        status = find_total(jobs, options.most, deadline, diag);
    if (!status)
        status = make_memory(deadline, diag);
    if (!status) {
        options.most = deadline->total;
        deadline->period_ns = br_real_whole(options.period_s * 1e9);
    }
    for (uint32_t k = 0; k < jobs->count && !status; k++)
        status = begin_loop(settings, jobs, &options, &utility[k], deadline, k, diag);
    free(utility);
    return status;
}
