/* bigrocks workload: makes, slices, scales and describes workloads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/commands.h"
#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cluster/executors/policy/workload_run.h"
#include "cluster/workload/command/workloads.h"
#include "cluster/workload/make.h"
#include "cluster/workload/offered.h"
#include "cluster/workload/potential/potentials.h"
#include "cluster/workload/potential/structure.h"
#include "cluster/workload/scale.h"
#include "cluster/workload/traces.h"
#include "cluster/workload/write/workload.h"
#include "generate/generate.h"
#include "planner/eligibility/features.h"

enum { ASSIGN_RANDOM, ASSIGN_IN_TURN };

/* Changes to the workload, with texts read as numbers. 0: not asked for. */
struct plan {
    double deadline_factor;
    int64_t deadline_ns;
};

static enum br_status workloads_check_spacing(const struct cli_workload_settings *make,
                                              struct br_diag *diag)
{
    if (!isnan(make->load) && make->interarrival_ns >= 0)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "--load and --interarrival exclude each other");
    if (!isnan(make->load) && !isnan(make->scale_time))
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "--load and --scale-time exclude each other");
    return BR_OK;
}

enum br_status cli_read_deadlines(const char *text, double *factor, int64_t *later_ns,
                                  struct br_diag *diag)
{
    static const char hint[] = "give seconds, or a factor of the critical path such as 2.5x";
    static const struct cli_range range = {"deadlines", hint, 1e-9, 1e9};
    char number[64];
    size_t length = strlen(text);
    if (length && length < sizeof number && text[length - 1] == 'x') {
        snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
        return cli_read_number(&range, number, factor, diag);
    }
    if (br_seconds_parse(text, later_ns) || *later_ns <= 0)
        return br_fail(diag, BR_USAGE, hint, "--deadlines '%.80s' is no time and no factor", text);
    return BR_OK;
}

/* ---- Arrivals ---- */

/* The mean time between arrivals that gives the requested load. */
static enum br_status gap_for_load(const struct br_workload *workload,
                                   const struct br_cluster *cluster, double load, double *mean_s,
                                   struct br_diag *diag)
{
    struct br_offered offered;
    uint32_t resource;
    double seconds = 0;
    if (!cluster)
        return br_fail(diag, BR_USAGE, "add --cluster FILE, or --machines and --capacity",
                       "--load is a share of a cluster, and there is none");
    enum br_status status = br_offered_make(workload, &offered, diag);
    if (!status)
        status = br_offered_most(&offered, cluster, &seconds, &resource, diag);
    br_offered_finish(&offered);
    if (!status && seconds <= 0)
        status = br_fail(diag, BR_BAD_INPUT, "give jobs with durations and demands",
                         "the jobs do no work, so no arrivals give a load");
    *mean_s = workload->jobs ? seconds / workload->jobs / load : 0;
    return status;
}

static enum br_status apply_file(const struct cli_workload_settings *make, bool by_name,
                                 struct br_workload *workload, struct br_diag *diag)
{
    struct cli_recorded recorded;
    enum br_status status = cli_recorded_read(make->arrivals, &recorded, diag);
    if (!status)
        status = cli_recorded_apply(&recorded, make->arrivals, by_name, workload, diag);
    cli_recorded_finish(&recorded);
    return status;
}

/* Sets new arrivals for the jobs, if asked for. *placed: the requested load is reached. */
static enum br_status give_arrivals(const struct cli_workload_settings *make,
                                    const struct plan *plan, const struct br_cluster *cluster,
                                    const struct cli_jobs *jobs, bool by_name, bool *placed,
                                    struct br_diag *diag)
{
    const char *kind = make->arrivals;
    bool spaced = !isnan(make->load) || make->interarrival_ns >= 0;
    double mean_s = 0;
    if (!kind && (jobs->drawn || jobs->made))
        kind = spaced ? "poisson" : "batch";
    *placed = kind != NULL;
    if (!kind)
        return BR_OK;
    bool batch = strcmp(kind, "batch") == 0, poisson = strcmp(kind, "poisson") == 0;
    if (!batch && !poisson && strcmp(kind, "regular") != 0) {
        *placed = false;
        return apply_file(make, by_name, jobs->workload, diag);
    }
    if (batch && spaced)
        return br_fail(diag, BR_USAGE, "leave it out, or choose --arrivals poisson",
                       "jobs that arrive together have no time between them");
    if (!batch && !spaced)
        return br_fail(diag, BR_USAGE, "add --load 0.8 with a cluster, or --interarrival S",
                       "--arrivals %s does not say how often jobs arrive", kind);
    enum br_status status = BR_OK;
    if (!isnan(make->load))
        status = gap_for_load(jobs->workload, cluster, make->load, &mean_s, diag);
    else if (spaced)
        mean_s = (double)make->interarrival_ns / 1e9;
    if (!status)
        status = br_workload_arrive(jobs->workload,
                                    batch     ? BR_ARRIVE_BATCH
                                    : poisson ? BR_ARRIVE_POISSON
                                              : BR_ARRIVE_REGULAR,
                                    mean_s, make->seed, diag);
    return status;
}

/* Moves the existing arrivals apart or together. */
static enum br_status workloads_stretch(const struct cli_workload_settings *make,
                                        const struct plan *plan, const struct br_cluster *cluster,
                                        struct br_workload *workload, struct br_diag *diag)
{
    double factor = make->scale_time, mean_s;
    if (!isnan(make->load) || make->interarrival_ns >= 0) {
        double now_s = br_workload_mean_gap(workload);
        if (!(now_s > 0))
            return br_fail(diag, BR_USAGE, "give --arrivals poisson",
                           "all jobs arrive together, so their arrivals cannot be scaled");
        mean_s = (double)make->interarrival_ns / 1e9;
        if (!isnan(make->load)) {
            enum br_status status = gap_for_load(workload, cluster, make->load, &mean_s, diag);
            if (status)
                return status;
        }
        factor = mean_s / now_s;
    }
    return isnan(factor) ? BR_OK : br_workload_stretch(workload, factor, diag);
}

static enum br_status place_jobs(const struct cli_workload_settings *make, const struct plan *plan,
                                 const struct br_cluster *cluster, const struct cli_jobs *jobs,
                                 bool by_name, struct br_diag *diag)
{
    bool placed;
    enum br_status status = give_arrivals(make, plan, cluster, jobs, by_name, &placed, diag);
    if (!status && (!placed || !isnan(make->scale_time)))
        status = workloads_stretch(make, plan, cluster, jobs->workload, diag);
    return status;
}

/* ---- Groups ---- */

static enum br_status workloads_add_group(struct br_workload *workload,
                                          const struct br_list_entry *entry, uint32_t *number,
                                          struct br_diag *diag)
{
    char *name = strndup(entry->name, entry->length);
    if (!name)
        return br_fail_memory(diag);
    enum br_status status =
        !br_text_is_plain(name)
            ? br_fail(diag, BR_USAGE, NULL, "--groups has a group without a plain name")
            : br_workload_add_group(workload, name, isnan(entry->value) ? 1 : entry->value, number,
                                    diag);
    free(name);
    return status;
}

static enum br_status give_groups(const struct cli_workload_settings *make,
                                  struct br_workload *workload, struct br_diag *diag)
{
    if (!make->groups)
        return BR_OK;
    const char *rest = make->groups;
    struct br_list_entry entry;
    uint32_t *group = malloc((strlen(rest) + 1) * sizeof *group), groups = 0;
    enum br_status status = group ? BR_OK : br_fail_memory(diag);
    while (!status && br_list_next(BR_LIST_NAME_MAYBE_NUMBER, &rest, &entry))
        status = workloads_add_group(workload, &entry, &group[groups++], diag);
    if (!status)
        br_workload_assign(workload, group, groups, make->assign == ASSIGN_RANDOM, make->seed);
    free(group);
    return status;
}

/* ---- The whole ---- */

/* Chooses the jobs of the workload: drawn ones, or a part of the existing ones. */
static enum br_status choose_jobs(const struct cli_workload_settings *make, const struct plan *plan,
                                  const struct cli_jobs *jobs, bool *by_name, struct br_diag *diag)
{
    struct br_workload *workload = jobs->workload;
    enum br_status status = BR_OK;
    *by_name = false;
    if ((jobs->drawn || jobs->made) && (make->from_ns >= 0 || make->to_ns >= 0))
        return br_fail(diag, BR_USAGE, "give --from and --to with a workload",
                       "jobs that are drawn have no times to choose them by");
    if (jobs->drawn) {
        bool all = make->draw != BR_NO_ROW ? make->draw == BR_DRAW_ALL : !make->count || make->like;
        *by_name = all && !make->count;
        status = br_workload_draw(workload, all ? BR_DRAW_ALL : BR_DRAW_RANDOM,
                                  make->count ? (uint32_t)make->count : workload->dags, make->seed,
                                  diag);
    } else if (!jobs->made) {
        br_workload_slice(workload, make->from_ns < 0 ? 0 : make->from_ns,
                          make->to_ns < 0 ? BR_NEVER : make->to_ns, (uint32_t)make->count);
    }
    if (!status && !isnan(make->thin))
        br_workload_thin(workload, make->thin, make->seed);
    if (!status && !workload->jobs)
        status = br_fail(diag, BR_BAD_INPUT, "choose a wider part", "no job is left");
    return status;
}

static enum br_status workloads_change(const struct cli_workload_settings *make,
                                       const struct br_cluster *cluster,
                                       const struct cli_jobs *jobs, struct br_diag *diag)
{
    struct br_workload *workload = jobs->workload;
    struct plan plan = {0};
    bool by_name;
    enum br_status status = workloads_check_spacing(make, diag);
    if (!status)
        status = make->deadlines ? cli_read_deadlines(make->deadlines, &plan.deadline_factor,
                                                      &plan.deadline_ns, diag)
                                 : BR_OK;
    if (!status)
        status = choose_jobs(make, &plan, jobs, &by_name, diag);
    if (!status && !isnan(make->scale_durations))
        br_workload_scale_durations(workload, make->scale_durations);
    if (!status)
        status = place_jobs(make, &plan, cluster, jobs, by_name, diag);
    if (!status)
        status = give_groups(make, workload, diag);
    if (!status && make->deadlines)
        status = br_workload_set_deadlines(workload, plan.deadline_factor, plan.deadline_ns, diag);
    return status ? status : br_workload_finish(workload, diag);
}

/* Does a job exist in no file? */
static bool lacks_files(const struct br_workload *workload)
{
    bool lacks = false;
    for (uint32_t d = 0; d < workload->dags; d++)
        lacks |= !workload->dag[d].path;
    return lacks;
}

/* Writes the output: "xml", "csv" or "tasks" for a workload, "text", "json" or "svg" for a
 * description. */
static const char *workloads_format_of(const struct cli_settings *settings,
                                       const struct br_workload *workload)
{
    const struct cli_output_settings *output = &settings->output;
    const char *dot = output->path ? strrchr(output->path, '.') : NULL;
    bool described = settings->workload.describe || output->json;
    if (output->json)
        return "json";
    if (output->format)
        return output->format;
    if (described || !output->path)
        return dot && strcmp(dot, ".json") == 0 ? "json" : "text";
    return dot && strcmp(dot, ".csv") == 0    ? (lacks_files(workload) ? "tasks" : "csv")
           : dot && strcmp(dot, ".json") == 0 ? "json"
           : dot && strcmp(dot, ".svg") == 0  ? "svg"
           : dot && strcmp(dot, ".txt") == 0  ? "text"
                                              : "xml";
}

/* Writes what the recorded jobs could gain on the cluster, which may be NULL. */
static enum br_status workloads_write_potential(const struct cli_settings *settings,
                                                const struct br_workload *workload,
                                                const struct br_cluster *cluster,
                                                struct br_diag *diag)
{
    const struct cli_output_settings *output = &settings->output;
    struct br_potential potential = {0};
    struct cli_output out;
    const char *format = output->format ? output->format
                         : output->path ? cli_format_of(output->path, &br_potential_formats)
                                        : NULL;
    format = format ? format : "text";
    enum br_status status = BR_OK;
    if (output->json || br_named_find(&br_potential_formats, format) == BR_NO_ROW)
        status = br_fail(diag, BR_USAGE, "there are text, csv and svg",
                         "--potential has no output '%.80s'", output->json ? "json" : format);
    else if (!cluster)
        status = br_fail(diag, BR_USAGE, "add --cluster FILE, or --machines and --capacity",
                         "--potential needs to know the cluster");
    if (!status)
        status = br_potential_make(workload, cluster, &potential, diag);
    if (!status)
        status = cli_output_open_format(&out, output, format, diag);
    if (!status)
        status = cli_output_close(
            &out, br_emit_potential(format, workload, &potential, out.file, diag), diag);
    br_potential_finish(&potential);
    return status;
}

static enum br_status workloads_write(const struct cli_settings *settings,
                                      const struct br_workload *workload,
                                      const struct br_cluster *cluster, struct br_diag *diag)
{
    if (settings->workload.potential)
        return workloads_write_potential(settings, workload, cluster, diag);
    const char *format = workloads_format_of(settings, workload), *path = settings->output.path;
    bool json = strcmp(format, "json") == 0;
    struct cli_output output;
    enum br_status status = cli_output_open(&output, path, diag);
    if (status)
        return status;
    if (json || strcmp(format, "text") == 0)
        status = cli_describe_workload(workload, cluster, json, output.file, diag);
    else if (strcmp(format, "svg") == 0)
        status = br_emit_structure(workload, output.file, diag);
    else
        status = br_emit_workload(format, workload, output.target, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static int workloads_perform(const struct cli_settings *settings, const char *const *argument,
                             uint32_t arguments, struct br_diag *diag)
{
    struct br_cluster *cluster = NULL;
    struct cli_jobs jobs = {0};
    enum br_status status = cli_load_cluster(&settings->job, &cluster, diag);
    if (!status)
        status = cli_jobs_read(settings, argument, arguments, &jobs, diag);
    if (!status && settings->executors.count && !cluster) {
        jobs.workload->executors = (uint32_t)settings->executors.count;
        const struct br_executors_options executors = {.executors = jobs.workload->executors};
        status = br_executors_cluster(&executors, &cluster, diag);
    }
    const struct br_cluster *used = cluster         ? cluster
                                    : jobs.workload ? jobs.workload->cluster
                                                    : NULL;
    if (!status && used)
        status = br_features_refuse_cluster(used, 0, "a workload", diag);
    if (!status)
        status = workloads_change(&settings->workload, used, &jobs, diag);
    if (!status)
        status = workloads_write(settings, jobs.workload, used, diag);
    br_workload_destroy(jobs.workload);
    br_cluster_destroy(cluster);
    return status;
}

static const struct br_named draws[] = {
    [BR_DRAW_RANDOM] = {"random", "one of the job files each time, all as likely"},
    [BR_DRAW_ALL] = {"all", "the job files in their order, again from the first after the last"},
};
static const struct br_names draw_rows = {BR_NAMES(draws)};

static const struct br_named assigns[] = {
    [ASSIGN_RANDOM] = {"random", "each group as likely"},
    [ASSIGN_IN_TURN] = {"in-turn", "one after the other"},
};
static const struct br_names assign_rows = {BR_NAMES(assigns)};

static const struct br_named workload_forms[] = {
    {"xml", "the workload in its native form"},
    {"csv", "the workload as a table, a job a line"},
    {"tasks", "the same with the durations of single tasks and what is known of jobs"},
    {"text", "a description for people"},
    {"json", "a description for programs"},
    {"svg", "a picture of what jobs are like; with --potential, of what they could gain"},
};
static const struct br_names form_rows = {BR_NAMES(workload_forms)};

/* Kinds of generated jobs, then traces of jobs that recur. */
static const struct br_names like_rows = {
    .tables = (const struct br_names *const[]){&br_generate_kinds, &br_traces, NULL}};

static const struct br_option workload_rows[] = {
    OPTION(NAME, "like", "KIND", workload.like,
           "generate the jobs instead of reading files: of a kind, each with a seed of its own; or "
           "jobs that recur, as in a trace",
           .rows = &like_rows),
    OPTION(COUNT, "count", "N", workload.count,
           "number of jobs; of a workload, the first N (default: each job file once, the whole "
           "workload)",
           .least = 1, .most = 100000000),
    OPTION(CHOICE, "draw", "HOW", workload.draw,
           "how jobs come from job files (default: random with --count, else all)",
           .rows = &draw_rows),
    OPTION(TEXT, "arrivals", "KIND|FILE", workload.arrivals,
           "when jobs arrive: poisson, regular or batch (all at 0), or a table with a column of "
           "seconds (default for job files: poisson if a load or a time between arrivals is given, "
           "else batch)"),
    OPTION(REAL, "load", "L", workload.load,
           "arrivals so close that the cluster's most loaded resource has this load, such as 0.8",
           .low = 1e-6, .high = 1e6, .example = "0.8"),
    OPTION(SECONDS, "interarrival", "S", workload.interarrival_ns, "mean seconds between arrivals"),
    OPTION(SECONDS, "from", "S", workload.from_ns,
           "keep the jobs of a workload that arrive at S seconds or later, which becomes time 0"),
    OPTION(SECONDS, "to", "S", workload.to_ns,
           "keep the jobs of a workload that arrive before S seconds"),
    OPTION(REAL, "thin", "P", workload.thin, "keep each job with this probability, such as 0.1",
           .high = 1, .example = "0.1"),
    OPTION(REAL, "scale-time", "X", workload.scale_time, "multiply the times between arrivals",
           .low = 1e-9, .high = 1e9, .example = "2"),
    OPTION(REAL, "scale-durations", "X", workload.scale_durations,
           "multiply the durations of all tasks", .low = 1e-9, .high = 1e9, .example = "2"),
    OPTION(LIST, "groups", "NAME=W,...", workload.groups,
           "give the jobs groups, with these weights, such as a=2,b=1", .low = 1e-9, .high = 1e9,
           .list = BR_LIST_NAME_MAYBE_NUMBER, .example = "a=2,b=1"),
    OPTION(CHOICE, "assign", "HOW", workload.assign, "how --groups are given to jobs",
           .rows = &assign_rows),
    OPTION(TEXT, "deadlines", "S|Fx", workload.deadlines,
           "give every job a deadline S seconds after its arrival, or F times its critical path "
           "after, such as 2.5x"),
    OPTION(COUNT, "seed", "N", workload.seed, "seed of the random choices (default: 1)",
           .most = UINT64_MAX),
    OPTION(FLAG, "describe", NULL, workload.describe, "describe the workload (default without -o)"),
    OPTION(FLAG, "potential", NULL, workload.potential,
           "print how long recorded jobs took beside their critical paths, their work, and what no "
           "schedule can beat (text, csv with a row for each job, svg)"),
    OPTION(NAME, "format", "F", output.format,
           "what to write (default: by the ending of -o FILE, else xml with -o and text without)",
           .letter = 'f', .rows = &form_rows),
    OPTION(FLAG, "json", NULL, output.json, "describe the workload as JSON"),
    /* How recorded jobs are read: for other commands that read workloads, too. */
    OPTION(CHOICE, "parallel", "HOW", record.parallel,
           "how a recorded job of several processors counts", .rows = &br_parallels,
           .commands = CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT),
    OPTION(CHOICE, "group-by", "WHAT", record.group_by, "the groups of recorded jobs",
           .rows = &br_groupings, .commands = CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT),
    OPTION(FLAG, "completed-only", NULL, record.completed_only,
           "leave out recorded jobs that failed or were cancelled",
           .commands = CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT),
    OPTION(FLAG, "cpu-only", NULL, record.cpu_only,
           "recorded jobs demand processors, and neither memory nor anything else",
           .commands = CLI_WORKLOAD | CLI_SIMULATE | CLI_PREDICT),
    OPTION(TEXT, "before", "WORKLOAD", predict.before,
           "jobs to learn from, all of which have ended before the first one arrives",
           .commands = CLI_PREDICT | CLI_SIMULATE),
    OPTION(COUNT, "wide", "N", predict.wide,
           "predict jobs of at least N tasks; under policies with pilots, those of fewer go first "
           "(default: 3)",
           .least = 1, .most = BR_MAX_TASKS, .commands = CLI_PREDICT | CLI_SIMULATE),
    OPTION(COUNT, "executors", "N", executors.count,
           "a Spark-like cluster of N executors that belong to jobs, in place of machines; see "
           "docs/learned.md",
           .least = 1, .most = BR_WORKLOAD_EXECUTORS, .commands = CLI_SIMULATE | CLI_WORKLOAD),
    OPTION(COUNT, "seed", "N", simulate.seed, "seed of what happens (default: 1)",
           .most = UINT64_MAX, .commands = CLI_SIMULATE | CLI_COFLOW),
    OPTION(FLAG, "no-bounds", NULL, simulate.no_bounds, "do not compute lower bounds",
           .commands = CLI_SIMULATE | CLI_COFLOW),
    OPTION(COUNT, "threads", "N", search.threads,
           "threads (default: the processors that we may use); the result does not depend on it",
           .most = 1024, .commands = CLI_DEADLINE | CLI_TRAIN),
    OPTION(FLAG, "times", NULL, batch.times,
           "also print seconds and events a second, which differ from run to run",
           .commands = CLI_SIMULATE | CLI_COFLOW),
    OPTIONS_END};

static void workload_set_defaults(struct cli_settings *settings)
{
    settings->record.parallel = BR_PARALLEL_POOL;
    settings->record.group_by = BR_GROUP_BY_USER;
    settings->workload.assign = ASSIGN_RANDOM;
    settings->workload.seed = br_plan_options_default().seed;
    settings->workload.interarrival_ns = -1;
    settings->workload.from_ns = -1;
    settings->workload.to_ns = -1;
    settings->executors.moving_ns = 2000000000;
}

const struct cli_command cli_workload = {
    .name = "workload",
    .bit = CLI_WORKLOAD,
    .options = workload_rows,
    .set_defaults = workload_set_defaults,
    .least = 0,
    .most = 100000,
    .perform = workloads_perform,
    .arguments = "[JOBS...]",
    .summary = "make, slice, scale and describe a workload of many jobs",
    .text = "Makes a workload: jobs that arrive over time, for simulate. JOBS are job files in\n"
            "any format, folders of them, or one workload (XML, CSV, or the record of a\n"
            "cluster), which can be cut or scaled. With --like, jobs are generated and need no\n"
            "files. With --count jobs are drawn at random, else each is taken once. Without -o,\n"
            "or with --describe, it describes the workload.\n"
            "\n"
            "The load of a workload is the work that its jobs do on the most loaded resource\n"
            "(demand x duration, over all tasks) a second, over the capacity of the cluster: the\n"
            "mean work of a job over the mean time between arrivals.\n",
    .examples =
        "bigrocks workload jobs/ --count 200 --load 0.8 --cluster cluster.xml --seed 1 -o w.xml\n"
        "bigrocks workload --like cosmos --count 200 --arrivals batch -o batch.xml\n"
        "bigrocks workload log.swf --from 86400 --to 172800 --groups a=2,b=1 -o day.xml\n"
        "bigrocks workload w.xml --cluster cluster.xml\n"
        "bigrocks workload event-logs/ --potential --machines 20 --capacity cpu=16 -o gains.svg\n",
};
