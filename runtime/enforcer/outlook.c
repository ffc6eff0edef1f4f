/* Keeping the plan's promises: a task may start ahead of its place in the plan, but not where a
 * task that the plan has before it would thereby have to wait.
 *
 * The outlook is the rest of the plan, shifted by how late the run is. As long as tasks last no
 * longer than planned, every task starts no later than planned, so that the run ends no later than
 * the plan: at any time, running tasks and the rest of the plan together fit the machines (by
 * induction: what is started ahead keeps it so, and all that a task waits for ends before its
 * time). A task that is not ready has its room only where it is certain to come: room kept for one
 * that never comes would keep the others out for good. This is conservative backfilling [Mualem01]
 * with the plan as the reservations. Where tasks last longer it is a heuristic: the rest moves by
 * the lateness of the first ready task, a task that should have ended is taken to last as long
 * again as it is late, and what should have started but waits for parents is not waited for.
 */
#include "runtime/enforcer/outlook.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/invariant.h"

/* Planned tasks that are looked at; what is further ahead is not protected. */
enum { AHEAD = 128 };

static int compare(const void *a, const void *b)
{
    const struct br_outlook_event *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return x->task != y->task ? (x->task < y->task ? -1 : 1) : y->sign - x->sign;
}

static bool add(struct br_outlook *outlook, int64_t at_ns, uint32_t task, int32_t sign)
{
    if (!br_grow(&outlook->event, outlook->events, &outlook->event_room, sizeof *outlook->event))
        return false;
    outlook->event[outlook->events++] = (struct br_outlook_event){at_ns, task, sign};
    return true;
}

static bool add_running(struct br_outlook *outlook, const struct br_job *job, uint32_t machine)
{
    bool ok = true;
    for (uint32_t t = job->first_running[machine]; ok && t != BR_ANY; t = job->next_running[t]) {
        int64_t end_ns = job->started_ns[t] + job->form->duration_ns[t];
        if (end_ns <= outlook->now_ns)
            end_ns = 2 * outlook->now_ns - end_ns;
        ok = add(outlook, end_ns, t, 1);
    }
    return ok;
}

/* The time at which the plan starts the task, as things are. */
static int64_t due_ns(const struct br_outlook *outlook, const struct br_job *job, uint32_t task)
{
    return job->plan_start_ns[task] + outlook->late_ns;
}

static bool add_planned(struct br_outlook *outlook, const struct br_job *job, uint32_t machine)
{
    uint32_t place = br_form_place(job->form, machine);
    uint32_t at = place == BR_ANY ? 0 : job->local_head[place];
    uint32_t end = place == BR_ANY ? 0 : job->form->local_first[place + 1];
    /* Whether what waits comes is for the caller to say, or a failure has made it doubtful. */
    enum br_task_state first = job->by_event || job->state.failed ? BR_TASK_READY : BR_TASK_WAITING;
    bool ok = true;
    for (uint32_t looked = 0; ok && at < end && looked < AHEAD; at++) {
        uint32_t task = job->form->task[job->form->local[at]];
        int64_t start_ns = due_ns(outlook, job, task);
        if (job->task_state[task] > BR_TASK_READY || job->task_state[task] < first)
            continue;
        looked++;
        if (start_ns < outlook->now_ns) {
            if (job->task_state[task] == BR_TASK_WAITING)
                continue;
            start_ns = outlook->now_ns;
        }
        ok = add(outlook, start_ns, task, -1) &&
             add(outlook, start_ns + job->form->duration_ns[task], task, 1);
    }
    return ok;
}

/* Room for one more span, in both arrays. */
static bool add_span(struct br_outlook *outlook, int64_t from_ns)
{
    uint32_t width = outlook->width ? outlook->width : 1, room = outlook->span_room;
    if (!br_grow(&outlook->from_ns, outlook->spans, &room, sizeof *outlook->from_ns))
        return false;
    if (room != outlook->span_room) {
        int64_t *free_room = realloc(outlook->free, (size_t)room * width * sizeof *free_room);
        if (!free_room)
            return false;
        outlook->free = free_room;
        outlook->span_room = room;
    }
    assert(outlook->spans == 0 || outlook->from_ns[outlook->spans - 1] < from_ns);
    outlook->from_ns[outlook->spans++] = from_ns;
    return true;
}

bool br_outlook_make(struct br_outlook *outlook, const struct br_job *job, uint32_t machine,
                     const int64_t *room, uint32_t resources, int64_t now_ns)
{
    uint32_t first = job->ready.best[1], width = resources;
    outlook->width = width;
    outlook->events = outlook->spans = 0;
    outlook->now_ns = now_ns - job->began_ns;
    outlook->late_ns = 0;
    if (first != BR_NO_RANK && job->plan_start_ns[job->form->task[first]] < outlook->now_ns)
        outlook->late_ns = outlook->now_ns - job->plan_start_ns[job->form->task[first]];
    if (!add_running(outlook, job, machine) || !add_planned(outlook, job, machine) ||
        !add_span(outlook, outlook->now_ns))
        return false;
    memcpy(outlook->free, room, width * sizeof *room);
    if (outlook->events) /* a NULL array is none to qsort, however short */
        qsort(outlook->event, outlook->events, sizeof *outlook->event, compare);
    for (uint32_t e = 0; e < outlook->events; e++) {
        const struct br_outlook_event *event = &outlook->event[e];
        if (event->at_ns > outlook->from_ns[outlook->spans - 1]) {
            if (!add_span(outlook, event->at_ns))
                return false;
            int64_t *free_now = outlook->free + (size_t)(outlook->spans - 1) * width;
            memcpy(free_now, free_now - width, width * sizeof *free_now);
        }
        int64_t *free_now = outlook->free + (size_t)(outlook->spans - 1) * width;
        const int64_t *demand = br_job_demand(job, event->task, width);
        for (uint32_t r = 0; r < width; r++)
            free_now[r] += event->sign * demand[r];
    }
    return true;
}

bool br_outlook_allows(const struct br_outlook *outlook, const struct br_job *job, uint32_t task,
                       uint32_t machine)
{
    const int64_t *demand = br_job_demand(job, task, outlook->width);
    int64_t until_ns = outlook->now_ns + job->form->duration_ns[task];
    /* From its own time on the plan has room for it, if it is here. */
    if (job->form->planned[task] == machine && due_ns(outlook, job, task) < until_ns)
        until_ns = due_ns(outlook, job, task);
    for (uint32_t s = 0; s < outlook->spans && outlook->from_ns[s] < until_ns; s++)
        for (uint32_t r = 0; r < outlook->width; r++)
            if (demand[r] > 0 && demand[r] > outlook->free[(size_t)s * outlook->width + r])
                return false;
    return true;
}

void br_outlook_finish(struct br_outlook *outlook)
{
    free(outlook->event);
    free(outlook->from_ns);
    free(outlook->free);
    *outlook = (struct br_outlook){0};
}
