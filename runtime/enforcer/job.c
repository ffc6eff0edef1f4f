/* From a Dag and its plan to flat arrays, and the passage of tasks from waiting to finished. A
 * barrier is counted once per stage, so that it costs nothing per pair of tasks. */
#include "runtime/enforcer/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "base/invariant.h"
#include "base/collections/sort.h"
#include "planner/model/dag.h"
#include "planner/model/plan.h"
#include "runtime/enforcer/kinds.h"

#define ARRAY(arena, count, pointer) ((pointer) = br_arena_array(arena, count, sizeof *(pointer)))

/* Work is counted in small whole units, so that what was added is exactly what is taken away: a
 * rest that rounding leaves would weigh like real work where a job has next to none left. */
static const double units_in_ns = 0x1p32, second_ns = 1e9;
static const double units_most = 0x1p100; /* of a task, so that no sum overflows */

static bool allocate(struct br_job *job, uint32_t edges)
{
    struct br_arena *arena = &job->arena;
    size_t tasks = job->tasks, stages = job->stages;
    return ARRAY(arena, stages + 1, job->stage_first) && ARRAY(arena, tasks, job->task_stage) &&
           ARRAY(arena, stages, job->stage_kind) && ARRAY(arena, tasks, job->duration_ns) &&
           ARRAY(arena, tasks, job->rank) && ARRAY(arena, tasks, job->task) &&
           ARRAY(arena, tasks, job->task_state) && ARRAY(arena, tasks, job->machine) &&
           ARRAY(arena, stages + 1, job->child_first) && ARRAY(arena, edges, job->child) &&
           ARRAY(arena, edges, job->child_one_to_one) && ARRAY(arena, stages, job->stage_waits) &&
           ARRAY(arena, stages, job->stage_left);
}

/* ---- Work ---- */

static br_wide work_of(const struct br_job *job, uint32_t task)
{
    double work = job->kind_work[job->stage_kind[job->task_stage[task]]];
    double units = (double)job->duration_ns[task] * work * units_in_ns;
    return (br_wide)(units < units_most ? units : units_most);
}

double br_job_seconds(br_wide work)
{
    return (double)work / (units_in_ns * second_ns);
}

static void add_work(struct br_job *job, br_wide units)
{
    job->work += units;
    job->remaining = br_job_seconds(job->work);
}

/* ---- The order ---- */

static int64_t sum_of(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The longest path behind every task of the stage. longest: by stage, the longest path that hangs
 * on any of its tasks; known of the children. Returns that of this one. */
static int64_t find_tails(const struct br_job *job, uint32_t s, const int64_t *longest,
                          int64_t *tail)
{
    uint32_t first = job->stage_first[s], end = job->stage_first[s + 1];
    int64_t all = 0, most = 0;
    for (uint32_t c = job->child_first[s]; c < job->child_first[s + 1]; c++)
        if (!job->child_one_to_one[c] && longest[job->child[c]] > all)
            all = longest[job->child[c]];
    for (uint32_t t = first; t < end; t++)
        tail[t] = all;
    for (uint32_t c = job->child_first[s]; c < job->child_first[s + 1]; c++)
        for (uint32_t t = first; job->child_one_to_one[c] && t < end; t++) {
            uint32_t twin = job->stage_first[job->child[c]] + t - first;
            int64_t behind = sum_of(tail[twin], job->duration_ns[twin]);
            tail[t] = behind > tail[t] ? behind : tail[t];
        }
    for (uint32_t t = first; t < end; t++)
        most = sum_of(tail[t], job->duration_ns[t]) > most ? sum_of(tail[t], job->duration_ns[t])
                                                           : most;
    return most;
}

/* Without a plan: the longest path that hangs on a task first, ties by topological position. */
static bool rank_by_tail(struct br_job *job, const struct br_dag *dag)
{
    int64_t *tail = malloc(job->tasks * sizeof *tail);
    int64_t *longest = malloc(job->stages * sizeof *longest);
    struct br_sort_item *item = malloc(2 * (size_t)job->tasks * sizeof *item);
    bool ok = tail && longest && item;
    for (uint32_t p = dag->stages; ok && p-- > 0;)
        longest[dag->topological[p]] = find_tails(job, dag->topological[p], longest, tail);
    uint32_t used = 0;
    for (uint32_t p = 0; ok && p < dag->stages; p++) {
        uint32_t s = dag->topological[p];
        for (uint32_t t = job->stage_first[s]; t < job->stage_first[s + 1]; t++)
            item[used++] =
                (struct br_sort_item){~br_sort_key(sum_of(tail[t], job->duration_ns[t])), t};
    }
    if (ok)
        br_sort(item, item + job->tasks, job->tasks);
    for (uint32_t k = 0; ok && k < job->tasks; k++)
        job->task[k] = item[k].item;
    free(tail);
    free(longest);
    free(item);
    return ok;
}

/* The machines that the plan uses. A job may be far smaller than the cluster, so nothing here is as
 * large as that. */
static bool find_places(struct br_job *job)
{
    struct br_sort_item *item = malloc(2 * (size_t)job->tasks * sizeof *item);
    uint32_t *machine = malloc(job->tasks * sizeof *machine);
    bool ok = item && machine && ARRAY(&job->arena, job->tasks, job->place);
    for (uint32_t t = 0; ok && t < job->tasks; t++)
        item[t] = (struct br_sort_item){job->planned[t], t};
    if (ok)
        br_sort(item, item + job->tasks, job->tasks);
    for (uint32_t k = 0; ok && k < job->tasks; k++) {
        if (k == 0 || item[k].key != item[k - 1].key)
            machine[job->places++] = (uint32_t)item[k].key;
        job->place[item[k].item] = job->places - 1;
    }
    ok = ok && ARRAY(&job->arena, job->places, job->place_machine);
    if (ok)
        memcpy(job->place_machine, machine, job->places * sizeof *machine);
    free(item);
    free(machine);
    return ok;
}

/* Each place's tasks in their order. */
static bool fill_places(struct br_job *job)
{
    struct br_arena *arena = &job->arena;
    if (!ARRAY(arena, (size_t)job->places + 1, job->local_first) ||
        !ARRAY(arena, job->tasks, job->local) || !ARRAY(arena, job->places, job->local_head))
        return false;
    for (uint32_t t = 0; t < job->tasks; t++)
        job->local_first[job->place[t] + 1]++;
    for (uint32_t p = 0; p < job->places; p++) {
        job->local_first[p + 1] += job->local_first[p];
        job->local_head[p] = job->local_first[p];
    }
    for (uint32_t k = 0; k < job->tasks; k++)
        job->local[job->local_head[job->place[job->task[k]]]++] = k;
    memcpy(job->local_head, job->local_first, job->places * sizeof *job->local_head);
    return true;
}

uint32_t br_job_place(const struct br_job *job, uint32_t machine)
{
    uint32_t low = 0, high = job->places;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (job->place_machine[middle] < machine)
            low = middle + 1;
        else
            high = middle;
    }
    return low < job->places && job->place_machine[low] == machine ? low : BR_ANY;
}

/* Ranks, and where the plan has its tasks. */
static bool take_plan(struct br_job *job, const struct br_dag *dag, const struct br_plan *plan,
                      const uint32_t *order, uint32_t machines)
{
    if (plan)
        order = plan->order;
    if (!order && !rank_by_tail(job, dag))
        return false;
    for (uint32_t k = 0; k < job->tasks; k++) {
        if (order)
            job->task[k] = order[k];
        job->rank[job->task[k]] = k;
    }
    if (!plan)
        return true;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (plan->machine[t] >= machines)
            return true;
    struct br_arena *arena = &job->arena;
    if (!ARRAY(arena, job->tasks, job->planned) || !ARRAY(arena, job->tasks, job->plan_start_ns) ||
        !ARRAY(arena, job->tasks, job->started_ns))
        return false;
    memcpy(job->planned, plan->machine, job->tasks * sizeof *job->planned);
    memcpy(job->plan_start_ns, plan->start_ns, job->tasks * sizeof *job->plan_start_ns);
    return find_places(job) && fill_places(job);
}

/* ---- Edges ---- */

static bool take_edges(struct br_job *job, const struct br_dag *dag)
{
    uint32_t *next = malloc(((size_t)job->stages + 1) * sizeof *next);
    bool one_to_one = false;
    if (!next)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        job->child_first[dag->edge[e].parent + 1]++;
    for (uint32_t s = 0; s < job->stages; s++)
        job->child_first[s + 1] += job->child_first[s];
    memcpy(next, job->child_first, ((size_t)job->stages + 1) * sizeof *next);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        uint32_t at = next[edge->parent]++;
        job->child[at] = edge->child;
        /* Between single tasks both types say the same. */
        job->child_one_to_one[at] =
            edge->type == BR_ONE_TO_ONE && dag->stage[edge->child].tasks > 1;
        one_to_one |= job->child_one_to_one[at];
        if (!job->child_one_to_one[at])
            job->stage_waits[edge->child]++;
    }
    free(next);
    if (!one_to_one)
        return true;
    if (!ARRAY(&job->arena, job->tasks, job->task_waits))
        return false;
    for (uint32_t s = 0; s < job->stages; s++)
        for (uint32_t c = job->child_first[s]; c < job->child_first[s + 1]; c++)
            for (uint32_t i = job->stage_first[job->child[c]];
                 job->child_one_to_one[c] && i < job->stage_first[job->child[c] + 1]; i++)
                job->task_waits[i]++;
    return true;
}

/* ---- Creation ---- */

static enum br_status start_ready(struct br_job *job, const struct br_scale *scale, uint32_t kinds,
                                  uint32_t machines, struct br_diag *diag)
{
    uint32_t *rank_kind = br_arena_array(&job->arena, job->tasks, sizeof *rank_kind);
    uint32_t *size = br_arena_array(&job->arena, kinds, sizeof *size);
    double packing = 0;
    if (!rank_kind || !size)
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < job->stages; s++) {
        uint32_t kind = job->stage_kind[s], first = job->stage_first[s];
        uint32_t tasks = job->stage_first[s + 1] - first;
        size[kind] += tasks;
        packing += tasks * job->kind_work[kind] * machines;
        for (uint32_t t = first; t < first + tasks; t++) {
            rank_kind[job->rank[t]] = kind;
            add_work(job, work_of(job, t));
        }
    }
    job->mean_packing = packing / job->tasks;
    if (!br_ready_init(&job->ready, &job->arena, kinds, scale->resources, job->demand, rank_kind,
                       size, job->tasks))
        return br_fail_memory(diag);
    job->state.waiting = job->tasks;
    for (uint32_t t = 0; t < job->tasks && !job->by_event; t++)
        if (!job->stage_waits[job->task_stage[t]] && !(job->task_waits && job->task_waits[t]))
            br_job_ready(job, t);
    return BR_OK;
}

enum br_status br_job_create(const struct br_dag *dag, const struct br_plan *plan,
                             const uint32_t *order, const struct br_scale *scale, uint32_t machines,
                             bool by_event, struct br_job **created, struct br_diag *diag)
{
    struct br_job *job = calloc(1, sizeof *job);
    uint32_t kinds = 0;
    *created = NULL;
    if (!job)
        return br_fail_memory(diag);
    job->by_event = by_event;
    job->tasks = dag->tasks;
    job->stages = dag->stages;
    enum br_status status = allocate(job, dag->edges) ? BR_OK : br_fail_memory(diag);
    if (status)
        goto out;
    for (uint32_t s = 0; s < dag->stages; s++) {
        job->stage_first[s] = dag->stage[s].first_task;
        job->stage_left[s] = dag->stage[s].tasks;
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++)
            job->task_stage[dag->stage[s].first_task + i] = s;
    }
    job->stage_first[dag->stages] = dag->tasks;
    memcpy(job->duration_ns, dag->duration_ns, dag->tasks * sizeof *job->duration_ns);
    memset(job->machine, 0xff, dag->tasks * sizeof *job->machine);
    struct br_kinds found;
    status = br_kinds_find(&job->arena, dag, scale, job->stage_kind, &found, diag);
    job->demand = found.demand;
    job->kind_work = found.work;
    job->kind_share = found.share;
    kinds = found.count;
    if (!status && (!take_edges(job, dag) || !take_plan(job, dag, plan, order, machines)))
        status = br_fail_memory(diag);
    if (!status)
        status = start_ready(job, scale, kinds, machines, diag);
out:
    if (status)
        br_job_destroy(job);
    else
        *created = job;
    return status;
}

void br_job_destroy(struct br_job *job)
{
    if (!job)
        return;
    br_arena_finish(&job->arena);
    free(job);
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
    return &job->state.failed;
}

static void move(struct br_job *job, uint32_t task, enum br_task_state state)
{
    enum br_task_state old = job->task_state[task];
    bool was_pending = old <= BR_TASK_READY, pending = state <= BR_TASK_READY;
    assert(*counter(job, old) > 0);
    --*counter(job, old);
    ++*counter(job, state);
    job->task_state[task] = (uint8_t)state;
    if (was_pending && !pending)
        add_work(job, -work_of(job, task));
    if (!was_pending && pending)
        add_work(job, work_of(job, task));
    if (old == BR_TASK_READY)
        br_ready_remove(&job->ready, job->rank[task]);
    if (state == BR_TASK_READY)
        br_ready_add(&job->ready, job->rank[task]);
}

void br_job_ready(struct br_job *job, uint32_t task)
{
    move(job, task, BR_TASK_READY);
    job->woken = true;
    /* A task that comes back is before what its machine is at. */
    if (job->planned) {
        uint32_t *head = &job->local_head[job->place[task]], k = job->rank[task];
        while (*head > job->local_first[job->place[task]] && job->local[*head - 1] >= k)
            --*head;
    }
}

void br_job_withdraw(struct br_job *job, uint32_t task)
{
    move(job, task, BR_TASK_WAITING);
}

static void chain(struct br_job *job, uint32_t task, uint32_t machine)
{
    uint32_t first = job->first_running[machine];
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
    if (!ARRAY(arena, machines, first) || !ARRAY(arena, job->tasks, job->next_running) ||
        !ARRAY(arena, job->tasks, job->last_running))
        return false;
    memset(first, 0xff, machines * sizeof *first);
    job->first_running = first;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->machine[t] != BR_ANY)
            chain(job, t, job->machine[t]);
    return true;
}

/* Takes the task out of its machine's chain of running tasks. */
static void unchain(struct br_job *job, uint32_t task)
{
    uint32_t machine = job->machine[task];
    job->machine[task] = BR_ANY;
    if (!job->first_running || machine == BR_ANY)
        return;
    uint32_t last = job->last_running[task], next = job->next_running[task];
    *(last == BR_ANY ? &job->first_running[machine] : &job->next_running[last]) = next;
    if (next != BR_ANY)
        job->last_running[next] = last;
}

void br_job_begin(struct br_job *job, uint32_t task, int64_t now_ns)
{
    if (job->begun || !job->planned)
        return;
    job->begun = true;
    job->began_ns = now_ns - job->plan_start_ns[task];
}

void br_job_run(struct br_job *job, uint32_t task, uint32_t machine, int64_t now_ns)
{
    unchain(job, task);
    br_job_begin(job, task, now_ns);
    move(job, task, BR_TASK_RUNNING);
    job->machine[task] = machine;
    if (!job->planned)
        return;
    uint32_t place = job->place[task], *head = &job->local_head[place];
    job->started_ns[task] = now_ns - job->began_ns;
    if (job->first_running)
        chain(job, task, machine);
    while (*head < job->local_first[place + 1] &&
           job->task_state[job->task[job->local[*head]]] > BR_TASK_READY)
        ++*head;
}

static void one_less(struct br_job *job, uint32_t task)
{
    if (!job->stage_waits[job->task_stage[task]] && !(job->task_waits && job->task_waits[task]) &&
        job->task_state[task] == BR_TASK_WAITING)
        br_job_ready(job, task);
}

void br_job_finish(struct br_job *job, uint32_t task)
{
    uint32_t stage = job->task_stage[task];
    unchain(job, task);
    move(job, task, BR_TASK_FINISHED);
    if (job->by_event)
        return;
    assert(job->stage_left[stage] > 0);
    bool last = --job->stage_left[stage] == 0;
    for (uint32_t c = job->child_first[stage]; c < job->child_first[stage + 1]; c++) {
        uint32_t child = job->child[c], first = job->stage_first[child];
        if (job->child_one_to_one[c]) {
            uint32_t twin = first + task - job->stage_first[stage];
            assert(job->task_waits[twin] > 0);
            job->task_waits[twin]--;
            one_less(job, twin);
        } else if (last && --job->stage_waits[child] == 0) {
            for (uint32_t t = first; t < job->stage_first[child + 1]; t++)
                one_less(job, t);
        }
    }
}

void br_job_fail(struct br_job *job, uint32_t task, bool again, int64_t now_ns)
{
    unchain(job, task);
    if (!again || job->closed) {
        move(job, task, BR_TASK_FAILED);
        return;
    }
    /* Its time is past; it is due now, without the rest being late. */
    if (job->planned && job->plan_start_ns[task] < now_ns - job->began_ns)
        job->plan_start_ns[task] = now_ns - job->began_ns;
    br_job_ready(job, task);
}

void br_job_close(struct br_job *job)
{
    job->closed = true;
    for (uint32_t t = 0; t < job->tasks; t++)
        if (job->task_state[t] <= BR_TASK_READY)
            move(job, t, BR_TASK_FAILED);
}

bool br_job_is_sound(const struct br_job *job)
{
    uint32_t count[BR_TASK_FAILED + 1] = {0};
    br_wide work = 0;
    for (uint32_t t = 0; t < job->tasks; t++) {
        uint8_t state = job->task_state[t];
        count[state]++;
        if (state <= BR_TASK_READY)
            work += work_of(job, t);
        if (job->ready.is_ready[job->rank[t]] != (state == BR_TASK_READY) ||
            (job->machine[t] != BR_ANY) != (state == BR_TASK_RUNNING))
            return false;
    }
    const struct br_job_state *s = &job->state;
    return work == job->work && s->waiting == count[BR_TASK_WAITING] &&
           s->ready == count[BR_TASK_READY] && s->running == count[BR_TASK_RUNNING] &&
           s->finished == count[BR_TASK_FINISHED] && s->failed == count[BR_TASK_FAILED];
}
