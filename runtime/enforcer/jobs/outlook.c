/* Keeps the plan's promises: a task may start ahead of its place in the plan, unless a task before
 * it in the plan would have to wait for it.
 *
 * The outlook is the rest of the plan, shifted by the lateness of the run. As long as tasks last no
 * longer than planned, every task starts no later than planned, so that the run ends no later than
 * the plan: at any time, running tasks and the rest of the plan together fit the machines (by
 * induction: tasks started ahead keep it so, and all that a task waits for ends before its time). A
 * task that is not ready has its room only if it is certain to come: room kept for a task that
 * never comes would keep the others out for good. This is conservative backfilling [Mualem01] with
 * the plan as the reservations. If tasks last longer it is a heuristic: the rest moves by the
 * lateness of the first ready task; a task that should have ended is expected to last as much
 * longer as it is late; and a task that should have started but waits for parents is not waited
 * for.
 */
#include "runtime/enforcer/jobs/outlook.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/invariant.h"

/* Planned tasks that are looked at; those further ahead are not protected. */
enum { AHEAD = 128 };

static bool outlook_sooner(const void *none, const struct br_outlook_event *a,
                           const struct br_outlook_event *b)
{
    (void)none;
    return a->at_ns < b->at_ns;
}

BR_HEAP(events, struct br_outlook_event, const void *, outlook_sooner, 2)

static void outlook_add(struct br_outlook *outlook, int64_t at_ns, uint32_t task, int32_t sign)
{
    assert(outlook->events < outlook->event_room);
    events_push(NULL, outlook->event, &outlook->events,
                (struct br_outlook_event){at_ns, task, sign});
}

static bool outlook_add_running(struct br_outlook *outlook)
{
    const struct br_job *job = outlook->job;
    bool ok = true;
    for (uint32_t t = job->first_running[outlook->machine]; ok && t != BR_ANY;
         t = job->next_running[t]) {
        int64_t end_ns = job->started_ns[t] + job->form->duration_ns[t];
        if (end_ns <= outlook->now_ns)
            end_ns = 2 * outlook->now_ns - end_ns;
        assert(end_ns >= outlook->now_ns);
        ok =
            br_grow(&outlook->event, outlook->events, &outlook->event_room, sizeof *outlook->event);
        if (ok)
            outlook_add(outlook, end_ns, t, 1);
    }
    return ok;
}

/* The plan's position on the machine. */
static void find_planned(struct br_outlook *outlook)
{
    uint32_t place = br_form_place(outlook->job->form, outlook->machine);
    outlook->planned = 0;
    outlook->at = place == BR_ANY ? 0 : outlook->job->local_head[place];
    outlook->end = place == BR_ANY ? 0 : outlook->job->form->local_first[place + 1];
    assert(outlook->at <= outlook->end);
}

/* Room for all future entries: nothing allocates later. */
static bool outlook_reserve(struct br_outlook *outlook)
{
    uint32_t ahead = outlook->end - outlook->at < AHEAD ? outlook->end - outlook->at : AHEAD;
    uint32_t events = outlook->events + 2 * ahead, spans = events + 1;
    uint32_t width = outlook->width ? outlook->width : 1;
    if (events > outlook->event_room) {
        if (!br_enlarge(&outlook->event, events, sizeof *outlook->event))
            return false;
        outlook->event_room = events;
    }
    if (spans > outlook->span_room) {
        uint32_t room = spans + spans / 2;
        if (!br_enlarge(&outlook->from_ns, room, sizeof *outlook->from_ns) ||
            !br_enlarge(&outlook->least, room, width * sizeof *outlook->least) ||
            !br_enlarge(&outlook->free, 1, width * sizeof *outlook->free))
            return false;
        outlook->span_room = room;
    }
    return true;
}

/* The time at which the plan starts the task, as things are. */
static int64_t due_ns(const struct br_outlook *outlook, uint32_t task)
{
    return outlook->job->plan_start_ns[task] + outlook->late_ns;
}

/* Adds the next planned task. */
static void add_planned(struct br_outlook *outlook)
{
    assert(outlook->at < outlook->end);
    const struct br_job *job = outlook->job;
    uint32_t task = job->form->task[job->form->local[outlook->at++]];
    int64_t start_ns = due_ns(outlook, task);
    /* The caller decides whether a waiting task will come; after a failure that is doubtful. */
    enum br_task_state first = job->by_event || job->state.failed ? BR_TASK_READY : BR_TASK_WAITING;
    outlook->looked++;
    if (job->task_state[task] > BR_TASK_READY || job->task_state[task] < first)
        return;
    outlook->planned++;
    if (start_ns < outlook->now_ns) {
        if (job->task_state[task] == BR_TASK_WAITING)
            return;
        start_ns = outlook->now_ns;
    }
    outlook_add(outlook, start_ns, task, -1);
    outlook_add(outlook, start_ns + job->form->duration_ns[task], task, 1);
}

/* Nothing outside the events comes before the first of them. */
static void outlook_look_ahead(struct br_outlook *outlook)
{
    const int64_t *start_ns = outlook->job->form->local_start_ns;
    while (
        outlook->at < outlook->end && outlook->planned < AHEAD &&
        (!outlook->events || start_ns[outlook->at] + outlook->late_ns <= outlook->event[0].at_ns))
        add_planned(outlook);
}

/* Applies all events up to `from_ns`; the next span begins then. */
static void add_span(struct br_outlook *outlook, int64_t from_ns)
{
    uint32_t width = outlook->width;
    for (outlook_look_ahead(outlook); outlook->events && outlook->event[0].at_ns <= from_ns;
         outlook_look_ahead(outlook)) {
        struct br_outlook_event event = events_pop(NULL, outlook->event, &outlook->events);
        const int64_t *demand = br_job_demand(outlook->job, event.task, width);
        for (uint32_t r = 0; r < width; r++)
            outlook->free[r] += event.sign * demand[r];
    }
    int64_t *least = outlook->least + (size_t)outlook->spans * width;
    const int64_t *before = outlook->spans ? least - width : outlook->free;
    assert(outlook->spans < outlook->span_room);
    assert(outlook->spans == 0 || outlook->from_ns[outlook->spans - 1] < from_ns);
    for (uint32_t r = 0; r < width; r++)
        least[r] = before[r] < outlook->free[r] ? before[r] : outlook->free[r];
    outlook->from_ns[outlook->spans++] = from_ns;
    outlook->looked++;
}

bool br_outlook_make(struct br_outlook *outlook, const struct br_job *job, uint32_t machine,
                     const int64_t *room, uint32_t resources, int64_t now_ns)
{
    uint32_t first = job->ready.best[1];
    outlook->job = job;
    outlook->machine = machine;
    outlook->width = resources;
    outlook->events = outlook->spans = 0;
    outlook->now_ns = now_ns - job->began_ns;
    outlook->late_ns = 0;
    if (first != BR_NO_RANK && job->plan_start_ns[job->form->task[first]] < outlook->now_ns)
        outlook->late_ns = outlook->now_ns - job->plan_start_ns[job->form->task[first]];
    assert(outlook->late_ns >= 0);
    find_planned(outlook);
    if (!outlook_add_running(outlook) || !outlook_reserve(outlook))
        return false;
    memcpy(outlook->free, room, resources * sizeof *room);
    add_span(outlook, outlook->now_ns);
    return true;
}

/* Advances to the next span; false if no event is left. */
static bool next_span(struct br_outlook *outlook)
{
    outlook_look_ahead(outlook);
    if (!outlook->events)
        return false;
    add_span(outlook, outlook->event[0].at_ns);
    return true;
}

/* A demand, or a floating-point number that is no less. */
struct need {
    const int64_t *demand;
    const double *bound;
};

static bool outlook_fits(struct br_outlook *outlook, uint32_t span, const struct need *need)
{
    const int64_t *least = outlook->least + (size_t)span * outlook->width;
    assert(need->demand || need->bound);
    outlook->looked++;
    for (uint32_t r = 0; r < outlook->width; r++)
        if (need->demand ? need->demand[r] > 0 && need->demand[r] > least[r]
                         : need->bound[r] > 0 && need->bound[r] > (double)least[r])
            return false;
    return true;
}

/* Is that much free from now until then? */
static bool outlook_has_room(struct br_outlook *outlook, const struct need *need, int64_t until_ns)
{
    assert(outlook->spans > 0);
    while (outlook->from_ns[outlook->spans - 1] < until_ns) {
        if (!outlook_fits(outlook, outlook->spans - 1, need))
            return false;
        if (!next_span(outlook))
            return true;
    }
    uint32_t low = 0, high = outlook->spans - 1; /* spans before `low` begin in time */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (outlook->from_ns[middle] < until_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 || outlook_fits(outlook, low - 1, need);
}

bool br_outlook_allows(struct br_outlook *outlook, uint32_t task)
{
    const struct br_form *form = outlook->job->form;
    int64_t until_ns = outlook->now_ns + form->duration_ns[task];
    /* From its own time on the plan has room for it, if it is planned here. */
    if (form->planned[task] == outlook->machine && due_ns(outlook, task) < until_ns)
        until_ns = due_ns(outlook, task);
    return outlook_has_room(
        outlook, &(struct need){.demand = br_job_demand(outlook->job, task, outlook->width)},
        until_ns);
}

bool br_outlook_could_allow(struct br_outlook *outlook, const double *demand, int64_t duration_ns,
                            int64_t start_ns)
{
    int64_t until_ns = outlook->now_ns + duration_ns;
    if (start_ns < until_ns - outlook->late_ns)
        until_ns = start_ns + outlook->late_ns;
    return outlook_has_room(outlook, &(struct need){.bound = demand}, until_ns);
}

void br_outlook_finish(struct br_outlook *outlook)
{
    free(outlook->event);
    free(outlook->from_ns);
    free(outlook->free);
    free(outlook->least);
    *outlook = (struct br_outlook){0};
}
