/* The scheduler GS of [Jajoo22, 5.1.1]: ten queues by the predicted work of jobs, which share the
 * cluster by weights a tenth of each other; first come first served within. Pilots have a queue of
 * their own, the second. And two without queues: by attained service, and the shortest predicted
 * work first.
 *
 * A job that is to be sampled stands in the sampling queue with its pilots until these have ended;
 * then it goes to the queue of its predicted work. If no queue has anything that fits, other tasks
 * of sampled jobs start as well, first come first served. Thin jobs go to the first queue if the
 * predictor says so.
 *
 * A free place goes to the queue with the least use over its weight, of those with something that
 * fits. What a decision looks at grows with the jobs that are there; demands that fitted nowhere
 * are remembered, so that most jobs cost a comparison. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/rng.h"
#include "runtime/enforcer/jobs/job.h"
#include "cluster/simulate/policies/order.h"
#include "cluster/simulate/policies/rooms.h"
#include "runtime/predict/evaluate.h"
#include "cluster/simulate/rows.h"

enum gs_order {
    BR_GS_QUEUES,    /* by predicted work */
    BR_GS_ATTAINED,  /* by the time that its ended tasks took, with no prediction */
    BR_GS_SHORTEST,  /* no queues: the least predicted work first */
    BR_GS_REMAINING, /* the same of what is left of it, predicted again as tasks end */
};

struct gs_rule {
    enum gs_order order;
    const char *predictor; /* NULL: none */
};

enum { THIN = 3, QUEUES_MOST = 16, MISSES = 32 };

struct member {
    struct br_arena arena;
    struct br_job *job;
    uint32_t number, queue;
    int64_t arrival_ns, last_ns;
    bool sampled;
    uint32_t pilots, pilots_left; /* these are the first ranks */
    bool *pilot;                  /* by task */
    int64_t *lasted_ns;           /* by task, once it has ended */
    int64_t *measured_ns;         /* the pilots', stage by stage */
    struct br_predict_job known;
    struct br_predict_stage *stage; /* in the order of `topological` */
    const uint32_t *topological;
    double attained_ns, work_ns;
    double whole_ns;       /* predicted, before what has ended is taken off; 0: not predicted */
    uint32_t predicted_at; /* tasks that had ended then */
};

struct queue {
    struct member **member; /* by their turn */
    uint32_t count, room;
    double use, weight; /* shares of the cluster that its tasks hold */
};

struct gs {
    const struct br_predictor_row *row; /* NULL: none */
    void *predictor;
    struct gs_rule rule;
    struct br_policy_setup setup;
    struct br_job_queues queues;
    struct br_arena arena;
    struct br_capacities capacities;
    struct br_rooms rooms;
    struct queue queue[QUEUES_MOST];
    uint32_t count, sampling; /* queues; which is for pilots, UINT32_MAX: none */
    struct member **member;   /* by job of the workload; NULL: not there */
    uint32_t member_room;
    const int64_t *miss[MISSES]; /* demands for which there is no room, in this decision */
    uint32_t misses;
};

/* One order of all jobs that are not sampled, in place of queues. */
static bool has_no_queues(const struct gs *gs)
{
    return gs->rule.order == BR_GS_SHORTEST || gs->rule.order == BR_GS_REMAINING;
}

/* ---- Begin and end ---- */

static enum br_status gs_learn_history(struct gs *gs, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < gs->setup.histories && !status; k++)
        status = gs->row->learn(gs->predictor, &gs->setup.history[k].job, NAN, diag);
    return status;
}

static enum br_status gs_create(const struct br_policy_row *row,
                                const struct br_policy_setup *setup, void **policy,
                                struct br_diag *diag)
{
    const struct gs_rule *rule = row->detail;
    struct gs *gs = calloc(1, sizeof *gs);
    double weight = 1;
    *policy = gs;
    if (!gs)
        return br_fail_memory(diag);
    gs->rule = *rule;
    gs->setup = *setup;
    gs->queues = br_queues_default();
    gs->count = has_no_queues(gs) ? 1 : gs->queues.count;
    gs->sampling = UINT32_MAX;
    enum br_status status = br_capacities_make(&gs->arena, setup->cluster, &gs->capacities, diag);
    if (!status && !br_rooms_init(&gs->rooms, setup->cluster, &gs->capacities))
        status = br_fail_memory(diag);
    if (!status && rule->predictor) {
        struct br_predict_setup own = br_predict_setup_default(setup->features);
        double ignored;
        status = br_predictor_find(rule->predictor, &gs->row, &ignored, diag);
        own.number = setup->number;
        if (!status)
            status = gs->row->create(gs->row, &own, &gs->predictor, diag);
        if (!status)
            status = gs_learn_history(gs, diag);
        if (!status && gs->row->pilots) {
            gs->sampling = has_no_queues(gs) ? 0 : 1;
            gs->count++;
        }
    }
    assert(gs->count <= QUEUES_MOST);
    for (uint32_t q = 0; q < gs->count; q++) {
        gs->queue[q].weight = weight;
        weight /= gs->queues.factor;
    }
    return status;
}

static void gs_release(struct member *member)
{
    if (!member)
        return;
    br_job_destroy(member->job);
    br_arena_finish(&member->arena);
    free(member);
}

static void gs_destroy(void *policy)
{
    struct gs *gs = policy;
    for (uint32_t k = 0; k < gs->member_room; k++)
        gs_release(gs->member[k]);
    for (uint32_t q = 0; q < gs->count; q++)
        free(gs->queue[q].member);
    if (gs->predictor)
        gs->row->destroy(gs->predictor);
    free(gs->member);
    br_rooms_finish(&gs->rooms);
    br_arena_finish(&gs->arena);
    free(gs);
}

/* ---- Queues ---- */

static bool gs_goes_before(const struct gs *gs, const struct member *a, const struct member *b)
{
    if (has_no_queues(gs) && a->work_ns != b->work_ns)
        return a->work_ns < b->work_ns;
    return a->number < b->number;
}

/* The part of the cluster that the job holds. */
static double use_of(const struct member *member)
{
    double use = 0;
    const struct br_job *job = member->job;
    for (uint32_t t = 0; t < job->form->tasks; t++)
        if (job->task_state[t] == BR_TASK_RUNNING)
            use += job->form->kind_share[job->form->stage_kind[job->form->task_stage[t]]];
    return use;
}

static enum br_status gs_enter(struct gs *gs, struct member *member, uint32_t number,
                               struct br_diag *diag)
{
    struct queue *queue = &gs->queue[number];
    assert(number < gs->count);
    if (!br_grow(&queue->member, queue->count, &queue->room, sizeof *queue->member))
        return br_fail_memory(diag);
    uint32_t at = queue->count++;
    for (; at > 0 && gs_goes_before(gs, member, queue->member[at - 1]); at--)
        queue->member[at] = queue->member[at - 1];
    queue->member[at] = member;
    queue->use += use_of(member);
    member->queue = number;
    return BR_OK;
}

static void gs_leave(struct gs *gs, struct member *member)
{
    struct queue *queue = &gs->queue[member->queue];
    uint32_t at = 0;
    while (queue->member[at] != member) {
        at++;
        assert(at < queue->count);
    }
    queue->count--;
    memmove(queue->member + at, queue->member + at + 1,
            (queue->count - at) * sizeof *queue->member);
    queue->use -= use_of(member);
    if (queue->use < 1e-12)
        queue->use = 0;
}

/* The queue of jobs of this work; that for pilots stands in between. */
static uint32_t queue_for(const struct gs *gs, double work_ns)
{
    if (has_no_queues(gs))
        return gs->sampling == UINT32_MAX ? 0 : 1;
    uint32_t queue = br_queue_of(&gs->queues, work_ns);
    assert(queue < gs->queues.count);
    return queue + (queue >= gs->sampling);
}

/* ---- Predictions ---- */

/* Predicts the job from its pilots, or from all of its tasks that have ended. */
static void gs_predict(struct gs *gs, struct member *member, bool all)
{
    struct br_estimate estimate;
    uint32_t used = 0;
    for (uint32_t s = 0; s < member->known.stages; s++) {
        uint32_t stage = member->topological[s], first = member->job->form->stage_first[stage];
        struct br_predict_stage *of = &member->stage[s];
        of->measured = 0;
        of->duration_ns = member->measured_ns + used;
        for (uint32_t t = first; t < first + of->tasks; t++)
            if (all ? member->job->task_state[t] == BR_TASK_FINISHED : member->pilot[t])
                member->measured_ns[used + of->measured++] = member->lasted_ns[t];
        used += of->measured;
    }
    assert(used <= member->job->form->tasks);
    gs->row->predict(gs->predictor, &member->known, &estimate, NULL);
    assert(estimate.work_ns >= 0);
    member->work_ns = estimate.work_ns;
    member->whole_ns = estimate.work_ns;
    member->predicted_at = member->job->state.finished + 1;
}

/* Draws pilots among the tasks of the stages that wait for nothing. */
static void draw_pilots(struct gs *gs, struct member *member)
{
    struct br_job *job = member->job;
    struct br_rng rng = br_rng_seed(gs->setup.seed ^ br_rng_next(&(struct br_rng){member->number}));
    for (uint32_t s = 0; s < member->known.stages; s++) {
        uint32_t stage = member->topological[s], first = job->form->stage_first[stage];
        uint32_t tasks = member->stage[s].tasks;
        uint32_t wanted = gs->row->pilots(gs->predictor, &member->known, s);
        if (job->stage_waits[stage] || job->task_state[first] != BR_TASK_READY)
            continue;
        for (uint32_t left = tasks, t = first; left > 0; left--, t++) {
            assert(wanted <= left);
            member->pilot[t] = br_rng_below(&rng, left) < wanted;
            wanted -= member->pilot[t];
            member->pilots += member->pilot[t];
        }
        assert(wanted == 0);
    }
    member->pilots_left = member->pilots;
}

static void predict_clairvoyantly(struct member *member, const int64_t *true_ns)
{
    for (uint32_t t = 0; t < member->job->form->tasks; t++)
        member->work_ns += (double)true_ns[t];
}

static enum br_status gs_meet(struct gs *gs, struct member *member,
                              const struct br_arrival *arrival, struct br_diag *diag)
{
    if (!gs->row)
        return gs_enter(gs, member, queue_for(gs, 0), diag);
    enum br_status status = BR_OK;
    if (gs->row->arrive)
        status = gs->row->arrive(gs->predictor, &member->known, diag);
    if (status)
        return status;
    uint32_t wide = gs->setup.wide ? gs->setup.wide : THIN;
    bool thin = gs->row->thin_first && member->job->form->tasks < wide;
    if (thin)
        return gs_enter(gs, member, queue_for(gs, 0), diag);
    if (gs->row->pilots)
        draw_pilots(gs, member);
    member->sampled = member->pilots > 0;
    if (member->sampled)
        return gs_enter(gs, member, gs->sampling, diag);
    if (gs->row->clairvoyant)
        predict_clairvoyantly(member, arrival->true_ns);
    else
        gs_predict(gs, member, false);
    return gs_enter(gs, member, queue_for(gs, member->work_ns), diag);
}

/* ---- Events ---- */

static bool gs_make_arrays(struct gs *gs, struct member *member, const struct br_arrival *arrival)
{
    const struct br_dag *dag = arrival->dag;
    uint64_t *feature = br_arena_array(&member->arena, gs->setup.features + 1, sizeof *feature);
    member->pilot = br_arena_array(&member->arena, dag->tasks, sizeof *member->pilot);
    member->lasted_ns = br_arena_array(&member->arena, dag->tasks, sizeof *member->lasted_ns);
    member->measured_ns = br_arena_array(&member->arena, dag->tasks, sizeof *member->measured_ns);
    member->stage = br_arena_array(&member->arena, dag->stages, sizeof *member->stage);
    if (!feature || !member->pilot || !member->lasted_ns || !member->measured_ns || !member->stage)
        return false;
    for (uint32_t f = 0; f < gs->setup.features; f++)
        feature[f] = arrival->feature && arrival->feature[f] ? br_feature(arrival->feature[f])
                                                             : BR_NO_FEATURE;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *of = &dag->stage[dag->topological[s]];
        member->stage[s] = (struct br_predict_stage){
            .key = br_feature(of->id), .tasks = of->tasks, .duration_ns = member->measured_ns};
    }
    member->topological = dag->topological;
    member->known = (struct br_predict_job){arrival->job, feature, dag->stages, member->stage};
    return true;
}

static enum br_status gs_arrive(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                                struct br_diag *diag)
{
    struct gs *gs = policy;
    while (arrival->job >= gs->member_room) {
        uint32_t old = gs->member_room;
        if (!br_grow(&gs->member, old, &gs->member_room, sizeof(void *)))
            return br_fail_memory(diag);
        memset(gs->member + old, 0, (gs->member_room - old) * sizeof *gs->member);
    }
    assert(!gs->member[arrival->job]);
    struct member *member = calloc(1, sizeof *member);
    gs->member[arrival->job] = member;
    if (!member)
        return br_fail_memory(diag);
    member->number = arrival->job;
    member->arrival_ns = now_ns;
    const uint32_t *order = br_order_breadth(&member->arena, arrival->dag);
    if (!order || !gs_make_arrays(gs, member, arrival))
        return br_fail_memory(diag);
    struct br_form *form;
    enum br_status status = br_form_create(arrival->dag, NULL, order, &gs->capacities.scale,
                                           gs->setup.cluster->machines, &form, diag);
    if (status)
        return status;
    member->job = br_job_create(form, false);
    br_form_release(form);
    return member->job ? gs_meet(gs, member, arrival, diag) : br_fail_memory(diag);
}

/* The job's place in the order by what is left of it; predicted again whenever twice as many tasks
 * have ended. */
static enum br_status refine(struct gs *gs, struct member *member, struct br_diag *diag)
{
    uint32_t ended = member->job->state.finished;
    if (ended >= 2 * member->predicted_at) {
        gs_predict(gs, member, true);
    }
    gs_leave(gs, member);
    member->work_ns = fmax(member->whole_ns - member->attained_ns, 0);
    return gs_enter(gs, member, member->queue, diag);
}

/* The job goes where it belongs by now. */
static enum br_status gs_move(struct gs *gs, struct member *member, struct br_diag *diag)
{
    uint32_t queue = member->queue;
    if (member->sampled && !member->pilots_left) {
        member->sampled = false;
        gs_predict(gs, member, false);
        queue = queue_for(gs, member->work_ns);
    }
    if (gs->rule.order == BR_GS_ATTAINED)
        queue = queue_for(gs, member->attained_ns);
    if (queue != member->queue) {
        gs_leave(gs, member);
        return gs_enter(gs, member, queue, diag);
    }
    bool predicted = !member->sampled && member->known.stages && member->whole_ns > 0;
    return gs->rule.order == BR_GS_REMAINING && predicted ? refine(gs, member, diag) : BR_OK;
}

static enum br_status gs_end(void *policy, const struct br_ended *ended, int64_t now_ns,
                             struct br_diag *diag)
{
    struct gs *gs = policy;
    struct member *member = gs->member[ended->job];
    struct br_job *job = member->job;
    struct queue *queue = &gs->queue[member->queue];
    uint32_t task = ended->task;
    br_rooms_change(&gs->rooms, ended->machine,
                    br_job_demand(job, task, gs->capacities.scale.resources), 1);
    queue->use -= job->form->kind_share[job->form->stage_kind[job->form->task_stage[task]]];
    assert(queue->use > -1e-6);
    member->attained_ns += (double)ended->lasted_ns;
    member->last_ns = now_ns;
    if (ended->failed) {
        br_job_fail(job, task, true, now_ns);
    } else {
        br_job_finish(job, task);
        assert(!member->pilot[task] || member->pilots_left);
        member->lasted_ns[task] = ended->lasted_ns;
        member->pilots_left -= member->pilot[task];
    }
    return gs_move(gs, member, diag);
}

static enum br_status gs_retire(void *policy, uint32_t number, struct br_diag *diag)
{
    struct gs *gs = policy;
    struct member *member = gs->member[number];
    enum br_status status = BR_OK;
    assert(member->job->state.finished == member->job->form->tasks);
    double work = 0;
    for (uint32_t t = 0; t < member->job->form->tasks; t++)
        work += (double)member->lasted_ns[t];
    for (uint32_t s = 0; s < member->known.stages; s++) {
        struct br_predict_stage *of = &member->stage[s];
        of->measured = of->tasks;
        of->duration_ns =
            member->lasted_ns + member->job->form->stage_first[member->topological[s]];
    }
    /* Thin jobs tell nothing of how many pilots are good. */
    bool scored = work > 0 && member->pilots;
    if (gs->row)
        status = gs->row->learn(
            gs->predictor, &member->known,
            scored ? (double)(member->last_ns - member->arrival_ns) / work : NAN, diag);
    gs_leave(gs, member);
    gs_release(member);
    gs->member[number] = NULL;
    return status;
}

static enum br_status gs_machine(void *policy, uint32_t machine, bool there, struct br_diag *diag)
{
    struct gs *gs = policy;
    (void)diag;
    br_rooms_move(&gs->rooms, machine, there);
    return BR_OK;
}

/* ---- Decisions ---- */

/* The first machine with room for the demand; UINT32_MAX: none, which is remembered. */
static uint32_t gs_find_room(struct gs *gs, const int64_t *demand)
{
    uint32_t width = gs->capacities.scale.resources;
    for (uint32_t k = 0; k < gs->misses; k++)
        if (memcmp(gs->miss[k], demand, width * sizeof *demand) == 0)
            return UINT32_MAX;
    uint32_t machine = br_rooms_first(&gs->rooms, demand, 0);
    if (machine == UINT32_MAX && gs->misses < MISSES)
        gs->miss[gs->misses++] = demand;
    return machine;
}

/* The first ready pilot of the kind by rank, or BR_NO_RANK. */
static uint32_t first_pilot(const struct member *member, uint32_t kind)
{
    const struct br_job *job = member->job;
    for (uint32_t k = 0; k < job->form->tasks; k++) {
        uint32_t task = job->form->task[k];
        if (member->pilot[task] && job->task_state[task] == BR_TASK_READY &&
            job->form->stage_kind[job->form->task_stage[task]] == kind)
            return k;
    }
    return BR_NO_RANK;
}

/* Starts the first task of the job that fits, of its pilots alone if `pilots`. */
static bool gs_start(struct gs *gs, struct member *member, bool pilots, int64_t now_ns,
                     struct br_decision *decision)
{
    struct br_job *job = member->job;
    uint32_t width = gs->capacities.scale.resources, best = BR_NO_RANK, machine = UINT32_MAX;
    if (!job->state.ready || (pilots && !member->pilots_left))
        return false;
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++) {
        uint32_t k = pilots ? first_pilot(member, kind) : br_ready_best(&job->ready, kind);
        uint32_t room = k == BR_NO_RANK || k >= best
                            ? UINT32_MAX
                            : gs_find_room(gs, job->form->demand + (size_t)kind * width);
        if (room != UINT32_MAX) {
            best = k;
            machine = room;
        }
    }
    if (best == BR_NO_RANK)
        return false;
    uint32_t task = job->form->task[best];
    assert(job->task_state[task] == BR_TASK_READY);
    *decision = (struct br_decision){member->number, task, machine};
    br_job_run(job, task, machine, now_ns);
    br_rooms_change(&gs->rooms, machine, br_job_demand(job, task, width), -1);
    gs->queue[member->queue].use +=
        job->form->kind_share[job->form->stage_kind[job->form->task_stage[task]]];
    return true;
}

static bool gs_serve(struct gs *gs, uint32_t number, bool pilots, int64_t now_ns,
                     struct br_decision *decision)
{
    struct queue *queue = &gs->queue[number];
    for (uint32_t k = 0; k < queue->count; k++)
        if (gs_start(gs, queue->member[k], pilots, now_ns, decision))
            return true;
    return false;
}

/* One more start, of the queue with the least use over its weight that has one. */
static bool decide_one(struct gs *gs, int64_t now_ns, struct br_decision *decision)
{
    bool tried[QUEUES_MOST] = {false};
    for (uint32_t round = 0; round < gs->count; round++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t q = 0; q < gs->count; q++)
            if (!tried[q] &&
                (least == UINT32_MAX || gs->queue[q].use / gs->queue[q].weight <
                                            gs->queue[least].use / gs->queue[least].weight))
                least = q;
        assert(least < gs->count); /* one is tried each round */
        tried[least] = true;
        if (gs_serve(gs, least, least == gs->sampling, now_ns, decision))
            return true;
    }
    return gs->sampling != UINT32_MAX && gs_serve(gs, gs->sampling, false, now_ns, decision);
}

static uint32_t gs_decide(void *policy, int64_t now_ns, struct br_decision *decisions,
                          uint32_t room, int64_t *wake_ns)
{
    struct gs *gs = policy;
    uint32_t made = 0;
    (void)wake_ns;
    gs->misses = 0;
    while (made < room && decide_one(gs, now_ns, &decisions[made]))
        made++;
    return made;
}

/* ---- Policies ---- */

#define GS(order_, predictor_)                                                                     \
    .detail = &(const struct gs_rule){order_, predictor_}, .create = gs_create,                    \
    .destroy = gs_destroy, .arrive = gs_arrive, .end = gs_end, .retire = gs_retire,                \
    .machine = gs_machine, .decide = gs_decide

const struct br_policy_row br_simulate_policy_gs_point = {
    .named = {"gs-point", "queues by predicted work [Jajoo22]: the median of history"},
    GS(BR_GS_QUEUES, "point")};
const struct br_policy_row br_simulate_policy_gs_3sigma = {
    .named = {"gs-3sigma", "queues by predicted work: 3Sigma"}, GS(BR_GS_QUEUES, "3sigma")};
const struct br_policy_row br_simulate_policy_gs_3sigma_tl = {
    .named = {"gs-3sigma-tl", "queues by predicted work: 3Sigma, jobs of fewer than 3 tasks first"},
    GS(BR_GS_QUEUES, "3sigma-tl")};
const struct br_policy_row br_simulate_policy_gs_slearn = {
    .named = {"gs-slearn", "queues by predicted work: pilots, jobs of fewer than 3 tasks first"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_QUEUES, "slearn")};
const struct br_policy_row br_simulate_policy_gs_slearn_adaptive = {
    .named = {"gs-slearn-adaptive",
              "gs-slearn, with a share of 1 to 5 % pilots that follows completion times"},
    GS(BR_GS_QUEUES, "slearn-adaptive")};
const struct br_policy_row br_simulate_policy_gs_slearn_dag = {
    .named = {"gs-slearn-dag",
              "gs-slearn, with pilots of the first stage and history of the others"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_QUEUES, "slearn-dag")};
const struct br_policy_row br_simulate_policy_gs_posterior = {
    .named = {"gs-posterior", "queues by predicted work: history and pilots in one posterior"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_QUEUES, "posterior")};
const struct br_policy_row br_simulate_policy_gs_oracle = {
    .named = {"gs-oracle", "queues by the true work, which no scheduler knows"},
    .clairvoyant = true,
    GS(BR_GS_QUEUES, "oracle")};
const struct br_policy_row br_simulate_policy_las = {
    .named = {"las", "queues by attained service [Jajoo22]"}, GS(BR_GS_ATTAINED, NULL)};
const struct br_policy_row br_simulate_policy_shortest = {
    .named = {"shortest", "the least work that the posterior predicts first, no queues"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_SHORTEST, "posterior")};
const struct br_policy_row br_simulate_policy_shortest_3sigma = {
    .named = {"shortest-3sigma", "shortest, by 3Sigma"}, GS(BR_GS_SHORTEST, "3sigma")};
const struct br_policy_row br_simulate_policy_shortest_slearn = {
    .named = {"shortest-slearn", "shortest, by pilots"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_SHORTEST, "slearn")};
const struct br_policy_row br_simulate_policy_shortest_oracle = {
    .named = {"shortest-oracle", "shortest, by the true work, which no scheduler knows"},
    .clairvoyant = true,
    GS(BR_GS_SHORTEST, "oracle")};
const struct br_policy_row br_simulate_policy_shortest_remaining = {
    .named = {"shortest-remaining",
              "the least work that the posterior predicts to be left first, no queues"},
    .number = "the share of tasks that are pilots",
    GS(BR_GS_REMAINING, "posterior")};
