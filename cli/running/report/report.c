/* The report of a run: the output of every task, whole, when it ends; for a failed task also the
 * failure and its command; a moving line; and a last line. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/running/report/report.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"

/* How much of a failed task's output is shown. */
enum { LAST_LINES = 10, LAST_BYTES = 4096 };

static void wake_spools(struct cli_report *report)
{
    cli_spool_wake(&report->out);
    cli_spool_wake(&report->err);
}

/* Prints the output unchanged: it may have any form, and continue in a file. */
static void copy_output(const struct br_task_end *end, FILE *out)
{
    char block[1 << 16];
    char last = '\n';
    for (int64_t at = 0; at < end->output_size;) {
        ssize_t size = pread(end->output, block, sizeof block, (off_t)at);
        if (size <= 0)
            break;
        fwrite(block, 1, (size_t)size, out);
        last = block[size - 1];
        at += size;
    }
    if (last != '\n')
        fputc('\n', out);
    fflush(out);
}

static void print_last_lines(FILE *out, const struct br_task_end *end)
{
    char text[LAST_BYTES + 1];
    int64_t from = end->output_size > LAST_BYTES ? end->output_size - LAST_BYTES : 0;
    ssize_t size = pread(end->output, text, LAST_BYTES, (off_t)from);
    if (size <= 0)
        return;
    while (size && text[size - 1] == '\n')
        size--;
    text[size] = '\0';
    char *line = text + size;
    for (int lines = 0; line > text; line--)
        if (line[-1] == '\n' && ++lines == LAST_LINES)
            break;
    while (line) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        fputs("  | ", out);
        cli_print_text(out, line);
        fputc('\n', out);
        line = next;
    }
}

static void print_how(FILE *out, const struct cli_report *report, const struct br_task_end *end)
{
    char seconds[CLI_SECONDS_TEXT];
    switch (end->outcome) {
    case BR_TASK_EXIT:
        fprintf(out, "exit status %d", end->code);
        break;
    case BR_TASK_SIGNAL:
        fprintf(out, "killed by signal %d (%s)", end->code, strsignal(end->code));
        break;
    case BR_TASK_TIMEOUT:
        fputs("took too long and was stopped", out);
        break;
    case BR_TASK_MEMORY:
        fprintf(out, "killed: it held more memory than its %s",
                report->settings->run.limit_memory ? "demand for mem" : "control group allows");
        break;
    case BR_TASK_NO_START:
        fprintf(out, "cannot be started: %s", strerror(end->code));
        return;
    case BR_TASK_LOST:
        fputs("Slurm's job has gone without a result (cancelled, out of time or memory, or its "
              "node was lost)",
              out);
        return;
    case BR_TASK_STOPPED:
    case BR_TASK_DONE:
        fputs(cli_outcome(end->outcome), out);
        break;
    }
    fprintf(out, " after %s s", cli_seconds(end->end_ns - end->start_ns, seconds));
}

static void print_failure(FILE *out, const struct cli_report *report, const struct br_task_end *end)
{
    char id[300];
    br_dag_task_id(end->job->dag, end->task, id, sizeof id);
    fputs("bigrocks: ", out);
    if (report->several) {
        fputs("job '", out);
        cli_print_text(out, end->job->name);
        fputs("': ", out);
    }
    fputs("task '", out);
    cli_print_text(out, id);
    fputs("' failed: ", out);
    print_how(out, report, end);
    if (report->settings->run.retries)
        fprintf(out, ", attempt %u of %" PRIu64 "%s", end->attempt,
                report->settings->run.retries + 1, end->again ? "; it is tried again" : "");
    fputs("\n  command:", out);
    for (char *const *word = end->words; word && *word; word++) {
        fputc(' ', out);
        cli_print_text(out, *word);
    }
    fputc('\n', out);
    /* A person who has just seen all of it need not see it again. */
    if (end->output_size &&
        (cli_run_job_of(end->job)->output || !cli_same_file(STDOUT_FILENO, STDERR_FILENO)))
        print_last_lines(out, end);
}

/* A history that cannot be written does not stop the run. */
static void report_remember(struct cli_report *report, const struct br_task_end *end)
{
    const struct br_dag *dag = end->job->dag;
    struct br_history *history = cli_run_job_of(end->job)->history;
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, end->task)];
    struct br_history_sample sample = {
        .stage = stage->id,
        .task = end->task - stage->first_task,
        .wall_ns = end->end_ns - end->start_ns,
        .cpu_ns = end->usage.user_ns + end->usage.system_ns,
        .mem_bytes = end->usage.peak_bytes,
    };
    struct br_diag diag = {0};
    if (end->outcome != BR_TASK_DONE)
        sample.lost = end->attempt;
    /* A duration that is known only roughly, since this program was stopped, is not recorded. */
    if (end->unseen_ns > sample.wall_ns / 10 && !sample.lost)
        return;
    const struct cli_run_ways *ways = cli_run_job_of(end->job)->input.ways;
    const int64_t *input_bytes = cli_run_job_of(end->job)->input_bytes;
    char *name = NULL;
    /* The stages of a choice are not those of the job whose sizes will be asked for. */
    if (input_bytes && !ways) {
        sample.reader = stage->id;
        sample.input_bytes = input_bytes[stage - dag->stage];
    }
    if (!history)
        return;
    if ((ways && !cli_run_ways_name(ways, end->task, end->machine, &sample, &name) &&
         br_fail_memory(&diag)) ||
        br_history_add(history, &sample, &diag)) {
        cli_progress_end(&report->progress);
        cli_say_diag(&diag);
    }
    free(name);
}

/* Reports the work of an earlier run, at the first message of this one. */
static void say_before(struct cli_report *report)
{
    const struct br_run_result *result = report->result;
    if (report->said_before || !result ||
        !(result->resumed || result->in_flight || result->orphans))
        return;
    report->said_before = true;
    if (report->settings->output.quiet)
        return;
    cli_progress_end(&report->progress);
    fputs("bigrocks: ", stderr);
    cli_print_count(stderr, result->resumed, "task was", "tasks were");
    fputs(" done before", stderr);
    if (result->in_flight) {
        fputs("; ", stderr);
        cli_print_count(stderr, result->in_flight, "was running then and runs",
                        "were running then and run");
        fputs(" again", stderr);
    }
    if (result->orphans) {
        fputs("; ", stderr);
        cli_print_count(stderr, result->orphans, "process", "processes");
        fputs(" left over had to be killed", stderr);
    }
    fputc('\n', stderr);
}

/* At the first Ctrl-C: says what happens now, and how to go on. */
static void say_stop(struct cli_report *report, uint32_t running)
{
    if (report->said_stop || !cli_interrupted())
        return;
    report->said_stop = true;
    if (report->settings->output.quiet)
        return;
    cli_progress_end(&report->progress);
    fputs("bigrocks: interrupted; ", stderr);
    if (running) {
        cli_print_count(stderr, running, "running task is", "running tasks are");
        fputs(" asked to end, and killed by another Ctrl-C; ", stderr);
    }
    fputs(report->part      ? report->part->again
          : report->passing ? "the same command goes on with their jobs\n"
          : report->settings->run.journal
              ? "the same command with --resume goes on from here\n"
              : "a run with --journal FILE could go on from here with --resume\n",
          stderr);
}

void cli_report_resumed(void *context, const struct br_run_job *job, uint32_t task,
                        int64_t lasted_ns)
{
    struct cli_report *report = context;
    cli_run_deadline_done(&report->deadline, job, task);
    cli_live_resumed(&report->live, task);
    cli_run_ninja_resumed(&cli_run_job_of(job)->ninja, task);
    cli_run_learn_resumed(cli_run_job_of(job)->input.learn, task, lasted_ns);
}

void cli_report_started(void *context, const struct br_run_job *job, uint32_t task, int64_t now_ns)
{
    struct cli_report *report = context;
    cli_live_started(&report->live, job, task, now_ns);
    cli_run_learn_started(cli_run_job_of(job)->input.learn, task, now_ns);
}

/* If several jobs have a console each, one at a time gets it; a job whose output goes elsewhere has
 * none. */
bool cli_report_foreground(void *context, const struct br_run_job *job, uint32_t task,
                           int stream[3])
{
    struct cli_report *report = context;
    struct cli_console *console = &report->console;
    const bool again = console->job == job && console->task == task;
    if ((console->job && !again) || report->passing || cli_run_job_of(job)->output ||
        !cli_console_is_demanded(job, task))
        return false;
    cli_progress_end(&report->progress);
    if (report->part && !again)
        report->part->console(report->part->context, job, task);
    cli_console_give(console, job, task, &report->out, &report->err, stream);
    return true;
}

bool cli_report_replan(void *context, struct br_run_job *job, struct br_replan *replan)
{
    return cli_run_learn_replan(cli_run_job_of(job)->input.learn, replan);
}

bool cli_report_needless(void *context, const struct br_run_job *job, uint32_t task)
{
    const struct cli_report *report = context;
    return report->part->needless(report->part->context, br_dag_task_stage(job->dag, task));
}

void cli_report_note(void *context, const char *text)
{
    (void)context;
    cli_say("%s", text);
}

void cli_report_damaged(void *context, uint32_t records, uint64_t offset)
{
    struct cli_report *report = context;
    cli_progress_end(&report->progress);
    fputs("bigrocks: ", stderr);
    cli_print_count(stderr, records, "record", "records");
    fprintf(stderr,
            " of the journal cannot be read, the first at byte %" PRIu64
            "; tasks whose end they told of run again\n",
            offset);
}

void cli_report_ended(void *context, const struct br_task_end *end)
{
    struct cli_report *report = context;
    struct cli_run_job *one = cli_run_job_of(end->job);
    bool failed = end->outcome != BR_TASK_DONE && end->outcome != BR_TASK_STOPPED;
    cli_console_take_back(&report->console, end, &report->out, &report->err);
    say_before(report);
    cli_live_ended(&report->live, end);
    cli_run_trace_add(&report->trace, end);
    cli_run_learn_ended(one->input.learn, end);
    if (failed && end->again && end->words)
        report_remember(report, end);
    if (end->outcome == BR_TASK_DONE && end->words) {
        report_remember(report, end);
        cli_overuse_note(report->part ? &report->part->sum->overuse : &report->overuse,
                         report->jobs->cluster, end);
    }
    if (end->outcome == BR_TASK_DONE) {
        cli_run_ninja_ended(&one->ninja, end);
        cli_run_deadline_done(&report->deadline, end->job, end->task);
    }
    if (failed && !end->again && !report->passing && report->failures < CLI_FAILURES_SHOWN) {
        report->failed[report->failures].job = end->job;
        report->failed[report->failures].task = end->task;
    }
    if (failed && !end->again)
        cli_run_deadline_failed(&report->deadline, end->job);
    /* Immediately: if other jobs have waited for this end, nothing may run any more. */
    if (report->deadline.ended)
        cli_run_deadline_tick(&report->deadline, &report->progress, end->end_ns);
    report->failures += failed && !end->again;
    bool line = report->part && !end->again && end->outcome != BR_TASK_STOPPED;
    if (!failed && !end->output_size && !line)
        return;
    if (line)
        report->part->print(report->part->context, end, failed, &report->progress);
    else
        cli_progress_end(&report->progress);
    if (end->output_size)
        copy_output(end, one->output ? one->output : stdout);
    if (failed && !line)
        print_failure(stderr, report, end);
    if (failed && one->failure && !end->again)
        print_failure(one->failure, report, end);
    wake_spools(report);
}

/* Does any task demand it? With several jobs, which come and go, any may. */
static bool is_demanded(const struct cli_report *report, const char *resource)
{
    const struct br_dag *dag = report->several ? NULL : report->jobs->job->dag;
    for (uint32_t d = 0; dag && d < dag->demands; d++)
        if (strcmp(dag->resource[dag->demand[d].resource].name, resource) == 0)
            return true;
    return !dag;
}

void cli_report_tick(void *context, const struct br_run_state *state)
{
    struct cli_report *report = context;
    const struct br_cluster *cluster = report->jobs->cluster;
    char text[256], now[CLI_SECONDS_TEXT], end[CLI_SECONDS_TEXT], plan[CLI_SECONDS_TEXT];
    int used = 0;
    const int64_t tenth = 100000000;
    if (report->trace.file) {
        fflush(report->trace.file);
        cli_spool_wake(&report->trace.spool);
    }
    say_before(report);
    say_stop(report, state->running);
    if (cli_live_asked()) {
        cli_progress_end(&report->progress);
        cli_live_print(&report->live, state);
    }
    wake_spools(report);
    cli_run_deadline_tick(&report->deadline, &report->progress, state->now_ns);
    if (report->console.job) /* then nothing moves */
        return;
    cli_seconds(state->now_ns / tenth * tenth, now);
    if (report->several) {
        used = snprintf(text, sizeof text, "%s s, %" PRIu32 " of %" PRIu32 " jobs", now,
                        state->over, state->jobs);
    } else {
        cli_seconds(report->jobs->one->input.plan->makespan_ns / tenth * tenth, plan);
        if (!state->runtime) /* then there is no forecast of the end either */
            used = snprintf(text, sizeof text, "%s s (plan %s s)", now, plan);
        else
            used = snprintf(text, sizeof text, "%s s, %s s left (plan %s s)", now,
                            cli_seconds(cli_live_left(&report->live, state) / tenth * tenth, end),
                            plan);
    }
    for (uint32_t k = 0; state->runtime && k < cluster->cls[0].capacities && used < 200; k++) {
        const char *name = cluster->cls[0].capacity[k].resource;
        if (!is_demanded(report, name))
            continue;
        used += snprintf(text + used, sizeof text - (size_t)used, "  %.20s %.0f %%", name,
                         100 * br_runtime_used(state->runtime, BR_ANY, name));
    }
    cli_progress_run(&report->progress, state->finished, state->tasks, state->running, text);
}

static void print_failed_tasks(const struct cli_report *report)
{
    char id[300];
    for (uint32_t k = 0; !report->passing && k < report->failures && k < CLI_FAILURES_SHOWN; k++) {
        br_dag_task_id(report->failed[k].job->dag, report->failed[k].task, id, sizeof id);
        fputs(k ? ", " : ": ", stderr);
        if (report->several) {
            cli_print_text(stderr, report->failed[k].job->name);
            fputs(": ", stderr);
        }
        cli_print_text(stderr, id);
    }
    if (report->failures > CLI_FAILURES_SHOWN && !report->passing)
        fputs(", ...", stderr);
}

static void print_learnt(const struct cli_report *report, const struct cli_run_job *one)
{
    char before[300] = "";
    if (report->several)
        snprintf(before, sizeof before, "job '%.200s': ", one->name);
    cli_run_learn_print(one->input.learn, before, report->settings->output.verbose);
}

/* The report of a whole, which names its failed tasks; NULL: of parts that have named them. */
static void report_say_result(const struct br_run_result *result, int64_t plan_ns,
                              struct cli_report *report)
{
    const bool unread = report && (cli_spool_error(&report->out) || cli_spool_error(&report->err));
    const int64_t milli = 1000000; /* starting a process takes longer */
    char wall[CLI_SECONDS_TEXT], plan[CLI_SECONDS_TEXT];
    fputs("bigrocks: ", stderr);
    cli_print_count(stderr, result->finished, "task", "tasks");
    fprintf(stderr, " done in %s s",
            cli_seconds(result->wall_ns > milli ? result->wall_ns : milli, wall));
    if (!result->failed && !result->left && !result->resumed && plan_ns > 0)
        fprintf(stderr, ", planned %s s (%+.1f %%)", cli_seconds(plan_ns, plan),
                100 * ((double)result->wall_ns / (double)plan_ns - 1));
    if (result->failed) {
        fprintf(stderr, "; %" PRIu32 " failed", result->failed);
        if (report)
            print_failed_tasks(report);
    }
    if (result->strays && !cli_interrupted()) { /* else all were */
        fputs("; ", stderr);
        cli_print_count(stderr, result->strays, "process", "processes");
        fputs(" left behind by tasks had to be ended", stderr);
    }
    if (result->left)
        fprintf(stderr, "; %" PRIu32 " not done%s", result->left,
                cli_interrupted() ? ", as the run was interrupted"
                : unread          ? ", as nobody reads the output any more"
                                  : "");
    fputc('\n', stderr);
}

void cli_run_sum_say(const struct cli_run_sum *sum, bool quiet)
{
    if (!quiet)
        cli_overuse_say(&sum->overuse);
    if (sum->parts && (!quiet || sum->result.failed || sum->result.left))
        report_say_result(&sum->result, sum->guessed ? 0 : sum->plan_ns, NULL);
}

static void add_to_sum(struct cli_run_sum *sum, const struct br_run_result *result, int64_t plan_ns)
{
    sum->result.finished += result->finished;
    sum->result.failed += result->failed;
    sum->result.strays += result->strays;
    sum->result.wall_ns += result->wall_ns;
    sum->result.left = result->left;
    sum->plan_ns += plan_ns;
    sum->parts++;
}

void cli_report_result(struct cli_report *report, const struct br_run_result *result)
{
    const bool guessed = !report->several && report->jobs->one->input.learn;
    const int64_t plan_ns =
        report->several || guessed ? 0 : report->jobs->one->input.plan->makespan_ns;
    if (report->part) {
        say_stop(report, 0);
        add_to_sum(report->part->sum, result, plan_ns);
        return;
    }
    if (report->settings->output.quiet && !result->failed && !result->left)
        return;
    say_before(report);
    say_stop(report, 0);
    if (report->several && !report->passing)
        cli_run_table(stderr, report->jobs);
    if (!report->settings->output.quiet)
        cli_overuse_say(&report->overuse);
    report_say_result(result, plan_ns, report);
    for (uint32_t k = 0; k < report->jobs->count && !report->passing; k++)
        print_learnt(report, &report->jobs->one[k]);
}

void cli_report_begin(struct cli_report *report, const struct br_run_result *result)
{
    report->result = result;
    cli_live_begin(&report->live, report->several ? NULL : report->jobs->job->dag);
    bool one = cli_same_file(STDOUT_FILENO, STDERR_FILENO);
    cli_progress_begin(&report->progress, report->settings->output.quiet);
    fflush(stdout);
    const bool console = !report->passing && is_demanded(report, CLI_CONSOLE);
    cli_spool_open(&report->out, STDOUT_FILENO, one ? STDERR_FILENO : -1, console);
    if (!one)
        cli_spool_open(&report->err, STDERR_FILENO, -1, console);
}

enum br_status cli_report_end(struct cli_report *report, enum br_status status, bool *unread,
                              struct br_diag *diag)
{
    fflush(stdout);
    int out = cli_spool_close(&report->out), err = cli_spool_close(&report->err);
    *unread = out == EPIPE || err == EPIPE;
    if (out && !*unread && (!status || status == BR_NO))
        return br_fail(diag, BR_SYSTEM, NULL, "cannot write standard output: %s", strerror(out));
    return status;
}
