#include "planner/general/enumerate.h"

#include <assert.h>
#include <string.h>

#include "base/collections/index.h"
#include "base/collections/memory.h"

enum { TASKS = BR_GENERAL_ENUMERATED };

/* A task that another waits for. */
struct before {
    uint32_t task;
    bool stream;
    int64_t lag;
};

struct instance {
    uint32_t maker, readers; /* a set of tasks */
    uint32_t resource;
    int64_t amount;
    bool from_end, result;
};

/* Who has started and ended, and what is held. The arrays of places stand behind it. */
struct enumerate_state {
    int64_t time;
    uint32_t started, ended; /* sets of tasks */
    uint32_t next;           /* at this time only this task and those behind it may start */
    int64_t start[TASKS];
    uint32_t machine[TASKS];
};

struct seen {
    uint64_t key; /* 0: empty */
    int64_t time;
};

struct enumerate {
    struct br_general_enumeration *run;
    const struct br_general *job;
    struct br_general_schedule *best;
    int64_t limit; /* only shorter ones count */
    uint32_t n, places;
    uint32_t before_first[TASKS + 1];
    struct before *before;
    uint32_t instances;
    struct instance *instance;
    struct seen *seen;
    uint64_t seen_room, seens;
    uint32_t late; /* the tasks that leave something from their end on */
    bool instant;  /* some task takes no time, so it may free at the time at which it starts */
    bool sooner_is_better; /* of two states that differ in time alone */
    bool cut, met, failed;
};

static int64_t *used_of(struct enumerate_state *state)
{
    return (int64_t *)(state + 1);
}

static uint32_t all_of(const struct enumerate *e)
{
    return (uint32_t)((UINT64_C(1) << e->n) - 1);
}

static int64_t end_of(const struct enumerate *e, const struct enumerate_state *state, uint32_t task)
{
    return state->start[task] + e->job->duration[task];
}

/* ---- The job, task by task ---- */

static bool list_before(struct enumerate *e)
{
    const struct br_general *job = e->job;
    e->before = br_malloc(((size_t)TASKS * TASKS + 1) * sizeof *e->before);
    if (!e->before)
        return false;
    uint32_t used = 0;
    for (uint32_t t = 0; t < e->n; t++) {
        const uint32_t stage = job->task_stage[t], index = t - job->stage_first[stage];
        e->before_first[t] = used;
        for (uint32_t a = job->parent_first[stage]; a < job->parent_first[stage + 1]; a++) {
            const struct br_stage_arc *arc = &job->parent[a];
            const uint32_t first = job->stage_first[arc->stage];
            for (uint32_t p = first; p < job->stage_first[arc->stage + 1]; p++)
                if (!arc->one_to_one || p - first == index)
                    e->before[used++] = (struct before){p, arc->stream, arc->lag};
        }
    }
    e->before_first[e->n] = used;
    return true;
}

static bool list_instances(struct enumerate *e)
{
    const struct br_general *job = e->job;
    e->instance = br_malloc(((size_t)job->instances + 1) * sizeof *e->instance);
    if (!e->instance)
        return false;
    for (uint32_t o = 0; o < job->outputs; o++) {
        const struct br_general_output *output = &job->output[o];
        const uint32_t first = job->stage_first[output->stage];
        for (uint32_t i = 0; i < job->stage_first[output->stage + 1] - first; i++) {
            struct instance made = {.maker = first + i,
                                    .resource = output->resource,
                                    .amount = output->amount,
                                    .from_end = output->from_end,
                                    .result = output->result};
            for (uint32_t k = job->reader_first[o]; k < job->reader_first[o + 1]; k++) {
                const struct br_stage_arc *reader = &job->reader[k];
                const uint32_t child = job->stage_first[reader->stage];
                for (uint32_t t = child; t < job->stage_first[reader->stage + 1]; t++)
                    if (!reader->one_to_one || t - child == i)
                        made.readers |= UINT32_C(1) << t;
            }
            if (output->amount && !output->none)
                e->instance[e->instances++] = made;
        }
    }
    return true;
}

/* ---- States ---- */

static int64_t enumerate_demand(const struct enumerate *e, uint32_t task, uint32_t r)
{
    return e->job->duration[task]
               ? e->job->demand[(size_t)e->job->task_stage[task] * e->job->resources + r]
               : 0;
}

static void enumerate_start(const struct enumerate *e, struct enumerate_state *state, uint32_t task,
                            uint32_t machine)
{
    const struct br_general *job = e->job;
    int64_t *used = used_of(state);
    state->started |= UINT32_C(1) << task;
    state->start[task] = state->time;
    state->machine[task] = machine;
    for (uint32_t r = 0; r < job->resources; r++)
        used[br_general_place(job, machine, r)] += enumerate_demand(e, task, r);
    for (uint32_t i = 0; i < e->instances; i++)
        if (e->instance[i].maker == task && !e->instance[i].from_end)
            used[br_general_place(job, machine, e->instance[i].resource)] += e->instance[i].amount;
}

static void enumerate_end(const struct enumerate *e, struct enumerate_state *state, uint32_t task)
{
    const struct br_general *job = e->job;
    int64_t *used = used_of(state);
    const uint32_t bit = UINT32_C(1) << task;
    state->ended |= bit;
    for (uint32_t r = 0; r < job->resources; r++)
        used[br_general_place(job, state->machine[task], r)] -= enumerate_demand(e, task, r);
    for (uint32_t i = 0; i < e->instances; i++) {
        const struct instance *made = &e->instance[i];
        int64_t *at = &used[br_general_place(job, state->machine[made->maker], made->resource)];
        if (made->maker == task && made->from_end)
            *at += made->amount;
        if (!made->result && made->readers & bit && (made->readers & ~state->ended) == 0)
            *at -= made->amount;
    }
}

static bool enumerate_fits(const struct enumerate *e, struct enumerate_state *state)
{
    const int64_t *used = used_of(state);
    for (uint32_t p = 0; p < e->places; p++)
        if (used[p] && used[p] > br_general_capacity(e->job, p, state->time))
            return false;
    return true;
}

/* The earliest start of a task by its parents and release; INT64_MAX if one has not started. */
static int64_t earliest(const struct enumerate *e, const struct enumerate_state *state,
                        uint32_t task)
{
    int64_t from = e->job->release[task];
    for (uint32_t k = e->before_first[task]; k < e->before_first[task + 1]; k++) {
        const struct before *b = &e->before[k];
        if (!(state->started >> b->task & 1))
            return INT64_MAX;
        const int64_t end = end_of(e, state, b->task);
        int64_t at = (b->stream ? state->start[b->task] : end) + b->lag;
        if (b->stream && end - e->job->duration[task] > at)
            at = end - e->job->duration[task];
        from = at > from ? at : from;
    }
    return from;
}

/* The next time at which one of the tasks with outputs from their end on can start to end together
 * with a task that runs. */
static int64_t next_joint_end(const struct enumerate *e, const struct enumerate_state *state)
{
    int64_t next = INT64_MAX;
    for (uint32_t t = 0; t < e->n; t++)
        for (uint32_t x = 0; e->late & ~state->started & UINT32_C(1) << t && x < e->n; x++)
            if (state->started & ~state->ended & UINT32_C(1) << x) {
                const int64_t at = end_of(e, state, x) - e->job->duration[t];
                if (at > state->time && at < next)
                    next = at;
            }
    return next;
}

/* The next time at which something happens; INT64_MAX if nothing does. */
static int64_t next_time(const struct enumerate *e, const struct enumerate_state *state)
{
    int64_t next = e->late ? next_joint_end(e, state) : INT64_MAX;
    for (uint32_t t = 0; t < e->n; t++) {
        const uint32_t bit = UINT32_C(1) << t;
        int64_t at = INT64_MAX;
        if (state->started & ~state->ended & bit)
            at = end_of(e, state, t);
        else if (!(state->started & bit))
            at = earliest(e, state, t);
        if (at > state->time && at < next)
            next = at;
    }
    for (uint32_t k = 0; k < e->job->marks; k++)
        if (e->job->mark[k] > state->time && e->job->mark[k] < next)
            next = e->job->mark[k];
    return next;
}

/* The least makespan of what can follow; INT64_MAX if a deadline is lost. */
static int64_t least_makespan(const struct enumerate *e, const struct enumerate_state *state)
{
    int64_t least = 0;
    for (uint32_t t = 0; t < e->n; t++) {
        int64_t end;
        if (state->started >> t & 1) {
            end = end_of(e, state, t);
        } else {
            int64_t from = earliest(e, state, t);
            if (from == INT64_MAX || from < state->time)
                from = state->time > e->job->release[t] ? state->time : e->job->release[t];
            if (e->job->latest[t] != INT64_MAX && from + e->job->duration[t] > e->job->latest[t])
                return INT64_MAX;
            end = from + e->job->tail[t];
        }
        least = end > least ? end : least;
    }
    return least;
}

/* ---- What has been seen ---- */

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return br_hash_number(sum ^ value);
}

/* All that decides what can follow, but for the time itself. */
static uint64_t state_key(const struct enumerate *e, const struct enumerate_state *state)
{
    uint64_t sum = mix(1, (uint64_t)state->started << 32 | state->ended);
    sum = mix(sum, state->next);
    for (uint32_t t = 0; t < e->n; t++) {
        if (!(state->started >> t & 1))
            continue;
        /* Times that are over may matter to lags and streams. */
        const int64_t left = end_of(e, state, t) - state->time;
        bool matters = left > 0;
        for (uint32_t k = 0; k < e->before_first[e->n] && !matters; k++)
            matters = e->before[k].task == t && (e->before[k].lag || e->before[k].stream);
        if (matters)
            sum = mix(sum, (uint64_t)left * 2 + 1);
        sum = mix(sum, state->machine[t]);
    }
    return sum | 1;
}

/* Has the same been reached as early? Else remembers it. */
static bool seen_before(struct enumerate *e, const struct enumerate_state *state)
{
    const uint64_t key = state_key(e, state);
    if (2 * e->seens >= e->seen_room) {
        const uint64_t room = e->seen_room ? 2 * e->seen_room : 4096;
        struct seen *larger = br_calloc(room, sizeof *larger);
        if (!larger) {
            e->failed = true;
            return false;
        }
        for (uint64_t k = 0; k < e->seen_room; k++)
            if (e->seen[k].key) {
                uint64_t at = (e->seen[k].key >> 1) & (room - 1);
                while (larger[at].key)
                    at = (at + 1) & (room - 1);
                larger[at] = e->seen[k];
            }
        br_free(e->seen);
        e->seen = larger;
        e->seen_room = room;
    }
    uint64_t at = (key >> 1) & (e->seen_room - 1);
    while (e->seen[at].key && e->seen[at].key != key)
        at = (at + 1) & (e->seen_room - 1);
    if (e->seen[at].key) {
        if (e->seen[at].time == state->time ||
            (e->seen[at].time < state->time && e->sooner_is_better))
            return true;
        e->seen[at].time = state->time;
        return false;
    }
    e->seen[at] = (struct seen){key, state->time};
    e->seens++;
    return false;
}

/* ---- Branching ---- */

static void take(struct enumerate *e, const struct enumerate_state *state)
{
    int64_t makespan = 0;
    for (uint32_t t = 0; t < e->n; t++) {
        e->best->start[t] = state->start[t];
        e->best->machine[t] = state->machine[t];
        makespan = end_of(e, state, t) > makespan ? end_of(e, state, t) : makespan;
    }
    assert(makespan < e->limit);
    e->best->makespan = makespan;
    e->best->late = 0;
    e->best->whole = true;
    e->limit = makespan;
    e->met = makespan <= e->run->lower_bound;
}

/* Would the machine do as well as one before it, since both are alike and hold nothing? */
static bool is_like_another(const struct enumerate *e, struct enumerate_state *state, uint32_t m)
{
    const struct br_general *job = e->job;
    const int64_t *used = used_of(state);
    if (job->calendar || m == 0 || job->machine_class[m - 1] != job->machine_class[m])
        return false;
    for (uint32_t t = 0; t < e->n; t++)
        if (state->started >> t & 1 && (state->machine[t] == m || state->machine[t] == m - 1) &&
            !(state->ended >> t & 1))
            return false;
    for (uint32_t r = 0; r < job->resources; r++)
        if (used[(size_t)m * job->resources + r] || used[(size_t)(m - 1) * job->resources + r])
            return false;
    return true;
}

static void branch(struct enumerate *e, struct enumerate_state *state, size_t size);

static void branch_on_start(struct enumerate *e, struct enumerate_state *state, size_t size,
                            uint32_t task)
{
    struct enumerate_state *child = (struct enumerate_state *)((char *)state + size);
    for (uint32_t m = 0; m < e->job->machines && !e->met && !e->cut && !e->failed; m++) {
        if (is_like_another(e, state, m) ||
            !br_general_open(e->job, m, state->time, state->time + e->job->duration[task]))
            continue;
        memcpy(child, state, size);
        enumerate_start(e, child, task, m);
        child->next = task + 1;
        if (!e->job->duration[task]) {
            enumerate_end(e, child, task);
            child->next = 0; /* its children may start now, too */
        }
        if (e->instant || enumerate_fits(e, child))
            branch(e, child, size);
    }
}

/* Nothing more starts now. */
static void branch_on_time(struct enumerate *e, struct enumerate_state *state, size_t size)
{
    struct enumerate_state *child = (struct enumerate_state *)((char *)state + size);
    if (e->instant && !enumerate_fits(e, state))
        return;
    memcpy(child, state, size);
    child->time = next_time(e, state);
    child->next = 0;
    if (child->time == INT64_MAX)
        return;
    for (uint32_t t = 0; t < e->n; t++)
        if (child->started & ~child->ended & UINT32_C(1) << t && end_of(e, child, t) <= child->time)
            enumerate_end(e, child, t);
    /* What is left when all have ended is held for no time. */
    if (e->instant || child->ended == all_of(e) || enumerate_fits(e, child))
        branch(e, child, size);
}

/* Does a task before it, which is like it, have the first turn? */
static bool waits_for_twin(const struct enumerate *e, const struct enumerate_state *state,
                           uint32_t task)
{
    const struct br_general *job = e->job;
    const uint32_t stage = job->task_stage[task];
    return task > job->stage_first[stage] && job->plain[stage] &&
           job->duration[task - 1] == job->duration[task] &&
           job->release[task - 1] == job->release[task] &&
           job->deadline[task - 1] == job->deadline[task] && !(state->started >> (task - 1) & 1);
}

/* The whole job could be shifted to an earlier time, unless releases keep a part of it back and
 * something grows when a task ends, or the cluster changes. */
static bool find_sooner_is_better(const struct enumerate *e)
{
    bool released = false, grows = false;
    for (uint32_t t = 0; t < e->n; t++)
        released |= e->job->release[t] > 0;
    for (uint32_t i = 0; i < e->instances; i++)
        grows |= e->instance[i].from_end;
    return !e->job->calendar && !(released && grows);
}

static void branch(struct enumerate *e, struct enumerate_state *state, size_t size)
{
    if (e->met || e->cut || e->failed || least_makespan(e, state) >= e->limit)
        return;
    if (++e->run->looked > e->run->nodes || br_stopped(e->run->stop)) {
        e->cut = true;
        return;
    }
    if (state->ended == all_of(e)) {
        take(e, state);
        return;
    }
    if (seen_before(e, state))
        return;
    for (uint32_t t = state->next; t < e->n; t++)
        if (!(state->started >> t & 1) && earliest(e, state, t) <= state->time &&
            !waits_for_twin(e, state, t))
            branch_on_start(e, state, size, t);
    branch_on_time(e, state, size);
}

bool br_general_enumerate(struct br_general_enumeration *run, struct br_general_schedule *best)
{
    const struct br_general *job = run->job;
    struct enumerate e = {.run = run,
                          .job = job,
                          .best = best,
                          .limit = best->whole && !best->late ? best->makespan : INT64_MAX,
                          .n = job->tasks,
                          .places = (job->machines + 1) * job->resources};
    assert(job->tasks <= TASKS);
    const size_t size = sizeof(struct enumerate_state) + e.places * sizeof(int64_t);
    struct enumerate_state *states = NULL;
    run->looked = 0;
    if (list_before(&e) && list_instances(&e)) {
        uint32_t lates = 0;
        for (uint32_t t = 0; t < e.n; t++)
            e.instant |= !job->duration[t];
        for (uint32_t i = 0; i < e.instances; i++)
            if (e.instance[i].from_end)
                e.late |= UINT32_C(1) << e.instance[i].maker;
        for (uint32_t t = 0; t < e.n; t++)
            lates += e.late >> t & 1;
        /* Every step starts a task or passes a time: an end, a readiness, a mark, or a start to end
         * together with another task. */
        states = br_calloc((3 + (size_t)lates) * e.n + job->marks + 3, size);
    }
    if (states) {
        e.sooner_is_better = find_sooner_is_better(&e);
        branch(&e, states, size);
    }
    /* A task that leaves something from its end on may have to wait for the end of one that has not
     * started, so the times that are looked at are not all. */
    run->complete = states && !e.cut && !e.failed && (e.met || !e.late);
    const bool ok = states && e.before && e.instance && !e.failed;
    br_free(states);
    br_free(e.before);
    br_free(e.instance);
    br_free(e.seen);
    return ok;
}
