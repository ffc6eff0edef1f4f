/* Event by event. A stage whose ready tasks fit nowhere is tried again only on machines that
 * something has left. */
#include "cluster/simulate/bounds/trial.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/invariant.h"

#define NONE UINT32_MAX

struct end {
    int64_t at_ns;
    uint32_t task;
};

struct br_trial {
    struct br_arena arena;
    const struct br_trial_model *model;
    const struct br_trial_order *order; /* NULL: by work left */
    int64_t now_ns;
    int64_t *free;   /* [machine * resources] */
    struct end *end; /* a heap */
    uint32_t ends;
    uint32_t *waits;      /* by stage: whole stages ahead that have not ended */
    uint32_t *stage_left; /* by stage: tasks that have not ended */
    uint32_t *task_waits; /* by task: single tasks ahead that have not ended */
    uint32_t *job_left;   /* by job: tasks that have not ended */
    double *work_left;    /* by job: of tasks that have not started */
    uint32_t *ready, *ready_first, *ready_end; /* a queue of tasks in the range of the stage's */
    bool *fresh;    /* by stage: tasks became ready since it was tried on all machines */
    uint32_t *open; /* stages with ready tasks, the first to go first */
    uint32_t opens;
    uint32_t *changed; /* machines that something has left */
    uint32_t changes;
    bool *is_changed;
    uint32_t *held, *next_held; /* by job: the jobs that are held until it arrives, as a list */
    uint32_t holds;             /* jobs that are there and held */
    struct br_trial_span *span;
};

static bool bounds_trial_before(const void *none, const struct end *a, const struct end *b)
{
    (void)none;
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->task < b->task;
}

BR_HEAP(end, struct end, const void *, bounds_trial_before, 4)

struct br_trial *br_trial_create(const struct br_trial_model *model)
{
    struct br_trial *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->model = model;
    uint32_t jobs = model->jobs, stages = model->stages, tasks = model->tasks;
    bool ok =
        BR_ARRAY(&l->arena, (size_t)model->machines * model->resources, l->free) &&
        BR_ARRAY(&l->arena, tasks, l->end) && BR_ARRAY(&l->arena, stages, l->waits) &&
        BR_ARRAY(&l->arena, stages, l->stage_left) && BR_ARRAY(&l->arena, tasks, l->task_waits) &&
        BR_ARRAY(&l->arena, jobs, l->job_left) && BR_ARRAY(&l->arena, jobs, l->work_left) &&
        BR_ARRAY(&l->arena, tasks, l->ready) && BR_ARRAY(&l->arena, stages, l->ready_first) &&
        BR_ARRAY(&l->arena, stages, l->ready_end) && BR_ARRAY(&l->arena, stages, l->fresh) &&
        BR_ARRAY(&l->arena, stages, l->open) && BR_ARRAY(&l->arena, model->machines, l->changed) &&
        BR_ARRAY(&l->arena, model->machines, l->is_changed) &&
        BR_ARRAY(&l->arena, tasks, l->span) && BR_ARRAY(&l->arena, jobs, l->held) &&
        BR_ARRAY(&l->arena, jobs, l->next_held);
    for (uint32_t j = 0; ok && j < jobs; j++)
        l->held[j] = NONE;
    for (uint32_t m = 0; ok && m < model->machines; m++)
        memcpy(l->free + (size_t)m * model->resources,
               model->capacities.capacity +
                   (size_t)model->capacities.machine_class[m] * model->resources,
               model->resources * sizeof *l->free);
    if (!ok) {
        br_trial_destroy(l);
        l = NULL;
    }
    return l;
}

void br_trial_destroy(struct br_trial *trial)
{
    if (!trial)
        return;
    br_arena_finish(&trial->arena);
    free(trial);
}

const struct br_trial_span *br_trial_spans(const struct br_trial *trial)
{
    return trial->span;
}

/* ---- What is ready ---- */

static bool bounds_trial_goes_first(const struct br_trial *l, uint32_t a, uint32_t b)
{
    const struct br_trial_stage *x = &l->model->stage[a], *y = &l->model->stage[b];
    if (!l->order) {
        if (l->work_left[x->job] != l->work_left[y->job])
            return l->work_left[x->job] < l->work_left[y->job];
        return x->job != y->job ? x->job < y->job : x->rank < y->rank;
    }
    const uint32_t *place = l->order->place, *with = l->order->with;
    if (with[a] != with[b])
        return place[with[a]] < place[with[b]];
    if (x->job != y->job)
        return place[x->job] < place[y->job];
    return x->rank < y->rank;
}

/* Sorts the stage at that index in among those before it. */
static void sort_in(struct br_trial *l, uint32_t at)
{
    uint32_t s = l->open[at];
    for (; at && bounds_trial_goes_first(l, s, l->open[at - 1]); at--)
        l->open[at] = l->open[at - 1];
    l->open[at] = s;
}

static void bounds_trial_make_ready(struct br_trial *l, uint32_t s, uint32_t task)
{
    if (l->ready_first[s] == l->ready_end[s]) {
        l->open[l->opens++] = s;
        sort_in(l, l->opens - 1);
    }
    assert(l->ready_end[s] - l->model->stage[s].first < l->model->stage[s].tasks);
    l->ready[l->ready_end[s]++] = task;
    l->fresh[s] = true;
}

/* All tasks of a stage that wait for nothing more. */
static void release_stage(struct br_trial *l, uint32_t s)
{
    const struct br_trial_stage *stage = &l->model->stage[s];
    for (uint32_t k = stage->first; k < stage->first + stage->tasks; k++)
        if (!l->task_waits[l->model->longest[k]])
            bounds_trial_make_ready(l, s, l->model->longest[k]);
}

static void bounds_trial_begin_job(struct br_trial *l, uint32_t j)
{
    const struct br_trial_model *model = l->model;
    uint32_t first = model->job[j].first_stage, end = first + model->job[j].stages;
    assert(l->job_left[j] == 0);
    l->job_left[j] = model->job[j].tasks;
    l->work_left[j] = model->job[j].work;
    for (uint32_t s = first; s < end; s++) {
        const struct br_trial_stage *stage = &model->stage[s];
        l->waits[s] = stage->barriers;
        l->stage_left[s] = stage->tasks;
        l->ready_first[s] = l->ready_end[s] = stage->first;
        l->fresh[s] = false;
        for (uint32_t k = 0; k < stage->tasks; k++)
            l->task_waits[stage->first + k] = stage->pairs;
    }
    for (uint32_t s = first; s < end; s++)
        if (!l->waits[s])
            release_stage(l, s);
}

/* The job begins, unless it is held; so do those that were held until now. */
static void bounds_trial_arrive(struct br_trial *l, uint32_t j)
{
    uint32_t until = l->order ? l->order->until[j] : j;
    assert(until >= j && until < l->model->jobs);
    if (until == j) {
        bounds_trial_begin_job(l, j);
    } else {
        l->next_held[j] = l->held[until];
        l->held[until] = j;
        l->holds++;
    }
    for (; l->held[j] != NONE; l->held[j] = l->next_held[l->held[j]]) {
        bounds_trial_begin_job(l, l->held[j]);
        l->holds--;
    }
}

static void bounds_trial_end_task(struct br_trial *l, uint32_t task, int64_t *end_ns)
{
    const struct br_trial_model *model = l->model;
    uint32_t s = model->task_stage[task], m = l->span[task].machine;
    const struct br_trial_stage *stage = &model->stage[s];
    for (uint32_t r = 0; r < model->resources; r++)
        l->free[(size_t)m * model->resources + r] += stage->demand[r];
    if (!l->is_changed[m])
        l->changed[l->changes++] = m;
    l->is_changed[m] = true;
    assert(l->changes <= model->machines);
    assert(l->stage_left[s] && l->job_left[stage->job]);
    bool last = --l->stage_left[s] == 0;
    for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++) {
        uint32_t other = model->arc[a].stage;
        assert(model->arc[a].one_to_one || l->waits[other]);
        if (model->arc[a].one_to_one) {
            uint32_t next = model->stage[other].first + task - stage->first;
            assert(task >= stage->first &&
                   next < model->stage[other].first + model->stage[other].tasks);
            if (--l->task_waits[next] == 0 && !l->waits[other])
                bounds_trial_make_ready(l, other, next);
        } else if (last && --l->waits[other] == 0) {
            release_stage(l, other);
        }
    }
    if (--l->job_left[stage->job] == 0)
        end_ns[stage->job] = l->now_ns;
}

/* ---- Starts ---- */

static bool bounds_trial_fits(const struct br_trial *l, const int64_t *demand, uint32_t m)
{
    const int64_t *free = l->free + (size_t)m * l->model->resources;
    for (uint32_t r = 0; r < l->model->resources; r++)
        if (demand[r] > free[r])
            return false;
    return true;
}

/* The machine that holds the task and has the least left, in shares of what its class has. */
static uint32_t bounds_trial_tightest(const struct br_trial *l, const struct br_trial_stage *stage,
                                      bool everywhere)
{
    const struct br_trial_model *model = l->model;
    uint32_t count = everywhere ? model->machines : l->changes, best = UINT32_MAX;
    double least = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t m = everywhere ? k : l->changed[k];
        if (!bounds_trial_fits(l, stage->demand, m))
            continue;
        double left = 0;
        for (uint32_t r = 0; r < model->resources; r++)
            if (model->capacities.scale.total[r] > 0)
                left += (double)l->free[(size_t)m * model->resources + r] /
                        model->capacities.scale.total[r];
        if (best == UINT32_MAX || left < least || (left == least && m < best)) {
            best = m;
            least = left;
        }
    }
    return best;
}

static void bounds_trial_start_task(struct br_trial *l, uint32_t s, uint32_t m)
{
    const struct br_trial_model *model = l->model;
    const struct br_trial_stage *stage = &model->stage[s];
    assert(l->ready_first[s] < l->ready_end[s] && l->ends < l->model->tasks);
    br_costly_assert(bounds_trial_fits(l, stage->demand, m));
    uint32_t task = l->ready[l->ready_first[s]++];
    for (uint32_t r = 0; r < model->resources; r++)
        l->free[(size_t)m * model->resources + r] -= stage->demand[r];
    l->span[task] = (struct br_trial_span){l->now_ns, m};
    l->work_left[stage->job] -= stage->share * (double)model->duration_ns[task];
    end_push(NULL, l->end, &l->ends, (struct end){l->now_ns + model->duration_ns[task], task});
}

static void bounds_trial_start_stage(struct br_trial *l, uint32_t s)
{
    while (l->ready_first[s] < l->ready_end[s]) {
        uint32_t m = bounds_trial_tightest(l, &l->model->stage[s], l->fresh[s]);
        if (m == UINT32_MAX)
            break;
        bounds_trial_start_task(l, s, m);
    }
    l->fresh[s] = false;
}

static void bounds_trial_dispatch(struct br_trial *l)
{
    uint32_t kept = 0;
    for (uint32_t k = 1; !l->order && k < l->opens; k++) /* the work left has changed */
        sort_in(l, k);
    for (uint32_t k = 0; k < l->opens; k++) {
        uint32_t s = l->open[k];
        bounds_trial_start_stage(l, s);
        if (l->ready_first[s] < l->ready_end[s])
            l->open[kept++] = s;
    }
    l->opens = kept;
    for (uint32_t k = 0; k < l->changes; k++)
        l->is_changed[l->changed[k]] = false;
    l->changes = 0;
}

uint32_t br_trial_run(struct br_trial *l, const struct br_trial_order *order, uint32_t first,
                      int64_t *end_ns)
{
    const struct br_trial_model *model = l->model;
    uint32_t next = first;
    assert(!l->ends && !l->opens);
    l->order = order;
    do {
        l->now_ns = l->ends ? l->end[0].at_ns : INT64_MAX;
        if (next < model->jobs && model->job[next].arrival_ns < l->now_ns)
            l->now_ns = model->job[next].arrival_ns;
        assert(l->now_ns < INT64_MAX);
        while (l->ends && l->end[0].at_ns == l->now_ns)
            bounds_trial_end_task(l, end_pop(NULL, l->end, &l->ends).task, end_ns);
        if (next > first && !l->ends && !l->opens && !l->holds && next < model->jobs)
            break;
        for (; next < model->jobs && model->job[next].arrival_ns == l->now_ns; next++)
            bounds_trial_arrive(l, next);
        bounds_trial_dispatch(l);
    } while (l->ends || next < model->jobs);
    assert(!l->opens && !l->holds); /* every task fits an empty machine */
    for (uint32_t k = 0; k < l->changes; k++)
        l->is_changed[l->changed[k]] = false;
    l->changes = 0;
    assert(next > first && next <= model->jobs);
    return next;
}
