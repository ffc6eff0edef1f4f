/* bigrocks run: runs a job's commands as processes, or in virtual time. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/running/run.h"
#include "cli/inputs/jobserver.h"
#include "cli/options/choices.h"
#include "cli/options/enforcer.h"
#include "cli/options/options.h"
#include "cli/running/intake/intake.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "cli/terminal/stats.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/local/cgroup.h"
#include "runtime/drivers/local/guard.h"
#include "runtime/drivers/slurm/slurm.h"
#include "runtime/enforcer/jobs/policy.h"
#include "runtime/replay/replay.h"

/* ---- In virtual time ---- */

/* With --order that decides, unless another policy than the usual one is asked for. */
static struct br_runtime_options run_options(const struct cli_settings *settings)
{
    struct br_runtime_options options = cli_enforcer_options(&settings->enforcer);
    if (settings->search.order && strcmp(options.policy, br_policy_name(0)) == 0)
        options.policy = "order";
    return options;
}

static void trace_simulation(struct cli_run_trace *trace, const struct br_simulation *simulation,
                             const struct br_run_job *job)
{
    for (uint32_t t = 0; t < job->dag->tasks; t++)
        cli_run_trace_add(trace, &(struct br_task_end){.job = job,
                                                       .task = t,
                                                       .machine = simulation->machine[t],
                                                       .attempt = 1,
                                                       .start_ns = simulation->start_ns[t],
                                                       .end_ns = simulation->end_ns[t]});
}

static enum br_status running_run_simulate(const struct cli_settings *settings,
                                           const struct cli_run_jobs *jobs, struct br_diag *diag)
{
    const struct br_run_job *job = &jobs->job[0];
    const struct br_runtime_options options = run_options(settings);
    struct br_simulation simulation = {0};
    struct br_arena arena = {0};
    struct cli_run_trace trace;
    double spread = 0;
    br_option_take(settings->run.spread, &spread);
    enum br_status status = cli_run_trace_open(&trace, settings->run.trace, jobs->cluster, diag);
    if (status)
        return status;
    int64_t *lasts = NULL;
    if (spread > 0) {
        lasts = br_simulate_durations(&arena, job->dag, spread, settings->search.seed);
        if (!lasts)
            status = br_fail_memory(diag);
    }
    if (!status)
        status =
            br_simulate(job->dag, jobs->cluster, job->plan, lasts, &options, &simulation, diag);
    if (!status) {
        char plan[CLI_SECONDS_TEXT], run[CLI_SECONDS_TEXT];
        double ratio = job->plan->makespan_ns > 0
                           ? (double)simulation.makespan_ns / (double)job->plan->makespan_ns
                           : 1;
        trace_simulation(&trace, &simulation, job);
        printf("plan       %s s\nsimulated  %s s (%+.2f %%)\n",
               cli_seconds(job->plan->makespan_ns, plan), cli_seconds(simulation.makespan_ns, run),
               100 * (ratio - 1));
    }
    status = cli_run_trace_close(&trace, status, diag);
    br_simulation_finish(&simulation);
    br_arena_finish(&arena);
    return status;
}

/* ---- As processes ---- */

/* Are the tasks long enough, on average, to be Slurm jobs? Those that run on machines of some
 * classes are not: Slurm would choose their nodes. */
static bool are_long(const struct cli_run_jobs *jobs)
{
    double sum = 0, tasks = 0;
    if (jobs->count && jobs->one[0].input.ways)
        return false;
    for (uint32_t k = 0; k < jobs->count; k++) {
        const struct br_dag *dag = jobs->job[k].dag;
        for (uint32_t t = 0; t < dag->tasks; t++)
            sum += (double)dag->duration_ns[t];
        tasks += dag->tasks;
    }
    return sum >= (double)BR_SLURM_JOB_NS * tasks;
}

/* Runs this command again, by salloc, on as many nodes as the cluster has machines. */
static enum br_status running_run_allocate(const struct br_cluster *cluster, bool quiet,
                                           struct br_diag *diag)
{
    static char line[1 << 17];
    static char salloc[] = "salloc", whole[] = "--exclusive", memory[] = "--mem=0",
                silent[] = "--quiet", end[] = "--";
    char nodes[32], program[4096], *word[4096] = {salloc, nodes, whole, memory};
    size_t words = 4;
    if (quiet)
        word[words++] = silent;
    word[words++] = end;
    size_t self = words;
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t size = file ? fread(line, 1, sizeof line - 1, file) : 0;
    ssize_t path = readlink("/proc/self/exe", program, sizeof program - 1);
    if (file)
        fclose(file);
    line[size] = '\0';
    snprintf(nodes, sizeof nodes, "--nodes=%" PRIu32, cluster->machines);
    for (char *at = line; at < line + size && words < 4095; at += strlen(at) + 1)
        word[words++] = at;
    if (path > 0 && size && size < sizeof line - 1 && words < 4095) {
        program[path] = '\0';
        word[self] = program;
        fflush(NULL);
        execvp(word[0], word);
    }
    return br_fail(diag, BR_SYSTEM, "put salloc before it, such as: salloc --nodes=3 bigrocks run",
                   "steps need a Slurm allocation, and salloc cannot be started: %s",
                   strerror(errno));
}

static enum br_status run_there(const struct cli_running *run, const struct br_run_source *source,
                                const struct br_run_options *options, struct br_run_result *result,
                                struct br_diag *diag)
{
    const struct cli_settings *settings = run->settings;
    const struct cli_run_jobs *jobs = run->jobs;
    const struct br_run_jobs all = {jobs->job, jobs->count};
    if (source)
        return br_local_run(jobs->cluster, NULL, source, options, result, diag);
    if (settings->run.on == CLI_HERE)
        return br_local_run(jobs->cluster, &all, NULL, options, result, diag);
    if (settings->run.on != CLI_SLURM_JOBS && (settings->run.on != CLI_SLURM || !are_long(jobs)))
        return br_slurm_run_steps(jobs->cluster, &all, options, result, diag);
    if (jobs->count > 1)
        return br_fail(diag, BR_USAGE, "run them one by one, or take --on slurm-steps",
                       "Slurm jobs take one JOB, and there are %u", jobs->count);
    if (!settings->run.journal)
        return br_fail(diag, BR_USAGE, "add --journal FILE, on a file system that all nodes share",
                       "Slurm jobs need a journal, which also says where their results go");
    return br_slurm_run_jobs(jobs->cluster, &jobs->job[0], options, result, diag);
}

/* Control groups for the tasks, if available or asked for. */
static enum br_status open_groups(const struct cli_settings *settings, pid_t guard,
                                  struct br_cgroups *groups, bool *open, struct br_diag *diag)
{
    *open = false;
    if (settings->run.on != CLI_HERE)
        return settings->run.limit_memory || settings->run.cgroup
                   ? br_fail(diag, BR_USAGE, "leave it out; Slurm limits memory as it is set up to",
                             "control groups are for tasks on this machine")
                   : BR_OK;
    *open = br_cgroups_open(groups, settings->run.cgroup, guard);
    if ((settings->run.limit_memory && !groups->memory) || (settings->run.cgroup && !*open)) {
        br_cgroups_close(groups);
        *open = false;
        return br_fail(diag, BR_SYSTEM, "leave it out, or name a delegated group by --cgroup",
                       "%s cannot be done here: %s",
                       settings->run.limit_memory ? "--limit-memory" : "--cgroup", groups->why);
    }
    if (*open && !groups->memory && !settings->run.cgroup) {
        br_cgroups_close(groups);
        *open = false;
    }
    if (settings->output.verbose && *open)
        cli_say("tasks are counted by control groups%s%s",
                groups->memory ? "" : ", but memory: ", groups->why);
    else if (settings->output.verbose)
        cli_say("tasks are counted as processes, without control groups: %s", groups->why);
    return BR_OK;
}

/* The options of the run, except its control groups. */
static enum br_status running_run_read_options(const struct cli_running *run,
                                               struct cli_report *report,
                                               struct br_run_options *options, struct br_diag *diag)
{
    const struct cli_settings *settings = run->settings;
    *options = (struct br_run_options){
        .group = run->jobs->groups.group,
        .groups = run->jobs->groups.count,
        .overbook = settings->enforcer.overbook,
        .directory = settings->run.directory,
        .shell = settings->run.shell,
        .refine = settings->enforcer.refine,
        .keep_going = settings->run.keep_going,
        .failures = settings->run.failures,
        .retries = (uint32_t)settings->run.retries,
        .timeout_ns = settings->run.timeout_ns,
        .leave = report->part && report->part->leave,
        .mark = run->mark,
        .journal = settings->run.journal,
        .resume = settings->run.resume,
        .limit_memory = settings->run.limit_memory,
        .stop = cli_interrupt_count(),
        .resumed = cli_report_resumed,
        .damaged = cli_report_damaged,
        .note = cli_report_note,
        .ended = cli_report_ended,
        .tick = cli_report_tick,
        .started = cli_report_started,
        .foreground = cli_report_foreground,
        .by_terminal = cli_interrupted_by_terminal,
        .needless = report->part && report->part->needless ? cli_report_needless : NULL,
        .replan = settings->run.learn ? cli_report_replan : NULL,
        .context = report,
    };
    options->runtime = run_options(settings);
    return BR_OK;
}

static void running_run_count(const struct br_run_result *result, struct br_counters *counters)
{
    counters->run_finished = result->finished;
    counters->run_failed = result->failed;
    counters->run_left = result->left;
    counters->run_resumed = result->resumed;
    counters->run_ns = (uint64_t)result->wall_ns;
}

/* Between opening and closing the files of all jobs. */
static enum br_status run_open(struct cli_running *run, const struct br_run_source *source,
                               struct br_run_options *options, struct cli_report *report,
                               struct br_diag *diag)
{
    struct br_cgroups groups;
    struct br_run_result result = {0};
    bool grouped = false;
    enum br_status status = open_groups(run->settings, run->guard, &groups, &grouped, diag);
    if (status)
        return status;
    options->cgroups = grouped ? &groups : NULL;
    options->jobserver = run->jobs->jobserver;
    cli_report_begin(report, &result);
    status = run_there(run, source, options, &result, diag);
    running_run_count(&result, run->counters);
    if (grouped)
        br_cgroups_close(&groups);
    for (uint32_t k = 0; k < run->jobs->count; k++)
        cli_run_ninja_close(&run->jobs->one[k].ninja);
    cli_progress_end(&report->progress);
    cli_live_finish(&report->live);
    if (!status || (status == BR_NO && !diag->what[0])) {
        cli_report_result(report, &result);
        cli_run_deadline_result(&report->deadline, &result);
    }
    return status;
}

enum br_status cli_run_here(struct cli_running *run, struct br_diag *diag)
{
    const struct cli_settings *settings = run->settings;
    struct cli_run_jobs *jobs = run->jobs;
    if (settings->run.on == CLI_SLURM && !are_long(jobs) && !getenv("SLURM_JOB_ID"))
        return running_run_allocate(jobs->cluster, settings->output.quiet, diag);
    struct cli_report report = {
        .settings = settings, .jobs = jobs, .several = jobs->count > 1, .part = run->part};
    struct br_run_options options;
    enum br_status status = cli_declare_fungible(&settings->enforcer, jobs->cluster, diag);
    if (!status)
        status = cli_run_deadline_open(settings, jobs, &report.deadline, diag);
    if (!status)
        status = running_run_read_options(run, &report, &options, diag);
    if (!status)
        status = cli_run_trace_open(&report.trace, settings->run.trace, jobs->cluster, diag);
    if (status) {
        cli_run_deadline_close(&report.deadline);
        return status;
    }
    cli_run_deadline_tick(&report.deadline, &report.progress, 0);
    for (uint32_t k = 0; k < jobs->count && !status; k++)
        status = cli_run_job_open(settings, &jobs->one[k], diag);
    if (!status)
        status = run_open(run, NULL, &options, &report, diag);
    for (uint32_t k = 0; k < jobs->count; k++)
        cli_run_job_close(&jobs->one[k]);
    status = cli_run_trace_close(&report.trace, status, diag);
    cli_run_deadline_close(&report.deadline);
    return cli_report_end(&report, status, &run->unread, diag);
}

/* The jobs of a spool folder, until it is empty or the program is to end. */
static enum br_status serve_spool(struct cli_running *run, struct br_diag *diag)
{
    const struct cli_settings *settings = run->settings;
    struct cli_run_jobs *jobs = run->jobs;
    struct cli_report report = {
        .settings = settings, .jobs = jobs, .several = true, .passing = true};
    struct br_run_options options;
    struct cli_intake intake;
    enum br_status status = running_run_read_options(run, &report, &options, diag);
    if (status)
        return status;
    status = cli_intake_open(&intake, settings, &jobs->cluster, &report.progress, diag);
    if (!status)
        status = cli_declare_fungible(&settings->enforcer, jobs->cluster, diag);
    if (!status)
        status = cli_run_trace_open(&report.trace, settings->run.trace, jobs->cluster, diag);
    if (!status) {
        const struct br_run_source source = cli_intake_source(&intake);
        options.journal = intake.journal;
        options.resume = true;
        status = run_open(run, &source, &options, &report, diag);
        if (!status && intake.failed)
            status = BR_NO;
        if (!settings->output.quiet && !diag->what[0]) {
            fputs("bigrocks: ", stderr);
            cli_print_count(stderr, intake.done, "job is", "jobs are");
            fputs(" done, ", stderr);
            cli_print_count(stderr, intake.failed, "has", "have");
            fputs(" failed\n", stderr);
        }
        if (intake.diag.what[0] && !diag->what[0]) {
            *diag = intake.diag;
            status = intake.diag.status;
        }
        status = cli_run_trace_close(&report.trace, status, diag);
        status = cli_report_end(&report, status, &run->unread, diag);
    }
    cli_intake_close(&intake);
    return status;
}

static enum br_status check_spool(const struct cli_run_settings *run,
                                  const struct cli_control_settings *control, uint32_t jobs,
                                  struct br_diag *diag)
{
    const char *other = jobs                  ? "a JOB"
                        : run->journal        ? "--journal"
                        : run->plan           ? "--plan"
                        : run->group_of       ? "--group-of"
                        : run->simulate       ? "--simulate"
                        : run->learn          ? "--learn"
                        : control->deadline   ? "--deadline"
                        : control->utility    ? "--utility"
                        : run->on != CLI_HERE ? "--on"
                                              : NULL;
    if (!other)
        return BR_OK;
    return br_fail(diag, BR_USAGE, "see 'bigrocks help run'",
                   "--spool takes its jobs from the folder, runs them here with a journal of its "
                   "own, and goes without %s",
                   other);
}

static bool learn_goes(const struct cli_settings *settings)
{
    return !settings->run.plan && !settings->run.simulate && !settings->control.table &&
           settings->run.on == CLI_HERE;
}

static enum br_status running_run_check(const struct cli_settings *settings, uint32_t jobs,
                                        struct br_diag *diag)
{
    const struct cli_run_settings *run = &settings->run;
    if (settings->search.order && (run->spool || run->learn || jobs > 1))
        return br_fail(diag, BR_USAGE, "leave it out",
                       "--order is for one job that is known, without --spool and --learn");
    if (run->spool)
        return check_spool(run, &settings->control, jobs, diag);
    if (run->until_empty)
        return br_fail(diag, BR_USAGE, "add --spool DIR, or leave it out",
                       "--until-empty is about a spool folder");
    if (!jobs)
        return br_fail(diag, BR_USAGE, "see 'bigrocks help run'", "run needs a JOB");
    if (run->learn && !learn_goes(settings))
        return br_fail(diag, BR_USAGE, "see 'bigrocks help run'",
                       "--learn plans jobs while they run on this machine, and goes without "
                       "--plan, --simulate, --table and --on");
    if (run->jobserver != BR_NO_ROW && run->jobserver != CLI_JOBSERVER_NONE && run->on != CLI_HERE)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "--jobserver is for commands on this machine, and --on %s starts them on "
                       "others",
                       br_named_name(&cli_places, run->on));
    if (!isnan(run->pilots) && !run->learn)
        return br_fail(diag, BR_USAGE, "add --learn, or leave it out",
                       "--pilots is for a run that learns durations");
    if (run->resume && !run->journal)
        return br_fail(diag, BR_USAGE, "add --journal FILE, the journal of the run to go on with",
                       "--resume needs a journal");
    if (run->simulate && run->journal)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "a run that is only simulated has no journal");
    if (run->simulate && jobs > 1)
        return br_fail(diag, BR_USAGE, "make a workload of them, and see 'bigrocks help simulate'",
                       "--simulate is for one JOB, and there are %u", jobs);
    if (run->simulate && settings->enforcer.overbook)
        return br_fail(diag, BR_USAGE,
                       "make a workload of JOB, and 'bigrocks simulate' it with --overbook",
                       "--simulate plays a job without tasks that slow one another down");
    if (run->simulate && (settings->control.deadline || settings->control.utility))
        return br_fail(diag, BR_USAGE, "see 'bigrocks help simulate', and its policy 'deadline'",
                       "--deadline is for a real run");
    if (!isnan(run->spread) && !run->simulate)
        return br_fail(diag, BR_USAGE, "add --simulate, or leave it out",
                       "--spread disturbs a simulated run only");
    return BR_OK;
}

static int running_run_perform(const struct cli_settings *settings, const char *const *argument,
                               uint32_t arguments, struct br_diag *diag)
{
    struct cli_run_jobs jobs;
    char mark[BR_MARK];
    enum br_status status = running_run_check(settings, arguments, diag);
    if (!status && settings->needs.history && settings->run.spool && !settings->run.simulate)
        status = cli_make_history(settings->needs.history, diag);
    if (status)
        return status;
    br_mark_make(mark);
    struct br_guard guard = {-1, 0};
    struct br_jobserver *jobserver = NULL;
    if (!settings->run.simulate && settings->run.on == CLI_HERE)
        jobserver = cli_jobserver_join(settings);
    if (!settings->run.simulate)
        guard = br_guard_start(mark, NULL, NULL, jobserver, -1);
    status = cli_run_jobs_load(settings, argument, arguments, &jobs, diag);
    if (!status && !settings->run.simulate)
        status = cli_jobserver_make(settings, jobs.cluster, &jobserver, diag);
    jobs.jobserver = jobserver;
    if (status) {
        br_jobserver_destroy(jobserver);
        br_guard_end(&guard);
        cli_run_jobs_finish(&jobs);
        return status;
    }
    if (settings->output.verbose)
        cli_say_line(&cli_run, settings, argument, arguments);
    struct br_counters counters = {0};
    for (uint32_t k = 0; k < jobs.count; k++)
        br_counters_add(&counters, &jobs.job[k].plan->counters);
    struct cli_running run = {settings, &jobs, NULL, mark, guard.pid, &counters, false};
    status = settings->run.simulate ? running_run_simulate(settings, &jobs, diag)
             : settings->run.spool  ? serve_spool(&run, diag)
                                    : cli_run_here(&run, diag);
    if (settings->output.stats && !run.unread)
        cli_stats_print(stderr, &counters, settings->output.json);
    br_jobserver_destroy(jobserver);
    br_guard_end(&guard);
    cli_run_jobs_finish(&jobs);
    /* A spool never ends by itself, so its server was ended early. */
    bool cut = status == BR_NO || (settings->run.spool && !settings->run.until_empty && !status);
    if (!settings->run.simulate && cli_interrupted() && cut)
        cli_interrupt_die();
    return (int)(run.unread ? cli_die_unread(diag) : status);
}

static const struct br_option run_rows[] = {
    OPTION(TEXT, "plan", "PLAN", run.plan,
           "follow this plan (json, xml, order) of the job (default: make one)"),
    OPTION(LIST, "group", "G=W,...", run.group,
           "weights of groups of jobs in their shares of the cluster, such as a=2,b=1 (default: 1 "
           "for every group)",
           .high = 1e6, .above = true, .example = "a=2,b=1"),
    OPTION(LIST, "group-of", "G,...", run.group_of,
           "the groups of the jobs, in their order (default: the attribute group of the job, else "
           "default)",
           .list = BR_LIST_WORD, .example = "a,b,a"),
    OPTION(PATH, "spool", "DIR", run.spool,
           "take jobs from DIR/new as they appear there, until the program is interrupted; they "
           "end up in DIR/done or DIR/failed"),
    OPTION(FLAG, "until-empty", NULL, run.until_empty,
           "with --spool: end when no job is left there"),
    OPTION(TEXT, "directory", "DIR", run.directory,
           "the folder in which the commands run (default: .)", .letter = 'C'),
    OPTION(FLAG, "shell", NULL, run.shell,
           "all commands are scripts for /bin/sh (default: those with shell=\"true\")"),
    OPTION(FLAG, "keep-going", NULL, run.keep_going,
           "after a failure, go on with all tasks that do not depend on the failed one",
           .letter = 'k'),
    OPTION(COUNT, "retries", "N", run.retries,
           "try a task that fails up to N times more (default: 0)", .most = 100),
    OPTION(SECONDS, "timeout", "S", run.timeout_ns,
           "stop a task that takes longer than S seconds, which then has failed (default: 0, "
           "never)"),
    OPTION(PATH, "journal", "FILE", run.journal,
           "record finished work in FILE, so that --resume can go on after any end"),
    OPTION(FLAG, "resume", NULL, run.resume,
           "go on with the run of --journal FILE: what has finished is not run again"),
    OPTION(TEXT, "trace", "FILE", run.trace,
           "write start, end, machine and usage of every task: CSV if FILE ends in .csv, else JSON "
           "lines"),
    OPTION(CHOICE, "on", "WHERE", run.on, "where tasks run", .rows = &cli_places),
    OPTION(FLAG, "limit-memory", NULL, run.limit_memory,
           "limit every task to the bytes of mem that it demands; one that takes more is killed "
           "and has failed (needs cgroup v2, see 'bigrocks doctor')"),
    OPTION(TEXT, "cgroup", "DIR", run.cgroup,
           "make the control groups of the tasks in this group of cgroup v2 (default: in that of "
           "this process, if it has a memory controller)"),
    OPTION(FLAG, "learn", NULL, run.learn,
           "first run a few tasks of stages without a duration, and plan the rest again by their "
           "durations while the job runs; with --deadline make its tables from them as well"),
    OPTION(REAL, "pilots", "X", run.pilots,
           "with --learn: the share of a stage's tasks that run first, at least one (default: "
           "0.03)",
           .high = 1, .example = "0.03"),
    OPTION(NAME, "policy", "P", enforcer.policy,
           "how to choose among the tasks that could start now", .rows = &br_policies),
    OPTION(LIST, "deadline", "T,...", control.deadline,
           "end within T seconds, or by a moment such as 2026-01-31T18:00, with no more tasks at "
           "once than that takes; one for all jobs or one for each, which share the machines; also "
           "prints how probable that is",
           .list = BR_LIST_WORD, .example = "2700"),
    OPTION(LIST, "table", "FILE,...", control.table,
           "with --deadline: tables of the time left (see 'bigrocks deadline'; default: made from "
           "the job, its history and the cluster)",
           .list = BR_LIST_WORD, .example = "job.table"),
    OPTION(FLAG, "simulate", NULL, run.simulate,
           "run nothing: print how long it would take, in virtual time"),
    OPTION(REAL, "spread", "S", run.spread,
           "with --simulate: standard deviation of the logarithm of durations compared with the "
           "plan, such as 0.3 (default: 0, as planned)",
           .high = 5, .example = "0.3"),
    OPTION(CHOICE, "effort", "E", run.effort,
           "how hard to search for a plan (default: for one job that of plan, for several fast)",
           .rows = &cli_efforts),
    OPTIONS_END};

static void run_set_defaults(struct cli_settings *settings)
{
    settings->run.on = CLI_HERE;
}

const struct cli_command cli_run = {
    .name = "run",
    .bit = CLI_RUN,
    .options = run_rows,
    .set_defaults = run_set_defaults,
    .least = 0,
    .most = UINT32_MAX,
    .perform = running_run_perform,
    .arguments = "JOB... | --spool DIR",
    .summary = "run the commands of jobs in the order of their plans",
    .text = "Runs the commands of the job's stages as processes on this machine, in the soft\n"
            "order of the plan, never beyond what the cluster offers (default: this machine's\n"
            "processors and memory). JOB may be a plan (JSON or XML), which carries its job;\n"
            "without a plan, one is made first. The output of a task is shown as a whole when it\n"
            "ends.\n"
            "Exit status 0, or 1 if a task failed. Ctrl-C stops all tasks and waits for them,\n"
            "twice kills them. With --journal FILE, a run that was interrupted or killed at any\n"
            "moment goes on with --resume. See docs/run.md.\n",
    .examples =
        "bigrocks run examples/run.xml --capacity cpu=2,mem=64MiB\n"
        "bigrocks run examples/run.xml --capacity cpu=4,mem=1GiB --journal run.journal --trace "
        "trace.csv\n"
        "bigrocks run examples/query.xml --cluster examples/cluster-rack.xml --simulate --spread "
        "0.3\n",
};
