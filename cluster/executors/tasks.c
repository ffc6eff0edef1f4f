/* Tasks: how long they last, when they end, and the record of them. [Mao19, 6.2] */
#include <assert.h>
#include <stdlib.h>

#include "base/collections/heap.h"
#include "cluster/executors/core.h"

static int executors_tasks_before(const void *none, const struct br_executor_event *a,
                                  const struct br_executor_event *b)
{
    (void)none;
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->sequence < b->sequence;
}

BR_HEAP(events, struct br_executor_event, const void *, executors_tasks_before, 2)

void br_executors_put(struct br_executors_core *core, struct br_executor_event event)
{
    assert(event.time_ns >= core->seen.now_ns && core->events < core->seen.options.executors);
    events_push(NULL, core->event, &core->events, event);
}

void br_executors_at(struct br_executors_core *core, int64_t time_ns, uint32_t executor)
{
    br_executors_put(core, (struct br_executor_event){time_ns, core->sequence++, executor});
}

uint32_t br_executors_due(struct br_executors_core *core)
{
    assert(core->events > 0);
    return events_pop(NULL, core->event, &core->events).executor;
}

/* ---- Tasks ---- */

static int64_t executors_tasks_draw_ns(const struct br_executors_core *core,
                                       const struct br_executor *executor)
{
    const struct br_executors *seen = &core->seen;
    const struct br_executor_stage *at = &seen->stage[executor->stage];
    const struct br_executor_job *job = &seen->job[at->job];
    uint32_t number = executor->stage - job->first_stage;
    assert(number < job->waves->stages);
    if (seen->options.simple)
        return at->waves->mean_us * 1000;
    uint64_t random[2];
    br_executors_random(job->seed, number, executor->task, random);
    return br_waves_draw_ns(job->waves, number, executor->wave, executor->among,
                            seen->options.by_distance, random);
}

int64_t br_executors_redraw_ns(const struct br_executors_core *core, uint32_t executor)
{
    const struct br_executors *seen = &core->seen;
    const struct br_executor *at = &core->executor[executor];
    const struct br_executor_job *job = &seen->job[seen->stage[at->stage].job];
    uint32_t number = at->stage - job->first_stage;
    assert(number < job->waves->stages && !at->moving);
    uint64_t random[2];
    if (seen->options.simple)
        return at->since_ns + executors_tasks_draw_ns(core, at);
    br_executors_random(job->seed, number, at->task, random);
    return at->since_ns + br_waves_draw_longer_ns(job->waves, number, at->wave, at->among,
                                                  seen->options.by_distance, random,
                                                  seen->now_ns - at->since_ns);
}

void br_executors_start(struct br_executors_core *core, uint32_t executor, uint32_t stage)
{
    struct br_executors *seen = &core->seen;
    struct br_executor *at = &core->executor[executor];
    struct br_executor_stage *to = &seen->stage[stage];
    struct br_executor_job *job = &seen->job[to->job];
    assert(!at->moving && at->cls < core->classes);
    assert(at->job == to->job && to->open == 0 && to->started < to->tasks);
    at->wave = at->last == NONE ? BR_WAVE_FRESH : at->last == stage ? BR_WAVE_REST : BR_WAVE_FIRST;
    at->among = job->executors;
    at->stage = at->last = stage;
    at->task = to->started++;
    at->since_ns = seen->now_ns;
    int64_t end_ns = seen->now_ns + executors_tasks_draw_ns(core, at);
    assert(job->to_start > 0 && job->left_us >= to->waves->mean_us);
    to->running++;
    core->stage[stage].cls[at->cls].running++;
    job->to_start--;
    job->left_us -= to->waves->mean_us;
    br_executors_touch(core, stage);
    br_executors_at(core, end_ns, executor);
}

void br_executors_record(struct br_executors_core *core, uint32_t executor)
{
    struct br_outcome *record = core->record;
    const struct br_executor *at = &core->executor[executor];
    const struct br_executor_stage *stage = &core->seen.stage[at->stage];
    if (record->spans == core->span_room) {
        uint64_t room = core->span_room + core->span_room / 2 + 256;
        struct br_span *span = realloc(record->span, room * sizeof *span);
        if (!span) {
            core->status = BR_SYSTEM;
            return;
        }
        record->span = span;
        core->span_room = room;
    }
    assert(record->spans < core->span_room);
    assert(at->since_ns <= core->seen.now_ns && at->task < stage->tasks);
    uint32_t task = at->task;
    for (uint32_t s = core->seen.job[stage->job].first_stage; s < at->stage; s++)
        task += core->seen.stage[s].tasks;
    record->span[record->spans++] = (struct br_span){.start_ns = at->since_ns,
                                                     .end_ns = core->seen.now_ns,
                                                     .job = stage->job,
                                                     .task = task,
                                                     .machine = executor,
                                                     .end = BR_SPAN_DONE};
}
