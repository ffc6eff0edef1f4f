/* Places executors that end a stage, arrive, or are idle. */
#include <assert.h>

#include "cluster/executors/core.h"

/* ---- Lists ---- */

static void executors_place_push(struct br_executors_core *core, struct br_executor_list *list,
                                 uint32_t executor)
{
    assert(list->count == 0 || core->executor[list->last].next == NONE);
    core->executor[executor].next = NONE;
    if (list->count++)
        core->executor[list->last].next = executor;
    else
        list->first = executor;
    list->last = executor;
}

static uint32_t executors_place_pop(struct br_executors_core *core, struct br_executor_list *list)
{
    uint32_t executor = list->first;
    assert(list->count);
    list->first = core->executor[executor].next;
    list->count--;
    return executor;
}

/* ---- Idle and free ---- */

static void unbind(struct br_executors_core *core, uint32_t executor)
{
    struct br_executor *at = &core->executor[executor];
    if (at->job != NONE) {
        assert(core->seen.job[at->job].executors);
        core->seen.job[at->job].executors--;
        br_executors_mark_job(core, at->job);
    }
    at->job = at->last = NONE;
}

static void note_asked(struct br_executor_list *list, uint32_t asked)
{
    if (list->count == 0 || asked < list->asked)
        list->asked = asked;
}

void br_executors_rest(struct br_executors_core *core, uint32_t executor, uint32_t asked)
{
    struct br_executor *at = &core->executor[executor];
    assert(!at->moving);
    at->stage = NONE;
    if (at->job != NONE && core->seen.job[at->job].to_start) {
        struct br_executor_list *idle = &core->job[at->job].idle[at->cls];
        note_asked(idle, asked);
        executors_place_push(core, idle, executor);
        core->seen.job[at->job].idle++;
        core->resting++;
        br_executors_mark_job(core, at->job);
        return;
    }
    unbind(core, executor);
    note_asked(&core->free[at->cls], asked);
    executors_place_push(core, &core->free[at->cls], executor);
    core->seen.free++;
    assert(core->seen.free <= core->seen.options.executors);
}

uint32_t br_executors_take(struct br_executors_core *core, uint32_t job, uint32_t cls)
{
    if (job == NONE) {
        assert(core->seen.free);
        core->seen.free--;
        return executors_place_pop(core, &core->free[cls]);
    }
    uint32_t executor = executors_place_pop(core, &core->job[job].idle[cls]);
    assert(core->seen.job[job].idle && core->resting);
    core->seen.job[job].idle--;
    core->resting--;
    br_executors_mark_job(core, job);
    return executor;
}

void br_executors_dismiss(struct br_executors_core *core, uint32_t job)
{
    for (uint32_t cls = 0; cls < core->classes; cls++)
        while (core->job[job].idle[cls].count) {
            uint32_t executor = br_executors_take(core, job, cls);
            unbind(core, executor);
            br_executors_rest(core, executor, 0);
        }
    assert(core->seen.job[job].idle == 0);
}

/* ---- Waiting ---- */

static void executors_place_wait_for(struct br_executors_core *core, uint32_t executor,
                                     uint32_t stage)
{
    uint32_t job = core->executor[executor].job;
    assert(core->seen.stage[stage].job == job && core->seen.stage[stage].open);
    core->executor[executor].stage = stage;
    executors_place_push(core, &core->job[job].waiting, executor);
    core->seen.job[job].waiting = core->job[job].waiting.count;
    core->seen.stage[stage].coming++;
    br_executors_touch(core, stage);
}

void br_executors_release(struct br_executors_core *core, uint32_t job)
{
    while (core->job[job].waiting.count) {
        uint32_t executor = executors_place_pop(core, &core->job[job].waiting);
        uint32_t stage = core->executor[executor].stage;
        core->seen.job[job].waiting = core->job[job].waiting.count;
        assert(core->seen.stage[stage].coming && core->seen.stage[stage].job == job);
        core->seen.stage[stage].coming--;
        br_executors_touch(core, stage);
        br_executors_rest(core, executor, 0);
    }
    assert(core->seen.job[job].waiting == 0);
}

/* ---- To a stage ---- */

static void executors_place_move(struct br_executors_core *core, uint32_t executor, uint32_t stage)
{
    struct br_executor *at = &core->executor[executor];
    uint32_t job = core->seen.stage[stage].job;
    assert(at->job != job);
    unbind(core, executor);
    at->stage = stage;
    assert(!at->moving);
    at->moving = true;
    core->seen.moves++;
    core->seen.job[job].coming++;
    core->seen.stage[stage].coming++;
    br_executors_touch(core, stage);
    br_executors_at(core, core->seen.now_ns + core->seen.options.moving_ns, executor);
}

void br_executors_settle(struct br_executors_core *core, uint32_t executor, uint32_t stage)
{
    const struct br_executor_stage *to = &core->seen.stage[stage];
    assert(core->executor[executor].job == to->job);
    if (to->started == to->tasks)
        br_executors_rest(core, executor, 0);
    else if (to->open)
        executors_place_wait_for(core, executor, stage);
    else
        br_executors_start(core, executor, stage);
}

void br_executors_send(struct br_executors_core *core, uint32_t executor, uint32_t stage)
{
    const struct br_executor_stage *to = &core->seen.stage[stage];
    if (to->job == core->executor[executor].job)
        br_executors_settle(core, executor, stage);
    else if (to->started < to->tasks)
        executors_place_move(core, executor, stage);
    else
        br_executors_rest(core, executor, 0);
}

/* ---- Promises ---- */

void br_executors_promise(struct br_executors_core *core, uint32_t from, uint32_t cls,
                          uint32_t stage, uint32_t count)
{
    struct br_executors *seen = &core->seen;
    struct br_executor_stage_inside *of = &core->stage[from];
    uint32_t unused = core->unused_promise;
    assert(unused < seen->options.executors);
    assert(count && unused != NONE);
    core->unused_promise = core->promise[unused].next;
    core->promise[unused] =
        (struct br_executor_promise){stage, count, NONE, core->news, core->arrived};
    if (of->cls[cls].first_promise == NONE)
        of->cls[cls].first_promise = unused;
    else
        core->promise[of->cls[cls].last_promise].next = unused;
    of->cls[cls].last_promise = unused;
    if (stage == BR_EXECUTORS_STAY)
        return;
    uint32_t owner = seen->stage[from].job, job = seen->stage[stage].job;
    if (owner != job) {
        seen->job[owner].leaving += count;
        seen->job[job].coming += count;
        br_executors_mark_job(core, owner);
    }
    seen->stage[stage].coming += count;
    br_executors_touch(core, stage);
}

/* One executor less is promised: it goes now. */
static void redeem(struct br_executors_core *core, uint32_t executor,
                   const struct br_executor_promise *promise)
{
    struct br_executors *seen = &core->seen;
    uint32_t stage = promise->stage;
    uint32_t owner = core->executor[executor].job, job = seen->stage[stage].job;
    core->executor[executor].heard = promise->heard;
    if (owner != job) {
        assert(seen->job[owner].leaving && seen->job[job].coming);
        seen->job[owner].leaving--;
        seen->job[job].coming--;
    }
    assert(seen->stage[stage].coming);
    seen->stage[stage].coming--;
    br_executors_send(core, executor, stage);
    br_executors_touch(core, stage);
}

bool br_executors_keep(struct br_executors_core *core, uint32_t executor, uint32_t stage)
{
    uint32_t *list = &core->stage[stage].cls[core->executor[executor].cls].first_promise;
    uint32_t first = *list;
    if (first == NONE)
        return false;
    struct br_executor_promise promise = core->promise[first];
    assert(promise.count);
    if (--core->promise[first].count == 0) {
        *list = promise.next;
        core->promise[first].next = core->unused_promise;
        core->unused_promise = first;
    }
    if (promise.stage == BR_EXECUTORS_STAY)
        br_executors_rest(core, executor, promise.news);
    else
        redeem(core, executor, &promise);
    return true;
}
