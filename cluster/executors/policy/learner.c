/* From a simulator to a scene. */
#include "cluster/executors/policy/learner.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "cluster/executors/bound.h"

/* A job of the run, from its arrival to its end. */
struct br_learner_job {
    struct br_embedding embedding;
    uint32_t *graph; /* first[stages + 1], child[...], node by stage; owned */
    const uint32_t *node;
    uint32_t planned; /* stage that the planner would name next; see plan_stage */
    bool there, asked;
};

void br_learner_init(struct br_learner *learner, const struct br_model *model, br_weight *gradient)
{
    *learner = (struct br_learner){.model = model, .gradient = gradient};
    learner->scene.network = &model->network;
    learner->scene.parameter = model->parameter;
    learner->scene.gradient = gradient;
    learner->scene.rough = model->network.stage_advice ? 2e-4 : 0;
}

void br_learner_leave(struct br_learner *learner, uint32_t number)
{
    assert(number < learner->job_room);
    struct br_learner_job *job = &learner->job[number];
    if (!job->there)
        return;
    if (learner->gradient)
        br_embedding_send_back(&job->embedding, learner->model->parameter, learner->gradient);
    learner->computed += job->embedding.computed;
    br_embedding_finish(&job->embedding);
    free(job->graph);
    *job = (struct br_learner_job){0};
}

void br_learner_end(struct br_learner *learner)
{
    for (uint32_t j = 0; j < learner->jobs; j++)
        br_learner_leave(learner, j);
    learner->jobs = 0;
}

void br_learner_finish(struct br_learner *learner)
{
    br_learner_end(learner);
    free(learner->job);
    free(learner->scene.job);
    free(learner->candidate);
    free(learner->stage);
    br_executors_plan_destroy(learner->planner);
    br_choices_finish(&learner->nodes);
    br_choices_finish(&learner->limits);
    *learner = (struct br_learner){0};
}

/* Room for so many jobs and stages; what is there stays, also on failure. */
static bool learner_make_room(struct br_learner *learner, uint32_t jobs, uint32_t stages)
{
    if (jobs > learner->job_room) {
        uint32_t room = jobs + jobs / 2, had = learner->job_room;
        if (!br_enlarge(&learner->job, room, sizeof *learner->job) ||
            !br_enlarge(&learner->scene.job, room, sizeof *learner->scene.job))
            return false;
        memset(learner->job + had, 0, (room - had) * sizeof *learner->job);
        learner->job_room = room;
    }
    if (stages > learner->candidate_room) {
        uint32_t room = stages + stages / 2;
        if (!br_enlarge(&learner->candidate, room, sizeof *learner->candidate) ||
            !br_enlarge(&learner->stage, room, sizeof *learner->stage))
            return false;
        learner->candidate_room = room;
    }
    return true;
}

/* The planner, with the numbers that are parameters. */
static bool make_planner(struct br_learner *learner)
{
    const struct br_network *network = &learner->model->network;
    double steps[BR_PLAN_PARAMETERS];
    _Static_assert((int)BR_PLAN_PARAMETERS == (int)BR_EXECUTORS_PLAN_NUMBERS, "one each");
    if (!network->plan_parameters)
        return true;
    if (!learner->planner)
        learner->planner = br_executors_plan_create();
    for (uint32_t k = 0; k < network->plan_parameters; k++)
        steps[k] = (double)learner->scene.parameter[network->plan + k];
    if (learner->planner)
        br_executors_plan_set(learner->planner, steps);
    return learner->planner;
}

void br_learner_try(struct br_learner *learner, const br_weight *parameter)
{
    learner->scene.parameter = parameter ? parameter : learner->model->parameter;
}

enum br_status br_learner_begin(struct br_learner *learner, const struct br_executors *sim,
                                struct br_diag *diag)
{
    br_learner_end(learner);
    learner->computed = 0;
    if (!learner_make_room(learner, sim->jobs, sim->stages) || !make_planner(learner))
        return br_fail_memory(diag);
    learner->jobs = sim->jobs;
    return learner->planner ? br_executors_plan_begin(learner->planner, sim, diag) : BR_OK;
}

bool br_learner_reserve(struct br_learner *learner, uint32_t jobs, uint32_t stages,
                        uint32_t executors)
{
    const struct br_dense *part = learner->model->network.part;
    if (!learner_make_room(learner, jobs, stages) || !make_planner(learner) ||
        !br_choices_reserve(&learner->nodes, &part[BR_SCORE_NODE], stages) ||
        !br_choices_reserve(&learner->limits, &part[BR_SCORE_LIMIT], executors))
        return false;
    learner->jobs = jobs;
    return true;
}

/* Numbers stages in topological order, as an embedding wants them. */
static bool learner_arrive(struct br_learner *learner, const struct br_waves *waves,
                           struct br_learner_job *job)
{
    assert(!job->there);
    uint32_t stages = waves->stages, edges = 0;
    bool hears = !(learner->model->network.shape.without & BR_WITHOUT_GRAPH);
    for (uint32_t s = 0; s < stages; s++)
        edges += waves->stage[s].children;
    uint32_t *graph = malloc((2 * (size_t)stages + 1 + edges) * sizeof *graph);
    if (!graph)
        return false;
    uint32_t *first = graph, *child = graph + stages + 1, *node = child + edges, used = 0;
    for (uint32_t v = 0; v < stages; v++)
        node[waves->topological[v]] = v;
    for (uint32_t v = 0; v < stages; v++) {
        const struct br_wave_stage *stage = &waves->stage[waves->topological[v]];
        first[v] = used;
        for (uint32_t k = 0; hears && k < stage->children; k++)
            child[used++] = node[waves->child[stage->first_child + k]];
    }
    first[stages] = used;
    assert(used == (hears ? edges : 0));
    const struct br_stage_graph shape = {stages, first, child};
    if (br_embedding_init(&job->embedding, &learner->model->network, shape, NULL)) {
        free(graph);
        return false;
    }
    job->graph = graph;
    job->node = node;
    job->there = true;
    return true;
}

/* ---- Features ---- */

#define PER_EXECUTOR ((br_weight)(1.0 / 20))
#define PER_TASK ((br_weight)(1.0 / 200))
#define PER_WORK_US 1e-8 /* 100 s of tasks */
#define PER_PATH_US 1e-7 /* 10 s of time */
#define OWN ((br_weight)2)

/* The planner's view of a job. */
static void learner_plan_job(const struct br_learner *learner, const struct br_executors *sim,
                             uint32_t job, br_weight *feature)
{
    const struct br_executor_job *of = &sim->job[job];
    const struct br_executors_plan_job known = br_executors_plan_of(learner->planner, job);
    uint32_t number = known.executors;
    uint32_t held = br_executors_held(sim, job), before = 0;
    int64_t path_us = 0;
    for (uint32_t s = 0; s < of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[of->first_stage + s];
        if (stage->started < stage->tasks && stage->waves->path_us > path_us)
            path_us = stage->waves->path_us;
    }
    for (uint32_t k = 0; k < sim->live_jobs; k++)
        before += sim->job[sim->live[k]].left_us < of->left_us;
    feature[0] = (br_weight)number * PER_EXECUTOR;
    feature[1] = ((br_weight)held - (br_weight)number) * PER_EXECUTOR;
    feature[2] = (br_weight)(held < number);
    feature[3] = (br_weight)((double)path_us * PER_PATH_US);
    feature[4] = (br_weight)before * PER_EXECUTOR;
    feature[5] = (br_weight)(known.left_ms * 1e3 * PER_PATH_US);
}

static void see_job(const struct br_learner *learner, const struct br_executors *sim, uint32_t job,
                    br_weight *feature)
{
    feature[0] = (br_weight)br_executors_held(sim, job) * PER_EXECUTOR;
    feature[1] = sim->group.job == job ? OWN : -OWN;
    feature[2] = (br_weight)sim->group.count * PER_EXECUTOR;
    if (learner->model->network.node_job) {
        feature[3] = (br_weight)((double)sim->job[job].left_us * PER_WORK_US);
        feature[4] = (br_weight)sim->live_jobs * PER_EXECUTOR;
    }
    if (learner->model->network.stage_advice)
        learner_plan_job(learner, sim, job, feature + 5);
}

static void see_stage(const struct br_learner *learner, const struct br_executor_stage *stage,
                      const br_weight *job, br_weight *feature)
{
    uint32_t to_start = stage->tasks - stage->started;
    br_weight work = (br_weight)((double)stage->waves->mean_us * to_start * PER_WORK_US);
    if (learner->model->network.node_job) {
        feature[0] = work;
        feature[1] = (br_weight)to_start * PER_TASK;
        feature[2] = (br_weight)((double)stage->waves->path_us * PER_PATH_US);
        feature[3] = (br_weight)((double)stage->waves->below_us * PER_WORK_US);
        feature[4] = (br_weight)(stage->running + stage->coming) * PER_EXECUTOR;
        feature[5] = stage->open ? 0 : 1;
    } else {
        memcpy(feature, job, 3 * sizeof *feature);
        feature[3] = work;
        feature[4] = (br_weight)to_start * PER_TASK;
    }
}

bool br_learner_arrive(struct br_learner *learner, const struct br_executors *sim, uint32_t number)
{
    assert(!learner->job[number].there);
    if (learner->planner && !br_executors_plan_arrive(learner->planner, sim, number))
        return false;
    return learner_arrive(learner, sim->job[number].waves, &learner->job[number]);
}

static bool see(struct br_learner *learner, const struct br_executors *sim, uint32_t number)
{
    const struct br_executor_job *of = &sim->job[number];
    struct br_learner_job *job = &learner->job[number];
    if (!job->there && !learner_arrive(learner, of->waves, job))
        return false;
    assert(learner->scene.jobs < learner->job_room);
    struct br_scene_job *seen = &learner->scene.job[learner->scene.jobs++];
    seen->embedding = &job->embedding;
    job->asked = false;
    see_job(learner, sim, number, seen->feature);
    for (uint32_t s = 0; s < of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[of->first_stage + s];
        uint32_t node = job->node[s];
        job->embedding.wanted_gone[node] = stage->ended == stage->tasks;
        see_stage(learner, stage, seen->feature, br_embedding_features(&job->embedding, node));
    }
    return true;
}

/* The planner's advice on a stage that can be named. */
static void plan_stage(const struct br_learner *learner, const struct br_executors *sim,
                       uint32_t number, br_weight *advice)
{
    const struct br_executor_stage *stage = &sim->stage[number];
    uint32_t need = br_executors_need(stage), most = sim->options.executors;
    advice[0] = (br_weight)(learner->advice.stage == number);
    struct br_learner_job *job = &learner->job[stage->job];
    if (!job->asked) {
        job->planned = br_executors_bound_stage(sim, stage->job);
        job->asked = true;
    }
    advice[1] = (br_weight)(job->planned == number);
    advice[2] = (br_weight)(need < most ? need : most) * PER_EXECUTOR;
}

bool br_learner_look(struct br_learner *learner, const struct br_executors *sim)
{
    learner->scene.jobs = 0;
    for (uint32_t k = 0; k < learner->jobs; k++)
        if (learner->job[k].there && sim->job[k].place == BR_EXECUTORS_NONE)
            br_learner_leave(learner, k);
    if (learner->planner)
        learner->advice = br_executors_plan_decide(learner->planner, sim);
    for (uint32_t k = 0; k < sim->live_jobs; k++)
        if (!see(learner, sim, sim->live[k]))
            return false;
    assert(learner->scene.jobs == sim->live_jobs);
    learner->candidates = 0;
    for (uint32_t k = 0; k < sim->ready_stages; k++) {
        uint32_t stage = sim->ready[k], job = sim->stage[stage].job;
        if (!br_executors_selectable(sim, stage))
            continue;
        assert(learner->candidates < learner->candidate_room);
        struct br_scene_candidate *candidate = &learner->candidate[learner->candidates];
        *candidate = (struct br_scene_candidate){
            .job = sim->job[job].place,
            .node = learner->job[job].node[stage - sim->job[job].first_stage]};
        if (learner->model->network.stage_advice)
            plan_stage(learner, sim, stage, candidate->advice);
        learner->stage[learner->candidates++] = stage;
    }
    br_scene_update(&learner->scene);
    return br_scene_score_nodes(&learner->scene, learner->candidate, learner->candidates,
                                &learner->nodes);
}

/* ---- Choosing ---- */

static bool look_at_limits(struct br_learner *learner, const struct br_executors *sim,
                           uint32_t candidate)
{
    assert(candidate < learner->candidates);
    uint32_t stage = learner->stage[candidate], job = sim->stage[stage].job;
    learner->first_limit = br_executors_held(sim, job) + 1;
    struct br_scene_limits limits = {.job = learner->candidate[candidate].job,
                                     .first = learner->first_limit,
                                     .last = learner->first_limit + sim->group.count - 1,
                                     .most = sim->options.executors};
    if (learner->model->network.stage_advice) {
        /* More than the stage needs are of no use. */
        uint32_t need = br_executors_need(&sim->stage[stage]);
        if (need && need < sim->group.count)
            limits.last = limits.first + need - 1;
        limits.number = br_executors_plan_of(learner->planner, job).executors;
        limits.advised = stage == learner->advice.stage ? learner->advice.limit
                         : job == sim->group.job        ? limits.last
                                                        : limits.number;
        limits.advised = limits.advised < limits.first  ? limits.first
                         : limits.advised > limits.last ? limits.last
                                                        : limits.advised;
    }
    if (learner->model->network.shape.without & BR_WITHOUT_LIMITS)
        learner->first_limit = limits.first = limits.advised = limits.last;
    assert(limits.first <= limits.last);
    return br_scene_score_limits(&learner->scene, &limits, &learner->limits);
}

bool br_learner_choose(struct br_learner *learner, const struct br_executors *sim,
                       struct br_rng *rng, struct br_learner_choice *choice)
{
    choice->candidate = br_choices_choose(&learner->nodes, rng ? br_rng_unit(rng) : -1);
    choice->stage = learner->stage[choice->candidate];
    if (!look_at_limits(learner, sim, choice->candidate))
        return false;
    choice->limit =
        learner->first_limit + br_choices_choose(&learner->limits, rng ? br_rng_unit(rng) : -1);
    return true;
}

bool br_learner_take(struct br_learner *learner, const struct br_executors *sim, uint32_t stage,
                     uint32_t limit, struct br_learner_choice *choice)
{
    uint32_t k = 0;
    while (k < learner->candidates && learner->stage[k] != stage)
        k++;
    if (k == learner->candidates || !look_at_limits(learner, sim, k))
        return false;
    uint32_t last = learner->first_limit + learner->limits.count - 1;
    *choice = (struct br_learner_choice){stage, limit, k};
    choice->limit = limit < learner->first_limit ? learner->first_limit
                    : limit > last               ? last
                                                 : limit;
    return true;
}

static double learner_log_of(double share)
{
    return br_real_log(share > 1e-300 ? share : 1e-300);
}

double br_learner_log_share(const struct br_learner *learner,
                            const struct br_learner_choice *choice)
{
    assert(choice->limit >= learner->first_limit && choice->candidate < learner->nodes.count);
    assert(choice->limit - learner->first_limit < learner->limits.count);
    return learner_log_of(learner->nodes.share[choice->candidate]) +
           learner_log_of(learner->limits.share[choice->limit - learner->first_limit]);
}

double br_learner_entropy(const struct br_learner *learner)
{
    return br_choices_entropy(&learner->nodes) + br_choices_entropy(&learner->limits);
}

void br_learner_learn(struct br_learner *learner, const struct br_learner_choice *choice,
                      double gain, double care)
{
    br_choices_learn(&learner->nodes, choice->candidate, gain, care);
    br_scene_nodes_back(&learner->scene, learner->candidate, &learner->nodes);
    if (learner->limits.count > 1) {
        br_choices_learn(&learner->limits, choice->limit - learner->first_limit, gain, care);
        br_scene_limits_back(&learner->scene, learner->candidate[choice->candidate].job,
                             &learner->limits);
    }
    br_scene_all_back(&learner->scene);
}
