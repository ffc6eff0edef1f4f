/* The event loop. It is fast on large jobs because between two events room appears only on the
 * machines where a task ended. So a stage that fitted nowhere before is tried on those alone, and
 * each of those finds the next ready task that fits it by a tournament over the order. Only stages
 * that have just become ready are tried on all machines, by an index over these. The tasks of a
 * stage have one demand: a stage is represented by its first ready task. */
#include "planner/schedule/dispatch.h"

#include <string.h>

#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/stop.h"
#include "planner/space/best_fit.h"
#include "planner/space/fit_tree.h"

struct event {
    int64_t end;
    uint32_t task, machine, copies; /* more than one only of tasks that are alike */
};

/* A machine with room, and the place of the ready stage that it would take next. */
struct offer {
    uint32_t place, machine;
    double slack; /* dot product of demand and free vector */
};

struct ready_stage {
    uint32_t next, end; /* a run of by_stage */
    uint32_t queued;    /* with one-to-one parents instead: places in the stage's own slice of
                           `queue`, a heap */
};

struct dispatch {
    const struct br_instance *in;
    const struct br_order *order;
    struct br_schedule *schedule;
    bool packing;

    int64_t *free;               /* [machine * resources + resource] */
    uint32_t *running;           /* by machine: batches on it */
    struct br_best_fit machines; /* of those of a class on which nothing runs only the first, as
                                    they are all alike */
    uint32_t *idle_first;        /* by class: no idle machine is before it */
    uint32_t *stale; /* machines that are not in the index as they are now: kept until it is asked,
                        since most tasks go to a machine where another has ended */
    uint32_t stale_count;
    bool *is_stale;

    struct event *event; /* heap by end */
    uint32_t events;
    uint32_t *freed; /* machines on which something ended at this event */
    uint32_t freed_count;
    bool *is_freed;

    struct ready_stage *ready;    /* by stage */
    uint32_t *queue;              /* by task */
    uint32_t *place;              /* by task: its place in the order; tasks that are alike and
                                     follow each other share one */
    uint32_t *task_of;            /* by place: the first of them */
    uint32_t *left;               /* by stage: tasks that have not ended */
    uint32_t *waiting;            /* by stage: parent stages across barriers that have not ended */
    uint32_t *task_waiting;       /* by task: one-to-one parents that have not ended */
    bool *by_task;                /* by stage: has one-to-one parents */
    bool *alike;                  /* by stage: equal durations, no one-to-one arcs */
    bool *blocked;                /* by stage: fits nowhere, and its leaf in `demands` is set */
    struct br_fit_places demands; /* by place: demands of the blocked stages */
    uint32_t *fresh;              /* ready stages not yet tried at this event: a heap by place */
    uint32_t fresh_count;
    struct offer *offer; /* heap */
    uint32_t offers;
};

/* --- heaps --------------------------------------------------------------------------------- */

static bool event_before(const void *none, const struct event *a, const struct event *b)
{
    (void)none;
    if (a->end != b->end)
        return a->end < b->end;
    return a->task < b->task;
}

/* By order: the place, then the best fit. By packing: the largest product, then the place. */
static bool schedule_dispatch_offer_before(const struct dispatch *d, const struct offer *a,
                                           const struct offer *b)
{
    if (d->packing && a->slack != b->slack)
        return a->slack > b->slack;
    if (a->place != b->place)
        return a->place < b->place;
    if (a->slack != b->slack)
        return a->slack < b->slack;
    return a->machine < b->machine;
}

BR_HEAP(event, struct event, const void *, event_before, 4) /* of thousands */
BR_HEAP(offer, struct offer, const struct dispatch *, schedule_dispatch_offer_before, 2)

static void push_fresh(struct dispatch *d, uint32_t place)
{
    br_numbers_push(NULL, d->fresh, &d->fresh_count, place);
}

static void pop_fresh(struct dispatch *d)
{
    br_numbers_pop(NULL, d->fresh, &d->fresh_count);
}

/* --- ready stages -------------------------------------------------------------------------- */

static bool has_ready(const struct dispatch *d, uint32_t stage)
{
    const struct ready_stage *r = &d->ready[stage];
    return d->by_task[stage] ? r->queued > 0 : r->next < r->end;
}

static uint32_t first_ready(const struct dispatch *d, uint32_t stage)
{
    return d->by_task[stage] ? d->task_of[d->queue[d->in->stage_first[stage]]]
                             : d->order->by_stage[d->ready[stage].next];
}

/* The place by which the stage is known. That of tasks that are alike need not move. */
static uint32_t stage_place(const struct dispatch *d, uint32_t stage)
{
    return d->place[d->alike[stage] ? d->order->by_stage[d->in->stage_first[stage]]
                                    : first_ready(d, stage)];
}

static const int64_t *schedule_dispatch_demand_of(const struct dispatch *d, uint32_t stage)
{
    return d->in->demand + (size_t)stage * d->in->resources;
}

static int64_t *free_of(const struct dispatch *d, uint32_t machine)
{
    return d->free + (size_t)machine * d->in->resources;
}

static void block(struct dispatch *d, uint32_t stage)
{
    assert(!d->blocked[stage] && has_ready(d, stage));
    d->blocked[stage] = true;
    br_fit_places_move(&d->demands, stage, BR_FIT_NONE, stage_place(d, stage));
}

static void unblock(struct dispatch *d, uint32_t stage)
{
    assert(d->blocked[stage]);
    d->blocked[stage] = false;
    br_fit_places_move(&d->demands, stage, stage_place(d, stage), BR_FIT_NONE);
}

/* A task with one-to-one parents has become ready. */
static void task_ready(struct dispatch *d, uint32_t stage, uint32_t task)
{
    uint32_t first = d->in->stage_first[stage];
    bool listed = has_ready(d, stage), blocked = d->blocked[stage];
    uint32_t place = d->place[task];
    bool leads = !listed || place < d->queue[first];
    if (blocked && leads)
        unblock(d, stage);
    br_numbers_push(NULL, d->queue + first, &d->ready[stage].queued, place);
    if (blocked && leads)
        block(d, stage);
    /* One that is listed was fresh under a later place, where its entry becomes stale. */
    if (!listed || (leads && !blocked))
        push_fresh(d, place);
}

static void schedule_dispatch_stage_ready(struct dispatch *d, uint32_t stage)
{
    const struct br_instance *in = d->in;
    assert(d->waiting[stage] == 0);
    uint32_t first = in->stage_first[stage], end = in->stage_first[stage + 1];
    if (d->by_task[stage]) {
        for (uint32_t t = first; t < end; t++)
            if (d->task_waiting[t] == 0)
                task_ready(d, stage, t);
    } else {
        d->ready[stage] = (struct ready_stage){first, end, 0};
        push_fresh(d, stage_place(d, stage));
    }
}

/* --- machines ------------------------------------------------------------------------------ */

static double slack(const struct dispatch *d, uint32_t machine, uint32_t stage)
{
    return br_best_fit_slack(&d->machines, stage, machine, free_of(d, machine));
}

static bool schedule_dispatch_fits(const struct dispatch *d, uint32_t machine, uint32_t stage)
{
    const int64_t *free = free_of(d, machine), *demand = schedule_dispatch_demand_of(d, stage);
    for (uint32_t r = 0; r < d->in->resources; r++)
        if (free[r] < demand[r])
            return false;
    return true;
}

/* Puts the machine into the index as it now is, and keeps one idle machine a class there. */
static void show_machine(struct dispatch *d, uint32_t machine)
{
    uint32_t c = d->machines.machine_class[machine], end = d->in->class_first[c + 1];
    uint32_t *first = &d->idle_first[c];
    if (d->running[machine]) {
        br_best_fit_set(&d->machines, machine, free_of(d, machine));
        if (machine == *first) {
            while (*first < end && d->running[*first])
                ++*first;
            if (*first < end)
                br_best_fit_set(&d->machines, *first, free_of(d, *first));
        }
    } else if (machine <= *first) {
        if (*first < end && *first != machine)
            br_best_fit_set(&d->machines, *first, NULL);
        *first = machine;
        br_best_fit_set(&d->machines, machine, free_of(d, machine));
    } else {
        br_best_fit_set(&d->machines, machine, NULL);
    }
}

static void machine_changed(struct dispatch *d, uint32_t machine)
{
    if (d->is_stale[machine])
        return;
    assert(d->stale_count < d->in->machines);
    d->is_stale[machine] = true;
    d->stale[d->stale_count++] = machine;
}

/* Brings the index, and idle_first, up to date. */
static void show_machines(struct dispatch *d)
{
    for (uint32_t k = 0; k < d->stale_count; k++) {
        show_machine(d, d->stale[k]);
        d->is_stale[d->stale[k]] = false;
    }
    d->stale_count = 0;
}

/* Any machine that could hold the demand serves a task of duration 0. */
static uint32_t schedule_dispatch_first_holder(const struct br_instance *in, uint32_t stage)
{
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    for (uint32_t c = 0;; c++) {
        uint32_t r = 0;
        assert(c < in->classes);
        while (r < in->resources && in->capacity[(size_t)c * in->resources + r] >= demand[r])
            r++;
        if (r == in->resources)
            return in->class_first[c];
    }
}

/* --- invariants ---------------------------------------------------------------------------- */

/* Do the machine's free amounts lie between zero and its capacity, and equal it if nothing runs
 * there? */
static bool schedule_dispatch_machine_is_sound(const struct dispatch *d, uint32_t machine)
{
    const struct br_instance *in = d->in;
    const int64_t *capacity =
        in->capacity + (size_t)d->machines.machine_class[machine] * in->resources;
    const int64_t *free = free_of(d, machine);
    for (uint32_t r = 0; r < in->resources; r++)
        if (free[r] < (d->running[machine] ? 0 : capacity[r]) || free[r] > capacity[r])
            return false;
    return true;
}

/* Has every task of every stage ended, and waited for nothing at its end? */
static bool all_ended(const struct dispatch *d)
{
    for (uint32_t s = 0; s < d->in->stages; s++)
        if (d->left[s] || d->waiting[s] || d->blocked[s])
            return false;
    return true;
}

/* --- starting and ending ------------------------------------------------------------------- */

/* Starts the first ready tasks of the stage: if tasks are alike and the order decides, as many as
 * the machine holds, since best fit would send them there one by one; else one. */
static void start_tasks(struct dispatch *d, uint32_t stage, uint32_t machine, int64_t now)
{
    const struct br_instance *in = d->in;
    struct ready_stage *r = &d->ready[stage];
    uint32_t task = first_ready(d, stage), copies = 1;
    int64_t duration = in->duration[task];
    const int64_t *demand = schedule_dispatch_demand_of(d, stage);
    int64_t *free = free_of(d, machine);
    if (d->alike[stage] && (!d->packing || duration == 0)) {
        copies = r->end - r->next;
        for (uint32_t q = 0; duration > 0 && q < in->resources; q++)
            if (demand[q] && free[q] / demand[q] < copies)
                copies = (uint32_t)(free[q] / demand[q]);
    }
    assert(copies > 0 && d->events < in->tasks);
    for (uint32_t k = 0; k < copies; k++) {
        uint32_t t = first_ready(d, stage);
        d->schedule->start[t] = now;
        d->schedule->machine[t] = machine;
        if (d->by_task[stage])
            br_numbers_pop(NULL, d->queue + in->stage_first[stage], &r->queued);
        else
            r->next++;
    }
    if (duration > 0) {
        d->running[machine]++;
        for (uint32_t q = 0; q < in->resources; q++)
            free[q] -= demand[q] * copies;
        machine_changed(d, machine);
        br_costly_assert(schedule_dispatch_machine_is_sound(d, machine));
    }
    event_push(NULL, d->event, &d->events, (struct event){now + duration, task, machine, copies});
}

static void finish_tasks(struct dispatch *d, const struct event *event)
{
    const struct br_instance *in = d->in;
    uint32_t stage = in->task_stage[event->task], machine = event->machine;
    if (in->duration[event->task] > 0) {
        const int64_t *demand = schedule_dispatch_demand_of(d, stage);
        int64_t *free = free_of(d, machine);
        for (uint32_t r = 0; r < in->resources; r++)
            free[r] += demand[r] * event->copies;
        assert(d->running[machine] > 0);
        d->running[machine]--;
        br_costly_assert(schedule_dispatch_machine_is_sound(d, machine));
        if (!d->is_freed[machine]) {
            d->is_freed[machine] = true;
            assert(d->freed_count < in->machines);
            d->freed[d->freed_count++] = machine;
        }
    }
    assert(d->left[stage] >= event->copies);
    d->left[stage] -= event->copies;
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++) {
        uint32_t child = in->child[a].stage;
        if (in->child[a].one_to_one) {
            uint32_t t = in->stage_first[child] + (event->task - in->stage_first[stage]);
            assert(d->task_waiting[t] > 0);
            if (--d->task_waiting[t] == 0 && d->waiting[child] == 0)
                task_ready(d, child, t);
        } else if (d->left[stage] == 0 && --d->waiting[child] == 0) {
            schedule_dispatch_stage_ready(d, child);
        }
    }
}

/* --- one event ----------------------------------------------------------------------------- */

/* The machine offers itself to the next blocked stage from this place on that fits it; by packing,
 * to the one with the largest product. */
static void make_offer(struct dispatch *d, uint32_t machine, uint32_t from)
{
    const int64_t zero = 0, *free = d->in->resources ? free_of(d, machine) : &zero;
    struct offer best = {BR_FIT_NONE, machine, 0};
    for (uint32_t place = br_fit_places_next(&d->demands, from, free); place != BR_FIT_NONE;
         place = br_fit_places_next(&d->demands, place + 1, free)) {
        struct offer offer = {place, machine,
                              slack(d, machine, d->in->task_stage[d->task_of[place]])};
        if (best.place == BR_FIT_NONE || schedule_dispatch_offer_before(d, &offer, &best))
            best = offer;
        if (!d->packing)
            break;
    }
    assert(d->offers < d->in->machines);
    if (best.place != BR_FIT_NONE)
        offer_push(d, d->offer, &d->offers, best);
}

/* Takes the offer at the top, or renews it if it no longer holds. */
static void take_offer(struct dispatch *d, int64_t now)
{
    struct offer offer = offer_pop(d, d->offer, &d->offers);
    uint32_t stage = d->in->task_stage[d->task_of[offer.place]];
    bool holds = d->blocked[stage] && stage_place(d, stage) == offer.place &&
                 schedule_dispatch_fits(d, offer.machine, stage) &&
                 slack(d, offer.machine, stage) == offer.slack;
    if (holds) {
        start_tasks(d, stage, offer.machine, now);
        d->blocked[stage] = has_ready(d, stage);
        if (!d->blocked[stage]) {
            br_fit_places_move(&d->demands, stage, offer.place, BR_FIT_NONE);
        } else if (!d->alike[stage]) {
            br_fit_places_move(&d->demands, stage, offer.place, stage_place(d, stage));
        }
    }
    make_offer(d, offer.machine, d->packing ? 0 : offer.place);
}

/* The fresh stage at the top starts on any machine, or joins those that fit nowhere. */
static void try_fresh(struct dispatch *d, int64_t now)
{
    uint32_t place = d->fresh[0], stage = d->in->task_stage[d->task_of[place]], machine;
    if (d->blocked[stage] || !has_ready(d, stage) || stage_place(d, stage) != place) {
        pop_fresh(d);
        return;
    }
    if (d->in->duration[first_ready(d, stage)] == 0) {
        machine = schedule_dispatch_first_holder(d->in, stage);
    } else {
        show_machines(d);
        machine = br_best_fit_find(&d->machines, stage);
    }
    if (machine == BR_BEST_FIT_NONE) {
        pop_fresh(d);
        block(d, stage);
        return;
    }
    start_tasks(d, stage, machine, now);
    if (!has_ready(d, stage)) {
        pop_fresh(d);
    } else if (!d->alike[stage]) {
        pop_fresh(d);
        push_fresh(d, stage_place(d, stage));
    }
}

/* Everything that fits starts now, in the order of the places. */
static void start_in_order(struct dispatch *d, int64_t now)
{
    for (uint32_t k = 0; k < d->freed_count; k++)
        make_offer(d, d->freed[k], 0);
    while (d->fresh_count || d->offers) {
        if (d->fresh_count && (!d->offers || d->fresh[0] < d->offer[0].place))
            try_fresh(d, now);
        else
            take_offer(d, now);
    }
}

/* The best packing pair starts, until none fits. A fresh stage joins the blocked ones at once, and
 * every machine that holds it makes an offer. */
static void start_packed(struct dispatch *d, int64_t now)
{
    const struct br_instance *in = d->in;
    show_machines(d);
    while (d->fresh_count) {
        uint32_t place = d->fresh[0], stage = in->task_stage[d->task_of[place]];
        pop_fresh(d);
        if (d->blocked[stage] || !has_ready(d, stage))
            continue;
        while (has_ready(d, stage) && in->duration[first_ready(d, stage)] == 0)
            start_tasks(d, stage, schedule_dispatch_first_holder(in, stage), now);
        if (!has_ready(d, stage))
            continue;
        block(d, stage);
        for (uint32_t m = br_best_fit_next(&d->machines, stage, 0); m != BR_BEST_FIT_NONE;
             m = br_best_fit_next(&d->machines, stage, m + 1))
            if (!d->is_freed[m]) {
                d->is_freed[m] = true;
                d->freed[d->freed_count++] = m;
            }
    }
    for (uint32_t k = 0; k < d->freed_count; k++)
        make_offer(d, d->freed[k], 0);
    while (d->offers) {
        uint32_t machine = d->offer[0].machine, c = d->machines.machine_class[machine];
        uint32_t idle = d->idle_first[c];
        take_offer(d, now);
        show_machines(d);
        /* Only one idle machine of a class makes an offer: when it is taken, the next does. */
        uint32_t next = d->idle_first[c];
        if (next != idle && next < in->class_first[c + 1] && !d->is_freed[next]) {
            d->is_freed[next] = true;
            d->freed[d->freed_count++] = next;
            make_offer(d, next, 0);
        }
    }
}

static void start_ready(struct dispatch *d, int64_t now)
{
    for (uint32_t k = 0; k < d->freed_count; k++)
        machine_changed(d, d->freed[k]);
    if (d->packing)
        start_packed(d, now);
    else
        start_in_order(d, now);
    for (uint32_t k = 0; k < d->freed_count; k++)
        d->is_freed[d->freed[k]] = false;
    d->freed_count = 0;
}

static bool schedule_dispatch_allocate(struct dispatch *d)
{
    const struct br_instance *in = d->in;
    size_t n = in->tasks, stages = in->stages, row = in->resources;
    d->free = br_calloc(in->machines * row + 1, sizeof *d->free);
    d->running = br_calloc(in->machines, sizeof *d->running);
    d->freed = br_malloc(in->machines * sizeof *d->freed);
    d->is_freed = br_calloc(in->machines, sizeof *d->is_freed);
    d->stale = br_malloc(in->machines * sizeof *d->stale);
    d->is_stale = br_calloc(in->machines, sizeof *d->is_stale);
    d->offer = br_malloc(in->machines * sizeof *d->offer);
    d->idle_first = br_malloc(in->classes * sizeof *d->idle_first);
    d->event = br_malloc(n * sizeof *d->event);
    d->ready = br_malloc(stages * sizeof *d->ready);
    d->queue = br_malloc(n * sizeof *d->queue);
    d->place = br_malloc(n * sizeof *d->place);
    d->task_of = br_malloc(n * sizeof *d->task_of);
    d->left = br_malloc(stages * sizeof *d->left);
    d->waiting = br_calloc(stages, sizeof *d->waiting);
    d->task_waiting = br_calloc(n, sizeof *d->task_waiting);
    d->by_task = br_calloc(stages, sizeof *d->by_task);
    d->alike = br_malloc(stages * sizeof *d->alike);
    d->blocked = br_calloc(stages, sizeof *d->blocked);
    d->fresh = br_malloc((n + stages) * sizeof *d->fresh);
    return br_best_fit_init(&d->machines, in) && d->free && d->running && d->freed && d->is_freed &&
           d->stale && d->is_stale && d->offer && d->idle_first && d->event && d->ready &&
           d->queue && d->place && d->task_of && d->left && d->waiting && d->task_waiting &&
           d->by_task && d->alike && d->blocked && d->fresh;
}

static void schedule_dispatch_prepare(struct dispatch *d)
{
    const struct br_instance *in = d->in;
    size_t row = in->resources;
    for (uint32_t c = 0; c < in->classes; c++) {
        for (uint32_t m = in->class_first[c]; row && m < in->class_first[c + 1]; m++)
            memcpy(d->free + m * row, in->capacity + c * row, row * sizeof *d->free);
        d->idle_first[c] = in->class_first[c];
        br_best_fit_set(&d->machines, d->idle_first[c], free_of(d, d->idle_first[c]));
    }
    for (uint32_t s = 0; s < in->stages; s++) {
        uint32_t first = in->stage_first[s];
        d->left[s] = in->stage_first[s + 1] - first;
        d->ready[s] = (struct ready_stage){first, first, 0};
        d->alike[s] = in->stage_equal[s];
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
            if (!in->parent[a].one_to_one) {
                d->waiting[s]++;
                continue;
            }
            d->by_task[s] = true;
            d->alike[s] = false;
            for (uint32_t t = first; t < in->stage_first[s + 1]; t++)
                d->task_waiting[t]++;
        }
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++)
            if (in->child[a].one_to_one)
                d->alike[s] = false;
        /* Tasks that are alike share a place only if the order keeps them together. */
        for (uint32_t k = first + 1; d->alike[s] && k < in->stage_first[s + 1]; k++)
            d->alike[s] = d->order->place[d->order->by_stage[k]] ==
                          d->order->place[d->order->by_stage[k - 1]] + 1;
    }
}

/* Numbers the places, and sets up the tournament over them. False when memory is out. */
static bool number_places(struct dispatch *d)
{
    const struct br_instance *in = d->in;
    uint32_t places = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        d->task_of[d->order->place[t]] = t;
    for (uint32_t k = 0; k < in->tasks; k++) { /* never ahead of itself */
        uint32_t task = d->task_of[k], stage = in->task_stage[task];
        if (!d->alike[stage] || d->order->by_stage[in->stage_first[stage]] == task)
            d->task_of[places++] = task;
        assert(places > 0);
        d->place[task] = places - 1;
    }
    return br_fit_places_init(&d->demands, places, in->stages, in->resources, in->demand);
}

static void schedule_dispatch_release(struct dispatch *d)
{
    br_best_fit_finish(&d->machines);
    br_fit_places_finish(&d->demands);
    br_free(d->free);
    br_free(d->running);
    br_free(d->freed);
    br_free(d->is_freed);
    br_free(d->stale);
    br_free(d->is_stale);
    br_free(d->offer);
    br_free(d->idle_first);
    br_free(d->event);
    br_free(d->ready);
    br_free(d->queue);
    br_free(d->place);
    br_free(d->task_of);
    br_free(d->left);
    br_free(d->waiting);
    br_free(d->task_waiting);
    br_free(d->by_task);
    br_free(d->alike);
    br_free(d->blocked);
    br_free(d->fresh);
}

bool br_dispatch(struct br_schedule *schedule, const struct br_instance *in,
                 const struct br_order *order, enum br_dispatch_rule rule,
                 const struct br_stop *stop)
{
    struct dispatch d = {
        .in = in, .order = order, .schedule = schedule, .packing = rule == BR_DISPATCH_PACKING};
    bool ok = schedule_dispatch_allocate(&d);
    if (ok) {
        schedule_dispatch_prepare(&d);
        ok = number_places(&d);
    }
    if (ok) {
        for (uint32_t s = 0; s < in->stages; s++)
            if (d.waiting[s] == 0)
                schedule_dispatch_stage_ready(&d, s);
        start_ready(&d, 0);
        while (d.events && !br_stopped(stop)) {
            int64_t now = d.event[0].end;
            while (d.events && d.event[0].end == now) {
                struct event event = event_pop(NULL, d.event, &d.events);
                finish_tasks(&d, &event);
            }
            start_ready(&d, now);
        }
        ok = d.events == 0;
        if (ok) {
            br_costly_assert(all_ended(&d));
            br_schedule_measure(schedule, in);
        }
    }
    schedule_dispatch_release(&d);
    return ok;
}

void br_dispatch_single(struct br_schedule *schedule, const struct br_instance *in)
{
    assert(in->tasks == 1);
    schedule->start[0] = 0;
    schedule->machine[0] =
        in->duration[0] ? br_best_fit_empty(in, 0) : schedule_dispatch_first_holder(in, 0);
    br_schedule_measure(schedule, in);
}
