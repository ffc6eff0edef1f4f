/* bigrocks build: plans and runs the out-of-date part of a ninja build.
 *
 * Ninja tells what is out of date (cli/builders/ninja_ask.h). Commands are identified by their
 * first outputs, which are the names of the stages. This is certain except for commands that depend
 * on commands with "restat", which may leave their outputs unchanged: such a command may turn out
 * to be needless. Commands whose files are listed in a file made during the build (dyndep) wait for
 * another round, in which ninja is asked again, with all finished commands counted as done. */
#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/process/launch.h"
#include "cli/build/fit.h"
#include "cli/build/lock.h"
#include "cli/build/needless.h"
#include "cli/build/targets.h"
#include "cli/builders/ninja_ask.h"
#include "cli/import/import.h"
#include "cli/import/memory.h"
#include "cli/inputs/jobserver.h"
#include "cli/options/choices.h"
#include "cli/options/options.h"
#include "cli/running/run.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/say.h"
#include "parsers/ninja/ninja.h"
#include "runtime/drivers/common/family.h"
#include "runtime/drivers/local/guard.h"

struct building {
    const struct cli_settings *settings;
    struct br_ninja_options options;
    struct br_ninja_set done, failed; /* run so far in this build */
    const char **statement;           /* by stage, of the current round */
    struct cli_needless needless;     /* of the current round */
    uint32_t total, printed;          /* number of commands, as far as known */
    bool told_hooks;                  /* that hooks of CMake's are not served */
    uint32_t behind;                  /* waiting for commands outside this round */
    struct cli_run_sum sum;           /* of the rounds */
    bool terminal, lost;              /* lost: memory ran out for an entry of done or failed */
    bool console;                     /* a command holds the console, and its line is printed */
    uint32_t console_stage;           /* of the console */
    bool told_memory;                 /* it was said that some commands are unknown */
    bool unlogged;                    /* ninja's log lacks some of the round's durations */
    int lock;                         /* lock on the folder; -1: there is none */
};

/* ---- Messages ---- */

/* The statement of each stage, in an array that is the caller's; NULL when memory is out. */
static const char **find_statements(const struct br_dag *dag)
{
    const char **statement = calloc((size_t)dag->stages + 1, sizeof *statement);
    for (uint32_t a = 0; a < dag->attributes && statement; a++)
        if (dag->attribute[a].owner == BR_OWNER_STAGE &&
            strcmp(dag->attribute[a].name, "ninja.statement") == 0)
            statement[dag->attribute[a].index] = dag->attribute[a].value;
    return statement;
}

/* The value of the key in the statement, without its escapes, cut if it is too long; "" if it has
 * none. */
static const char *value_of(const char *statement, const char *key, char *text, size_t size)
{
    size_t used = 0, length = strlen(key);
    const char *at = statement ? strchr(statement, '\n') : NULL;
    for (; at; at = strchr(at + 1, '\n'))
        if (strncmp(at, "\n  ", 3) == 0 && strncmp(at + 3, key, length) == 0 &&
            strncmp(at + 3 + length, " = ", 3) == 0)
            break;
    for (at = at ? at + length + 6 : ""; *at && *at != '\n' && used + 1 < size; at++) {
        at += *at == '$' && at[1] && at[1] != '\n';
        text[used++] = *at;
    }
    text[used] = '\0';
    return text;
}

static void print_command(const struct br_dag *dag, uint32_t stage)
{
    struct br_ninja_text text = {0};
    const char *script = dag->stage[stage].command;
    cli_print_text(stdout, br_ninja_command_of(script, &text) ? text.text : script);
    free(text.text);
}

static void print_name(struct building *building, const struct br_dag *dag, uint32_t stage)
{
    char text[4096] = "";
    if (!building->settings->import.commands)
        value_of(building->statement[stage], "description", text, sizeof text);
    printf("[%" PRIu32 "/%" PRIu32 "] ", ++building->printed, building->total);
    if (*text)
        cli_print_text(stdout, text);
    else
        print_command(dag, stage);
    putchar('\n');
}

/* Prints "[3/49] CXX format.o" like ninja, when a command has ended, or before it gets the console.
 */
static void print_console(void *context, const struct br_run_job *job, uint32_t task)
{
    struct building *building = context;
    const uint32_t stage = br_dag_task_stage(job->dag, task);
    if (building->console && building->console_stage == stage)
        return; /* another attempt */
    building->console_stage = stage;
    building->console = true;
    if (building->settings->output.quiet)
        building->printed++;
    else
        print_name(building, job->dag, stage);
}

static void print_line(void *context, const struct br_task_end *end, bool failed,
                       struct cli_progress *moving)
{
    struct building *building = context;
    const struct br_dag *dag = end->job->dag;
    uint32_t stage = br_dag_task_stage(dag, end->task);
    building->lost |= !br_ninja_set_add(failed ? &building->failed : &building->done,
                                        dag->stage[stage].id, strlen(dag->stage[stage].id));
    if (!failed)
        cli_needless_ended(&building->needless, stage);
    const bool named = building->console && building->console_stage == stage;
    if (named)
        building->console = false;
    if (named && !failed)
        return;
    if (building->settings->output.quiet && !failed) {
        building->printed++;
        return;
    }
    if (building->terminal && !failed && !end->output_size &&
        !building->settings->import.commands) {
        building->printed++;
        return; /* the progress line is enough */
    }
    cli_progress_end(moving);
    if (!named)
        print_name(building, dag, stage);
    if (failed) {
        fputs("FAILED: ", stdout);
        cli_print_text(stdout, dag->stage[stage].id);
        putchar('\n');
        print_command(dag, stage);
        putchar('\n');
    }
    fflush(stdout);
}

static bool is_needless(void *context, uint32_t stage)
{
    struct building *building = context;
    assert(building->total > 0);
    const bool needless = cli_needless_is(&building->needless, stage);
    building->total -= needless;
    return needless;
}

/* ---- Rounds ---- */

/* The commands that may run in this round. Left out: those that failed, those that wait for such a
 * command, and those whose files become known later (dyndep). *now: how many stages may run, *left:
 * how many wait for dyndep alone. */
static enum br_status choose_early(struct building *building, const struct br_dag *dag,
                                   struct br_ninja_set *early, uint32_t *now, uint32_t *left,
                                   struct br_diag *diag)
{
    enum { LATE = 1, LOST = 2, FAILED = 4 };
    unsigned char *is = calloc((size_t)dag->stages + 1, sizeof *is);
    bool good = is;
    *now = *left = building->behind = 0;
    for (uint32_t s = 0; s < dag->stages && good; s++) {
        is[s] = building->needless.flow.open[s] ? LATE : 0;
        if (br_ninja_set_have(&building->failed, dag->stage[s].id))
            is[s] |= LOST | FAILED;
    }
    for (bool changed = good; changed;) { /* at most as often as the job is deep */
        changed = false;
        for (uint32_t e = 0; e < dag->edges; e++) {
            unsigned char from = is[dag->edge[e].parent], *to = &is[dag->edge[e].child];
            unsigned char next = *to | (from & (LOST | LATE));
            changed |= next != *to;
            *to = next;
        }
    }
    for (uint32_t s = 0; s < dag->stages && good; s++) {
        if (!(is[s] & (LATE | LOST))) {
            good = br_ninja_set_add(early, dag->stage[s].id, strlen(dag->stage[s].id));
            ++*now;
        }
        *left += (is[s] & (LATE | LOST)) == LATE;
        building->behind += (is[s] & (LATE | LOST)) && !(is[s] & FAILED);
    }
    free(is);
    br_ninja_set_sort(early);
    return good ? BR_OK : br_fail_memory(diag);
}

static enum br_status find_all(struct building *building, const struct br_dag *dag,
                               struct br_diag *diag)
{
    free(building->statement);
    building->statement = find_statements(dag);
    return building->statement ? BR_OK : br_fail_memory(diag);
}

/* The number of failures that ends the build; 0: no limit. */
static uint32_t failures_left(const struct building *building)
{
    const uint64_t most = building->settings->import.failures;
    assert(!most || building->failed.count < most);
    return most ? (uint32_t)most - building->failed.count : 0;
}

struct latest {
    const char *name;
    char *job; /* the job that ran last */
    bool known, lost;
};

static void take_latest(void *context, const struct br_history_job *row)
{
    struct latest *latest = context;
    latest->known |= strcmp(row->name, latest->name) == 0;
    if (latest->job || latest->lost)
        return;
    latest->job = strdup(row->name);
    latest->lost = !latest->job;
}

/* The history in the build's own folder belongs to this build, whatever its name was at its last
 * run: under an earlier version, or before its folder was moved. */
static enum br_status adopt_history(const char *path, const struct br_dag *dag,
                                    struct br_diag *diag)
{
    struct br_history *history;
    struct latest latest = {.name = br_dag_name(dag)};
    bool joined;
    enum br_status status = br_history_open(path, latest.name, &history, diag);
    if (!status)
        status = br_history_jobs(history, take_latest, &latest, diag);
    if (!status && latest.lost)
        status = br_fail_memory(diag);
    const bool other = !status && latest.job && !latest.known;
    if (other)
        status = br_history_use(history, latest.job, diag);
    if (other && !status)
        status = br_history_rename(history, latest.name, &joined, diag);
    free(latest.job);
    enum br_status closed = br_history_close(history, status ? NULL : diag);
    return status ? status : closed;
}

/* Is the history readable, if there is one? The build may end without reading it. */
static enum br_status check_history(const struct building *building, struct br_diag *diag)
{
    const char *given = building->settings->needs.history, *path = given;
    char own[PATH_MAX];
    struct br_history *history = NULL;
    struct stat about;
    if (!given) {
        snprintf(own, sizeof own, "%s/.bigrocks-history", building->options.folder);
        path = own;
    }
    if ((!given && !br_history_is_there()) || stat(path, &about) || about.st_size == 0)
        return BR_OK;
    enum br_status status = br_history_open_to_read(path, "", &history, diag);
    br_history_close(history, NULL);
    return status;
}

/* Opens the history to read the build's figures: the build's own, or a file for several. */
static enum br_status open_history(const struct building *building, const char *path,
                                   const struct br_dag *dag, struct br_history **history,
                                   struct br_diag *diag)
{
    const bool own = !building->settings->needs.history;
    enum br_status status = own ? adopt_history(path, dag, diag) : cli_make_history(path, diag);
    if (!status)
        status = cli_open_history(path, dag, true, history, diag);
    if (!status && !building->settings->output.quiet &&
        strcmp(br_history_job(*history), br_dag_name(dag)) != 0)
        cli_say_alike(path, dag, br_history_job(*history));
    return status;
}

/* Gives the commands the demands of --demand, else those that the history (NULL: there is none) has
 * measured, else those of other commands of their kind. */
static enum br_status learn(struct building *building, const char *path, struct br_input *input,
                            struct br_diag *diag)
{
    struct br_history *history = NULL;
    struct cli_memory_report report = {0};
    struct cli_demands demands;
    uint32_t known = 0;
    const char *given = building->settings->needs.demand;
    enum br_status status = cli_demands_read(given, &demands, diag);
    if (!status)
        status = cli_apply_demands(&demands, input, diag);
    if (!status && given)
        status = cli_check_demand(input, diag);
    if (!status && path)
        status = open_history(building, path, input->dag, &history, diag);
    if (!status && history)
        status = cli_annotate_input(history, input, true, &known, diag);
    if (!status)
        status = cli_apply_demands(&demands, input, diag);
    if (!status)
        status = cli_guess_memory(history, input, &report, diag);
    if (!status && !building->settings->output.quiet && !building->told_memory)
        cli_say_memory(&report, building->settings->job.capacity ? input->cluster : NULL);
    building->told_memory |= report.guessed || report.unknown;
    /* A plan made from guesses is not kept to. */
    building->sum.guessed |= building->unlogged && known < input->dag->stages;
    br_history_close(history, NULL);
    cli_demands_finish(&demands);
    return status;
}

/* Plans the job and runs it. */
static enum br_status run_round(struct building *building, struct br_input *input, bool *unread,
                                struct br_diag *diag)
{
    struct cli_settings settings = *building->settings;
    struct cli_run_input planned = {.input = *input};
    struct cli_run_jobs jobs = {0};
    struct br_counters counters = {0};
    const struct cli_run_part part = {.print = print_line,
                                      .console = print_console,
                                      .needless = is_needless,
                                      .context = building,
                                      .again = "the same build goes on from here\n",
                                      .sum = &building->sum,
                                      .leave = true};
    char mark[BR_MARK], history[PATH_MAX];
    *input = (struct br_input){0};
    settings.run.effort = BR_EFFORT_FAST;
    settings.run.on = CLI_HERE;
    settings.run.keep_going = building->settings->import.failures != 1;
    settings.run.failures = failures_left(building);
    settings.output.quiet = true; /* every command gets its line */
    snprintf(history, sizeof history, "%s/.bigrocks-history", building->options.folder);
    if (!settings.needs.history && br_history_is_there())
        settings.needs.history = history;
    enum br_status status = learn(building, settings.needs.history, &planned.input, diag);
    jobs.cluster = planned.input.cluster;
    if (!status) /* a measured demand is better tried than refused */
        status = cli_fit_commands(&planned.input, building->settings->output.quiet, diag);
    if (!status) /* the history's figures have made it another job */
        status = find_all(building, planned.input.dag, diag);
    if (!status)
        status = cli_run_make_plan(&settings, true, &planned, diag);
    if (status) {
        cli_run_finish(&planned);
        br_cluster_destroy(jobs.cluster);
        return status;
    }
    *diag = (struct br_diag){0};
    status = cli_run_jobs_take(&planned, building->options.folder, &jobs, diag);
    settings.output.quiet = building->settings->output.quiet;
    br_mark_make(mark);
    struct br_jobserver *jobserver = cli_jobserver_join(&settings);
    struct br_guard guard = br_guard_start(mark, NULL, NULL, jobserver, building->lock);
    jobs.jobserver = jobserver;
    struct cli_running run = {&settings, &jobs, &part, mark, guard.pid, &counters, false};
    if (!status)
        status = cli_run_here(&run, diag);
    *unread |= run.unread;
    br_jobserver_destroy(jobserver);
    br_guard_end(&guard);
    cli_run_jobs_finish(&jobs);
    return status;
}

static enum br_status read_round(struct building *building, struct br_input *input,
                                 struct br_ninja_report *report, struct br_diag *diag)
{
    enum br_status status =
        cli_read_ninja(building->settings, &building->options, input, report, diag);
    if (!status)
        status = cli_import_name(&building->settings->import, input->dag, diag);
    building->unlogged = report->of_rule || report->preset;
    if (!status && report->hooked && !building->told_hooks && !building->settings->output.quiet)
        cli_say("hooks of CMake's instrumentation that wait for the end of the build are called "
                "too early; see docs/build.md");
    building->told_hooks |= report->hooked;
    return status ? status : find_all(building, input->dag, diag);
}

/* Something is out of date, but nothing may run: the dyndep file of a command exists and does not
 * list its inputs. */
static enum br_status fail_open(const struct building *building, const struct br_dag *dag,
                                struct br_diag *diag)
{
    uint32_t s = 0;
    while (s < dag->stages && !building->needless.flow.open[s])
        s++;
    return br_ninja_say_open(&building->options, dag->stage[s < dag->stages ? s : 0].id, diag);
}

/* Reads what is out of date, and runs the commands of this round. *again: something is left. */
static enum br_status perform_round(struct building *building, const struct br_ninja_set *dirty,
                                    bool *again, bool *unread, struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_ninja_report report = {0};
    struct br_ninja_set early = {0};
    uint32_t left = 0;
    building->options.only = building->options.pending = dirty;
    building->sum.result.left = 0;
    enum br_status status = read_round(building, &input, &report, diag);
    if (!status) {
        uint32_t tasks = input.dag->tasks, now;
        status = choose_early(building, input.dag, &early, &now, &left, diag);
        building->total = building->printed + now + left;
        if (!status && !early.count && left && !building->failed.count)
            status = fail_open(building, input.dag, diag);
        if (!status && now < tasks) {
            br_input_finish(&input);
            building->options.only = &early;
            if (early.count)
                status = read_round(building, &input, &report, diag);
        }
    }
    bool any = !status && early.count;
    if (any)
        status = cli_needless_open(&building->needless, &building->options, &building->done,
                                   input.dag, diag);
    any = any && !status;
    if (any)
        status = run_round(building, &input, unread, diag);
    br_ninja_set_sort(&building->done);
    br_ninja_set_sort(&building->failed);
    br_ninja_set_finish(&early);
    br_input_finish(&input);
    /* If all else goes on, a failure is reported at the end. */
    const uint64_t most = building->settings->import.failures;
    bool on = status == BR_NO && building->failed.count && !cli_interrupted() && !*unread &&
              (!most || building->failed.count < most);
    *again = any && left && (!status || on);
    if (building->lost)
        return br_fail_memory(diag);
    return *again ? BR_OK : status;
}

/* Lists the commands that would run, parents first. */
static enum br_status tell_all(struct building *building, const struct br_ninja_set *dirty,
                               struct br_diag *diag)
{
    struct br_input input = {0};
    struct br_ninja_report report = {0};
    building->options.only = building->options.pending = dirty;
    enum br_status status = read_round(building, &input, &report, diag);
    building->total = status ? 0 : input.dag->stages;
    for (uint32_t k = 0; k < building->total; k++)
        print_name(building, input.dag, input.dag->topological[k]);
    br_input_finish(&input);
    return status;
}

/* If a word of the command line can hardly be a target, suggests what it may have been. */
static void advise(const struct building *building, struct br_diag *diag)
{
    char path[PATH_MAX];
    for (uint32_t k = 0; k < building->options.targets; k++) {
        const char *word = building->options.target[k];
        int size = snprintf(path, sizeof path, "%s/build.ninja", word);
        if (size < (int)sizeof path && access(path, R_OK) == 0)
            snprintf(diag->hint, sizeof diag->hint,
                     "a folder is given by -C: bigrocks build -C %.200s", word);
    }
}

static enum br_status build(struct building *building, bool *unread, struct br_diag *diag)
{
    bool again = true;
    while (again) {
        struct br_ninja_set dirty = {0};
        const struct cli_ninja_question question = {&building->options, &building->done, NULL,
                                                    STDOUT_FILENO, building->settings->import.dry};
        enum br_status status = cli_ninja_ask(&question, &dirty, diag);
        again = false;
        if (status == BR_BAD_INPUT || status == BR_SYSTEM)
            advise(building, diag);
        if (!status && dirty.count && building->settings->import.dry) {
            status = tell_all(building, &dirty, diag);
        } else if (!status && !dirty.count) {
            building->behind = building->sum.result.left = 0;
            if (!building->printed && !building->settings->output.quiet)
                puts("bigrocks: no work to do.");
        } else if (!status) {
            status = perform_round(building, &dirty, &again, unread, diag);
        }
        br_ninja_set_finish(&dirty);
        if (status)
            return status;
    }
    return building->failed.count ? BR_NO : BR_OK;
}

static int perform(const struct cli_settings *settings, const char *const *argument,
                   uint32_t arguments, struct br_diag *diag)
{
    bool unread = false;
    const char *folder = settings->import.directory ? settings->import.directory : ".";
    struct building building = {.settings = settings,
                                .options = {.folder = folder,
                                            .file = settings->import.file,
                                            .target = argument,
                                            .targets = arguments,
                                            .explain = settings->import.explain,
                                            .open = true,
                                            .bare = true,
                                            .flow = &building.needless.flow},
                                .terminal = isatty(STDOUT_FILENO),
                                .lock = -1};
    char **resolved;
    enum br_status status = cli_resolve_targets(&building.options, &resolved, diag);
    if (resolved)
        building.options.target = (const char *const *)resolved;
    if (!status)
        status = check_history(&building, diag);
    if (!status && !settings->import.dry)
        building.lock = cli_build_lock(folder, settings->output.quiet);
    if (!status)
        status = build(&building, &unread, diag);
    cli_build_unlock(building.lock);
    cli_free_targets(resolved, arguments);
    building.sum.result.left += building.behind;
    if (!unread && (!status || (status == BR_NO && !diag->what[0])))
        cli_run_sum_say(&building.sum, settings->output.quiet);
    br_ninja_set_finish(&building.done);
    br_ninja_set_finish(&building.failed);
    cli_needless_close(&building.needless);
    free(building.statement);
    if (status == BR_NO && cli_interrupted())
        cli_interrupt_die();
    return (int)(unread ? cli_die_unread(diag) : status);
}

static const struct br_option build_rows[] = {
    OPTION(COUNT, "keep-going", "N", import.failures,
           "go on until N commands have failed (default: 1; 0, or -k alone: never stop)",
           .letter = 'k', .most = UINT32_MAX),
    OPTION(FLAG, "explain", NULL, import.explain,
           "let ninja say why each command is out of date (also -d explain)"),
    OPTION(TEXT, "file", "FILE", import.file,
           "the build's file, as seen from DIR (default: build.ninja)", .letter = 'f'),
    OPTION(COUNT, "jobs", "N", import.jobs,
           "no more than N commands at once (default, and 0: as many as the machine has room for)",
           .letter = 'j', .most = 1000000),
    OPTION(FLAG, "dry-run", NULL, import.dry,
           "run nothing, but print the commands that would run; a build.ninja that is out of date "
           "is made again",
           .letter = 'n'),
    OPTION(FLAG, "verbose", NULL, import.commands,
           "print the commands themselves, not their descriptions; also on a terminal",
           .letter = 'v'),
    OPTION(
        PATH, "history", "FILE", needs.history,
        "measurements of builds (SQLite); created if missing (default: .bigrocks-history in DIR)"),
    OPTIONS_END};

const struct cli_command cli_build = {
    .name = "build",
    .bit = CLI_BUILD,
    .options = build_rows,
    .least = 0,
    .most = UINT32_MAX,
    .perform = perform,
    .arguments = "[TARGET...]",
    .summary = "build what is out of date in a ninja build, by a plan",
    .text = "Asks ninja what is out of date for the targets (default: those that ninja builds by\n"
            "default), plans these commands by the measurements of earlier builds, and runs them\n"
            "within the memory and processors of --capacity, by default this machine's. It keeps\n"
            "ninja's own records up to date, so that ninja and bigrocks can each go on from the\n"
            "other. Exit status 0, or 1 if a command failed. See docs/build.md.\n",
    .examples = "bigrocks build -C examples/ninja\n"
                "bigrocks build -C examples/ninja test.txt -j 2 --capacity cpu=2,mem=1GiB\n",
};
