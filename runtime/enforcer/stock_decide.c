/* Starts of tasks of jobs with features: in the order of their plans, wherever there is room and a
 * way on is left. */
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/stock.h"

enum {
    LOOK = 32,     /* turns of a stage whose tasks differ that find no room before it waits */
    MACHINES = 24, /* that have room are compared */
    TRIES = 4      /* of them are asked for a way on */
};

BR_HEAP(turns, struct br_stock_turn, const void *, br_stock_turn_before, 4)

struct starting {
    struct br_runtime *runtime;
    uint32_t only; /* the machine; BR_ANY: all */
    struct br_decision *decisions;
    uint32_t room, count;
    uint32_t look;
    struct br_job *job; /* whose turn it is */
};

/* ---- A way on ---- */

/* The task that has failed and is to start next, of those that can; NULL if there is none. */
static const struct br_owed *next_owed(const struct br_runtime *runtime, bool *firm)
{
    const struct br_pool *pool = &runtime->pool;
    const struct br_owed *next = NULL;
    *firm = false;
    for (uint32_t k = 0; k < pool->oweds; k++) {
        const struct br_owed *owed = &pool->owed[k];
        *firm |= owed->firm;
        if (runtime->job[owed->job]->task_state[owed->task] == BR_TASK_READY)
            next = owed;
    }
    return next;
}

static bool leaves_a_way(struct starting *s, uint32_t task, uint32_t machine)
{
    struct br_stock *stock = s->job->stock;
    struct br_pool *pool = &s->runtime->pool;
    bool firm;
    const struct br_owed *owed = next_owed(s->runtime, &firm);
    const bool is_owed =
        owed && owed->job == stock->number && owed->task == task && owed->machine == machine;
    if ((firm && !is_owed) || !br_reserve_start(stock->reserve, task, machine))
        return false;
    if (br_stock_is_safe(s->runtime)) {
        if (!firm)
            pool->oweds = 0;
        return true;
    }
    if (!is_owed)
        br_reserve_back(stock->reserve);
    return is_owed;
}

/* ---- Machines ---- */

static bool has_room(const struct starting *s, uint32_t task, uint32_t machine)
{
    const struct br_stock *stock = s->job->stock;
    if (s->runtime->away[machine] || !br_stock_is_there(s->runtime, stock, task, machine))
        return false;
    for (uint32_t r = 0; r < stock->general->resources; r++) {
        const int64_t need = br_stock_need(stock, s->job, task, machine, r);
        if (need > 0 && need > br_stock_room_for(s->runtime, stock, task, machine, r))
            return false;
    }
    return true;
}

static void stock_place(struct starting *s, uint32_t task, uint32_t machine)
{
    const struct br_job_state before = s->job->state;
    const uint32_t number = s->job->stock->number;
    s->decisions[s->count++] = (struct br_decision){number, task, machine};
    br_stock_started(s->runtime, s->job, task, machine);
    br_runtime_recount(s->runtime, number, &before);
}

static bool stock_try(struct starting *s, uint32_t task, uint32_t machine)
{
    if (machine >= s->runtime->machines || (s->only != BR_ANY && machine != s->only) ||
        !has_room(s, task, machine) || (s->job->stock->reserve && !leaves_a_way(s, task, machine)))
        return false;
    stock_place(s, task, machine);
    return true;
}

/* How much of the machine stays free, in shares, as the task weighs it. */
static double slack_on(const struct starting *s, uint32_t task, uint32_t machine)
{
    const struct br_stock *stock = s->job->stock;
    const int64_t *capacity =
        s->runtime->capacity + (size_t)s->runtime->machine_class[machine] * s->runtime->resources;
    double sum = 0;
    for (uint32_t r = 0; r < stock->general->resources; r++) {
        const int64_t of = stock->general->shared[r] ? 0 : capacity[stock->column[r]];
        if (of)
            sum += (double)br_stock_need(stock, s->job, task, machine, r) / (double)of *
                   ((double)br_stock_room(s->runtime, stock, machine, r) / (double)of);
    }
    return sum;
}

/* The machines with room, best first. */
static uint32_t list_machines(const struct starting *s, uint32_t task, uint32_t list[MACHINES])
{
    double slack[MACHINES];
    uint32_t count = 0;
    for (uint32_t m = 0; m < s->runtime->machines && count < MACHINES; m++) {
        if (!has_room(s, task, m))
            continue;
        const double mine = slack_on(s, task, m);
        uint32_t at = count++;
        for (; at && slack[at - 1] > mine; at--) {
            slack[at] = slack[at - 1];
            list[at] = list[at - 1];
        }
        slack[at] = mine;
        list[at] = m;
    }
    return count;
}

static bool start_somewhere(struct starting *s, uint32_t task)
{
    const struct br_stock *stock = s->job->stock;
    const uint32_t planned = s->job->form->planned ? s->job->form->planned[task] : BR_ANY;
    const uint32_t proven = stock->reserve ? br_reserve_machine(stock->reserve, task) : BR_ANY;
    uint32_t list[MACHINES];
    if (s->only != BR_ANY)
        return stock_try(s, task, s->only);
    if (stock_try(s, task, planned) || (proven != planned && stock_try(s, task, proven)))
        return true;
    const uint32_t count = list_machines(s, task, list);
    for (uint32_t k = 0; k < count && k < TRIES; k++)
        if (list[k] != planned && list[k] != proven && stock_try(s, task, list[k]))
            return true;
    return false;
}

/* ---- Turns ---- */

static bool may_start_more(const struct starting *s)
{
    return s->count < s->room && s->job->state.running < s->job->stock->most && !s->job->closed;
}

static void next_in_round(struct starting *s, uint32_t stage, uint32_t *size)
{
    struct br_stock *stock = s->job->stock;
    struct br_stock_turn turn;
    if (br_stock_take_turn(stock, s->job, stage, s->runtime->now_ns, &turn))
        turns_push(NULL, stock->round, size, turn);
}

/* Each stage offers its first task. Tasks of a stage that stand for one another hold equally much,
 * so if one finds no room, none after it does, but a shorter one may end before a window. */
static void take_turns(struct starting *s, bool (*start)(struct starting *, uint32_t))
{
    struct br_stock *stock = s->job->stock;
    const struct br_general *general = stock->general;
    uint32_t size = 0, asides = 0;
    for (uint32_t k = 0; k < stock->opens;) {
        const uint32_t stage = stock->open[k];
        if (!stock->turns[stage]) {
            stock->is_open[stage] = false;
            stock->open[k] = stock->open[--stock->opens];
            continue;
        }
        stock->looked[stage] = 0;
        next_in_round(s, stage, &size);
        k++;
    }
    while (size && may_start_more(s)) {
        const struct br_stock_turn turn = turns_pop(NULL, stock->round, &size);
        const uint32_t stage = general->task_stage[turn.task];
        if (!start(s, turn.task)) {
            stock->aside[asides++] = turn;
            if ((general->plain[stage] && !general->calendar) || ++stock->looked[stage] >= s->look)
                continue;
        }
        next_in_round(s, stage, &size);
    }
    while (size)
        br_stock_give_turn(stock, turns_pop(NULL, stock->round, &size));
    while (asides)
        br_stock_give_turn(stock, stock->aside[--asides]);
}

/* Without a way on that is known, as if an earlier run has left more than it should: room alone
 * decides. */
static bool start_anyway(struct starting *s, uint32_t task)
{
    struct br_stock *stock = s->job->stock;
    for (uint32_t m = 0; m < s->runtime->machines; m++)
        if ((s->only == BR_ANY || m == s->only) && has_room(s, task, m)) {
            if (stock->reserve)
                br_reserve_put(stock->reserve, task, m);
            stock->stale = true;
            s->runtime->pool.forced++;
            stock_place(s, task, m);
            return true;
        }
    return false;
}

/* ---- Deciding ---- */

static void stock_prepare(struct starting *s)
{
    struct br_stock *stock = s->job->stock;
    if (stock->stale)
        br_stock_refresh(stock, s->job);
    br_stock_wake(s->runtime, s->job);
}

static void start_owed(struct starting *s)
{
    bool firm;
    const struct br_owed *owed;
    while (s->count < s->room && (owed = next_owed(s->runtime, &firm))) {
        s->job = s->runtime->job[owed->job];
        if (!may_start_more(s) || !stock_try(s, owed->task, owed->machine))
            return;
    }
}

static void start_all(struct starting *s, uint32_t look, bool (*start)(struct starting *, uint32_t))
{
    const struct br_pool *pool = &s->runtime->pool;
    uint32_t before;
    s->look = look;
    do {
        before = s->count;
        for (uint32_t k = 0; k < pool->stocks; k++) {
            s->job = s->runtime->job[pool->member[k]];
            stock_prepare(s);
            take_turns(s, start);
        }
    } while (s->count > before && s->count < s->room);
}

/* Does some job have a task whose time has come, and nothing that runs? */
static bool is_blocked(const struct br_runtime *runtime)
{
    const struct br_pool *pool = &runtime->pool;
    for (uint32_t k = 0; k < pool->stocks; k++) {
        const struct br_job *job = runtime->job[pool->member[k]];
        const struct br_stock *stock = job->stock;
        bool due = false;
        for (uint32_t s = 0; s < stock->opens && !job->state.running && stock->most; s++)
            due |= stock->turns[stock->open[s]] > 0;
        if (due)
            return true;
    }
    return pool->oweds > 0;
}

static bool anything_runs(const struct br_runtime *runtime, bool stocks)
{
    for (uint32_t j = 0; j < runtime->jobs; j++)
        if (runtime->job[j] && (runtime->job[j]->stock != NULL) == stocks &&
            runtime->job[j]->state.running)
            return true;
    return false;
}

static int64_t next_timer(const struct br_runtime *runtime)
{
    const struct br_pool *pool = &runtime->pool;
    int64_t next_ns = INT64_MAX;
    for (uint32_t k = 0; k < pool->stocks; k++) {
        const struct br_job *job = runtime->job[pool->member[k]];
        const struct br_stock *stock = job->stock;
        if (stock->timers && stock->timer[0].due_ns < next_ns)
            next_ns = stock->timer[0].due_ns;
        if (!job->state.ready && !job->state.running)
            continue;
        const int64_t change_ns = br_stock_next_change(runtime, stock);
        next_ns = change_ns < next_ns ? change_ns : next_ns;
    }
    return next_ns;
}

uint32_t br_stock_decide(struct br_runtime *runtime, uint32_t machine,
                         struct br_decision *decisions, uint32_t room)
{
    struct br_pool *pool = &runtime->pool;
    struct starting s = {.runtime = runtime, .only = machine, .decisions = decisions, .room = room};
    if (!room || (!pool->stirred && runtime->now_ns < pool->next_ns))
        return 0;
    if (!pool->clocked)
        pool->origin_ns = runtime->now_ns;
    pool->clocked = true;
    for (uint32_t k = 0; k < pool->stocks; k++) {
        s.job = runtime->job[pool->member[k]];
        stock_prepare(&s);
    }
    pool->stirred = false;
    start_owed(&s);
    start_all(&s, LOOK, start_somewhere);
    bool blocked = !s.count && is_blocked(runtime);
    if (blocked && !anything_runs(runtime, true)) {
        start_all(&s, UINT32_MAX, start_somewhere);
        if (!s.count && !anything_runs(runtime, false) && next_timer(runtime) == INT64_MAX) {
            s.room = 1;
            start_all(&s, UINT32_MAX, start_anyway);
        }
        blocked = !s.count;
    }
    pool->drained = blocked && anything_runs(runtime, false);
    pool->next_ns = next_timer(runtime);
    pool->stirred = s.count == room || machine != BR_ANY;
    return s.count;
}
