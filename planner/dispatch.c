/* The event loop keeps a free vector per machine, a heap of ends, and for every stage a queue of
 * its ready tasks; since the tasks of a stage have one demand, a stage whose first ready task fits
 * nowhere is set aside whole until something ends. */
#include "planner/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct event {
    int64_t end;
    uint32_t task, machine, copies; /* the tasks of a batch follow each other in by_stage */
};

/* The ready tasks of a stage: a run of by_stage where all become ready at once, else a heap of
 * places in the stage's own slice of `queue`. */
struct ready_stage {
    uint32_t next, end; /* run: positions in by_stage; heap: slice from stage_first to end */
};

struct dispatch {
    const struct br_instance *in;
    const struct br_order *order;
    struct br_schedule *schedule;
    int64_t *free;  /* [machine * resources + resource] */
    double *weight; /* [class * resources + resource]: 1 / capacity^2 */
    uint32_t *machine_class;
    struct event *event;
    uint32_t events;
    struct ready_stage *ready;
    uint32_t *queue;        /* by task: heaps of one-to-one stages */
    uint32_t *task_of;      /* by place */
    uint32_t *left;         /* by stage: tasks that have not ended */
    uint32_t *waiting;      /* by stage: parent stages across barriers that have not ended */
    uint32_t *task_waiting; /* by task: one-to-one parents that have not ended */
    bool *by_task;          /* by stage: has one-to-one parents */
    bool *alike;            /* by stage: equal durations, no one-to-one arcs */
    uint32_t *heap;         /* stages with ready tasks, by the place of their first */
    uint32_t heap_size;
    uint32_t *aside; /* stages that fit nowhere now */
    uint32_t asides;
};

static uint32_t first_ready(const struct dispatch *d, uint32_t stage)
{
    const struct ready_stage *r = &d->ready[stage];
    return d->by_task[stage] ? d->task_of[d->queue[d->in->stage_first[stage]]]
                             : d->order->by_stage[r->next];
}

static bool has_ready(const struct dispatch *d, uint32_t stage)
{
    const struct ready_stage *r = &d->ready[stage];
    return d->by_task[stage] ? r->end > d->in->stage_first[stage] : r->next < r->end;
}

static void push_place(uint32_t *heap, uint32_t size, uint32_t place)
{
    uint32_t at = size;
    for (; at && heap[(at - 1) / 2] > place; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = place;
}

static void pop_place(uint32_t *heap, uint32_t size)
{
    uint32_t last = heap[size - 1], at = 0;
    for (size--;;) {
        uint32_t child = 2 * at + 1;
        if (child >= size)
            break;
        if (child + 1 < size && heap[child + 1] < heap[child])
            child++;
        if (last <= heap[child])
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
}

static uint32_t stage_place(const struct dispatch *d, uint32_t stage)
{
    return d->order->place[first_ready(d, stage)];
}

static void push_stage(struct dispatch *d, uint32_t stage)
{
    uint32_t at = d->heap_size++, place = stage_place(d, stage);
    for (; at && stage_place(d, d->heap[(at - 1) / 2]) > place; at = (at - 1) / 2)
        d->heap[at] = d->heap[(at - 1) / 2];
    d->heap[at] = stage;
}

/* The first stage of the heap has a later place than before, or leaves. */
static void sift_stage(struct dispatch *d, bool leaves)
{
    uint32_t stage = leaves ? d->heap[--d->heap_size] : d->heap[0], at = 0;
    if (d->heap_size == 0)
        return;
    uint32_t place = stage_place(d, stage);
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= d->heap_size)
            break;
        if (child + 1 < d->heap_size &&
            stage_place(d, d->heap[child + 1]) < stage_place(d, d->heap[child]))
            child++;
        if (place <= stage_place(d, d->heap[child]))
            break;
        d->heap[at] = d->heap[child];
        at = child;
    }
    d->heap[at] = stage;
}

static bool event_before(const struct event *a, const struct event *b)
{
    if (a->end != b->end)
        return a->end < b->end;
    return a->task < b->task;
}

static void push_event(struct dispatch *d, struct event event)
{
    uint32_t at = d->events++;
    for (; at && event_before(&event, &d->event[(at - 1) / 2]); at = (at - 1) / 2)
        d->event[at] = d->event[(at - 1) / 2];
    d->event[at] = event;
}

static struct event pop_event(struct dispatch *d)
{
    struct event top = d->event[0], last = d->event[--d->events];
    uint32_t at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= d->events)
            break;
        if (child + 1 < d->events && event_before(&d->event[child + 1], &d->event[child]))
            child++;
        if (!event_before(&d->event[child], &last))
            break;
        d->event[at] = d->event[child];
        at = child;
    }
    d->event[at] = last;
    return top;
}

/* A stage or a task of it has become ready: into the heap, unless the stage is there already. */
static void task_ready(struct dispatch *d, uint32_t stage, uint32_t task)
{
    uint32_t first = d->in->stage_first[stage];
    bool listed = has_ready(d, stage);
    uint32_t *heap = d->queue + first;
    if (listed && d->order->place[task] < heap[0]) {
        /* It becomes the stage's first: take the stage out of the way of the heap's order. */
        for (uint32_t k = 0; k < d->heap_size; k++)
            if (d->heap[k] == stage) {
                push_place(heap, d->ready[stage].end++ - first, d->order->place[task]);
                uint32_t place = stage_place(d, stage), at = k;
                for (; at && stage_place(d, d->heap[(at - 1) / 2]) > place; at = (at - 1) / 2)
                    d->heap[at] = d->heap[(at - 1) / 2];
                d->heap[at] = stage;
                return;
            }
    }
    push_place(heap, d->ready[stage].end++ - first, d->order->place[task]);
    if (!listed)
        push_stage(d, stage);
}

static void stage_ready(struct dispatch *d, uint32_t stage)
{
    const struct br_instance *in = d->in;
    uint32_t first = in->stage_first[stage], end = in->stage_first[stage + 1];
    if (d->by_task[stage]) {
        for (uint32_t t = first; t < end; t++)
            if (d->task_waiting[t] == 0)
                task_ready(d, stage, t);
    } else {
        d->ready[stage] = (struct ready_stage){first, end};
        push_stage(d, stage);
    }
}

static void finish_tasks(struct dispatch *d, const struct event *event)
{
    const struct br_instance *in = d->in;
    uint32_t stage = in->task_stage[event->task];
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    int64_t *free = d->free + (size_t)event->machine * in->resources;
    if (in->duration[event->task] > 0)
        for (uint32_t r = 0; r < in->resources; r++)
            free[r] += demand[r] * event->copies;
    d->left[stage] -= event->copies;
    for (uint32_t a = in->child_first[stage]; a < in->child_first[stage + 1]; a++) {
        uint32_t child = in->child[a].stage;
        if (in->child[a].one_to_one) {
            uint32_t t = in->stage_first[child] + (event->task - in->stage_first[stage]);
            if (--d->task_waiting[t] == 0 && d->waiting[child] == 0)
                task_ready(d, child, t);
        } else if (d->left[stage] == 0 && --d->waiting[child] == 0) {
            stage_ready(d, child);
        }
    }
}

static double product(const struct dispatch *d, uint32_t machine, const int64_t *demand)
{
    const struct br_instance *in = d->in;
    const double *weight = d->weight + (size_t)d->machine_class[machine] * in->resources;
    const int64_t *free = d->free + (size_t)machine * in->resources;
    double sum = 0;
    for (uint32_t r = 0; r < in->resources; r++)
        sum += (double)demand[r] * (double)free[r] * weight[r];
    return sum;
}

/* The machine on which the stage's tasks fit best now: least (or, with `most`, greatest) product.
 * UINT32_MAX where it fits none. */
static uint32_t choose_machine(const struct dispatch *d, uint32_t stage, bool most, double *value)
{
    const struct br_instance *in = d->in;
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    uint32_t best = UINT32_MAX;
    for (uint32_t m = 0; m < in->machines; m++) {
        const int64_t *free = d->free + (size_t)m * in->resources;
        bool fits = true;
        for (uint32_t r = 0; fits && r < in->resources; r++)
            fits = free[r] >= demand[r];
        if (!fits)
            continue;
        double v = product(d, m, demand);
        if (best == UINT32_MAX || (most ? v > *value : v < *value)) {
            best = m;
            *value = v;
        }
    }
    return best;
}

/* Any machine that could hold the demand serves a task of duration 0. */
static uint32_t first_holder(const struct dispatch *d, uint32_t stage)
{
    const struct br_instance *in = d->in;
    for (uint32_t c = 0;; c++) {
        bool holds = true;
        for (uint32_t r = 0; r < in->resources; r++)
            holds &= in->capacity[(size_t)c * in->resources + r] >=
                     in->demand[(size_t)stage * in->resources + r];
        if (holds)
            return in->class_first[c];
    }
}

/* Starts the stage's first ready tasks on the machine: as many as fit where all are alike and go
 * in order, else one. */
static void start_tasks(struct dispatch *d, uint32_t stage, uint32_t machine, bool bulk,
                        int64_t now)
{
    const struct br_instance *in = d->in;
    struct ready_stage *r = &d->ready[stage];
    uint32_t task = first_ready(d, stage), copies = 1;
    int64_t duration = in->duration[task];
    const int64_t *demand = in->demand + (size_t)stage * in->resources;
    int64_t *free = d->free + (size_t)machine * in->resources;
    if (bulk && d->alike[stage]) {
        copies = r->end - r->next;
        for (uint32_t q = 0; duration > 0 && q < in->resources; q++)
            if (demand[q] && free[q] / demand[q] < copies)
                copies = (uint32_t)(free[q] / demand[q]);
    }
    if (duration > 0)
        for (uint32_t q = 0; q < in->resources; q++)
            free[q] -= demand[q] * copies;
    for (uint32_t k = 0; k < copies; k++) {
        uint32_t t = first_ready(d, stage);
        d->schedule->start[t] = now;
        d->schedule->machine[t] = machine;
        if (d->by_task[stage])
            pop_place(d->queue + in->stage_first[stage], r->end-- - in->stage_first[stage]);
        else
            r->next++;
    }
    push_event(d, (struct event){now + duration, task, machine, copies});
}

/* Everything that fits starts now, in the order of the places. */
static void start_in_order(struct dispatch *d, int64_t now)
{
    while (d->heap_size) {
        uint32_t stage = d->heap[0], machine;
        double value;
        if (d->in->duration[first_ready(d, stage)] == 0)
            machine = first_holder(d, stage);
        else
            machine = choose_machine(d, stage, false, &value);
        if (machine == UINT32_MAX) {
            d->aside[d->asides++] = stage;
            sift_stage(d, true);
            continue;
        }
        start_tasks(d, stage, machine, true, now);
        sift_stage(d, !has_ready(d, stage));
    }
    while (d->asides)
        push_stage(d, d->aside[--d->asides]);
}

/* The best packing pair starts, until none fits. Ties go to the place in the order. */
static void start_best_packed(struct dispatch *d, int64_t now)
{
    for (;;) {
        uint32_t best = UINT32_MAX, best_machine = 0;
        double best_value = 0;
        for (uint32_t k = 0; k < d->heap_size; k++) {
            uint32_t stage = d->heap[k], machine;
            double value = 0;
            if (d->in->duration[first_ready(d, stage)] == 0) {
                machine = first_holder(d, stage);
                value = HUGE_VAL;
            } else {
                machine = choose_machine(d, stage, true, &value);
            }
            if (machine == UINT32_MAX)
                continue;
            if (best == UINT32_MAX || value > best_value ||
                (value == best_value && stage_place(d, stage) < stage_place(d, d->heap[best]))) {
                best = k;
                best_machine = machine;
                best_value = value;
            }
        }
        if (best == UINT32_MAX)
            return;
        uint32_t stage = d->heap[best];
        start_tasks(d, stage, best_machine, false, now);
        if (!has_ready(d, stage))
            d->heap[best] = d->heap[--d->heap_size]; /* here the heap serves as a plain list */
    }
}

static bool prepare(struct dispatch *d)
{
    const struct br_instance *in = d->in;
    size_t n = in->tasks, stages = in->stages, row = in->resources;
    d->free = malloc((in->machines * row + 1) * sizeof *d->free);
    d->weight = calloc(in->classes * row + 1, sizeof *d->weight);
    d->machine_class = malloc(in->machines * sizeof *d->machine_class);
    d->event = malloc(n * sizeof *d->event);
    d->ready = malloc(stages * sizeof *d->ready);
    d->queue = malloc(n * sizeof *d->queue);
    d->task_of = malloc(n * sizeof *d->task_of);
    d->left = malloc(stages * sizeof *d->left);
    d->waiting = calloc(stages, sizeof *d->waiting);
    d->task_waiting = calloc(n, sizeof *d->task_waiting);
    d->by_task = calloc(stages, sizeof *d->by_task);
    d->alike = malloc(stages * sizeof *d->alike);
    d->heap = malloc(stages * sizeof *d->heap);
    d->aside = malloc(stages * sizeof *d->aside);
    if (!d->free || !d->weight || !d->machine_class || !d->event || !d->ready || !d->queue ||
        !d->task_of || !d->left || !d->waiting || !d->task_waiting || !d->by_task || !d->alike ||
        !d->heap || !d->aside)
        return false;
    for (uint32_t c = 0; c < in->classes; c++) {
        for (uint32_t r = 0; r < row; r++) {
            double capacity = (double)in->capacity[c * row + r];
            d->weight[c * row + r] = capacity > 0 ? 1 / (capacity * capacity) : 0;
        }
        for (uint32_t m = in->class_first[c]; m < in->class_first[c + 1]; m++) {
            d->machine_class[m] = c;
            memcpy(d->free + m * row, in->capacity + c * row, row * sizeof *d->free);
        }
    }
    for (uint32_t t = 0; t < n; t++)
        d->task_of[d->order->place[t]] = t;
    for (uint32_t s = 0; s < stages; s++) {
        uint32_t first = in->stage_first[s];
        d->left[s] = in->stage_first[s + 1] - first;
        d->ready[s] = (struct ready_stage){first, first};
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
    }
    return true;
}

static void release(struct dispatch *d)
{
    free(d->free);
    free(d->weight);
    free(d->machine_class);
    free(d->event);
    free(d->ready);
    free(d->queue);
    free(d->task_of);
    free(d->left);
    free(d->waiting);
    free(d->task_waiting);
    free(d->by_task);
    free(d->alike);
    free(d->heap);
    free(d->aside);
}

bool br_dispatch(struct br_schedule *schedule, const struct br_instance *in,
                 const struct br_order *order, enum br_dispatch_rule rule, const volatile int *stop)
{
    struct dispatch d = {.in = in, .order = order, .schedule = schedule};
    bool ok = prepare(&d);
    if (ok) {
        int64_t now = 0;
        for (uint32_t s = 0; s < in->stages; s++)
            if (d.waiting[s] == 0)
                stage_ready(&d, s);
        for (;;) {
            if (rule == BR_DISPATCH_PACKING)
                start_best_packed(&d, now);
            else
                start_in_order(&d, now);
            if (d.events == 0 || (stop && *stop))
                break;
            now = d.event[0].end;
            while (d.events && d.event[0].end == now) {
                struct event event = pop_event(&d);
                finish_tasks(&d, &event);
            }
        }
        ok = d.events == 0;
        if (ok)
            br_schedule_measure(schedule, in);
    }
    release(&d);
    return ok;
}
