/* The loop: tell all events of a moment, let the policy decide, move on to the next moment.
 *
 * Arrivals are not queued, since the workload has them in order. An end that has moved leaves its
 * old entry in the queue; a version tells that it is void. */
#include "cluster/simulate/engine.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/process/clock.h"
#include "cluster/simulate/event.h"
#include "cluster/simulate/live.h"
#include "cluster/simulate/machines.h"
#include "cluster/simulate/uses.h"

enum { DECISIONS = 256, EVENTS_A_TELL = 1 << 14 };

struct simulation {
    const struct br_workload *workload;
    const struct br_simulate_options *options;
    struct br_policy_setup setup;
    void *policy;
    struct br_arena arena;
    struct br_job_shape *shape;
    struct br_machines machines;
    bool moves;                /* bytes, or jobs are placed */
    bool evicts;               /* the policy takes tasks back */
    struct br_transit transit; /* if `moves` */
    struct br_live *live;      /* by job */
    struct br_event *queue;
    uint32_t queued, queue_room;
    uint32_t next_job, live_jobs;
    uint32_t away; /* machines */
    int64_t now_ns, wake_ns;
    uint64_t span_room;
    bool out_of_memory;
    struct br_outcome *outcome;
    struct br_task_uses uses; /* if machines are measured */
};

/* ---- Queue and record ---- */

static enum br_status enqueue(struct simulation *sim, struct br_event event, struct br_diag *diag)
{
    if (!br_grow(&sim->queue, sim->queued, &sim->queue_room, sizeof *sim->queue))
        return br_fail_memory(diag);
    br_event_push(NULL, sim->queue, &sim->queued, event);
    return BR_OK;
}

static void enqueue_end(void *context, uint32_t slot, int64_t end_ns)
{
    struct simulation *sim = context;
    const struct br_running *task = &sim->machines.slot[slot];
    assert(end_ns >= sim->now_ns);
    struct br_event event = br_event_at(end_ns, BR_EVENT_END, task->job, task->task);
    event.slot = slot;
    event.version = task->version;
    if (enqueue(sim, event, NULL))
        sim->out_of_memory = true;
}

static enum br_status simulate_engine_record(struct simulation *sim, const struct br_running *task,
                                             enum br_span_end end, struct br_diag *diag)
{
    struct br_outcome *outcome = sim->outcome;
    if (sim->options->no_spans)
        return BR_OK;
    assert(task->start_ns <= task->work_ns && task->work_ns <= sim->now_ns);
    if (outcome->spans == sim->span_room) {
        uint64_t room = sim->span_room + sim->span_room / 2 + 1024;
        struct br_span *larger = realloc(outcome->span, room * sizeof *larger);
        if (!larger)
            return br_fail_memory(diag);
        outcome->span = larger;
        sim->span_room = room;
        if (sim->options->network) {
            int64_t *longer = realloc(outcome->work_ns, room * sizeof *longer);
            if (!longer)
                return br_fail_memory(diag);
            outcome->work_ns = longer;
        }
    }
    if (sim->options->network)
        outcome->work_ns[outcome->spans] = task->fetches ? -1 : task->work_ns;
    outcome->span[outcome->spans++] = (struct br_span){.start_ns = task->start_ns,
                                                       .end_ns = sim->now_ns,
                                                       .job = task->job,
                                                       .task = task->task,
                                                       .machine = task->machine,
                                                       .end = end};
    return BR_OK;
}

static const struct br_dag *simulate_engine_dag_of(const struct simulation *sim, uint32_t job)
{
    return sim->workload->dag[sim->workload->job[job].dag].dag;
}

/* ---- Events ---- */

static enum br_status simulate_engine_arrive(struct simulation *sim, uint32_t number,
                                             struct br_diag *diag)
{
    const struct br_workload_job *job = &sim->workload->job[number];
    const struct br_dag *dag = simulate_engine_dag_of(sim, number);
    struct br_live *live = &sim->live[number];
    assert(job->arrival_ns == sim->now_ns && !live->shape);
    if (!br_live_make(live, &sim->shape[job->dag], &sim->options->world, sim->workload, number))
        return br_fail_memory(diag);
    if (sim->moves && !br_transit_arrive(&sim->transit, number))
        return br_fail_memory(diag);
    sim->live_jobs++;
    struct br_arrival arrival = {.job = number,
                                 .id = job->id,
                                 .dag = dag,
                                 .dag_number = job->dag,
                                 .group = job->group,
                                 .weight = job->weight,
                                 .arrival_ns = job->arrival_ns,
                                 .deadline_ns = job->deadline_ns,
                                 .feature = job->feature,
                                 .true_ns = sim->options->row->clairvoyant ? live->true_ns : NULL};
    enum br_status status = sim->options->row->arrive(sim->policy, &arrival, sim->now_ns, diag);
    if (!status && sim->options->row->places)
        status =
            br_transit_place(&sim->transit, number, sim->options->row->places(sim->policy, number),
                             sim->now_ns, diag);
    return status;
}

static enum br_status tell_end(struct simulation *sim, const struct br_running *task, bool failed,
                               struct br_diag *diag)
{
    struct br_ended ended = {.job = task->job,
                             .task = task->task,
                             .machine = task->machine,
                             .lasted_ns = task->fetches ? 0 : sim->now_ns - task->work_ns,
                             .failed = failed};
    return sim->options->row->end(sim->policy, &ended, sim->now_ns, diag);
}

static enum br_status simulate_engine_finish_job(struct simulation *sim, uint32_t number,
                                                 struct br_diag *diag)
{
    assert(sim->live_jobs && sim->outcome->end_ns[number] < 0);
    sim->outcome->end_ns[number] = sim->now_ns;
    sim->outcome->finished++;
    sim->outcome->end_of_all_ns = sim->now_ns;
    sim->live_jobs--;
    br_live_drop(&sim->live[number]);
    if (sim->moves)
        br_transit_retire(&sim->transit, number);
    return sim->options->row->retire(sim->policy, number, diag);
}

/* What has been lost of the job, and is needed, is to be done again: tells the policy. */
static enum br_status simulate_engine_lose(struct simulation *sim, uint32_t number,
                                           struct br_diag *diag)
{
    struct br_live *live = &sim->live[number];
    uint32_t count = br_outputs_need(live->outputs, live->shape, live->state);
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < count && !status; k++) {
        const uint32_t task = live->outputs->lost[k];
        live->stage_left[live->shape->task_stage[task]]++;
        live->left++;
        if (!sim->options->no_spans)
            sim->outcome->span[live->outputs->span[task]].end = BR_SPAN_LOST;
        if (sim->moves)
            br_transit_lost(&sim->transit, number, task);
        status = br_live_count_attempt(live, task)
                     ? sim->options->row->lost(sim->policy, number, task, sim->now_ns, diag)
                     : br_fail_memory(diag);
    }
    return status;
}

/* The task of the slot leaves its machine: finished, or lost. */
static enum br_status simulate_engine_leave(struct simulation *sim, uint32_t slot,
                                            enum br_span_end how, struct br_diag *diag)
{
    struct br_running task = sim->machines.slot[slot];
    struct br_live *live = &sim->live[task.job];
    assert(task.demand && live->state[task.task] == BR_LIFE_RUNNING);
    if (task.fetches)
        br_transit_drop(&sim->transit, slot, sim->now_ns);
    br_machines_end(&sim->machines, slot);
    if (sim->moves && how == BR_SPAN_DONE)
        br_transit_ended(&sim->transit, task.job, task.task, task.machine, sim->now_ns);
    enum br_status status = simulate_engine_record(sim, &task, how, diag);
    if (how == BR_SPAN_DONE) {
        assert(live->left && live->stage_left[live->shape->task_stage[task.task]]);
        live->state[task.task] = BR_LIFE_DONE;
        live->stage_left[live->shape->task_stage[task.task]]--;
        live->left--;
        if (live->outputs) {
            live->outputs->machine[task.task] = task.machine;
            live->outputs->span[task.task] = sim->outcome->spans - 1;
        }
    } else {
        live->state[task.task] = BR_LIFE_IDLE;
        if (!status && !br_live_count_attempt(live, task.task))
            status = br_fail_memory(diag);
    }
    if (!status)
        status = tell_end(sim, &task, how != BR_SPAN_DONE, diag);
    /* What it has read may be gone by now. */
    if (!status && how != BR_SPAN_DONE && live->outputs)
        status = simulate_engine_lose(sim, task.job, diag);
    if (!status && !live->left)
        status = simulate_engine_finish_job(sim, task.job, diag);
    return status;
}

/* What tasks have left on the machine is gone with it. */
static enum br_status simulate_engine_clear(struct simulation *sim, uint32_t machine,
                                            struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t j = 0; j < sim->next_job && !status; j++) {
        struct br_live *live = &sim->live[j];
        if (!live->left)
            continue;
        br_outputs_leave(live->outputs, live->shape->dag->tasks, live->state, machine);
        status = simulate_engine_lose(sim, j, diag);
    }
    return status;
}

static enum br_status move_machine(struct simulation *sim, const struct br_event *event,
                                   struct br_diag *diag)
{
    uint32_t machine = (uint32_t)(event->about >> 32), k = (uint32_t)event->about;
    bool there = k % 2 != 0;
    enum br_status status = BR_OK;
    assert(sim->machines.there[machine] != there);
    while (!there && sim->machines.first[machine] != BR_NO_SLOT && !status)
        status = simulate_engine_leave(sim, sim->machines.first[machine], BR_SPAN_EVICTED, diag);
    if (!there && !status && sim->options->world.lose_outputs)
        status = simulate_engine_clear(sim, machine, diag);
    sim->machines.there[machine] = there;
    sim->away += there ? -1u : 1u;
    assert(sim->away <= sim->machines.machines);
    if (!status)
        status = sim->options->row->machine(sim->policy, machine, there, diag);
    int64_t lasts_ns = br_world_machine_ns(&sim->options->world, machine, k + 1);
    if (!status && lasts_ns < BR_NEVER - sim->now_ns)
        status = enqueue(sim, br_event_at(sim->now_ns + lasts_ns, BR_EVENT_MACHINE, machine, k + 1),
                         diag);
    return status;
}

static enum br_status simulate_engine_perform(struct simulation *sim, const struct br_event *event,
                                              struct br_diag *diag)
{
    if (br_event_kind(event) == BR_EVENT_MACHINE)
        return move_machine(sim, event, diag);
    const struct br_running *task = &sim->machines.slot[event->slot];
    assert(task->version == event->version && task->job == event->about >> 32);
    uint32_t machine = task->machine;
    enum br_status status =
        simulate_engine_leave(sim, event->slot, task->fails ? BR_SPAN_FAILED : BR_SPAN_DONE, diag);
    if (sim->machines.overbooked)
        br_machines_settle(&sim->machines, machine, sim->now_ns, enqueue_end, sim);
    return sim->out_of_memory ? br_fail_memory(diag) : status;
}

/* ---- Starts ---- */

/* Why the task cannot start there now; NULL if it can. */
static const char *objection(const struct simulation *sim, const struct br_decision *decision)
{
    if (decision->job >= sim->workload->jobs || !sim->live[decision->job].left)
        return "is of a job that is not there";
    const struct br_live *live = &sim->live[decision->job];
    const struct br_job_shape *shape = live->shape;
    if (decision->task >= shape->dag->tasks || live->state[decision->task] != BR_LIFE_IDLE)
        return "runs or has finished";
    if (br_live_waits(live, decision->task))
        return "waits for another";
    if (decision->machine >= sim->machines.machines ||
        !br_machines_fit(&sim->machines, decision->machine,
                         br_shape_demand(shape, decision->task, sim->machines.resources)))
        return "does not fit on its machine";
    if (sim->moves &&
        !br_transit_may_start(&sim->transit, decision->job, decision->task, decision->machine))
        return "is placed elsewhere, or waits for bytes";
    return NULL;
}

static enum br_status simulate_engine_start(struct simulation *sim,
                                            const struct br_decision *decision,
                                            struct br_diag *diag)
{
    const char *why_not = objection(sim, decision);
    if (why_not)
        return br_fail(diag, BR_SYSTEM, "this is a defect of the policy; please report it",
                       "policy '%s' starts task %u of job %u, which %s",
                       sim->options->row->named.name, decision->task, decision->job, why_not);
    const struct br_workload_job *job = &sim->workload->job[decision->job];
    struct br_live *live = &sim->live[decision->job];
    struct br_attempt attempt = br_world_attempt(&sim->options->world, job, decision->task,
                                                 live->attempt ? live->attempt[decision->task] : 0,
                                                 live->true_ns[decision->task]);
    struct br_running task = {
        .demand = br_shape_demand(live->shape, decision->task, sim->machines.resources),
        .job = decision->job,
        .task = decision->task,
        .machine = decision->machine,
        .fails = attempt.fails};
    if (sim->machines.measured)
        task.use = br_task_uses_of(&sim->uses, sim->workload->job[decision->job].dag,
                                   sim->live[decision->job].shape->task_stage[decision->task],
                                   task.demand);
    if (attempt.lasts_ns > BR_NEVER - sim->now_ns)
        return br_fail(diag, BR_BAD_INPUT, NULL, "job '%.80s' lasts longer than times can express",
                       job->id);
    uint32_t slot = br_machines_start(&sim->machines, task, attempt.lasts_ns, sim->now_ns);
    if (slot == BR_NO_SLOT)
        return br_fail_memory(diag);
    live->state[decision->task] = BR_LIFE_RUNNING;
    bool waits = false;
    if (sim->options->network && !br_transit_fetch(&sim->transit, decision->job, decision->task,
                                                   decision->machine, slot, sim->now_ns, &waits))
        return br_fail_memory(diag);
    sim->machines.slot[slot].fetches = waits;
    if (!waits)
        enqueue_end(sim, slot, sim->now_ns + attempt.lasts_ns);
    if (sim->machines.overbooked)
        br_machines_settle(&sim->machines, decision->machine, sim->now_ns, enqueue_end, sim);
    return sim->out_of_memory ? br_fail_memory(diag) : BR_OK;
}

static enum br_status simulate_engine_decide(struct simulation *sim, struct br_diag *diag)
{
    struct br_decision decision[DECISIONS];
    enum br_status status = BR_OK;
    uint32_t got = DECISIONS;
    while (got == DECISIONS && !status) {
        sim->wake_ns = BR_NEVER;
        got =
            sim->options->row->decide(sim->policy, sim->now_ns, decision, DECISIONS, &sim->wake_ns);
        assert(got <= DECISIONS);
        for (uint32_t d = 0; d < got && !status; d++)
            status = simulate_engine_start(sim, &decision[d], diag);
    }
    if (!status && sim->wake_ns <= sim->now_ns)
        return br_fail(diag, BR_SYSTEM, "this is a defect of the policy; please report it",
                       "policy '%s' asks for a time that has passed",
                       sim->options->row->named.name);
    return status;
}

/* The slot of the running task on its machine, or BR_NO_SLOT. */
static uint32_t simulate_engine_slot(const struct simulation *sim, const struct br_decision *of)
{
    uint32_t slot =
        of->machine < sim->machines.machines ? sim->machines.first[of->machine] : BR_NO_SLOT;
    while (slot != BR_NO_SLOT &&
           (sim->machines.slot[slot].job != of->job || sim->machines.slot[slot].task != of->task))
        slot = sim->machines.slot[slot].next;
    return slot;
}

/* Ends the tasks that the policy takes back for others, which it starts then. */
static enum br_status simulate_engine_evict(struct simulation *sim, struct br_diag *diag)
{
    struct br_decision gone[DECISIONS];
    enum br_status status = BR_OK;
    uint32_t count;
    while (!status && sim->evicts &&
           (count = sim->options->row->evict(sim->policy, sim->now_ns, gone, DECISIONS))) {
        for (uint32_t k = 0; k < count && !status; k++) {
            uint32_t slot = simulate_engine_slot(sim, &gone[k]);
            if (slot == BR_NO_SLOT)
                return br_fail(diag, BR_SYSTEM, "this is a defect of the policy; please report it",
                               "policy '%s' takes back a task that does not run",
                               sim->options->row->named.name);
            status = simulate_engine_leave(sim, slot, BR_SPAN_EVICTED, diag);
            if (sim->machines.overbooked)
                br_machines_settle(&sim->machines, gone[k].machine, sim->now_ns, enqueue_end, sim);
        }
        if (!status)
            status = simulate_engine_decide(sim, diag);
    }
    return status;
}

/* ---- The loop ---- */

/* The time of the next event that counts; BR_NEVER if there is none. */
static int64_t next_time(struct simulation *sim)
{
    /* Only if machines are chained does an end move, or never come. */
    while (sim->machines.chained && sim->queued && br_event_kind(&sim->queue[0]) == BR_EVENT_END &&
           sim->machines.slot[sim->queue[0].slot].version != sim->queue[0].version)
        br_event_pop(NULL, sim->queue, &sim->queued);
    int64_t at_ns = sim->queued ? br_event_time(&sim->queue[0]) : BR_NEVER;
    if (sim->next_job < sim->workload->jobs && sim->workload->job[sim->next_job].arrival_ns < at_ns)
        at_ns = sim->workload->job[sim->next_job].arrival_ns;
    if (sim->moves && br_transit_next(&sim->transit) < at_ns)
        at_ns = br_transit_next(&sim->transit);
    return sim->wake_ns < at_ns ? sim->wake_ns : at_ns;
}

/* Tasks whose last bytes have come begin to work, or are reported as ready if they are placed. */
static enum br_status receive(struct simulation *sim, struct br_diag *diag)
{
    uint32_t slot;
    while (br_transit_pop(&sim->transit, sim->now_ns, &slot)) {
        int64_t end_ns = br_machines_work(&sim->machines, slot, sim->now_ns);
        if (end_ns >= BR_NEVER)
            return br_fail(diag, BR_BAD_INPUT, NULL, "a task lasts longer than times can express");
        sim->outcome->events++;
        enqueue_end(sim, slot, end_ns);
    }
    enum br_status status = sim->out_of_memory ? br_fail_memory(diag) : BR_OK;
    uint32_t job, task;
    while (!status && br_transit_ready(&sim->transit, &job, &task))
        status = sim->options->row->supplied(sim->policy, job, task, diag);
    return status;
}

/* The job and task of the event are asked about soon: with `closely` next, else after that. */
static void simulate_engine_expect(const struct simulation *sim, const struct br_event *event,
                                   bool closely)
{
    uint32_t job = (uint32_t)(event->about >> 32), task = (uint32_t)event->about;
    if (br_event_kind(event) != BR_EVENT_END)
        return;
    if (closely) {
        if (!sim->live[job].left)
            return;
        __builtin_prefetch(sim->live[job].state + task);
        __builtin_prefetch(sim->live[job].stage_left);
    } else {
        __builtin_prefetch(&sim->live[job]);
        __builtin_prefetch(&sim->machines.slot[event->slot]);
    }
    if (sim->options->row->expect)
        sim->options->row->expect(sim->policy, job, task, closely);
}

/* Asks memory for what the next two events of the queue are about, while there is other work. */
static void simulate_engine_look_ahead(const struct simulation *sim)
{
    const struct br_event *queue = sim->queue;
    uint32_t second = 1, children = sim->queued < 5 ? sim->queued : 5;
    if (children)
        simulate_engine_expect(sim, &queue[0], true);
    for (uint32_t c = 2; c < children; c++)
        second = br_event_before(NULL, &queue[c], &queue[second]) ? c : second;
    if (children > 1)
        simulate_engine_expect(sim, &queue[second], false);
}

static enum br_status simulate_engine_advance(struct simulation *sim, int64_t at_ns,
                                              struct br_diag *diag)
{
    enum br_status status = BR_OK;
    assert(at_ns >= sim->now_ns);
    sim->now_ns = at_ns;
    while (next_time(sim) == at_ns && sim->queued && br_event_time(&sim->queue[0]) == at_ns &&
           !status) {
        struct br_event event = br_event_pop(NULL, sim->queue, &sim->queued);
        sim->outcome->events++;
        simulate_engine_look_ahead(sim);
        status = simulate_engine_perform(sim, &event, diag);
    }
    while (sim->next_job < sim->workload->jobs &&
           sim->workload->job[sim->next_job].arrival_ns == at_ns && !status) {
        sim->outcome->events++;
        status = simulate_engine_arrive(sim, sim->next_job++, diag);
    }
    if (!status && sim->moves)
        status = receive(sim, diag);
    if (!status)
        status = simulate_engine_decide(sim, diag);
    if (!status)
        status = simulate_engine_evict(sim, diag);
    if (!status && sim->moves && !br_transit_share(&sim->transit, at_ns))
        status = br_fail_memory(diag);
    return status;
}

/* Nothing runs or moves, nobody is to come, and no machine is away: what waits now waits for good.
 */
static bool is_stuck(const struct simulation *sim)
{
    return sim->next_job == sim->workload->jobs && !sim->away && sim->wake_ns == BR_NEVER &&
           sim->machines.slots == sim->machines.unused_count &&
           br_transit_next(&sim->transit) == BR_NEVER;
}

static enum br_status simulate_engine_run(struct simulation *sim, struct br_diag *diag)
{
    const struct br_simulate_options *options = sim->options;
    enum br_status status = BR_OK;
    uint64_t told = 0;
    sim->wake_ns = BR_NEVER;
    while ((sim->live_jobs || sim->next_job < sim->workload->jobs) && !status) {
        int64_t at_ns = next_time(sim);
        if (at_ns == BR_NEVER || (sim->live_jobs && is_stuck(sim)))
            break;
        if (br_stopped(options->stop)) {
            sim->outcome->cut = true;
            break;
        }
        status = simulate_engine_advance(sim, at_ns, diag);
        if (options->progress && sim->outcome->events - told >= EVENTS_A_TELL) {
            told = sim->outcome->events;
            options->progress(options->progress_context, sim->outcome->finished,
                              sim->workload->jobs);
        }
    }
    assert(status || sim->outcome->finished + sim->live_jobs == sim->next_job);
    if (!status && sim->outcome->finished < sim->workload->jobs)
        sim->outcome->note = sim->outcome->cut ? "the simulation was stopped"
                             : sim->transit.flows.flows
                                 ? "what is to come takes too long"
                                 : "the policy never starts the tasks that are left";
    return status;
}

/* ---- Begin and end ---- */

/* Asks for a plan as the policy would, and takes the time. */
static const struct br_plan *plan_timed(void *context, const struct br_arrival *arrival,
                                        struct br_diag *diag)
{
    struct simulation *sim = context;
    const struct br_policy_setup *setup = &sim->options->setup;
    int64_t began_ns = br_now_ns();
    const struct br_plan *plan = setup->plan(setup->plan_context, arrival, diag);
    sim->outcome->planning_seconds += (double)(br_now_ns() - began_ns) * 1e-9;
    return plan;
}

static const struct br_plan *network_plan_timed(void *context, const struct br_arrival *arrival,
                                                struct br_diag *diag)
{
    struct simulation *sim = context;
    const struct br_policy_setup *setup = &sim->options->setup;
    int64_t began_ns = br_now_ns();
    const struct br_plan *plan = setup->network_plan(setup->plan_context, arrival, diag);
    sim->outcome->planning_seconds += (double)(br_now_ns() - began_ns) * 1e-9;
    return plan;
}

static double simulate_engine_lies(void *context, uint32_t job, uint32_t task, uint32_t machine)
{
    const struct simulation *sim = context;
    return br_transit_lies(&sim->transit, job, task, machine);
}

static enum br_status simulate_engine_prepare(struct simulation *sim,
                                              const struct br_cluster *cluster,
                                              struct br_diag *diag)
{
    const struct br_simulate_options *options = sim->options;
    uint32_t jobs = sim->workload->jobs;
    enum br_status status = br_world_check(&options->world, diag);
    if (!status && options->world.lose_outputs && !options->row->lost)
        status = br_fail(diag, BR_USAGE, "leave one of them out",
                         "policy '%s' does not take outputs that are lost with their machines",
                         options->row->named.name);
    if (!status)
        status = br_machines_init(&sim->machines, cluster, &sim->setup,
                                  br_task_uses_differ(sim->workload, &options->world), diag);
    if (!status)
        status = br_shapes_make(&sim->arena, sim->workload, cluster, &sim->machines.capacities,
                                &sim->shape, diag);
    if (status)
        return status;
    if (sim->machines.measured)
        status = br_task_uses_make(&sim->uses, &sim->arena, sim->workload, &options->world,
                                   &sim->machines.capacities.scale, diag);
    if (status)
        return status;
    sim->evicts = options->row->evict && sim->setup.evicts;
    sim->machines.chained |= options->world.leave_s > 0 || sim->evicts;
    sim->machines.paced |= options->network != NULL;
    sim->live = calloc((size_t)jobs + 1, sizeof *sim->live);
    sim->outcome->end_ns = malloc(((size_t)jobs + 1) * sizeof *sim->outcome->end_ns);
    if (!sim->live || !sim->outcome->end_ns)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < jobs; j++)
        sim->outcome->end_ns[j] = -1;
    if (sim->moves)
        status = br_transit_init(&sim->transit, sim->workload, cluster, options->network, diag);
    for (uint32_t m = 0; options->world.leave_s > 0 && m < cluster->machines && !status; m++)
        status = enqueue(
            sim, br_event_at(br_world_machine_ns(&options->world, m, 0), BR_EVENT_MACHINE, m, 0),
            diag);
    if (!status)
        status = options->row->create(options->row, &sim->setup, &sim->policy, diag);
    return status;
}

/* Records the tasks that still run when a simulation is cut. */
static enum br_status record_rest(struct simulation *sim, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t at = 0; at < sim->machines.slots && !status; at++)
        if (sim->machines.slot[at].demand)
            status = simulate_engine_record(sim, &sim->machines.slot[at], BR_SPAN_CUT, diag);
    return status;
}

static void simulate_engine_finish(struct simulation *sim)
{
    if (sim->policy)
        sim->options->row->destroy(sim->policy);
    for (uint32_t j = 0; sim->live && j < sim->workload->jobs; j++)
        br_live_drop(&sim->live[j]);
    free(sim->live);
    free(sim->queue);
    br_machines_finish(&sim->machines);
    if (sim->moves)
        br_transit_finish(&sim->transit);
    br_arena_finish(&sim->arena);
}

enum br_status br_simulate_workload(const struct br_workload *workload,
                                    const struct br_cluster *cluster,
                                    const struct br_simulate_options *options,
                                    struct br_outcome *outcome, struct br_diag *diag)
{
    int64_t began_ns = br_now_ns();
    assert(workload->finished);
    *outcome = (struct br_outcome){
        .policy = options->row->named.name, .seed = options->world.seed, .jobs = workload->jobs};
    struct simulation sim = {
        .workload = workload, .options = options, .setup = options->setup, .outcome = outcome};
    sim.moves = options->network || options->row->places;
    sim.setup.plan = options->setup.plan ? plan_timed : NULL;
    sim.setup.network_plan = network_plan_timed;
    sim.setup.plan_context = &sim;
    if (options->network) {
        sim.setup.lies = simulate_engine_lies;
        sim.setup.lies_context = &sim;
    }
    sim.setup.cluster = cluster;
    sim.setup.groups = workload->groups;
    sim.setup.group = workload->group;
    sim.setup.features = workload->features;
    sim.setup.seed = options->world.seed;
    sim.setup.allotments = &outcome->allotments;
    sim.setup.unseens = options->row->narrow ? options->setup.unseens : 0;
    enum br_status status = simulate_engine_prepare(&sim, cluster, diag);
    if (!status)
        status = simulate_engine_run(&sim, diag);
    if (!status && outcome->cut)
        status = record_rest(&sim, diag);
    outcome->moved = sim.transit.sums;
    simulate_engine_finish(&sim);
    outcome->seconds = (double)(br_now_ns() - began_ns) * 1e-9;
    return status;
}
