/* The plan that a run follows: from a file, made for this very job or an earlier version of it, or
 * made on the spot. */
#include <stdlib.h>
#include <string.h>

#include "base/roles.h"
#include "cli/options/choices.h"
#include "cli/running/jobs/jobs.h"
#include "cli/running/jobs/left.h"
#include "cli/terminal/interrupt.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/say.h"
#include "planner/model/cluster/cluster.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"
#include "runtime/replanning/replanner.h"

/* A search is limited to this share of the job's lower bound; longer is not worth it. */
enum { BOUND_SHARE = 20 };
static const int64_t search_least_ns = INT64_C(200000000);
/* While a job of a spool is planned, no other one starts, however long this one takes itself. */
static const int64_t search_spooled_ns = INT64_C(1000000000);

/* Several jobs are planned quickly, and more quickly the more there are, as each plan counts less.
 * A default time limit is not used up: nothing runs meanwhile. */
static uint32_t effort_of(const struct cli_settings *settings, bool alone)
{
    if (settings->run.effort != BR_NO_ROW)
        return settings->run.effort;
    if (!alone)
        return BR_EFFORT_FAST;
    return settings->search.time_limit_ns < 0 ? BR_EFFORT_DEFAULT : settings->search.effort;
}

/* A bound, of the job without its features if it has some. */
static enum br_status least_makespan(const struct br_input *input, int64_t *bound_ns,
                                     struct br_diag *diag)
{
    struct br_relaxed relaxed;
    if (!br_features(input->dag, input->cluster))
        return br_bound(input->dag, input->cluster, bound_ns, NULL, diag);
    enum br_status status = br_relax(input->dag, input->cluster, BR_RELAX_MACHINES, &relaxed, diag);
    if (!status)
        status = br_bound(relaxed.dag, relaxed.cluster, bound_ns, NULL, diag);
    br_relaxed_finish(&relaxed);
    return status;
}

/* Gives the plan the ranks of the order. */
static void take_order(struct br_plan *plan, const uint32_t *order)
{
    for (uint32_t k = 0; order && k < plan->tasks; k++) {
        plan->order[k] = order[k];
        plan->rank[order[k]] = k + 1;
    }
}

enum br_status cli_run_make_plan(const struct cli_settings *settings, bool alone,
                                 struct cli_run_input *input, struct br_diag *diag)
{
    struct cli_search_settings given = settings->search;
    const struct cli_search_settings *search = &given;
    given.effort = effort_of(settings, alone);
    struct br_plan_options options = cli_plan_options(search);
    struct cli_progress progress;
    bool spooled = settings->run.spool != NULL;
    int64_t bound_ns;
    if (search->time_limit_ns < 0) {
        enum br_status status = least_makespan(&input->input, &bound_ns, diag);
        if (status)
            return status;
        options.time_limit_ns = bound_ns / BOUND_SHARE;
        if (options.time_limit_ns < search_least_ns)
            options.time_limit_ns = search_least_ns;
        if (spooled && options.time_limit_ns > search_spooled_ns)
            options.time_limit_ns = search_spooled_ns;
    }
    uint32_t *order;
    enum br_status status = cli_load_order(search, input->input.dag, NULL, &order, diag);
    if (status)
        return status;
    options.order = order;
    options.stop = spooled ? cli_interrupt_count() : cli_interrupt_catch();
    cli_progress_begin(&progress, settings->output.quiet || spooled);
    options.progress = progress.shown ? cli_progress_plan : NULL;
    options.progress_context = &progress;
    status = br_plan_make(input->input.dag, input->input.cluster, &options, &input->plan, diag);
    if (!status)
        take_order(input->plan, order);
    free(order);
    cli_progress_end(&progress);
    if (spooled)
        return status;
    cli_interrupt_release();
    if (!status && cli_interrupted())
        cli_interrupt_die();
    return status;
}

/* Gives task b of stage `to` the alternative of task a of stage `s`, by its id. */
static bool carry_alternative(const struct cli_run_input *from, uint32_t a, uint32_t s,
                              struct cli_run_input *input, uint32_t b, uint32_t to)
{
    const struct br_dag *job = input->input.dag, *old = from->input.dag;
    const char *id = br_dag_alternative_id(old, s, br_plan_alternative(from->plan, a));
    if (!br_dag_alternative_count(job, to))
        return !id;
    const uint32_t found = id ? br_alternative_find(job, to, id) : UINT32_MAX;
    input->plan->alternative[b] = found == UINT32_MAX ? 0 : found;
    return found != UINT32_MAX;
}

/* Has the old cluster all classes that the job names and its cluster lacks? */
static bool lost_classes_were_there(const struct cli_run_input *from,
                                    const struct cli_run_input *input)
{
    const struct br_dag *job = input->input.dag;
    const struct br_alternatives *all = job->alternatives;
    for (uint32_t a = 0; all && a < all->count; a++) {
        const struct br_alternative *way = &all->alternative[a];
        for (uint32_t k = 0; k < way->classes; k++) {
            const char *name = all->class_name[way->first_class + k];
            if (!br_cluster_has_class(input->input.cluster, name) &&
                !br_cluster_has_class(from->input.cluster, name))
                return false;
        }
    }
    return true;
}

/* Leaves the rest of a run that is resumed, to be planned; with a plan, only if that is no longer
 * to be followed. */
static enum br_status jobs_plan_take_left(const struct cli_settings *settings,
                                          struct cli_run_input *input, struct br_diag *diag)
{
    if (input->left || !settings->run.resume || !settings->run.journal ||
        !(br_features(input->input.dag, input->input.cluster) & BR_FEATURES_MODES))
        return BR_OK;
    return cli_run_left_take(settings->run.journal, input->plan, &input->input.dag,
                             input->input.cluster, &input->left, diag);
}

/* A plan that a run has followed only in part counts no more if its other tasks have consumed what
 * the rest of it was to consume. */
static enum br_status jobs_plan_rest(const struct cli_settings *settings,
                                     struct cli_run_input *input, struct br_diag *diag)
{
    const bool before = input->left;
    const enum br_status status = jobs_plan_take_left(settings, input, diag);
    if (status || before || !input->left)
        return status;
    br_plan_destroy(input->plan);
    input->plan = NULL;
    if (!settings->output.quiet)
        cli_say("tasks that are done ran by other alternatives than in the plan: the rest is "
                "planned again");
    return cli_run_make_plan(settings, true, input, diag);
}

/* The cluster has lost machines of the plan, and the job's tasks do not run on any other: the job
 * is planned again. */
static enum br_status plan_what_is_left(const struct cli_settings *settings,
                                        struct cli_run_input *input, struct br_diag *diag)
{
    br_plan_destroy(input->plan);
    input->plan = NULL;
    if (!settings->output.quiet)
        cli_say("the cluster lacks machines of the plan: the job is planned again with what is "
                "left");
    const enum br_status status = jobs_plan_take_left(settings, input, diag);
    return status ? status : cli_run_make_plan(settings, true, input, diag);
}

/* Do tasks of the job run on some machines alone, or longer there? */
static bool machines_differ(const struct cli_run_input *from, const struct cli_run_input *input)
{
    return (br_features(input->input.dag, input->input.cluster) |
            br_features(input->input.dag, from->input.cluster)) &
           BR_FEATURES_MODES;
}

/* The plan's order, times and machines for the given job, which must have the same tasks; its
 * durations, demands and edges may have changed. */
static enum br_status jobs_plan_carry_over(const struct cli_settings *settings,
                                           const struct cli_run_input *from,
                                           struct cli_run_input *input, struct br_diag *diag)
{
    static const char hint[] = "plan the job again, or leave out --plan";
    const struct br_dag *job = input->input.dag, *old = from->input.dag;
    const struct br_cluster *cluster = input->input.cluster;
    if (job->stages != old->stages || job->tasks != old->tasks)
        return br_fail(diag, BR_BAD_INPUT, hint,
                       "the plan is of another job: %u stages with %u tasks, not %u with %u",
                       old->stages, old->tasks, job->stages, job->tasks);
    uint32_t *machine = malloc(((size_t)from->input.cluster->machines + 1) * sizeof *machine);
    input->plan = br_plan_create(job->tasks);
    if (!machine || !input->plan || !br_plan_allow_alternatives(input->plan, job)) {
        free(machine);
        return br_fail_memory(diag);
    }
    for (uint32_t m = 0; m < from->input.cluster->machines; m++) {
        char name[300];
        br_cluster_machine_name(from->input.cluster, m, name, sizeof name);
        machine[m] = br_cluster_find_machine(cluster, name);
    }
    enum br_status status = BR_OK;
    bool lost = false;
    for (uint32_t s = 0; s < old->stages && !status; s++) {
        const struct br_stage *stage = &old->stage[s];
        uint32_t to = br_dag_find_stage(job, stage->id);
        if (to == UINT32_MAX || job->stage[to].tasks != stage->tasks)
            status = br_fail(diag, BR_BAD_INPUT, hint,
                             "the plan is of another job: stage '%s' of %u tasks is not in it",
                             stage->id, stage->tasks);
        for (uint32_t i = 0; i < stage->tasks && !status; i++) {
            uint32_t a = stage->first_task + i, b = job->stage[to].first_task + i;
            input->plan->start_ns[b] = from->plan->start_ns[a];
            input->plan->machine[b] = machine[from->plan->machine[a]];
            lost |= input->plan->machine[b] == UINT32_MAX;
            if (input->plan->alternative && !carry_alternative(from, a, s, input, b, to))
                status = br_fail(diag, BR_BAD_INPUT, hint,
                                 "stage '%s' of the plan runs by an alternative that the job does "
                                 "not have",
                                 stage->id);
        }
    }
    free(machine);
    if (!status && job->alternatives)
        job->alternatives->classes_lost = lost_classes_were_there(from, input);
    if (!status && lost && machines_differ(from, input))
        return plan_what_is_left(settings, input, diag);
    return status ? status : br_plan_rank_on(input->plan, job, cluster, diag);
}

/* The plan follows --order, and where that says nothing, its own order. */
static enum br_status jobs_plan_reorder(const struct cli_settings *settings,
                                        struct cli_run_input *input, struct br_diag *diag)
{
    uint32_t *order;
    enum br_status status =
        cli_load_order(&settings->search, input->input.dag, input->plan->order, &order, diag);
    if (!status)
        take_order(input->plan, order);
    free(order);
    return status;
}

/* The times of a plan that was given are not those of --order: it is planned again by its ranks,
 * where that is known, and keeps its alternatives, which are fixed by now. */
static enum br_status jobs_plan_time(const struct cli_settings *settings,
                                     struct cli_run_input *input, struct br_diag *diag)
{
    struct br_plan_options options = cli_plan_options(&settings->search);
    struct br_diag ignored = {0};
    struct br_plan *timed = NULL;
    options.order = input->plan->order;
    const enum br_status status =
        br_plan_make(input->input.dag, input->input.cluster, &options, &timed, &ignored);
    if (status == BR_SYSTEM)
        *diag = ignored;
    if (status)
        return status == BR_SYSTEM ? status : BR_OK;
    take_order(timed, input->plan->order);
    br_plan_destroy(input->plan);
    input->plan = timed;
    return BR_OK;
}

/* Is the file a plan, which carries its job? Reads only its beginning. */
static bool is_plan(const char *path)
{
    char text[512];
    if (strcmp(path, "-") == 0 || br_parse_recognise(path))
        return false;
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[size] = '\0';
    return (text[0] == '{' && strstr(text, "\"bigrocks-plan/")) ||
           (text[0] == '<' && strstr(text, "<plan") && strstr(text, "urn:bigrocks:plan:"));
}

static enum br_status use_this_machine(bool quiet, struct br_cluster **cluster,
                                       struct br_diag *diag)
{
    char text[CLI_MACHINE_TEXT], cpu[BR_ROLE_AMOUNT_TEXT], mem[BR_ROLE_AMOUNT_TEXT];
    cli_this_machine(text);
    enum br_status status = br_parse_capacity(1, text, cluster, diag);
    if (status || quiet)
        return status;
    br_role_amount(br_cluster_capacity(*cluster, 0, "cpu"), "cpu", NULL, cpu);
    br_role_amount(br_cluster_capacity(*cluster, 0, "mem"), "mem", NULL, mem);
    cli_say("the machine is this one: cpu %s, mem %s", cpu, mem);
    return BR_OK;
}

/* The settings without a cluster, for a job that shares one. */
static struct cli_job_settings without_cluster(const struct cli_job_settings *job)
{
    struct cli_job_settings bare = *job;
    bare.cluster = bare.capacity = bare.shared = NULL;
    bare.machines = 0;
    return bare;
}

/* Gives the job the cluster that it shares with others instead of its own, if there is one. */
static void jobs_plan_share_cluster(struct cli_run_input *input, struct br_cluster *cluster)
{
    if (!cluster)
        return;
    br_cluster_destroy(input->input.cluster);
    input->input.cluster = cluster;
}

/* The file is a plan: runs its job, on its cluster if nothing else gives one. */
static enum br_status load_plan(const struct cli_settings *settings, const char *path,
                                struct br_cluster *cluster, struct cli_run_input *input,
                                struct br_diag *diag)
{
    struct cli_run_input own = {0};
    if (settings->run.plan)
        return br_fail(diag, BR_USAGE, "leave out --plan", "'%.200s' is a plan already", path);
    enum br_status status = br_parse_plan(path, NULL, &own.input, &own.plan, diag);
    if (!status && !cluster)
        status = cli_load_cluster(&settings->job, &input->input.cluster, diag);
    else
        input->input.cluster = cluster;
    if (!status && !input->input.cluster) {
        *input = own;
        return jobs_plan_reorder(settings, input, diag);
    }
    if (!status) {
        input->input.dag = own.input.dag;
        status = jobs_plan_carry_over(settings, &own, input, diag);
        own.input.dag = NULL;
    }
    if (!status)
        status = jobs_plan_reorder(settings, input, diag);
    br_cluster_destroy(own.input.cluster);
    own.input.cluster = NULL;
    cli_run_finish(&own);
    return status;
}

/* The file is a job, and --plan a plan of it, whose cluster counts if nothing else gives one. */
static enum br_status load_job_and_plan(const struct cli_settings *settings, const char *path,
                                        struct cli_run_input *input, struct br_diag *diag)
{
    struct cli_run_input old = {0};
    enum br_status status = cli_load(&settings->job, path, false, &input->input, diag);
    if (!status)
        status = br_parse_plan(settings->run.plan, &input->input, &old.input, &old.plan, diag);
    bool own = input->input.cluster;
    if (!status && !own)
        input->input.cluster = old.input.cluster;
    if (!status && old.input.dag) {
        status = jobs_plan_carry_over(settings, &old, input, diag);
    } else if (!status) {
        input->plan = old.plan;
        old.plan = NULL;
    }
    if (!status)
        status = jobs_plan_reorder(settings, input, diag);
    if (own)
        br_cluster_destroy(old.input.cluster);
    else if (!input->input.cluster)
        input->input.cluster = old.input.cluster;
    old.input.cluster = NULL;
    cli_run_finish(&old);
    return status;
}

enum br_status cli_run_cluster(const struct cli_settings *settings, struct br_cluster **cluster,
                               struct br_diag *diag)
{
    enum br_status status = cli_load_cluster(&settings->job, cluster, diag);
    if (!status && !*cluster)
        status = use_this_machine(settings->output.quiet, cluster, diag);
    return status;
}

/* What a run of jobs with alternatives and machines of several speeds cannot be as well; NULL:
 * nothing is asked for that it cannot be. */
static const char *asked_with_ways(const struct cli_settings *settings, bool alone,
                                   unsigned features)
{
    if (settings->run.spool)
        return "from a spool";
    if (!alone && features & (BR_FEATURE_CONSUMED | BR_FEATURE_SPEED))
        return "with other jobs";
    return settings->run.on == CLI_SLURM_JOBS ? "as Slurm jobs, whose nodes Slurm chooses" : NULL;
}

static enum br_status refuse_with_ways(const struct cli_settings *settings, bool alone,
                                       const struct cli_run_input *input, struct br_diag *diag)
{
    const unsigned features = br_features(input->input.dag, input->input.cluster);
    const char *asked = asked_with_ways(settings, alone, features);
    const bool of_job = br_features(input->input.dag, NULL) & BR_FEATURES_MODES;
    const bool beside = !alone && !settings->run.spool;
    if (!asked || !(features & BR_FEATURES_MODES))
        return BR_OK;
    return br_fail(diag, BR_BAD_INPUT,
                   settings->run.on == CLI_SLURM_JOBS ? "take --on slurm-steps"
                                                      : "run it by itself, without that",
                   "%s, and is not run %s",
                   !of_job || (beside && !(features & BR_FEATURE_CONSUMED))
                       ? "the cluster has machines of several speeds"
                   : beside ? "the job names what it consumes"
                            : "the job has alternatives, or names classes or what it consumes",
                   asked);
}

/* Refuses what cannot be run as it is asked for; only then the history's file is made if it is not
 * there, still before any plan. */
static enum br_status jobs_plan_accept(const struct cli_settings *settings, bool alone,
                                       const struct cli_run_input *input, struct br_diag *diag)
{
    const enum br_status status = refuse_with_ways(settings, alone, input, diag);
    if (status || !settings->needs.history || settings->run.simulate || settings->run.spool)
        return status;
    return cli_make_history(settings->needs.history, diag);
}

/* What runs is the choice of the plan. */
static enum br_status jobs_plan_fix(bool ranked, bool alone, struct cli_run_input *input,
                                    struct br_diag *diag)
{
    if (!(br_features(input->input.dag, input->input.cluster) & BR_FEATURES_MODES))
        return BR_OK;
    const enum br_status status = cli_run_ways_fix(ranked, &input->input.dag, &input->input.cluster,
                                                   &input->plan, &input->ways, diag);
    return status || alone ? status : cli_run_ways_share(input->ways, &input->input.cluster, diag);
}

/* What is learned are durations by the alternatives that the first plan chose. */
static enum br_status jobs_plan_learn(const bool *unknown, bool alone, struct cli_run_input *input,
                                      struct br_diag *diag)
{
    enum br_status status = jobs_plan_fix(false, alone, input, diag);
    if (!status && input->ways)
        status = cli_run_learn_choose(input->learn, unknown, &input->input, input->ways, diag);
    return status ? status : cli_run_learn_begin(input->learn, &input->input, &input->plan, diag);
}

static enum br_status load_job(const struct cli_settings *settings, const char *path, bool alone,
                               struct br_cluster *cluster, struct cli_run_input *input,
                               struct br_diag *diag)
{
    bool quiet = settings->output.quiet;
    struct cli_job_settings bare = without_cluster(&settings->job);
    enum br_status status =
        cli_load(cluster ? &bare : &settings->job, path, false, &input->input, diag);
    if (!status)
        jobs_plan_share_cluster(input, cluster);
    if (!status && !input->input.cluster)
        status = use_this_machine(quiet, &input->input.cluster, diag);
    bool *unknown = NULL;
    if (!status)
        status = jobs_plan_accept(settings, alone, input, diag);
    if (!status && settings->run.learn)
        status = br_replanner_unknown(input->input.dag, &unknown, diag);
    if (!status && settings->needs.history)
        status = cli_learn(settings->needs.history, &input->input, quiet, diag);
    if (!status && unknown)
        status = cli_run_learn_open(settings, unknown, &input->input, &input->learn, diag);
    if (!status && !settings->run.spool)
        cli_warn(path, input->input.dag);
    if (!status)
        status = jobs_plan_take_left(settings, input, diag);
    if (!status)
        status = cli_run_make_plan(settings, alone, input, diag);
    if (!status && input->learn)
        status = jobs_plan_learn(unknown, alone, input, diag);
    free(unknown);
    return status;
}

enum br_status cli_run_load(const struct cli_settings *settings, const char *path, bool alone,
                            struct br_cluster **cluster, struct cli_run_input *input,
                            struct br_diag *diag)
{
    *input = (struct cli_run_input){0};
    enum br_status status = is_plan(path) ? load_plan(settings, path, *cluster, input, diag)
                            : settings->run.plan
                                ? load_job_and_plan(settings, path, input, diag)
                                : load_job(settings, path, alone, *cluster, input, diag);
    const bool own = !*cluster;
    if (!status && (is_plan(path) || settings->run.plan))
        status = jobs_plan_accept(settings, alone, input, diag);
    if (!status && (is_plan(path) || settings->run.plan))
        status = jobs_plan_rest(settings, input, diag);
    if (!status)
        status = jobs_plan_fix(settings->search.order != NULL, alone, input, diag);
    if (!status && settings->search.order && (is_plan(path) || settings->run.plan))
        status = jobs_plan_time(settings, input, diag);
    if (own)
        *cluster = input->input.cluster;
    if (status)
        cli_run_finish(input);
    return status;
}

void cli_run_finish(struct cli_run_input *input)
{
    cli_run_learn_close(input->learn);
    cli_run_ways_close(input->ways);
    br_plan_destroy(input->plan);
    input->input.cluster = NULL;
    br_input_finish(&input->input);
    *input = (struct cli_run_input){0};
}
