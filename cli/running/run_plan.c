/* The plan that a run follows: from a file, for this very job or for what it was when it was
 * planned, or made on the spot. */
#include <stdlib.h>
#include <string.h>

#include "cli/planning/annotate.h"
#include "cli/running/run.h"
#include "planner/model/cluster.h"

/* Searching longer than this share of what the job takes at least is not worth it. */
enum { BOUND_SHARE = 20 };
static const int64_t search_least_ns = INT64_C(200000000);

static enum br_status make_plan(const struct cli_settings *settings, struct cli_run_input *input,
                                struct br_diag *diag)
{
    struct br_plan_options options = cli_plan_options(settings);
    struct cli_progress progress;
    int64_t bound_ns;
    if (settings->time_limit_ns < 0) {
        enum br_status status =
            br_bound(input->input.dag, input->input.cluster, &bound_ns, NULL, diag);
        if (status)
            return status;
        options.time_limit_ns = bound_ns / BOUND_SHARE;
        if (options.time_limit_ns < search_least_ns)
            options.time_limit_ns = search_least_ns;
    }
    options.stop = cli_interrupt_catch();
    cli_progress_begin(&progress, settings->quiet);
    options.progress = progress.shown ? cli_progress_plan : NULL;
    options.progress_context = &progress;
    enum br_status status =
        br_plan_make(input->input.dag, input->input.cluster, &options, &input->plan, diag);
    cli_progress_end(&progress);
    cli_interrupt_release();
    if (!status && cli_interrupted())
        cli_interrupt_die();
    return status;
}

/* The plan's order, times and machines for the given job, which has to have the same tasks; its
 * durations, demands and edges may be others by now. */
static enum br_status carry_over(const struct br_input *own, const struct br_plan *plan,
                                 struct cli_run_input *input, struct br_diag *diag)
{
    static const char hint[] = "plan the job again, or leave out --plan";
    const struct br_dag *job = input->input.dag, *old = own->dag;
    const struct br_cluster *cluster = input->input.cluster;
    if (job->stages != old->stages || job->tasks != old->tasks)
        return br_fail(diag, BR_BAD_INPUT, hint,
                       "the plan is of another job: %u stages with %u tasks, not %u with %u",
                       old->stages, old->tasks, job->stages, job->tasks);
    uint32_t *machine = malloc(((size_t)own->cluster->machines + 1) * sizeof *machine);
    input->plan = br_plan_create(job->tasks);
    if (!machine || !input->plan) {
        free(machine);
        return br_fail_memory(diag);
    }
    for (uint32_t m = 0; m < own->cluster->machines; m++) {
        char name[300];
        br_cluster_machine_name(own->cluster, m, name, sizeof name);
        machine[m] = br_cluster_find_machine(cluster, name);
    }
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < old->stages && !status; s++) {
        const struct br_stage *from = &old->stage[s];
        uint32_t to = br_dag_find_stage(job, from->id);
        if (to == UINT32_MAX || job->stage[to].tasks != from->tasks)
            status = br_fail(diag, BR_BAD_INPUT, hint,
                             "the plan is of another job: stage '%s' of %u tasks is not in it",
                             from->id, from->tasks);
        for (uint32_t i = 0; i < from->tasks && !status; i++) {
            uint32_t a = from->first_task + i, b = job->stage[to].first_task + i;
            input->plan->start_ns[b] = plan->start_ns[a];
            input->plan->machine[b] = machine[plan->machine[a]];
        }
    }
    free(machine);
    return status ? status : br_plan_rank(input->plan, job, diag);
}

/* Is the file a plan, which carries its job? Looks at its beginning only. */
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
    return text[0] == '{' && strstr(text, "\"bigrocks-plan/");
}

static enum br_status use_this_machine(const struct cli_settings *settings,
                                       struct br_cluster **cluster, struct br_diag *diag)
{
    char text[CLI_MACHINE_TEXT];
    cli_this_machine(text);
    if (!settings->quiet)
        cli_say("the machine is this one: %s", text);
    return br_parse_capacity(1, text, cluster, diag);
}

/* What earlier runs have measured, for the plan that is made here. */
static enum br_status learn(const struct cli_settings *settings, struct cli_run_input *input,
                            struct br_diag *diag)
{
    struct br_history *history;
    enum br_status status =
        br_history_open(settings->history, br_dag_name(input->input.dag), &history, diag);
    if (status)
        return status;
    status = cli_annotate_input(history, &input->input, settings->quiet, diag);
    br_history_close(history, NULL);
    return status;
}

static enum br_status load(const struct cli_settings *settings, const char *path,
                           struct cli_run_input *input, struct br_diag *diag)
{
    struct br_input own = {0};
    struct br_plan *plan = NULL;
    bool whole = is_plan(path);
    const char *file = whole ? path : settings->plan;
    enum br_status status = BR_OK;
    if (whole && settings->plan)
        return br_fail(diag, BR_USAGE, "leave out --plan", "'%.200s' is a plan already", path);
    if (file)
        status = br_parse_plan(file, &own, &plan, diag);
    if (!status && !whole)
        status = cli_load(settings, path, false, &input->input, diag);
    if (!status && whole)
        status = cli_load_cluster(settings, &input->input.cluster, diag);
    if (!status && whole) { /* its job is the job */
        input->input.dag = own.dag;
        if (!input->input.cluster) {
            input->input.cluster = own.cluster;
            own.cluster = NULL;
            input->plan = plan;
            plan = NULL;
        }
    }
    if (!status && !input->input.cluster && own.cluster) {
        input->input.cluster = own.cluster;
        status = carry_over(&own, plan, input, diag);
        own.cluster = NULL;
    } else if (!status && plan) {
        status = carry_over(&own, plan, input, diag);
    }
    if (whole)
        own.dag = NULL;
    br_plan_destroy(plan);
    br_input_finish(&own);
    if (!status && !input->input.cluster)
        status = use_this_machine(settings, &input->input.cluster, diag);
    if (!status && !input->plan && settings->history)
        status = learn(settings, input, diag);
    if (!status && !input->plan)
        cli_warn(path, input->input.dag);
    if (!status && !input->plan)
        status = make_plan(settings, input, diag);
    return status;
}

enum br_status cli_run_load(const struct cli_settings *settings, const char *path,
                            struct cli_run_input *input, struct br_diag *diag)
{
    *input = (struct cli_run_input){0};
    enum br_status status = load(settings, path, input, diag);
    if (status)
        cli_run_finish(input);
    return status;
}

void cli_run_finish(struct cli_run_input *input)
{
    br_plan_destroy(input->plan);
    br_input_finish(&input->input);
    *input = (struct cli_run_input){0};
}
