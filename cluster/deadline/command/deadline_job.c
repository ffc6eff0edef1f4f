#include "cluster/deadline/command/deadline_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inputs/job_table.h"
#include "cli/inputs/load.h"
#include "cli/terminal/say.h"
#include "cluster/workload/command/world_options.h"
#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"

enum { TOKENS = 100 };

/* ---- Durations ---- */

/* Durations, and unless `failures` are given also failures. */
static enum br_status take_history(const char *path, double failures, struct cli_deadline_job *job,
                                   bool quiet, struct br_diag *diag)
{
    uint32_t known;
    enum br_status status = cli_profile_history(path, &job->profile, quiet, &known, diag);
    if (!status && !quiet)
        cli_say("%" PRIu32 " of %" PRIu32 " stages as the history has them", known,
                job->input.dag->stages);
    for (uint32_t s = 0; s < job->input.dag->stages && !status; s++) {
        struct br_profile_stage *stage = &job->profile.stage[s];
        if (!isnan(failures))
            stage->fail = stage->fail_again = NAN;
        else if (!isnan(stage->fail) && !quiet && (stage->fail > 0 || stage->fail_again > 0))
            cli_say("stage '%.80s': %.1f %% of first attempts fail, %.1f %% of further ones",
                    job->input.dag->stage[s].id, 100 * stage->fail, 100 * stage->fail_again);
    }
    return status;
}

/* ---- The plan's order ---- */

/* The job for token allocations: each task takes one token, and other demands do not count. */
static enum br_status deadline_copy_job(const struct br_dag *dag, struct br_dag *copy,
                                        struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++) {
        const struct br_stage *stage = &dag->stage[s];
        status = br_dag_add_stage(copy, stage->id, stage->tasks, stage->duration_ns, NULL, diag);
        if (!status)
            status = br_dag_add_demand(copy, s, "token", "1", diag);
        for (uint32_t i = 0; i < stage->tasks && !status; i++) {
            int64_t own_ns = dag->duration_ns[stage->first_task + i];
            if (own_ns != stage->duration_ns)
                status = br_dag_set_duration(copy, s, i, own_ns, diag);
        }
    }
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status =
            br_dag_add_edge(copy, dag->edge[e].parent, dag->edge[e].child, dag->edge[e].type, diag);
    return status ? status : br_dag_finish(copy, diag);
}

static enum br_status plan_tokens(const struct br_dag *dag, uint32_t tokens,
                                  const struct br_plan_options *options, struct br_plan **plan,
                                  struct br_diag *diag)
{
    struct br_dag *copy = br_dag_create(dag->name);
    struct br_cluster *pool = br_cluster_create("tokens");
    char amount[16];
    snprintf(amount, sizeof amount, "%" PRIu32, tokens);
    enum br_status status = copy && pool ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = deadline_copy_job(dag, copy, diag);
    if (!status)
        status = br_cluster_add_class(pool, "pool", 1, NULL, diag);
    if (!status)
        status = br_cluster_add_capacity(pool, 0, "token", amount, diag);
    if (!status)
        status = br_plan_make(copy, pool, options, plan, diag);
    br_dag_destroy(copy);
    br_cluster_destroy(pool);
    return status;
}

/* Plans for half of the largest allocation: the order is used at every allocation. */
static enum br_status make_plan(const struct cli_settings *settings, struct cli_deadline_job *job,
                                struct br_diag *diag)
{
    struct br_deadline_request *request = &job->request;
    struct br_plan_options options = cli_plan_options(&settings->search);
    options.effort = BR_EFFORT_FAST;
    options.seed = settings->deadline.seed;
    options.threads = request->threads;
    options.stop = request->stop;
    enum br_status status;
    if (request->kind == BR_TOKENS)
        status = plan_tokens(request->dag, (request->most + 1) / 2, &options, &job->plan, diag);
    else
        status = br_plan_make(request->dag, request->cluster, &options, &job->plan, diag);
    if (!status)
        request->rank = job->plan->rank;
    return status;
}

/* ---- The request ---- */

static enum br_status deadline_job_choose_allocations(const struct cli_deadline_settings *settings,
                                                      const struct br_deadline_table *like,
                                                      struct br_deadline_request *request,
                                                      struct br_diag *diag)
{
    if (like) {
        request->kind = like->kind;
        request->most = like->allocation[like->allocations - 1];
        if (like->kind == BR_SHARES && !request->cluster)
            return br_fail(diag, BR_USAGE, "add --cluster",
                           "the table's allocations are shares of a cluster");
        return BR_OK;
    }
    request->kind = settings->tokens || !request->cluster ? BR_TOKENS : BR_SHARES;
    request->most = settings->tokens ? (uint32_t)settings->tokens : TOKENS;
    return BR_OK;
}

static enum br_status fill_request(const struct cli_settings *settings,
                                   const struct br_deadline_table *like, const struct br_stop *stop,
                                   struct cli_deadline_job *job, struct br_diag *diag)
{
    const struct cli_deadline_settings *own = &settings->deadline;
    struct br_deadline_request *request = &job->request;
    struct br_world world;
    const struct cli_simulate_settings happens = {.failures = own->failures,
                                                  .stragglers = own->stragglers,
                                                  .leave = {NAN, NAN},
                                                  .seed = own->seed};
    *request = br_deadline_request_default();
    enum br_status status = cli_world_options(&happens, &world, diag);
    if (status)
        return status;
    request->indicator = (enum br_indicator)own->indicator;
    request->dag = job->input.dag;
    request->cluster = job->input.cluster;
    request->profile = &job->profile;
    request->runs = (uint32_t)own->runs;
    request->seed = own->seed;
    request->fail = world.fail;
    request->straggle = world.straggle;
    request->slowness = world.slowness;
    br_option_take(own->losses, &request->lost);
    br_option_take(own->latency.first, &request->latency_s);
    br_option_take(own->latency.second, &request->latency_spread);
    request->threads = cli_threads(&settings->search);
    request->stop = stop;
    return deadline_job_choose_allocations(own, like, request, diag);
}

enum br_status cli_deadline_job_load(const struct cli_settings *settings, const char *path,
                                     const struct br_deadline_table *like,
                                     const struct br_stop *stop, struct cli_deadline_job *job,
                                     struct br_diag *diag)
{
    const struct cli_deadline_settings *own = &settings->deadline;
    *job = (struct cli_deadline_job){0};
    enum br_status status = cli_load(&settings->job, path, false, &job->input, diag);
    if (!status)
        status = br_features_refuse(job->input.dag, job->input.cluster, 0, "deadline", diag);
    if (!status)
        status = br_profile_init(&job->profile, job->input.dag, diag);
    if (!status && settings->needs.history)
        status =
            take_history(settings->needs.history, own->failures, job, settings->output.quiet, diag);
    else if (!status && !settings->output.quiet)
        cli_warn(path, job->input.dag);
    if (!status && own->learned && !like)
        status = br_profile_learn(&job->profile, own->seed, (uint32_t)own->learned, diag);
    if (!status)
        status = fill_request(settings, like, stop, job, diag);
    if (!status && (like ? like->layers > 1 : !own->no_plan))
        status = make_plan(settings, job, diag);
    return status;
}

void cli_deadline_job_finish(struct cli_deadline_job *job)
{
    br_plan_destroy(job->plan);
    br_profile_finish(&job->profile);
    br_input_finish(&job->input);
}
