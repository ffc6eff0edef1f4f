/* What jobs with features hold, and the events that change it. */
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/text/diag.h"
#include "runtime/enforcer/stock.h"

/* ---- Places ---- */

int64_t br_stock_room(const struct br_runtime *runtime, const struct br_stock *stock,
                      uint32_t machine, uint32_t resource)
{
    const uint32_t r = stock->column[resource];
    if (stock->general->shared[resource])
        return runtime->pool.free[r];
    const int64_t free = runtime->free[(size_t)machine * runtime->resources + r];
    return stock->general->stored[resource]
               ? free
               : free +
                     runtime
                         ->extra[(size_t)runtime->machine_class[machine] * runtime->resources + r];
}

static void stock_change(struct br_runtime *runtime, const struct br_stock *stock, uint32_t machine,
                         uint32_t resource, int64_t amount)
{
    const uint32_t r = stock->column[resource];
    if (!amount)
        return;
    if (stock->general->shared[resource]) {
        runtime->pool.free[r] -= amount;
        runtime->pool.held[r] += amount;
        assert(runtime->pool.held[r] >= 0);
    } else {
        const size_t at = (size_t)machine * runtime->resources + r;
        runtime->free[at] -= amount;
        runtime->held[at] += amount;
        assert(runtime->held[at] >= 0);
        if (amount < 0)
            br_vacancy_change(&runtime->vacancy, machine);
    }
    runtime->pool.stirred |= amount < 0;
}

static uint32_t maker_of(const struct br_general *general, const struct br_general_output *output,
                         uint32_t index)
{
    return general->stage_first[output->stage] + index;
}

/* ---- What a task holds ---- */

/* The part of what the task makes that nobody will read, since all that would have failed. */
static int64_t made_for_nobody(const struct br_stock *stock, uint32_t task, uint32_t resource)
{
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    int64_t sum = 0;
    for (uint32_t o = general->output_first[stage]; o < general->output_first[stage + 1]; o++)
        if (general->output[o].resource == resource && !general->output[o].result &&
            !stock->readers[general->output[o].first + index])
            sum += general->output[o].amount;
    return sum;
}

/* The amount that lies there and goes when the task ends, since it alone still reads it. */
static int64_t frees_there(const struct br_stock *stock, uint32_t task, uint32_t machine,
                           uint32_t resource)
{
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    int64_t sum = 0;
    for (uint32_t k = general->read_first[stage]; k < general->read_first[stage + 1]; k++) {
        const struct br_general_output *output = &general->output[general->read[k].output];
        const bool one = general->read[k].one_to_one;
        if (output->resource != resource || !output->amount || (!one && stock->unread[stage] != 1))
            continue;
        const uint32_t count =
            general->stage_first[output->stage + 1] - general->stage_first[output->stage];
        for (uint32_t i = one ? index : 0; i < (one ? index + 1 : count); i++)
            if (stock->readers[output->first + i] == 1 &&
                stock->lying[output->first + i] == BR_LIES &&
                (general->shared[resource] ||
                 stock->lies_on[maker_of(general, output, i)] == machine))
                sum += output->amount;
    }
    return sum;
}

int64_t br_stock_need(const struct br_stock *stock, const struct br_job *job, uint32_t task,
                      uint32_t machine, uint32_t resource)
{
    const struct br_general *general = stock->general;
    const size_t at = (size_t)general->task_stage[task] * general->resources + resource;
    const int64_t hold = general->demand[at] + general->made[at];
    int64_t stays = general->made[at] + general->late[at];
    (void)job;
    if (stays > hold)
        stays -=
            frees_there(stock, task, machine, resource) + made_for_nobody(stock, task, resource);
    return (stays > hold ? stays : hold) * stock->factor[resource];
}

static int64_t *holds_of(const struct br_stock *stock, uint32_t task)
{
    return stock->holds + (size_t)task * stock->general->resources;
}

static void hold_task(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                      uint32_t machine)
{
    struct br_stock *stock = job->stock;
    for (uint32_t r = 0; r < stock->general->resources; r++) {
        holds_of(stock, task)[r] = br_stock_need(stock, job, task, machine, r);
        stock_change(runtime, stock, machine, r, holds_of(stock, task)[r]);
    }
    stock->lies_on[task] = machine;
}

static void let_go_of_task(struct br_runtime *runtime, struct br_stock *stock, uint32_t task)
{
    for (uint32_t r = 0; r < stock->general->resources; r++) {
        stock_change(runtime, stock, stock->lies_on[task], r, -holds_of(stock, task)[r]);
        holds_of(stock, task)[r] = 0;
    }
}

/* ---- What lies ---- */

static void free_instance(struct br_runtime *runtime, struct br_stock *stock, uint32_t number,
                          uint32_t index)
{
    const struct br_general_output *output = &stock->general->output[number];
    const uint32_t maker = maker_of(stock->general, output, index);
    if (stock->lying[output->first + index] == BR_LIES)
        stock_change(runtime, stock, stock->lies_on[maker], output->resource,
                     -output->amount * stock->factor[output->resource]);
    stock->lying[output->first + index] = BR_FREED;
    if (!output->result)
        stock->freed[stock->freeds++] = (struct br_freed){stock->number, maker, number};
}

/* The task has ended: what it made lies there now, or is free if nobody reads it any more. */
static void leave_outputs(struct br_runtime *runtime, struct br_stock *stock, uint32_t task)
{
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    if (!general->outputs)
        return;
    for (uint32_t o = general->output_first[stage]; o < general->output_first[stage + 1]; o++) {
        const struct br_general_output *output = &general->output[o];
        if (output->none || (!output->result && !stock->readers[output->first + index])) {
            free_instance(runtime, stock, o, index);
            continue;
        }
        stock->lying[output->first + index] = BR_LIES;
        stock_change(runtime, stock, stock->lies_on[task], output->resource,
                     output->amount * stock->factor[output->resource]);
    }
}

static void read_instance(struct br_runtime *runtime, struct br_stock *stock, uint32_t number,
                          uint32_t index)
{
    const uint32_t instance = stock->general->output[number].first + index;
    assert(stock->readers[instance] > 0);
    if (--stock->readers[instance] == 0 && stock->lying[instance] == BR_LIES)
        free_instance(runtime, stock, number, index);
}

/* The task reads no more, as it has ended or will never run. */
static void end_reads(struct br_runtime *runtime, struct br_stock *stock, uint32_t task)
{
    const struct br_general *general = stock->general;
    const uint32_t stage = general->task_stage[task], index = task - general->stage_first[stage];
    assert(stock->unread[stage] > 0);
    stock->unread[stage]--;
    for (uint32_t k = general->read_first[stage]; k < general->read_first[stage + 1]; k++) {
        const uint32_t o = general->read[k].output, maker = general->output[o].stage;
        if (general->read[k].one_to_one)
            read_instance(runtime, stock, o, index);
        else if (!stock->unread[stage])
            for (uint32_t i = 0; i < general->stage_first[maker + 1] - general->stage_first[maker];
                 i++)
                read_instance(runtime, stock, o, i);
    }
}

/* When nothing more will run, results are the caller's. */
static void look_whether_over(struct br_runtime *runtime, struct br_job *job)
{
    struct br_stock *stock = job->stock;
    const struct br_general *general = stock->general;
    if (stock->over || job->state.ready || job->state.running || job->state.waiting != stock->gones)
        return;
    stock->over = true;
    for (uint32_t o = 0; o < general->outputs; o++) {
        const uint32_t s = general->output[o].stage;
        for (uint32_t i = 0; i < general->stage_first[s + 1] - general->stage_first[s]; i++)
            if (stock->lying[general->output[o].first + i] == BR_LIES)
                free_instance(runtime, stock, o, i);
    }
}

/* ---- Starts and ends ---- */

static void mark_started(struct br_runtime *runtime, struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    const uint32_t stage = stock->general->task_stage[task];
    assert(stock->unstarted[stage] > 0);
    stock->unstarted[stage]--;
    br_stock_tell(runtime, job, task, true);
}

static void drop_owed(struct br_pool *pool, uint32_t job, uint32_t task)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < pool->oweds; k++)
        if (pool->owed[k].job != job || (task != BR_ANY && pool->owed[k].task != task))
            pool->owed[kept++] = pool->owed[k];
    pool->oweds = kept;
}

void br_stock_started(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                      uint32_t machine)
{
    struct br_stock *stock = job->stock;
    const bool runs = job->task_state[task] == BR_TASK_RUNNING;
    runtime->pool.stirred = true;
    if (runs)
        let_go_of_task(runtime, stock, task);
    hold_task(runtime, job, task, machine);
    drop_owed(&runtime->pool, stock->number, task);
    if (!runs) {
        stock->since_ns[task] = runtime->now_ns;
        stock->told_late[task] = false;
    }
    br_job_run(job, task, machine, runtime->now_ns);
    if (!runs)
        mark_started(runtime, job, task);
}

void br_stock_started_outside(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                              uint32_t machine)
{
    struct br_stock *stock = job->stock;
    if (stock->reserve)
        br_reserve_put(stock->reserve, task, machine);
    if (stock->gone[task]) {
        stock->gone[task] = false;
        stock->gones--;
    }
    stock->stale = true;
    br_stock_started(runtime, job, task, machine);
}

/* Where a task that has ended without having been started here has left its outputs: where it was
 * planned. */
static uint32_t place_of_past(const struct br_stock *stock, const struct br_job *job, uint32_t task)
{
    if (stock->reserve && !stock->gone[task])
        return br_reserve_machine(stock->reserve, task);
    return job->form->planned ? job->form->planned[task] : 0;
}

void br_stock_finished(struct br_runtime *runtime, struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    const uint32_t stage = stock->general->task_stage[task];
    const bool was_gone = stock->gone[task];
    runtime->pool.stirred = true;
    if (job->task_state[task] == BR_TASK_RUNNING) {
        let_go_of_task(runtime, stock, task);
    } else {
        stock->lies_on[task] = place_of_past(stock, job, task);
        if (was_gone) {
            stock->gone[task] = false;
            stock->gones--;
        }
        if (stock->reserve)
            br_reserve_put(stock->reserve, task, stock->lies_on[task]);
        stock->stale = true;
        mark_started(runtime, job, task);
    }
    br_job_finish(job, task);
    assert(stock->unended[stage] > 0);
    stock->unended[stage]--;
    leave_outputs(runtime, stock, task);
    if (!was_gone)
        end_reads(runtime, stock, task);
    br_stock_tell(runtime, job, task, false);
    look_whether_over(runtime, job);
}

/* ---- Failures ---- */

/* The task will never run. */
static void give_up(struct br_runtime *runtime, struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    if (stock->gone[task])
        return;
    stock->gone[task] = true;
    if (job->task_state[task] == BR_TASK_READY)
        br_job_withdraw(job, task);
    stock->gones += job->task_state[task] == BR_TASK_WAITING;
    drop_owed(&runtime->pool, stock->number, task);
    end_reads(runtime, stock, task);
}

/* All that waits for the task is given up. False when memory is out. */
static bool doom(struct br_runtime *runtime, struct br_job *job, uint32_t task)
{
    struct br_stock *stock = job->stock;
    const struct br_general *general = stock->general;
    uint32_t *open = br_malloc(((size_t)general->tasks + 1) * sizeof *open), count = 0;
    if (!open)
        return false;
    stock->doomed[task] = true;
    open[count++] = task;
    while (count) {
        const uint32_t at = open[--count], stage = general->task_stage[at];
        for (uint32_t a = general->child_first[stage]; a < general->child_first[stage + 1]; a++) {
            const struct br_stage_arc *arc = &general->child[a];
            uint32_t t = general->stage_first[arc->stage];
            uint32_t end = general->stage_first[arc->stage + 1];
            if (arc->one_to_one) {
                t += at - general->stage_first[stage];
                end = t + 1;
            }
            for (; t < end; t++) {
                if (stock->doomed[t] || job->task_state[t] > BR_TASK_RUNNING)
                    continue;
                stock->doomed[t] = true;
                open[count++] = t;
                if (job->task_state[t] <= BR_TASK_READY)
                    give_up(runtime, job, t);
            }
        }
    }
    br_free(open);
    return true;
}

static enum br_status reserve_anew(struct br_stock *stock, uint32_t task, struct br_diag *diag)
{
    stock->stale = false;
    return !stock->reserve || br_reserve_again(stock->reserve, task, stock->gone)
               ? BR_OK
               : br_fail_memory(diag);
}

/* The task has room where it was; does it have to be the next to start there? */
static enum br_status look_whether_owed(struct br_runtime *runtime, struct br_job *job,
                                        uint32_t task, struct br_diag *diag)
{
    struct br_pool *pool = &runtime->pool;
    const bool firm = br_stock_is_streamed(job, task);
    if (!job->stock->reserve || (!firm && br_stock_is_safe(runtime)))
        return BR_OK;
    if (!br_grow(&pool->owed, pool->oweds, &pool->owed_room, sizeof *pool->owed))
        return br_fail_memory(diag);
    pool->owed[pool->oweds++] =
        (struct br_owed){job->stock->number, task, job->stock->lies_on[task], firm};
    return BR_OK;
}

enum br_status br_stock_failed(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                               bool again, struct br_diag *diag)
{
    struct br_stock *stock = job->stock;
    const uint32_t stage = stock->general->task_stage[task];
    enum br_status status = BR_OK;
    runtime->pool.stirred = true;
    let_go_of_task(runtime, stock, task);
    stock->unstarted[stage]++;
    br_stock_untell(job, task);
    again = again && !job->closed && !stock->doomed[task];
    br_job_fail(job, task, again, runtime->now_ns);
    if (again) {
        status = reserve_anew(stock, task, diag);
        if (!status)
            status = look_whether_owed(runtime, job, task, diag);
        br_stock_list(job, task);
    } else {
        give_up(runtime, job, task);
        if (!doom(runtime, job, task))
            status = br_fail_memory(diag);
        if (!status)
            status = reserve_anew(stock, UINT32_MAX, diag);
    }
    look_whether_over(runtime, job);
    return status;
}

enum br_status br_stock_closed(struct br_runtime *runtime, struct br_job *job, struct br_diag *diag)
{
    struct br_stock *stock = job->stock;
    runtime->pool.stirred = true;
    for (uint32_t t = 0; t < stock->general->tasks; t++)
        if (job->task_state[t] <= BR_TASK_READY)
            give_up(runtime, job, t);
    br_job_close(job);
    stock->gones = 0;
    enum br_status status = reserve_anew(stock, UINT32_MAX, diag);
    look_whether_over(runtime, job);
    return status;
}

static uint32_t leave_list(uint32_t *list, uint32_t count, uint32_t number)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++)
        if (list[k] != number)
            list[kept++] = list[k];
    return kept;
}

void br_stock_retired(struct br_runtime *runtime, struct br_job *job)
{
    struct br_stock *stock = job->stock;
    const struct br_general *general = stock->general;
    struct br_pool *pool = &runtime->pool;
    for (uint32_t t = 0; t < general->tasks; t++)
        if (job->task_state[t] == BR_TASK_RUNNING)
            let_go_of_task(runtime, stock, t);
    for (uint32_t o = 0; o < general->outputs; o++) {
        const struct br_general_output *output = &general->output[o];
        const uint32_t s = output->stage;
        for (uint32_t i = 0; i < general->stage_first[s + 1] - general->stage_first[s]; i++)
            if (stock->lying[output->first + i] == BR_LIES)
                stock_change(runtime, stock, stock->lies_on[maker_of(general, output, i)],
                             output->resource, -output->amount * stock->factor[output->resource]);
    }
    drop_owed(pool, stock->number, BR_ANY);
    pool->stored = leave_list(pool->order, pool->stored, stock->number);
    pool->stocks = leave_list(pool->member, pool->stocks, stock->number);
    pool->stirred = true;
}
