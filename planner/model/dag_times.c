/* Releases, deadlines, lags and streams: given in any order, by task and edge when the job is
 * finished. */
#include <inttypes.h>
#include <stdio.h>

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "planner/model/dag_build.h"

static struct br_times *times_of(struct br_dag *dag)
{
    if (!dag->times)
        dag->times = br_calloc(1, sizeof *dag->times);
    return dag->times;
}

/* Adds a time of tasks to the list of the job. `what`: "is released" and the like. */
static enum br_status add_time(struct br_dag *dag, uint32_t stage, uint32_t index, int64_t ns,
                               const char *what, bool deadline, struct br_diag *diag)
{
    enum br_status status = br_dag_refuse_stage(dag, stage, diag);
    if (status)
        return status;
    const struct br_stage *s = &dag->stage[stage];
    if (index != UINT32_MAX && index >= s->tasks)
        return br_fail(diag, BR_BAD_INPUT, "indices count from 0",
                       "stage '%s' has %" PRIu32 " tasks, there is none with index %" PRIu32, s->id,
                       s->tasks, index);
    if (ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "times are 0 or more, from the start of the plan",
                       "stage '%s' %s at %g s", s->id, what, (double)ns / 1e9);
    struct br_times *times = times_of(dag);
    if (!times)
        return br_fail_memory(diag);
    struct br_given_times *list = deadline ? &times->deadlines : &times->releases;
    if (!br_grow(&list->time, list->count, &list->room, sizeof *list->time))
        return br_fail_memory(diag);
    list->time[list->count++] = (struct br_given_time){stage, index, ns};
    return BR_OK;
}

enum br_status br_dag_set_release(struct br_dag *dag, uint32_t stage, uint32_t index,
                                  int64_t release_ns, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    return add_time(dag, stage, index, release_ns, "is released", false, diag);
}

enum br_status br_dag_set_deadline(struct br_dag *dag, uint32_t stage, uint32_t index,
                                   int64_t deadline_ns, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    return add_time(dag, stage, index, deadline_ns, "has its deadline", true, diag);
}

static enum br_status add_wait(struct br_dag *dag, uint32_t parent, uint32_t child, int64_t lag_ns,
                               bool stream, struct br_diag *diag)
{
    uint32_t edge;
    enum br_status status = br_dag_edge_between(dag, parent, child, "waits go", &edge, diag);
    if (status)
        return status;
    if (lag_ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "lags are 0 or more",
                       "the edge from '%s' to '%s' has a lag of %g s", dag->stage[parent].id,
                       dag->stage[child].id, (double)lag_ns / 1e9);
    struct br_times *times = times_of(dag);
    if (!times || !br_grow(&times->given, times->waits, &times->wait_room, sizeof *times->given))
        return br_fail_memory(diag);
    times->given[times->waits++] = (struct br_given_wait){edge, lag_ns, stream};
    return BR_OK;
}

enum br_status br_dag_set_edge_lag(struct br_dag *dag, uint32_t parent, uint32_t child,
                                   int64_t lag_ns, struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    return add_wait(dag, parent, child, lag_ns, false, diag);
}

enum br_status br_dag_set_edge_stream(struct br_dag *dag, uint32_t parent, uint32_t child,
                                      struct br_diag *diag)
{
    BR_NEED(diag, dag);
    BR_IN_MEMORY(dag);
    return add_wait(dag, parent, child, 0, true, diag);
}

/* The times by task, which begin as `none`; those of one task last, so that they count more. */
static bool spread_times(const struct br_dag *dag, const struct br_given_times *list, int64_t none,
                         int64_t **by_task)
{
    if (!list->count)
        return true;
    int64_t *ns = *by_task = br_malloc((size_t)dag->tasks * sizeof *ns);
    if (!ns)
        return false;
    for (uint32_t t = 0; t < dag->tasks; t++)
        ns[t] = none;
    for (uint32_t k = 0; k < list->count; k++) {
        const struct br_given_time *time = &list->time[k];
        const struct br_stage *stage = &dag->stage[time->stage];
        if (time->index == UINT32_MAX)
            for (uint32_t i = 0; i < stage->tasks; i++)
                ns[stage->first_task + i] = time->ns;
    }
    for (uint32_t k = 0; k < list->count; k++) {
        const struct br_given_time *time = &list->time[k];
        if (time->index != UINT32_MAX)
            ns[dag->stage[time->stage].first_task + time->index] = time->ns;
    }
    return true;
}

static bool spread_waits(const struct br_dag *dag)
{
    struct br_times *times = dag->times;
    if (!times->waits)
        return true;
    if (!(times->wait = br_calloc((size_t)dag->edges + 1, sizeof *times->wait)))
        return false;
    for (uint32_t k = 0; k < times->waits; k++) {
        const struct br_given_wait *given = &times->given[k];
        struct br_wait *wait = &times->wait[given->edge];
        wait->stream |= given->stream;
        if (given->lag_ns > wait->lag_ns)
            wait->lag_ns = given->lag_ns;
    }
    return true;
}

/* How long tasks last depends on the machines (br_deadlines_check). */
static enum br_status times_check(const struct br_dag *dag, struct br_diag *diag)
{
    const struct br_times *times = dag->times;
    for (uint32_t t = 0; times && times->deadline_ns && t < dag->tasks; t++) {
        const int64_t release = br_dag_release(dag, t), deadline = times->deadline_ns[t];
        if (release <= deadline)
            continue;
        char id[300];
        br_dag_task_id(dag, t, id, sizeof id);
        return br_fail_at(diag, dag->stage[br_dag_task_stage(dag, t)].pos, BR_BAD_INPUT,
                          "give it a later deadline",
                          "task %s starts at %s s at the earliest, but has to end by %s s", id,
                          br_seconds(release).text, br_seconds(deadline).text);
    }
    return BR_OK;
}

enum br_status br_dag_finish_times(struct br_dag *dag, struct br_diag *diag)
{
    struct br_times *times = dag->times;
    if (!times)
        return BR_OK;
    if (!spread_times(dag, &times->releases, 0, &times->release_ns) ||
        !spread_times(dag, &times->deadlines, INT64_MAX, &times->deadline_ns) || !spread_waits(dag))
        return br_fail_memory(diag);
    return times_check(dag, diag);
}
