/* bigrocks history: prints, draws and edits the measurements of runs. */
#include <inttypes.h>
#include <string.h>

#include "cli/inputs/load.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/terminal/say.h"
#include "store/report/histories.h"

/* Looks for the file first, since opening it for a change would create it. */
static enum br_status history_open_file(const char *path, const char *job, bool changes,
                                        struct br_history **history, struct br_diag *diag)
{
    enum br_status status = br_history_open_to_read(path, job ? job : "", history, diag);
    if (status || !changes)
        return status;
    br_history_close(*history, NULL);
    return br_history_open(path, job ? job : "", history, diag);
}

static enum br_status history_find_job(struct br_history *history, const char *path,
                                       const char *job, struct br_diag *diag)
{
    struct cli_history_jobs jobs = {.name = job};
    enum br_status status = cli_look_for_job(history, &jobs, diag);
    if (status || jobs.known)
        return status;
    if (!jobs.told)
        return br_fail(diag, BR_BAD_INPUT, "'bigrocks run JOB --history FILE' adds one",
                       "%.200s has no runs yet", path);
    return br_fail(diag, BR_BAD_INPUT, NULL, "%.200s has no runs of '%.200s'; it has runs of %s",
                   path, job, jobs.text);
}

static enum br_status history_tell(const struct cli_output_settings *settings,
                                   struct br_history *history, bool one, struct br_diag *diag)
{
    struct br_gathered gathered;
    struct cli_output out;
    const char *format = settings->format ? settings->format
                         : settings->path ? cli_format_of(settings->path, &br_histories_formats)
                                          : NULL;
    enum br_status status = br_gather(history, one, &gathered, diag);
    if (!status)
        status = cli_output_open_format(&out, settings, format, diag);
    if (!status) {
        status = br_emit_history(format ? format : "text", &gathered, out.file, diag);
        status = cli_output_close(&out, status, diag);
    }
    br_gathered_finish(&gathered);
    return status;
}

/* All jobs, one after another. */
static enum br_status prune_all(struct br_history *history, uint32_t kept, uint32_t *gone,
                                struct br_diag *diag)
{
    struct br_gathered gathered;
    enum br_status status = br_gather(history, false, &gathered, diag);
    for (uint32_t j = 0; j < gathered.jobs && !status; j++) {
        uint32_t of_job = 0;
        status = br_history_use(history, gathered.job[j].name, diag);
        if (!status)
            status = br_history_keep(history, kept, &of_job, diag);
        *gone += of_job;
    }
    br_gathered_finish(&gathered);
    return status;
}

static enum br_status prune(const struct cli_history_settings *settings, bool quiet,
                            struct br_history *history, bool one, struct br_diag *diag)
{
    const uint32_t kept = settings->forget ? 0 : (uint32_t)settings->keep;
    uint32_t gone = 0;
    enum br_status status =
        one ? br_history_keep(history, kept, &gone, diag) : prune_all(history, kept, &gone, diag);
    if (!status && !quiet)
        cli_say("%" PRIu32 " %s forgotten", gone, gone == 1 ? "run" : "runs");
    return status;
}

static enum br_status rename_job(const char *name, bool quiet, struct br_history *history,
                                 const char *job, struct br_diag *diag)
{
    bool joined;
    enum br_status status = br_history_rename(history, name, &joined, diag);
    if (!status && !quiet)
        cli_say(joined ? "the runs of '%.200s' are now runs of '%.200s', beside those that it had"
                       : "'%.200s' is now '%.200s'",
                job, name);
    return status;
}

static enum br_status history_check(const struct cli_settings *settings, const char *job,
                                    struct br_diag *diag)
{
    const struct cli_history_settings *own = &settings->history;
    const bool keeps = own->keep > 0;
    const int changes = own->forget + keeps + (own->rename != NULL);
    if (changes > 1)
        return br_fail(diag, BR_USAGE, "give them one after another",
                       "--keep, --forget and --rename exclude each other");
    if (changes && (settings->output.format || settings->output.path))
        return br_fail(diag, BR_USAGE, "print it afterwards, by a second command",
                       "--keep, --forget and --rename write nothing but the history");
    if (!job && (own->forget || own->rename))
        return br_fail(diag, BR_USAGE, "give the job behind the file", "%s is for one job",
                       own->forget ? "--forget" : "--rename");
    return BR_OK;
}

static int history_perform(const struct cli_settings *settings, const char *const *argument,
                           uint32_t arguments, struct br_diag *diag)
{
    const struct cli_history_settings *own = &settings->history;
    const char *job = arguments > 1 ? argument[1] : NULL;
    struct br_history *history = NULL;
    enum br_status status = history_check(settings, job, diag);
    if (!status)
        status = history_open_file(argument[0], job, own->forget || own->keep > 0 || own->rename,
                                   &history, diag);
    if (!status && job)
        status = history_find_job(history, argument[0], job, diag);
    if (!status && own->rename)
        status = rename_job(own->rename, settings->output.quiet, history, job, diag);
    else if (!status && (own->forget || own->keep > 0))
        status = prune(own, settings->output.quiet, history, job != NULL, diag);
    else if (!status)
        status = history_tell(&settings->output, history, job != NULL, diag);
    br_history_close(history, NULL);
    return status;
}

static const struct br_option history_rows[] = {
    OPTION(NAME, "format", "FORMAT", output.format, "what to write", .letter = 'f',
           .rows = &br_histories_formats),
    OPTION(TEXT, "rename", "NAME", history.rename,
           "give JOB this name; if the name has runs already, both are one job from then on"),
    OPTION(COUNT, "keep", "N", history.keep,
           "forget all runs but the last N, of JOB or of every job", .least = 1, .most = 1000000),
    OPTION(FLAG, "forget", NULL, history.forget, "forget all runs of JOB"), OPTIONS_END};

const struct cli_command cli_history = {
    .name = "history",
    .bit = CLI_HISTORY,
    .options = history_rows,
    .least = 1,
    .most = 2,
    .perform = history_perform,
    .arguments = "FILE [JOB]",
    .summary = "print, draw and prune the measurements of runs",
    .text = "Lists the jobs that have runs in a history, which run, serve, build and import\n"
            "write with --history; with JOB, the figures that the next plan uses for each of its\n"
            "stages. -o x.svg draws them. --keep, --forget and --rename change the file instead.\n",
    .examples = "bigrocks history runs.sqlite\n"
                "bigrocks history runs.sqlite etl -o etl.svg\n"
                "bigrocks history runs.sqlite etl --rename nightly\n"
                "bigrocks history runs.sqlite --keep 20\n",
};
