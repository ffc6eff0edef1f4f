/* Copies of a run, to try what decisions lead to. */
#include <assert.h>
#include <string.h>

#include "base/collections/index.h"
#include "cluster/executors/core.h"

/* The fields of `from`, on the arrays of `to`. */
static void copy_fields(struct br_executors_core *to, const struct br_executors_core *from)
{
    struct br_executors_core own = *to;
    *to = *from;
    to->arrival = own.arrival;
    to->executor = own.executor;
    to->stage = own.stage;
    to->job = own.job;
    to->promise = own.promise;
    to->event = own.event;
    to->seen.job = own.seen.job;
    to->seen.live = own.seen.live;
    to->seen.stage = own.seen.stage;
    to->seen.ready = own.seen.ready;
    to->job_room = own.job_room;
    to->stage_room = own.stage_room;
    to->record = NULL;
    to->span_room = 0;
}

static void copy_arrays(struct br_executors_core *to, const struct br_executors_core *from)
{
    const struct br_executors *seen = &from->seen;
    uint32_t executors = seen->options.executors;
    memcpy(to->arrival, from->arrival, seen->jobs * sizeof *to->arrival);
    memcpy(to->job, from->job, seen->jobs * sizeof *to->job);
    memcpy(to->seen.job, seen->job, seen->jobs * sizeof *seen->job);
    memcpy(to->seen.live, seen->live, seen->live_jobs * sizeof *seen->live);
    memcpy(to->stage, from->stage, seen->stages * sizeof *to->stage);
    memcpy(to->seen.stage, seen->stage, seen->stages * sizeof *seen->stage);
    memcpy(to->seen.ready, seen->ready, seen->ready_stages * sizeof *seen->ready);
    memcpy(to->executor, from->executor, executors * sizeof *to->executor);
    memcpy(to->promise, from->promise, executors * sizeof *to->promise);
    memcpy(to->event, from->event, from->events * sizeof *to->event);
}

/* Durations by another seed; jobs that have not come do not come. */
static void draw_anew(struct br_executors_core *to, const struct br_executors_core *from,
                      uint64_t seed)
{
    struct br_executors *seen = &to->seen;
    seen->jobs = to->arrived;
    for (uint32_t j = 0; j < seen->jobs; j++)
        seen->job[j].seed = br_hash_number(seed ^ br_hash_number(j));
    to->events = 0;
    for (uint32_t k = 0; k < from->events; k++) {
        struct br_executor_event event = from->event[k];
        if (!to->executor[event.executor].moving)
            event.time_ns = br_executors_redraw_ns(to, event.executor);
        br_executors_put(to, event);
    }
    assert(to->events == from->events);
}

enum br_status br_executors_fork(const struct br_executors *sim, const uint64_t *seed,
                                 struct br_executors *to, struct br_diag *diag)
{
    const struct br_executors_core *from = (const struct br_executors_core *)sim;
    struct br_executors_core *core = (struct br_executors_core *)to;
    assert(sim->options.executors == to->options.executors);
    assert(sim != to);
    if (!br_executors_make_room(core, sim->jobs, sim->stages))
        return br_fail_memory(diag);
    copy_fields(core, from);
    assert(core->arrival != from->arrival && core->stage != from->stage &&
           core->event != from->event);
    copy_arrays(core, from);
    if (seed)
        draw_anew(core, from, *seed);
    return BR_OK;
}
