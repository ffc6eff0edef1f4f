/* The passage of tasks from waiting to finished. */
#include "runtime/enforcer/jobs/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"

enum { LINE = 64 /* size of a cache line */ };

static void enforcer_job_add_work(struct br_job *job, br_wide units)
{
    job->work += units;
    assert(job->work >= 0);
    job->remaining = br_form_seconds(job->work);
}

/* ---- Creation ---- */

/* The next `count` numbers of that size in the job's block, which starts at `base`; if `base` is
 * NULL, only measures. */
static void *portion(char *base, size_t *used, size_t count, size_t size)
{
    *used = (*used + size - 1) / size * size;
    void *at = base ? base + *used : NULL;
    *used += count * size;
    return at;
}

/* Places the arrays of the job behind it in one block, with those used together side by side.
 * Returns the number of bytes that must start as 0, and the total. */
static size_t place_arrays(struct br_job *job, const struct br_form *form, char *base, size_t *all)
{
    const struct br_ready_form *ready = &form->ready;
    size_t used = sizeof *job, zeros;
#define PORTION(pointer, count) ((pointer) = portion(base, &used, count, sizeof *(pointer)))
    PORTION(job->ready.bits, ready->words);
    PORTION(job->ready.some, ready->somes);
    PORTION(job->ready.is_ready, form->tasks);
    PORTION(job->ready.is_changed, form->tasks);
    PORTION(job->task_state, form->tasks);
    zeros = used - sizeof *job;
    PORTION(job->ready.best, 2 * (size_t)ready->leaves);
    PORTION(job->stage_left, form->stages);
    PORTION(job->stage_waits, form->stages);
    PORTION(job->machine, form->tasks);
    PORTION(job->ready.changed, form->tasks);
    job->task_waits = NULL;
    if (form->task_waits)
        PORTION(job->task_waits, form->tasks);
    PORTION(job->local_head, form->places);
    PORTION(job->plan_start_ns, form->planned ? form->tasks : 0);
    PORTION(job->started_ns, form->planned ? form->tasks : 0);
#undef PORTION
    *all = used;
    return zeros;
}

struct br_job *br_job_create(struct br_form *form, bool by_event)
{
    struct br_job measure = {0}, *job;
    size_t size, zeros = place_arrays(&measure, form, NULL, &size);
    job = malloc(size);
    if (!job)
        return NULL;
    memset(job, 0, sizeof *job + zeros);
    place_arrays(job, form, (char *)job, &size);
    form->users++;
    job->form = form;
    job->by_event = by_event;
    job->ready.form = &form->ready;
    job->state.waiting = form->tasks;
    memset(job->ready.best, 0xff, 2 * (size_t)form->ready.leaves * sizeof *job->ready.best);
    memset(job->machine, 0xff, form->tasks * sizeof *job->machine);
    memcpy(job->stage_waits, form->stage_waits, form->stages * sizeof *job->stage_waits);
    for (uint32_t s = 0; s < form->stages; s++)
        job->stage_left[s] = form->stage_first[s + 1] - form->stage_first[s];
    if (form->task_waits)
        memcpy(job->task_waits, form->task_waits, form->tasks * sizeof *job->task_waits);
    if (form->planned) {
        memcpy(job->plan_start_ns, form->plan_start_ns, form->tasks * sizeof *job->plan_start_ns);
        memset(job->started_ns, 0, form->tasks * sizeof *job->started_ns);
        memcpy(job->local_head, form->local_first, form->places * sizeof *job->local_head);
    }
    enforcer_job_add_work(job, form->work);
    for (uint32_t t = 0; t < form->tasks && !by_event; t++)
        if (!form->stage_waits[form->task_stage[t]] && !(form->task_waits && form->task_waits[t]))
            br_job_ready(job, t);
    return job;
}

void br_job_destroy(struct br_job *job)
{
    if (!job)
        return;
    br_form_release(job->form);
    br_arena_finish(&job->arena);
    free(job);
}

void br_job_expect(const struct br_job *job, uint32_t task, bool closely)
{
    if (!closely) {
        for (size_t at = 0; at < offsetof(struct br_job, local_head); at += LINE)
            __builtin_prefetch((const char *)job + at);
        return;
    }
    uint32_t k = job->form->rank[task];
    __builtin_prefetch(job->task_state + task);
    __builtin_prefetch(job->machine + task);
    __builtin_prefetch(job->ready.bits);
    __builtin_prefetch(job->ready.is_ready + k);
    __builtin_prefetch(job->ready.is_changed + k);
    __builtin_prefetch(job->ready.best);
    __builtin_prefetch(job->ready.changed);
    __builtin_prefetch(job->stage_left + job->form->task_stage[task]);
}

/* ---- Limits ---- */

bool br_job_watch_use(struct br_job *job, uint32_t resources)
{
    struct br_job_cap *cap;
    if (job->cap)
        return true;
    if (!BR_ARRAY(&job->arena, 1, cap) || !BR_ARRAY(&job->arena, resources, cap->most) ||
        !BR_ARRAY(&job->arena, resources, cap->used) ||
        !BR_ARRAY(&job->arena, job->ready.form->kinds, cap->barred))
        return false;
    for (uint32_t t = 0; t < job->form->tasks; t++)
        for (uint32_t r = 0; job->task_state[t] == BR_TASK_RUNNING && r < resources; r++)
            cap->used[r] += br_job_demand(job, t, resources)[r];
    cap->percent = UINT32_MAX;
    job->cap = cap;
    return true;
}

bool br_job_bar(struct br_job *job, uint32_t resources)
{
    struct br_job_cap *cap = job->cap;
    bool changed = false;
    for (uint32_t kind = 0; cap && kind < job->ready.form->kinds; kind++) {
        const int64_t *demand = job->form->demand + (size_t)kind * resources;
        bool above = false;
        for (uint32_t r = 0; br_job_is_capped(job) && r < resources; r++)
            above |= cap->used[r] + demand[r] > cap->most[r];
        changed |= above != cap->barred[kind];
        cap->barred[kind] = above;
    }
    return changed;
}

uint32_t br_job_standing(const struct br_job *job)
{
    uint32_t standing = 0;
    if (job->held || !job->state.ready)
        return 0;
    if (!br_job_is_capped(job))
        return job->state.ready;
    for (uint32_t kind = 0; kind < job->ready.form->kinds; kind++)
        standing += job->cap->barred[kind] ? 0 : br_ready_count(&job->ready, kind);
    assert(standing <= job->state.ready);
    return standing;
}

/* ---- Transitions ---- */

static uint32_t *counter(struct br_job *job, enum br_task_state state)
{
    switch (state) {
    case BR_TASK_WAITING:
        return &job->state.waiting;
    case BR_TASK_READY:
        return &job->state.ready;
    case BR_TASK_RUNNING:
        return &job->state.running;
    case BR_TASK_FINISHED:
        return &job->state.finished;
    case BR_TASK_FAILED:
        break;
    }
    assert(state == BR_TASK_FAILED);
    return &job->state.failed;
}

static void enforcer_job_move(struct br_job *job, uint32_t task, enum br_task_state state)
{
    enum br_task_state old = job->task_state[task];
    bool was_pending = old <= BR_TASK_READY, pending = state <= BR_TASK_READY;
    assert(*counter(job, old) > 0);
    --*counter(job, old);
    ++*counter(job, state);
    job->task_state[task] = (uint8_t)state;
    if (was_pending != pending) {
        br_wide units = br_form_work(job->form, task);
        units = pending ? units : -units;
        if (job->paces)
            units = br_paces_add(job->paces, job->form->task_stage[task], units);
        enforcer_job_add_work(job, units);
    }
    if (old == BR_TASK_READY)
        br_ready_remove(&job->ready, job->form->rank[task]);
    if (state == BR_TASK_READY)
        br_ready_add(&job->ready, job->form->rank[task]);
}

void br_job_ready(struct br_job *job, uint32_t task)
{
    enforcer_job_move(job, task, BR_TASK_READY);
    job->woken = true;
    /* A task that comes back stands before the machine's position. */
    if (job->form->planned) {
        uint32_t *head = &job->local_head[job->form->place[task]], k = job->form->rank[task];
        while (*head > job->form->local_first[job->form->place[task]] &&
               job->form->local[*head - 1] >= k)
            --*head;
    }
}

void br_job_withdraw(struct br_job *job, uint32_t task)
{
    enforcer_job_move(job, task, BR_TASK_WAITING);
}

static void enforcer_job_chain(struct br_job *job, uint32_t task, uint32_t machine)
{
    uint32_t first = job->first_running[machine];
    assert(first == BR_ANY || job->last_running[first] == BR_ANY);
    job->last_running[task] = BR_ANY;
    job->next_running[task] = first;
    if (first != BR_ANY)
        job->last_running[first] = task;
    job->first_running[machine] = task;
}

bool br_job_chain(struct br_job *job, uint32_t machines)
{
    struct br_arena *arena = &job->arena;
    uint32_t *first;
    if (job->first_running)
        return true;
    if (!BR_ARRAY(arena, machines, first) ||
        !BR_ARRAY(arena, job->form->tasks, job->next_running) ||
        !BR_ARRAY(arena, job->form->tasks, job->last_running))
        return false;
    memset(first, 0xff, machines * sizeof *first);
    job->first_running = first;
    for (uint32_t t = 0; t < job->form->tasks; t++)
        if (job->machine[t] != BR_ANY)
            enforcer_job_chain(job, t, job->machine[t]);
    return true;
}

/* Takes the task out of its machine's chain of running tasks. */
static void enforcer_job_unchain(struct br_job *job, uint32_t task)
{
    uint32_t machine = job->machine[task];
    job->machine[task] = BR_ANY;
    if (!job->first_running || machine == BR_ANY)
        return;
    uint32_t last = job->last_running[task], next = job->next_running[task];
    assert(last == BR_ANY ? job->first_running[machine] == task : job->next_running[last] == task);
    *(last == BR_ANY ? &job->first_running[machine] : &job->next_running[last]) = next;
    if (next != BR_ANY)
        job->last_running[next] = last;
}

void br_job_begin(struct br_job *job, uint32_t task, int64_t now_ns)
{
    if (job->begun || !job->form->planned)
        return;
    job->begun = true;
    job->began_ns = now_ns - job->plan_start_ns[task];
}

void br_job_run(struct br_job *job, uint32_t task, uint32_t machine, int64_t now_ns)
{
    assert(job->task_state[task] <= BR_TASK_RUNNING);
    enforcer_job_unchain(job, task);
    br_job_begin(job, task, now_ns);
    enforcer_job_move(job, task, BR_TASK_RUNNING);
    job->machine[task] = machine;
    if (!job->form->planned)
        return;
    uint32_t place = job->form->place[task], *head = &job->local_head[place];
    job->started_ns[task] = now_ns - job->began_ns;
    if (job->first_running)
        enforcer_job_chain(job, task, machine);
    while (*head < job->form->local_first[place + 1] &&
           job->task_state[job->form->task[job->form->local[*head]]] > BR_TASK_READY)
        ++*head;
}

/* Has a parent of the task not finished? */
static bool enforcer_job_waits(const struct br_job *job, uint32_t task)
{
    return job->stage_waits[job->form->task_stage[task]] ||
           (job->task_waits && job->task_waits[task]);
}

static void one_less(struct br_job *job, uint32_t task)
{
    if (job->task_state[task] == BR_TASK_WAITING && !enforcer_job_waits(job, task))
        br_job_ready(job, task);
}

void br_job_finish(struct br_job *job, uint32_t task)
{
    uint32_t stage = job->form->task_stage[task];
    enforcer_job_unchain(job, task);
    enforcer_job_move(job, task, BR_TASK_FINISHED);
    if (job->by_event)
        return;
    assert(job->stage_left[stage] > 0);
    bool last = --job->stage_left[stage] == 0;
    for (uint32_t c = job->form->child_first[stage]; c < job->form->child_first[stage + 1]; c++) {
        uint32_t child = job->form->child[c], first = job->form->stage_first[child];
        assert(job->form->child_one_to_one[c] || !last || job->stage_waits[child] > 0);
        if (job->form->child_one_to_one[c]) {
            uint32_t twin = first + task - job->form->stage_first[stage];
            assert(job->task_waits[twin] > 0);
            job->task_waits[twin]--;
            one_less(job, twin);
        } else if (last && --job->stage_waits[child] == 0) {
            for (uint32_t t = first; t < job->form->stage_first[child + 1]; t++)
                one_less(job, t);
        }
    }
}

void br_job_fail(struct br_job *job, uint32_t task, bool again, int64_t now_ns)
{
    enforcer_job_unchain(job, task);
    if (!again || job->closed) {
        enforcer_job_move(job, task, BR_TASK_FAILED);
        return;
    }
    /* Its time is past; it is due now, but the rest is not late. */
    if (job->form->planned && job->plan_start_ns[task] < now_ns - job->began_ns)
        job->plan_start_ns[task] = now_ns - job->began_ns;
    if (job->lossy && enforcer_job_waits(job, task))
        enforcer_job_move(job, task, BR_TASK_WAITING);
    else
        br_job_ready(job, task);
}

/* The task waits, though it may have been ready. */
static void one_more(struct br_job *job, uint32_t task)
{
    if (job->task_state[task] == BR_TASK_READY)
        br_job_withdraw(job, task);
}

void br_job_lose(struct br_job *job, uint32_t task, int64_t now_ns)
{
    const struct br_form *form = job->form;
    const uint32_t stage = form->task_stage[task];
    const bool ended = job->stage_left[stage]++ == 0;
    assert(!job->closed && !job->by_event && job->task_state[task] == BR_TASK_FINISHED);
    for (uint32_t c = form->child_first[stage]; c < form->child_first[stage + 1]; c++) {
        uint32_t child = form->child[c], first = form->stage_first[child];
        if (form->child_one_to_one[c]) {
            uint32_t twin = first + task - form->stage_first[stage];
            job->task_waits[twin]++;
            one_more(job, twin);
        } else if (ended && job->stage_waits[child]++ == 0) {
            for (uint32_t t = first; t < form->stage_first[child + 1]; t++)
                one_more(job, t);
        }
    }
    if (form->planned && job->plan_start_ns[task] < now_ns - job->began_ns)
        job->plan_start_ns[task] = now_ns - job->began_ns;
    enforcer_job_move(job, task, BR_TASK_WAITING);
    job->lossy = true;
    if (!enforcer_job_waits(job, task))
        br_job_ready(job, task);
}

void br_job_close(struct br_job *job)
{
    job->closed = true;
    for (uint32_t t = 0; t < job->form->tasks; t++)
        if (job->task_state[t] <= BR_TASK_READY)
            enforcer_job_move(job, t, BR_TASK_FAILED);
}

bool br_job_lasted(struct br_job *job, uint32_t task, int64_t lasted_ns)
{
    if (!job->paces) {
        job->paces = br_paces_create(&job->arena, job->form->stages);
        for (uint32_t t = 0; job->paces && t < job->form->tasks; t++)
            if (job->task_state[t] <= BR_TASK_READY)
                br_paces_add(job->paces, job->form->task_stage[t], br_form_work(job->form, t));
        if (!job->paces)
            return false;
        assert(br_paces_work(job->paces, job->form->stages) == job->work);
    }
    enforcer_job_add_work(job, br_paces_measure(job->paces, job->form->task_stage[task],
                                                job->form->duration_ns[task], lasted_ns));
    return true;
}

bool br_job_is_sound(const struct br_job *job)
{
    uint32_t count[BR_TASK_FAILED + 1] = {0};
    br_wide work = 0;
    for (uint32_t t = 0; t < job->form->tasks; t++) {
        uint8_t state = job->task_state[t];
        count[state]++;
        if (state <= BR_TASK_READY)
            work += br_form_work(job->form, t);
        if (job->ready.is_ready[job->form->rank[t]] != (state == BR_TASK_READY) ||
            (job->machine[t] != BR_ANY) != (state == BR_TASK_RUNNING))
            return false;
    }
    if (job->paces)
        work = br_paces_work(job->paces, job->form->stages);
    const struct br_job_state *s = &job->state;
    return work == job->work && s->waiting == count[BR_TASK_WAITING] &&
           s->ready == count[BR_TASK_READY] && s->running == count[BR_TASK_RUNNING] &&
           s->finished == count[BR_TASK_FINISHED] && s->failed == count[BR_TASK_FAILED];
}
