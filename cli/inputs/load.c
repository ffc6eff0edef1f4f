/* Loading the job and the cluster that the options name. */
#include "cli/inputs/load.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/machine.h"
#include "base/roles.h"
#include "base/text/text.h"
#include "cli/options/choices.h"
#include "cli/terminal/say.h"
#include "parsers/text/value.h"
#include "runtime/predict/inputs.h"
#include "planner/eligibility/units.h"

enum br_status cli_add_shared(const struct cli_job_settings *job, struct br_cluster *cluster,
                              struct br_diag *diag)
{
    enum br_status status = job->shared ? br_parse_shared(job->shared, cluster, diag) : BR_OK;
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

/* That of --cluster, or of --machines and --capacity. */
static enum br_status load_machines(const struct cli_job_settings *job, struct br_cluster **cluster,
                                    struct br_diag *diag)
{
    if (job->cluster) {
        if (job->machines || job->capacity)
            return br_fail(diag, BR_USAGE, "leave out one of them",
                           "--cluster and --machines or --capacity exclude each other");
        return br_parse_cluster(job->cluster, cluster, diag);
    }
    if (job->machines && !job->capacity)
        return br_fail(diag, BR_USAGE, "add --capacity, such as --capacity cpu=16,mem=64GiB",
                       "--machines needs the capacity of a machine");
    if (!job->capacity)
        return BR_OK;
    uint32_t machines = job->machines ? (uint32_t)job->machines : 1;
    enum br_status status = br_parse_capacity(machines, job->capacity, cluster, diag);
    /* The text stands on the command line, in no file. */
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}

enum br_status cli_load_cluster(const struct cli_job_settings *job, struct br_cluster **cluster,
                                struct br_diag *diag)
{
    *cluster = NULL;
    enum br_status status = load_machines(job, cluster, diag);
    if (!status && job->shared && !*cluster)
        status = br_fail(diag, BR_USAGE, "add --capacity or --cluster",
                         "--shared needs the machines that share it");
    if (!status && *cluster)
        status = cli_add_shared(job, *cluster, diag);
    if (status) {
        br_cluster_destroy(*cluster);
        *cluster = NULL;
    }
    return status;
}

void cli_this_machine(char text[CLI_MACHINE_TEXT])
{
    struct br_machine machine;
    br_machine_ask(&machine);
    snprintf(text, CLI_MACHINE_TEXT, "cpu=%" PRIu32 ",mem=%" PRId64, machine.processors,
             machine.memory_bytes);
}

uint32_t cli_threads(const struct cli_search_settings *search)
{
    struct br_machine machine;
    if (search->threads)
        return (uint32_t)search->threads;
    br_machine_ask(&machine);
    return machine.processors;
}

struct br_parse_options cli_parse_options(const struct cli_job_settings *job)
{
    struct br_parse_options options = br_parse_options_default();
    options.from = job->from;
    options.transfer_rate = job->transfer_rate;
    options.transfer_mode = (enum br_transfer_mode)job->transfer_mode;
    options.speed = job->speed;
    options.default_duration_ns = job->default_duration_ns;
    options.measured_cores = job->measured_cores;
    options.overlap = job->overlap;
    options.any_order = job->any_order;
    options.hold = job->hold == CLI_HOLD_MEMORY;
    options.files = job->files;
    options.durations = job->durations;
    options.processes = job->processes;
    options.reverse = job->reverse;
    options.skip_self_loops = job->skip_self_loops;
    options.duration = job->duration;
    options.demands = job->demands;
    options.graph = job->graph;
    return options;
}

struct br_plan_options cli_plan_options(const struct cli_search_settings *search)
{
    struct br_plan_options options = br_plan_options_default();
    options.method = search->method;
    options.effort = search->effort == BR_NO_ROW ? BR_EFFORT_AUTO : (enum br_effort)search->effort;
    options.bound = search->bound == BR_NO_ROW
                        ? BR_PLAN_BOUND_FULL
                        : (enum br_plan_bound)(BR_PLAN_BOUND_NONE + search->bound);
    options.objective = search->objective == BR_NO_ROW ? BR_OBJECTIVE_MAKESPAN
                                                       : (enum br_objective)search->objective;
    options.seed = search->seed;
    options.threads = cli_threads(search);
    options.time_limit_ns = search->time_limit_ns < 0 ? 0 : search->time_limit_ns;
    /* The library takes 0 as no limit; on the command line it means as little as possible. */
    if (search->time_limit_ns == 0)
        options.time_limit_ns = 1;
    options.placements = search->placements;
    if (!isnan(search->tolerance))
        options.tolerance = search->tolerance / 100;
    options.threshold_limit = (uint32_t)search->thresholds;
    options.frag_score = (enum br_frag_score)search->frag_score;
    if (!isnan(search->troublesome))
        options.troublesome_limit = search->troublesome;
    return options;
}

enum br_status cli_fail_no_cluster(struct br_diag *diag)
{
    return br_fail(diag, BR_USAGE,
                   "add --machines 4 --capacity cpu=16,mem=64GiB, or --cluster FILE",
                   "the job's file carries no cluster, and the options give none");
}

enum br_status cli_set_ports(struct br_cluster *cluster, const char *text, struct br_diag *diag)
{
    int64_t rate;
    enum br_status status = br_value_rate(text, "--port-rate", "all machines", &rate, diag);
    for (uint32_t c = 0; c < cluster->classes && !status; c++)
        status = br_cluster_set_network(cluster, c, rate, rate, diag);
    return status ? BR_USAGE : BR_OK;
}

const char *cli_unit(const struct br_dag *dag, const char *resource)
{
    for (uint32_t r = 0; r < dag->resources; r++)
        if (strcmp(dag->resource[r].name, resource) == 0)
            return dag->resource[r].unit;
    return NULL;
}

enum br_status cli_check_amount(const struct br_dag *dag, const char *resource, const char *amount,
                                struct br_diag *diag)
{
    const char *unit = cli_unit(dag, resource);
    if (!br_role_is_in_bytes(amount) || !br_role_is_multiple(unit))
        return BR_OK;
    return br_fail(diag, BR_USAGE, "write a number without a suffix, in the job's own unit",
                   "%.80s is in %.40s in this job, and '%s' is in bytes", resource, unit, amount);
}

enum br_status cli_check_standard(const struct cli_job_settings *job, const char *what,
                                  const char *path, struct br_diag *diag)
{
    const struct {
        const char *path, *what;
    } input[] = {{path, what},
                 {job->cluster, "cluster"},
                 {job->durations, "table of durations"},
                 {job->processes, "graph of processes"}};
    const char *first = NULL;
    for (size_t k = 0; k < sizeof input / sizeof *input; k++) {
        if (!input[k].path || strcmp(input[k].path, "-") != 0)
            continue;
        if (first)
            return br_fail(diag, BR_USAGE, "give one of them as a file",
                           "the %s and the %s cannot both come from standard input", first,
                           input[k].what);
        first = input[k].what;
    }
    return BR_OK;
}

enum br_status cli_load(const struct cli_job_settings *job, const char *path, bool need_cluster,
                        struct br_input *input, struct br_diag *diag)
{
    struct br_parse_options options = cli_parse_options(job);
    struct br_cluster *cluster;
    *input = (struct br_input){0};
    enum br_status status = cli_check_standard(job, "job", path, diag);
    if (!status)
        status = cli_load_cluster(job, &cluster, diag);
    if (status)
        return status;
    status = br_parse_job(path, &options, input, diag);
    if (status) {
        br_cluster_destroy(cluster);
        return status;
    }
    if (cluster) {
        br_cluster_destroy(input->cluster);
        input->cluster = cluster;
    }
    /* Later faults are not in this file, or say so themselves. */
    *diag = (struct br_diag){0};
    if (need_cluster && !input->cluster)
        status = cli_fail_no_cluster(diag);
    else if (input->cluster)
        status = br_units_check(input->cluster, input->dag, diag);
    if (status == BR_BAD_INPUT &&
        (job->capacity || job->shared)) /* which stands on the command line */
        status = BR_USAGE;
    if (!status && job->port_rate && input->cluster)
        status = cli_set_ports(input->cluster, job->port_rate, diag);
    if (status) {
        br_input_finish(input);
        *input = (struct br_input){0};
    }
    return status;
}

static const char *worthless(const struct br_dag *dag)
{
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (dag->duration_ns[t] > 0)
            return NULL;
    return "no task has a duration, so any plan takes 0 s and says nothing; give "
           "--default-duration 1, or durations";
}

const char *cli_doubt(const struct br_dag *dag)
{
    const char *why = worthless(dag);
    return why ? why : dag->doubts ? dag->doubt[0] : NULL;
}

static const char *cli_load_name_of(const char *path)
{
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

void cli_warn_reading(const char *path, const struct br_dag *dag)
{
    const char *name = cli_load_name_of(path);
    for (uint32_t d = 0; d < dag->doubts; d++)
        cli_say("warning: %s: %s", name, dag->doubt[d]);
    for (uint32_t a = 0; a < dag->attributes; a++) {
        const struct br_attribute *told = &dag->attribute[a];
        if (told->owner == BR_OWNER_JOB && strcmp(told->name, "durations") == 0 &&
            strncmp(told->value, "estimated, ", 11) == 0 && br_text_is_plain(told->value))
            cli_say("warning: %s: durations are %.80s", name, told->value);
    }
}

void cli_warn(const char *path, const struct br_dag *dag)
{
    const char *why = worthless(dag);
    if (why)
        cli_say("warning: %s: %s", cli_load_name_of(path), why);
    cli_warn_reading(path, dag);
}

/* The processors of all machines. */
static double count_cores(const struct br_cluster *cluster)
{
    double cores = 0;
    for (uint32_t c = 0; c < cluster->classes; c++) {
        const struct br_class *cls = &cluster->cls[c];
        for (uint32_t k = 0; k < cls->capacities; k++)
            if (br_role_of(cls->capacity[k].resource) == BR_ROLE_CPU)
                cores += cls->count * (double)br_decimal_ceil(cls->capacity[k].amount);
    }
    return cores;
}

void cli_warn_bound(const char *path, const struct br_dag *dag, const struct br_cluster *cluster,
                    int64_t bound_ns)
{
    char bound[CLI_SECONDS_TEXT], took[CLI_SECONDS_TEXT];
    if (dag->recorded_ns == 0 || bound_ns <= dag->recorded_ns ||
        count_cores(cluster) < dag->recorded_cores)
        return;
    if (dag->recorded_cores == 0) {
        cli_say("warning: %s: the lower bound of %s s is above the %s s that the recorded run "
                "took, on an unknown number of cores: if it had no more than this cluster, its "
                "times include waiting for cores; give their number by --measured-cores",
                cli_load_name_of(path), cli_seconds(bound_ns, bound),
                cli_seconds(dag->recorded_ns, took));
        return;
    }
    cli_say("warning: %s: the lower bound of %s s is above the %s s that the recorded run took: "
            "the run differs from the job: its stages ran side by side, its times include waiting, "
            "or tasks differ from the mean of their stage",
            cli_load_name_of(path), cli_seconds(bound_ns, bound),
            cli_seconds(dag->recorded_ns, took));
}

void cli_say_known(const struct br_annotate_report *report)
{
    if (report->known)
        cli_say("%" PRIu32 " of %" PRIu32 " stages as the history has them, their mean durations "
                "known within a factor of %.3g (%.0f %%)",
                report->known, report->stages, report->factor, 100 * BR_BELIEF_INTERVAL);
    else
        cli_say("0 of %" PRIu32 " stages as the history has them", report->stages);
}

enum br_status cli_annotate_input(struct br_history *history, struct br_input *input, bool quiet,
                                  uint32_t *known, struct br_diag *diag)
{
    struct br_dag *made;
    struct br_annotate_report report;
    enum br_status status =
        br_history_annotate(history, input->dag, input->cluster, 0, &made, &report, diag);
    if (!status) {
        br_dag_destroy(input->dag);
        input->dag = made;
        if (!quiet)
            cli_say_known(&report);
    }
    if (known)
        *known = report.known;
    br_annotate_report_finish(&report);
    return status;
}

enum { JOBS_TOLD = 5, NAME_TOLD = 200 };

static void cli_load_add_job(void *context, const struct br_history_job *job)
{
    struct cli_history_jobs *jobs = context;
    jobs->known |= strcmp(job->name, jobs->name) == 0;
    if (jobs->told == JOBS_TOLD) {
        jobs->more++;
        return;
    }
    assert(jobs->used < sizeof jobs->text);
    jobs->used += (size_t)snprintf(jobs->text + jobs->used, sizeof jobs->text - jobs->used,
                                   "%s'%.*s' (%" PRIu32 " %s)", jobs->told ? ", " : "", NAME_TOLD,
                                   job->name, job->runs, job->runs == 1 ? "run" : "runs");
    jobs->told++;
}

enum br_status cli_look_for_job(struct br_history *history, struct cli_history_jobs *jobs,
                                struct br_diag *diag)
{
    enum br_status status = br_history_jobs(history, cli_load_add_job, jobs, diag);
    char *end = jobs->text + jobs->used;
    size_t left = sizeof jobs->text - jobs->used;
    if (jobs->more)
        snprintf(end, left, " and %" PRIu32 " more", jobs->more);
    return status;
}

static enum br_status say_jobs(const char *path, struct br_history *history,
                               const struct br_dag *dag, struct br_diag *diag)
{
    struct cli_history_jobs jobs = {.name = br_dag_name(dag)};
    enum br_status status = cli_look_for_job(history, &jobs, diag);
    if (!status && !jobs.told)
        cli_say("%s has no runs yet", path);
    else if (!status && !jobs.known)
        cli_say("%s has no runs of '%.200s'; it has runs of %s", path, jobs.name, jobs.text);
    return status;
}

void cli_say_alike(const char *path, const struct br_dag *dag, const char *alike)
{
    cli_say("%s has no runs of '%.200s'; '%.200s' has the same stages", path, br_dag_name(dag),
            alike);
}

enum br_status cli_open_history(const char *path, const struct br_dag *dag, bool quiet,
                                struct br_history **history, struct br_diag *diag)
{
    char *alike = NULL;
    enum br_status status = br_history_open_to_read(path, br_dag_name(dag), history, diag);
    if (status)
        return status;
    status = br_history_find(*history, dag, &alike, diag);
    if (!status && alike && !quiet)
        cli_say_alike(path, dag, alike);
    if (!status && !alike && !quiet)
        status = say_jobs(path, *history, dag, diag);
    free(alike);
    uint32_t scaled = 0;
    if (!status)
        status = br_inputs_expect(*history, dag, &scaled, diag);
    if (!status && scaled && !quiet)
        cli_say("durations of %" PRIu32 " %s are brought to the sizes of the inputs now", scaled,
                scaled == 1 ? "stage" : "stages");
    if (status) {
        br_history_close(*history, NULL);
        *history = NULL;
    }
    return status;
}

enum br_status cli_make_history(const char *path, struct br_diag *diag)
{
    struct br_history *history;
    enum br_status status = br_history_open(path, "", &history, diag);
    return status ? status : br_history_close(history, diag);
}

enum br_status cli_learn(const char *path, struct br_input *input, bool quiet, struct br_diag *diag)
{
    struct br_history *history;
    enum br_status status = cli_open_history(path, input->dag, quiet, &history, diag);
    if (status)
        return status;
    status = cli_annotate_input(history, input, quiet, NULL, diag);
    br_history_close(history, NULL);
    return status;
}

enum br_status cli_load_order(const struct cli_search_settings *search, const struct br_dag *dag,
                              const uint32_t *rest, uint32_t **order, struct br_diag *diag)
{
    uint32_t *listed = NULL, count = 0;
    *order = NULL;
    if (!search->order)
        return BR_OK;
    enum br_status status = br_parse_order(search->order, dag, &listed, &count, diag);
    if (status)
        return status;
    *order = malloc(((size_t)dag->tasks + 1) * sizeof **order);
    status = *order ? br_dag_complete_order(dag, listed, count, rest, *order, diag)
                    : br_fail_memory(diag);
    free(listed);
    if (!status) {
        br_diag_file(diag, NULL);
        return BR_OK;
    }
    free(*order);
    *order = NULL;
    return status;
}

enum br_status cli_check_store(const struct cli_search_settings *search, struct br_diag *diag)
{
    if (search->order && (search->store || search->network))
        return br_fail(diag, BR_USAGE, "leave one of them out", "--order goes without --%s",
                       search->store ? "store" : "network");
    if (search->store && search->network)
        return br_fail(diag, BR_USAGE, "leave one of them out",
                       "--store keeps no plans that account for transfers (--network)");
    if (search->store && search->method && strcmp(search->method, br_method_name(0)) != 0)
        return br_fail(
            diag, BR_USAGE, "leave one of them out",
            "--store keeps plans of any method as one, so it goes without --method %.40s",
            search->method);
    return BR_OK;
}
