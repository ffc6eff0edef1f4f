/* bigrocks simulate: a workload on a cluster under one policy after another. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "cli/inputs/load.h"
#include "cli/options/choices.h"
#include "cli/options/commands.h"
#include "cli/options/enforcer.h"
#include "cli/options/options.h"
#include "cli/options/shard.h"
#include "cli/output/output.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "cluster/executors/classes.h"
#include "cluster/executors/network/model.h"
#include "cluster/predict/cases.h"
#include "cluster/simulate/command/choices.h"
#include "cluster/simulate/command/deadlines.h"
#include "cluster/simulate/command/merge.h"
#include "cluster/simulate/experiment/experiment.h"
#include "cluster/simulate/network/transit.h"
#include "cluster/workload/misjudge.h"
#include "cluster/simulate/policies/policies.h"
#include "cluster/simulate/report/study.h"
#include "cluster/workload/command/record_options.h"
#include "cluster/workload/command/world_options.h"
#include "cluster/workload/read/workloads.h"
#include "planner/eligibility/features.h"

enum { MOST_POLICIES = 1000 };

/* --network and its options. */
static enum br_status read_network(const struct cli_settings *settings,
                                   struct br_experiment *request, struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    const uint32_t policy = settings->simulate.network_policy;
    if (!settings->search.network)
        return policy != BR_NO_ROW || settings->job.port_rate
                   ? br_fail(diag, BR_USAGE, "add --network",
                             "--network-policy and --port-rate are for bytes that move")
                   : BR_OK;
    if (request->executors.options.executors)
        return br_fail(diag, BR_USAGE, "give a cluster of machines by --cluster",
                       "executors have no ports, so --network is not for them");
    request->network = br_transit_policy(policy == BR_NO_ROW ? 0 : policy);
    return settings->job.port_rate ? cli_set_ports(cluster, settings->job.port_rate, diag) : BR_OK;
}

/* "a,b=1,c": names into rows. */
static enum br_status simulate_read_policies(const char *text, bool executors,
                                             struct br_experiment_policy **policies,
                                             uint32_t *count, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    *count = 0;
    *policies = calloc(br_list_count(text), sizeof **policies);
    if (!*policies)
        return br_fail_memory(diag);
    struct br_list_entry entry;
    while (!status && br_list_next(BR_LIST_WORD, &text, &entry)) {
        struct br_experiment_policy *policy = &(*policies)[*count];
        policy->name = strndup(entry.name, entry.length);
        if (!policy->name)
            return br_fail_memory(diag);
        ++*count;
        status = executors
                     ? br_executors_find(policy->name, &policy->executors, &policy->number, diag)
                     : br_policies_find(policy->name, &policy->row, &policy->number, diag);
    }
    return status;
}

static void free_policies(struct br_experiment_policy *policies, uint32_t count)
{
    for (uint32_t k = 0; policies && k < count; k++)
        free(policies[k].name);
    free(policies);
}

/* The request, except the workload and the cluster. */
static enum br_status simulate_read_options(const struct cli_settings *settings,
                                            struct br_experiment *request, struct br_diag *diag)
{
    const struct cli_simulate_settings *simulate = &settings->simulate;
    enum br_status status = cli_world_options(simulate, &request->world, diag);
    if (!status)
        request->enforcer = cli_enforcer_options(&settings->enforcer);
    request->refine = settings->enforcer.refine;
    request->seeds = (uint32_t)simulate->seeds;
    request->wide = (uint32_t)settings->predict.wide;
    request->plan = cli_plan_options(&settings->search);
    request->threads = cli_threads(&settings->search);
    request->plan.threads = 1;
    request->plan.placements = simulate->placements;
    request->plan.effort =
        simulate->plan_effort == BR_NO_ROW ? BR_EFFORT_FAST : (enum br_effort)simulate->plan_effort;
    request->bounds = !simulate->no_bounds;
    request->clairvoyant = simulate->clairvoyant;
    return status ? status
                  : cli_shard_read(settings->batch.shard, &request->first, &request->step, diag);
}

/* The entry's name, from the arena; NULL when memory is out. */
static const char *entry_name(struct br_arena *arena, const struct br_list_entry *entry)
{
    char *name = br_arena_array(arena, entry->length + 1, 1);
    if (name)
        memcpy(name, entry->name, entry->length);
    return name;
}

/* The rows of --overbook, from the arena. */
static enum br_status read_overbook(const char *list, struct br_arena *arena,
                                    struct br_experiment *request, struct br_diag *diag)
{
    if (!list)
        return BR_OK;
    struct br_overbook *row = br_arena_array(arena, br_list_count(list), sizeof *row);
    if (!row)
        return br_fail_memory(diag);
    request->overbook = row;
    struct br_list_entry entry;
    while (br_list_next(BR_LIST_NAME_NUMBER, &list, &entry)) {
        const char *name = entry_name(arena, &entry);
        if (!name)
            return br_fail_memory(diag);
        row[request->overbooked++] = (struct br_overbook){name, (uint32_t)entry.value};
    }
    return BR_OK;
}

/* --average and --unseen, from the arena. Bounds know demands as they are declared alone. */
static enum br_status read_uses(const struct cli_simulate_settings *simulate,
                                struct br_arena *arena, struct br_experiment *request,
                                struct br_diag *diag)
{
    const char *averages = simulate->averages, *unseen = simulate->unseen;
    struct br_average *average =
        br_arena_array(arena, averages ? br_list_count(averages) : 0, sizeof *average);
    const char **name = br_arena_array(arena, unseen ? br_list_count(unseen) : 0, sizeof *name);
    struct br_list_entry entry;
    if (!average || !name)
        return br_fail_memory(diag);
    while (averages && br_list_next(BR_LIST_NAME_NUMBER, &averages, &entry)) {
        const char *resource = entry_name(arena, &entry);
        if (!resource)
            return br_fail_memory(diag);
        average[request->world.averages++] = (struct br_average){resource, (uint32_t)entry.value};
    }
    while (unseen && br_list_next(BR_LIST_WORD, &unseen, &entry)) {
        name[request->unseens] = entry_name(arena, &entry);
        if (!name[request->unseens++])
            return br_fail_memory(diag);
    }
    request->world.average = average;
    request->unseen = name;
    if (!request->world.averages && isnan(simulate->misjudged.first))
        return BR_OK;
    request->bounds = false;
    return request->clairvoyant
               ? br_fail(diag, BR_USAGE, "leave it out",
                         "--clairvoyant takes demands as they are declared, so it does not go with "
                         "--average and --misjudged")
               : BR_OK;
}

/* --misjudged: from now on the workload declares what users believe. */
static enum br_status misjudge(const struct cli_simulate_settings *simulate,
                               struct br_workload *workload, const struct br_cluster *cluster,
                               struct br_diag *diag)
{
    double least = simulate->misjudged.first / 100, most = simulate->misjudged.second / 100;
    if (isnan(least))
        return BR_OK;
    most = isnan(most) ? least : most;
    if (most < least)
        return br_fail(diag, BR_USAGE, "the lower number goes first, such as -75:-50",
                       "--misjudged has its numbers the wrong way round");
    return br_workload_misjudge(workload, cluster, simulate->seed, least, most, diag);
}

static enum br_status simulate_merge(const struct cli_settings *settings, const char *const *path,
                                     uint32_t paths, struct br_diag *diag)
{
    struct cli_output output;
    enum br_status status = cli_output_open(&output, settings->output.path, diag);
    if (status)
        return status;
    status = cli_merge_studies(path, paths, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static enum br_status simulate_write_study(const struct cli_settings *settings, const char *format,
                                           const struct br_experiment_results *study,
                                           struct br_diag *diag)
{
    struct cli_output output;
    enum br_status status = cli_output_open_format(&output, &settings->output, format, diag);
    if (status)
        return status;
    status = br_emit_study(format, &study->study, output.file, diag);
    return cli_output_close(&output, status, diag);
}

static void simulate_tell(void *progress, uint32_t done, uint32_t of)
{
    cli_progress_jobs(progress, done, of, 0);
}

static enum br_status study(const struct cli_settings *settings,
                            const struct br_experiment *request, const char *format,
                            struct br_diag *diag)
{
    struct br_experiment experiment = *request;
    struct br_experiment_results done;
    struct cli_progress progress;
    experiment.series = br_study_draws(format);
    experiment.spans = br_study_lists_tasks(format);
    experiment.stop = cli_interrupt_catch();
    experiment.ended = simulate_tell;
    experiment.context = &progress;
    cli_progress_begin(&progress, settings->output.quiet);
    enum br_status status = br_experiment_run(&experiment, &done, diag);
    cli_progress_end(&progress);
    done.study.times = settings->batch.times;
    if (!status && done.cut)
        cli_say("interrupted with %u of %u runs done", done.study.runs, done.room);
    if (!status && done.plans_made && !settings->output.quiet)
        cli_say("planned %u %s in %.1f s, %u of them by the critical path alone (--placements)",
                done.plans_made, done.plans_made == 1 ? "job" : "jobs", done.planning_seconds,
                done.plans_by_path);
    if (!status && done.study.runs)
        status = simulate_write_study(settings, format, &done, diag);
    if (!status && done.cut)
        status = BR_NO; /* a script must learn that runs are missing */
    br_experiment_finish(&done);
    return status;
}

/* The format that -f gives, or the ending of -o FILE, else text. */
static const char *simulate_format_of(const struct cli_output_settings *output)
{
    if (output->format)
        return output->format;
    const char *format = output->path ? cli_format_of(output->path, &br_study_formats) : NULL;
    return format ? format : "text";
}

/* Executors instead of machines: from the option, else from the workload unless there is a cluster.
 */
static enum br_status read_executors(const struct cli_settings *settings,
                                     const struct br_workload *workload,
                                     struct br_cluster **cluster, struct br_experiment *request,
                                     struct br_diag *diag)
{
    const struct cli_simulate_settings *simulate = &settings->simulate;
    struct br_executors_options *options = &request->executors.options;
    uint32_t executors = settings->executors.count ? (uint32_t)settings->executors.count
                         : *cluster                ? 0
                                                   : workload->executors;
    if (!executors)
        return settings->executors.classes || settings->executors.draw_requests ||
                       settings->executors.simple || settings->executors.yields
                   ? br_fail(diag, BR_USAGE, "give --executors N",
                             "--classes, --draw-requests, --simple and --yield are for executors")
                   : BR_OK;
    if (settings->executors.draw_requests && !settings->executors.classes)
        return br_fail(diag, BR_USAGE, "give --classes", "--draw-requests is for classes");
    if (*cluster)
        return br_fail(diag, BR_USAGE, "leave out one of them",
                       "--executors takes the place of a cluster");
    if (simulate->averages || simulate->unseen || !isnan(simulate->misjudged.first) ||
        settings->enforcer.refine)
        return br_fail(diag, BR_USAGE, "give a cluster of machines by --cluster",
                       "executors know no --average, --misjudged, --refine and --unseen");
    if (simulate->errors || !isnan(simulate->failures) || !isnan(simulate->stragglers.first) ||
        !isnan(simulate->leave.first) || simulate->clairvoyant || settings->enforcer.overbook)
        return br_fail(
            diag, BR_USAGE, "give a cluster of machines by --cluster",
            "executors know no errors, failures, stragglers, overbooking or clairvoyants");
    *options = (struct br_executors_options){.executors = executors,
                                             .moving_ns = settings->executors.moving_ns,
                                             .simple = settings->executors.simple,
                                             .yields = settings->executors.yields};
    request->executors.draw_requests = settings->executors.draw_requests;
    request->executors.threads = request->threads;
    enum br_status status =
        settings->executors.classes
            ? br_executors_classes_read(settings->executors.classes, options, diag)
            : BR_OK;
    return status ? status : br_executors_cluster(options, cluster, diag);
}

/* The model of a learned policy. */
static enum br_status read_model(const char *path, struct br_model *model,
                                 struct br_experiment *request, struct br_diag *diag)
{
    if (!request->executors.options.executors)
        return br_fail(diag, BR_USAGE, "give --executors N", "--model is for executors");
    enum br_status status = br_model_open(path, model, diag);
    if (status)
        return status;
    br_diag_file(diag, NULL);
    request->executors.model = model;
    return BR_OK;
}

/* Does the policy deal with deadlines? */
static bool controls(const struct br_experiment *request)
{
    for (uint32_t k = 0; k < request->policies; k++)
        if (request->policy[k].row && request->policy[k].row->controls)
            return true;
    return false;
}

/* What is shared may be consumed; whether it is held as well shows in a choice. */
static unsigned choose_shared(const struct br_dag *dag)
{
    return br_features(dag, NULL) & BR_FEATURE_CONSUMED ? BR_FEATURE_SHARED : 0;
}

/* Jobs that may run in several ways do so by their plans. */
static enum br_status choose(const struct cli_settings *settings, struct br_workload *workload,
                             const struct br_experiment *request, struct br_cluster *cluster,
                             struct br_cluster **chosen, struct br_diag *diag)
{
    uint32_t dags;
    const bool executors = request->executors.options.executors;
    const unsigned ways = executors ? 0 : BR_FEATURES_MODES;
    enum br_status status = BR_OK;
    for (uint32_t d = 0; d < workload->dags && !status; d++)
        status = br_features_refuse(workload->dag[d].dag, request->cluster,
                                    ways | choose_shared(workload->dag[d].dag),
                                    executors ? "a run on executors" : "the simulator", diag);
    /* What no job demands may be shared. */
    if (!status)
        status = br_features_refuse_cluster(request->cluster, ways | BR_FEATURE_SHARED,
                                            "the simulator", diag);
    if (!status)
        status = br_choices_make(workload, cluster, &request->plan, chosen, &dags, diag);
    if (!status && dags && !settings->output.quiet)
        cli_say("%" PRIu32
                " %s by the alternatives and on the classes of machines of a plan of its "
                "own: policies choose order and machines, and bounds are for this choice",
                dags, dags == 1 ? "job file runs" : "job files run, each");
    return status;
}

/* The jobs of --before, from which predictors learn. */
static enum br_status simulate_read_history(const struct cli_settings *settings,
                                            const struct br_workload *workload,
                                            struct br_cases *cases, struct br_experiment *request,
                                            struct br_diag *diag)
{
    const struct br_workload_options reading = cli_workload_options(settings);
    const struct br_cases_options options = {.most_tasks = UINT32_MAX};
    struct br_workload *history;
    enum br_status status = br_parse_workload(settings->predict.before, &reading, &history, diag);
    if (status)
        return status;
    status = br_cases_make(workload, history, &options, cases, diag);
    request->histories = cases->history;
    request->history = cases->item;
    br_workload_destroy(history);
    return status;
}

/* Is the job a single task of several processors, as recorded jobs are? */
static bool is_rigid(const struct br_dag *dag)
{
    const struct br_decimal one = {1, 0};
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->tasks == 1 && br_decimal_compare(dag->demand[d].amount, one) > 0 &&
            br_role_of(dag->resource[dag->demand[d].resource].name) == BR_ROLE_CPU)
            return true;
    return false;
}

static bool takes_no_time(const struct br_workload *workload, const struct br_workload_job *job)
{
    const struct br_dag *dag = workload->dag[job->dag].dag;
    const int64_t *ns = job->true_ns ? job->true_ns : dag->duration_ns;
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (ns[t] > 0)
            return false;
    return true;
}

/* Reports the reader's assumptions, and facts that the simulation's figures do not show. */
static void say_notes(const char *path, const struct br_workload *workload)
{
    bool rigid = false;
    uint32_t timeless = 0;
    for (uint32_t d = 0; d < workload->dags; d++)
        rigid |= is_rigid(workload->dag[d].dag);
    for (uint32_t j = 0; j < workload->jobs; j++)
        timeless += takes_no_time(workload, &workload->job[j]);
    if (workload->note)
        cli_say("%s: %s", path, workload->note);
    if (rigid)
        cli_say(
            "%s: a job that does not fit yet is passed by all that fit: no policy reserves room "
            "for a large one, as batch systems do",
            path);
    if (timeless)
        cli_say("%s: jobs that take 0 s, and have no slowdown: %" PRIu32, path, timeless);
}

static int simulate_perform(const struct cli_settings *settings, const char *const *argument,
                            uint32_t arguments, struct br_diag *diag)
{
    struct br_experiment request = {0};
    struct br_experiment_policy *policies = NULL;
    struct br_workload *workload = NULL;
    struct br_cluster *cluster = NULL, *chosen = NULL, *used;
    struct br_arena arena = {0};
    struct br_cases cases = {0};
    struct cli_deadlines deadlines = {0};
    struct br_model model = {0};
    struct br_workload_options reading = cli_workload_options(settings);
    reading.ways = true;
    if (settings->batch.merge)
        return simulate_merge(settings, argument, arguments, diag);
    if (arguments > 1)
        return br_fail(diag, BR_USAGE, "simulate one after the other",
                       "too many arguments: one workload");
    enum br_status status = simulate_read_options(settings, &request, diag);
    if (!status)
        status = cli_load_cluster(&settings->job, &cluster, diag);
    if (!status)
        status = br_parse_workload(argument[0], &reading, &workload, diag);
    if (!status && !settings->output.quiet)
        say_notes(argument[0], workload);
    if (!status)
        status = read_executors(settings, workload, &cluster, &request, diag);
    bool executors = request.executors.options.executors;
    if (!status && settings->simulate.model)
        status = read_model(settings->simulate.model, &model, &request, diag);
    const char *usual = executors ? "fair" : "graphene";
    if (!status)
        status = simulate_read_policies(settings->simulate.policies ? settings->simulate.policies
                                                                    : usual,
                                        executors, &policies, &request.policies, diag);
    request.policy = policies;
    request.workload = workload;
    request.cluster = used = cluster ? cluster : workload ? workload->cluster : NULL;
    if (!status && !used)
        status = cli_fail_no_cluster(diag);
    if (!status)
        status = choose(settings, workload, &request, used, &chosen, diag);
    if (chosen)
        request.cluster = used = chosen;
    if (!status)
        status = cli_declare_fungible(&settings->enforcer, used, diag);
    if (!status)
        status = read_network(settings, &request, used, diag);
    if (!status)
        status = misjudge(&settings->simulate, workload, used, diag);
    if (!status)
        status = read_overbook(settings->enforcer.overbook, &arena, &request, diag);
    if (!status)
        status = read_uses(&settings->simulate, &arena, &request, diag);
    if (!status)
        status = cli_deadlines_set(&settings->control, workload, diag);
    if (!status && controls(&request)) {
        status = cli_deadlines_open(&settings->control, workload, used, &request.world,
                                    request.threads, cli_interrupt_catch(), &deadlines, diag);
        cli_interrupt_release();
        request.deadlines = &deadlines.settings;
    }
    if (!status && settings->predict.before)
        status = simulate_read_history(settings, workload, &cases, &request, diag);
    if (!status)
        status = study(settings, &request, simulate_format_of(&settings->output), diag);
    br_cases_finish(&cases);
    cli_deadlines_finish(&deadlines);
    br_model_finish(&model);
    br_workload_destroy(workload);
    br_cluster_destroy(cluster);
    br_cluster_destroy(chosen);
    br_arena_finish(&arena);
    free_policies(policies, request.policies);
    return status;
}

static const struct br_option simulate_rows[] = {
    OPTION(LIST, "policy", "P,...", simulate.policies,
           "the policies to compare, such as graphene,tetris,weighted-fair=-1 (default: graphene; "
           "see docs/simulate.md)",
           .list = BR_LIST_WORD, .most = MOST_POLICIES, .example = "graphene,tetris",
           .rows = &br_simulate_policies),
    OPTION(SECONDS, "moving", "S", executors.moving_ns,
           "seconds that an executor takes to move to another job (default: 2)"),
    OPTION(LIST, "classes", "M,M,...", executors.classes,
           "executors of several sizes: the memory of each class, such as 0.25,0.5,0.75,1, with "
           "equally many executors; stages run on executors that have the 'mem' that they demand",
           .list = BR_LIST_NUMBER, .high = 1e15, .above = true, .rising = true,
           .most = BR_EXECUTOR_CLASSES, .example = "0.25,0.5,0.75,1"),
    OPTION(FLAG, "draw-requests", NULL, executors.draw_requests,
           "with --classes: a stage that demands no 'mem' asks for a random part of the largest "
           "class"),
    OPTION(FLAG, "yield", NULL, executors.yields,
           "with --executors: decide about one that ends a task if a job has come, even if its "
           "stage has more tasks"),
    OPTION(FLAG, "simple", NULL, executors.simple,
           "with --executors: every task lasts the mean of its stage, on any number of executors"),
    OPTION(TEXT, "model", "FILE", simulate.model,
           "with --executors: the model of the policy 'learned', from 'bigrocks train'"),
    OPTION(COUNT, "seeds", "N", simulate.seeds,
           "run every policy N times, with seeds from --seed on (default: 1)", .least = 1,
           .most = 100000),
    OPTION(LIST, "errors", "L=B:S,...", simulate.errors,
           "true durations are the declared ones times a factor for each job, stage, task: its "
           "mean is B, the spread of its logarithm S, such as stage=1.2:0.3,task=1:0.1",
           .list = BR_LIST_NAME_PAIR, .names = &cli_error_levels, .high = 1e9,
           .example = "stage=1.2:0.3,task=1:0.1"),
    OPTION(REAL, "failures", "X", simulate.failures,
           "share of the attempts at tasks that fail (default: 0)", .high = 1, .example = "0.01"),
    OPTION(PAIR, "stragglers", "X:F", simulate.stragglers,
           "share of the attempts that take F times as long (default: 0, F 3)", .high = 1e6,
           .example = "0.05:3"),
    OPTION(
        LIST, "average", "R=P,...", simulate.averages,
        "what tasks use of a resource on average, in percent of what they declare, which is their "
        "peak, such as net=60,disk=60 (default: 100)",
        .list = BR_LIST_NAME_NUMBER, .low = 1, .high = 100, .whole = true,
        .example = "net=60,disk=60"),
    OPTION(PAIR, "misjudged", "L:M", simulate.misjudged,
           "durations and demands are declared L to M percent too high, drawn for each stage; "
           "negative: too low (default: 0)",
           .low = -99, .high = 10000, .example = "-75:-50"),
    OPTION(LIST, "unseen", "R,...", simulate.unseen,
           "resources that the policies capacity, capacity-plan, fifo and cp do not look at; tasks "
           "slow if they use more of them than there is",
           .list = BR_LIST_WORD, .example = "net,disk"),
    OPTION(PAIR, "leave", "S:R", simulate.leave,
           "machines leave after S seconds on average, and return after R (default: they stay, "
           "R 600)",
           .high = 1e9, .example = "86400:600"),
    OPTION(FLAG, "lose-outputs", NULL, simulate.lose_outputs,
           "with --leave: outputs of tasks are lost with the machine on which they ended, and are "
           "made again if a task that has not started needs them"),
    OPTION(CHOICE, "effort", "E", simulate.plan_effort,
           "how hard to plan each job for the policies that follow plans (default: fast)",
           .rows = &cli_efforts),
    OPTION(COUNT, "placements", "N", simulate.placements,
           "tasks placed before the search for the plan of one job ends; jobs of more than N/20 "
           "tasks are planned by their critical path alone (default: 200000; 0: no limit)",
           .most = UINT64_MAX),
    OPTION(LIST, "deadlines", "S,...", control.deadlines,
           "seconds after its arrival by which a job is to end, one for all jobs or one for each "
           "(default: as in the workload)",
           .list = BR_LIST_NUMBER, .low = 1e-9, .high = 3e8, .example = "2700"),
    OPTION(LIST, "move-deadlines", "S:D,...", control.changes,
           "S seconds after its arrival, a job's deadline becomes D seconds after its arrival",
           .list = BR_LIST_PAIR, .low = 1e-9, .high = 3e8, .rising = true, .example = "600:1350"),
    OPTION(
        LIST, "tables", "FILE,...", control.tables,
        "tables of the time left, for jobs with deadlines (see 'bigrocks deadline'; default: made "
        "from what the jobs declare)",
        .list = BR_LIST_WORD, .example = "a.table,b.table"),
    OPTION(FLAG, "planned", NULL, control.planned,
           "start the tasks of jobs with deadlines in planned order, which their tables have to "
           "contain"),
    OPTION(COUNT, "clairvoyant", "N", simulate.clairvoyant,
           "also search a schedule that knows all jobs ahead, by N trials: what might be left to "
           "gain (default: 0)",
           .most = 1000000000),
    OPTION(NAME, "format", "F", output.format,
           "write the results in this format (default: by the ending of -o FILE, else text)",
           .letter = 'f', .rows = &br_study_formats),
    OPTION(CHOICE, "network-policy", "P", simulate.network_policy,
           "with --network: how transfers share the ports (default: fair)",
           .rows = &br_transit_policies),
    OPTION(TEXT, "shard", "I/N", batch.shard,
           "simulate only the I-th of N shares of the runs, from 1 to N; put together by --merge"),
    OPTION(FLAG, "merge", NULL, batch.merge,
           "simulate nothing: merge the tables (csv, runs) of shards 1/N to N/N"),
    OPTIONS_END};

static void simulate_set_defaults(struct cli_settings *settings)
{
    settings->simulate.seed = 1;
    settings->simulate.seeds = 1;
    settings->simulate.placements = 200000;
}

const struct cli_command cli_simulate = {
    .name = "simulate",
    .bit = CLI_SIMULATE,
    .options = simulate_rows,
    .set_defaults = simulate_set_defaults,
    .least = 1,
    .most = UINT16_MAX,
    .perform = simulate_perform,
    .arguments = "WORKLOAD | --merge TABLES...",
    .summary = "run a workload on a simulated cluster, under one policy or several",
    .text = "Simulates the jobs of a workload on a cluster, in virtual time, under every policy\n"
            "named, and prints completion times, makespan, fairness and use, beside lower bounds\n"
            "that no policy can beat. Policies see what a scheduler sees: what is declared and\n"
            "what has ended. What really happens is drawn from the seed: --errors, --failures,\n"
            "--stragglers, --leave. Equal workloads, options and seeds give equal results,\n"
            "whatever the threads.\n",
    .examples =
        "bigrocks simulate w.xml --cluster C.xml --policy graphene,capacity,tetris\n"
        "bigrocks simulate w.xml --cluster C.xml --policy fifo,srpt --seeds 5 --format json\n"
        "bigrocks simulate w.xml --cluster C.xml --policy graphene --errors stage=1:0.3 -o "
        "r.html\n",
};
