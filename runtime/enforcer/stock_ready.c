/* When tasks of jobs with features may start: after their parents, their lags and releases. */
#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "runtime/enforcer/stock.h"

static bool timer_before(const void *none, const struct br_stock_timer *a,
                         const struct br_stock_timer *b)
{
    (void)none;
    return a->due_ns != b->due_ns ? a->due_ns < b->due_ns : a->task < b->task;
}
BR_HEAP(timers, struct br_stock_timer, const void *, timer_before, 4)
BR_HEAP(turns, struct br_stock_turn, const void *, br_stock_turn_before, 4)

static bool is_ready(const struct br_job *job, uint32_t task)
{
    return job->task_state[task] == BR_TASK_READY;
}

/* Nothing keeps the task back but its time and room; the next decision looks at it. */
static void stock_list(struct br_stock *stock, uint32_t task)
{
    if (stock->listed[task])
        return;
    stock->listed[task] = true;
    timers_push(NULL, stock->timer, &stock->timers, (struct br_stock_timer){INT64_MIN, task});
}

static void stock_look(struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    if (job->task_state[task] != BR_TASK_WAITING || stock->doomed[task] || stock->pairs[task] ||
        stock->waits[stock->general->task_stage[task]])
        return;
    br_job_ready(job, task);
    stock_list(stock, task);
}

void br_stock_list(struct br_job *job, uint32_t task)
{
    const struct br_stock *stock = job->stock;
    if (stock->pairs[task] || stock->waits[stock->general->task_stage[task]])
        br_job_withdraw(job, task); /* its stream has failed, too */
    else
        stock_list(job->stock, task);
}

void br_stock_open(struct br_runtime *runtime, struct br_job *job)
{
    runtime->pool.stirred = true;
    for (uint32_t t = 0; t < job->stock->general->tasks; t++)
        stock_look(job, t);
}

/* ---- Time ---- */

static void stock_raise(int64_t *value, int64_t least)
{
    if (*value < least)
        *value = least;
}

/* Without memory the lag is not lost: its tasks wait from the last decision on. */
static void add_lag(struct br_runtime *runtime, struct br_stock *stock, struct br_stock_lag lag)
{
    if (!lag.lag_ns)
        return;
    if (br_grow(&stock->lag, stock->lags, &stock->lag_room, sizeof lag))
        stock->lag[stock->lags++] = lag;
    else
        stock_raise(lag.task == BR_ANY ? &stock->stage_from_ns[lag.stage]
                                       : &stock->from_ns[lag.task],
                    runtime->now_ns + lag.lag_ns);
}

static int64_t stock_due(const struct br_stock *stock, uint32_t task)
{
    int64_t due_ns = stock->from_ns[task];
    stock_raise(&due_ns, stock->stage_from_ns[stock->general->task_stage[task]]);
    stock_raise(&due_ns, stock->began_ns + stock->general->release[task]);
    return due_ns;
}

void br_stock_wake(struct br_runtime *runtime, struct br_job *job)
{
    struct br_stock *stock = job->stock;
    const int64_t now_ns = runtime->now_ns;
    if (!stock->begun) {
        stock->begun = true;
        stock->began_ns = now_ns;
    }
    for (uint32_t k = 0; k < stock->lags; k++)
        stock_raise(stock->lag[k].task == BR_ANY ? &stock->stage_from_ns[stock->lag[k].stage]
                                                 : &stock->from_ns[stock->lag[k].task],
                    now_ns + stock->lag[k].lag_ns);
    stock->lags = 0;
    while (stock->timers && stock->timer[0].due_ns <= now_ns) {
        const uint32_t task = timers_pop(NULL, stock->timer, &stock->timers).task;
        const int64_t due_ns = stock_due(stock, task);
        if (!is_ready(job, task))
            stock->listed[task] = false;
        else if (due_ns > now_ns)
            timers_push(NULL, stock->timer, &stock->timers, (struct br_stock_timer){due_ns, task});
        else
            br_stock_give_turn(stock, (struct br_stock_turn){job->form->rank[task], task});
    }
}

/* ---- Turns ---- */

void br_stock_give_turn(struct br_stock *stock, struct br_stock_turn turn)
{
    const uint32_t stage = stock->general->task_stage[turn.task];
    turns_push(NULL, stock->turn + stock->general->stage_first[stage], &stock->turns[stage], turn);
    stock->listed[turn.task] = true;
    if (!stock->is_open[stage]) {
        stock->is_open[stage] = true;
        stock->open[stock->opens++] = stage;
    }
}

bool br_stock_take_turn(struct br_stock *stock, const struct br_job *job, uint32_t stage,
                        int64_t now_ns, struct br_stock_turn *turn)
{
    struct br_stock_turn *heap = stock->turn + stock->general->stage_first[stage];
    while (stock->turns[stage]) {
        *turn = turns_pop(NULL, heap, &stock->turns[stage]);
        stock->listed[turn->task] = false;
        if (!is_ready(job, turn->task))
            continue;
        const int64_t due_ns = stock_due(stock, turn->task);
        if (due_ns <= now_ns)
            return true;
        /* It had to wait for a stream once more. */
        stock->listed[turn->task] = true;
        timers_push(NULL, stock->timer, &stock->timers,
                    (struct br_stock_timer){due_ns, turn->task});
    }
    return false;
}

/* ---- Children ---- */

void br_stock_tell(struct br_runtime *runtime, struct br_job *job, uint32_t task, bool start)
{
    struct br_stock *stock = job->stock;
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    const uint32_t left = start ? stock->unstarted[stage] : stock->unended[stage];
    for (uint32_t a = general->child_first[stage]; a < general->child_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &general->child[a];
        const uint32_t first = general->stage_first[arc->stage];
        if (arc->stream != start || (!arc->one_to_one && left))
            continue;
        const uint32_t child = arc->one_to_one ? first + index : BR_ANY;
        add_lag(runtime, stock, (struct br_stock_lag){arc->lag, arc->stage, child});
        if (arc->one_to_one) {
            assert(stock->pairs[child] > 0);
            stock->pairs[child]--;
            stock_look(job, child);
            continue;
        }
        assert(stock->waits[arc->stage] > 0);
        if (--stock->waits[arc->stage] == 0)
            for (uint32_t t = first; t < general->stage_first[arc->stage + 1]; t++)
                stock_look(job, t);
    }
}

static void stock_withdraw(struct br_job *job, uint32_t task)
{
    if (is_ready(job, task))
        br_job_withdraw(job, task);
}

void br_stock_untell(struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    for (uint32_t a = general->child_first[stage]; a < general->child_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &general->child[a];
        const uint32_t first = general->stage_first[arc->stage];
        if (!arc->stream || (!arc->one_to_one && stock->unstarted[stage] != 1))
            continue;
        if (arc->one_to_one) {
            stock->pairs[first + index]++;
            stock_withdraw(job, first + index);
            continue;
        }
        stock->waits[arc->stage]++;
        for (uint32_t t = first; t < general->stage_first[arc->stage + 1]; t++)
            stock_withdraw(job, t);
    }
}

bool br_stock_is_streamed(const struct br_job *job, uint32_t task)
{
    const struct br_general *general = job->stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    for (uint32_t a = general->child_first[stage]; a < general->child_first[stage + 1]; a++) {
        const struct br_stage_arc *arc = &general->child[a];
        const uint32_t first = general->stage_first[arc->stage];
        uint32_t t = arc->one_to_one ? first + index : first;
        const uint32_t end = arc->one_to_one ? t + 1 : general->stage_first[arc->stage + 1];
        for (; arc->stream && t < end; t++)
            if (job->task_state[t] == BR_TASK_RUNNING)
                return true;
    }
    return false;
}
