/* Ends wait in a heap, and stages with ready tasks in another one, by the key of the task that they
 * start next. A stage's ready tasks stand in a ring at its place in an array over all tasks. */
#include "runtime/deadline/trials/runner.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/heap.h"
#include "base/collections/index.h"
#include "base/numbers/real.h"
#include "base/numbers/rng.h"

struct end {
    int64_t at_ns;
    uint32_t number, task; /* of equal times that which began first */
};

static inline bool runner_ends_before(const void *none, const struct end *a, const struct end *b)
{
    (void)none;
    return a->at_ns != b->at_ns ? a->at_ns < b->at_ns : a->number < b->number;
}
BR_HEAP(ends, struct end, const void *, runner_ends_before, 4)

struct turn {
    uint32_t key, stage;
};

static inline bool runner_turn_before(const void *none, const struct turn *a, const struct turn *b)
{
    (void)none;
    return a->key != b->key ? a->key < b->key : a->stage < b->stage;
}
BR_HEAP(turns, struct turn, const void *, runner_turn_before, 4)

struct br_runner {
    const struct br_runner_job *job;
    uint32_t *missing;                    /* by stage: whole parents that have not finished */
    uint32_t *partners;                   /* by task: partners that have not finished */
    uint32_t *done, *busy, *ready, *head; /* by stage */
    uint32_t *ring, *came;                /* at the stage's place: tasks, and when in turn */
    int64_t *came_ns;
    uint32_t *attempt; /* by task; only if some fail or straggle */
    bool *fails;
    /* By task, of outputs that are lost: the first task that waits for it to be made again, that
     * which waits for the same as this one, both plus 1, and does it run again? */
    uint32_t *waiter, *next;
    bool *again;
    uint32_t ends, turns, number, arrivals;
    struct end *end;
    struct turn *turn, *aside;
    int64_t now_ns, *room; /* by resource */
    uint32_t tokens;
    bool planned, pooled;
    const int64_t *duration_ns;
    uint64_t seed;
    const struct br_runner_watch *watch;
};

/* ---- The job ---- */

static bool join_children(struct br_runner_job *job)
{
    const struct br_dag *dag = job->dag;
    job->child_first = br_arena_array(&job->arena, br_csr_room(dag->stages), sizeof(uint32_t));
    job->child = br_arena_array(&job->arena, dag->edges, sizeof(uint32_t));
    job->whole = br_arena_array(&job->arena, dag->edges, sizeof(bool));
    if (!job->child_first || !job->child || !job->whole)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(job->child_first, dag->edge[e].parent);
    br_csr_sum(job->child_first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_edge *edge = &dag->edge[e];
        uint32_t at = br_csr_place(job->child_first, edge->parent);
        assert(at < dag->edges);
        job->child[at] = edge->child;
        job->whole[at] = edge->type == BR_BARRIER;
        (job->whole[at] ? job->barriers : job->partners)[edge->child]++;
    }
    return true;
}

/* The edges that lead into each stage. */
static bool join_parents(struct br_runner_job *job)
{
    const struct br_dag *dag = job->dag;
    job->parent_first = br_arena_array(&job->arena, br_csr_room(dag->stages), sizeof(uint32_t));
    job->parent = br_arena_array(&job->arena, dag->edges, sizeof(uint32_t));
    if (!job->parent_first || !job->parent)
        return false;
    for (uint32_t e = 0; e < dag->edges; e++)
        br_csr_count(job->parent_first, dag->edge[e].child);
    br_csr_sum(job->parent_first, dag->stages);
    for (uint32_t e = 0; e < dag->edges; e++)
        job->parent[br_csr_place(job->parent_first, dag->edge[e].child)] = e;
    return true;
}

struct ranked {
    uint32_t rank, task;
};

static int runner_by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

static bool runner_line_up(struct br_runner_job *job, const uint32_t *rank)
{
    struct ranked *sorted = malloc((size_t)job->tasks * sizeof *sorted);
    job->line = br_arena_array(&job->arena, job->tasks, sizeof *job->line);
    job->rank = br_arena_array(&job->arena, job->tasks, sizeof *job->rank);
    bool good = sorted && job->line && job->rank;
    for (uint32_t s = 0; good && s < job->stages; s++) {
        uint32_t first = job->dag->stage[s].first_task, count = job->count[s];
        for (uint32_t i = 0; i < count; i++)
            sorted[i] = (struct ranked){rank[first + i], first + i};
        qsort(sorted, count, sizeof *sorted, runner_by_rank);
        for (uint32_t i = 0; i < count; i++) {
            job->line[first + i] = sorted[i].task;
            job->rank[first + i] = sorted[i].rank;
        }
    }
    free(sorted);
    return good;
}

static enum br_status read_demands(struct br_runner_job *job, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    enum br_status status = br_instance_create(job->dag, cluster, &job->instance, diag);
    if (status)
        return status;
    job->resources = job->instance->resources;
    job->demand = job->instance->demand;
    job->total = job->instance->total;
    return BR_OK;
}

/* How often attempts fail, by stage. */
static bool take_failures(struct br_runner_job *job, const struct br_deadline_request *request)
{
    const struct br_profile_stage *stage = request->profile->stage;
    job->fail = br_arena_array(&job->arena, job->stages, sizeof *job->fail);
    job->fail_again = br_arena_array(&job->arena, job->stages, sizeof *job->fail_again);
    if (!job->fail || !job->fail_again)
        return false;
    for (uint32_t s = 0; s < job->stages; s++) {
        job->fail[s] = isnan(stage[s].fail) ? request->fail : stage[s].fail;
        job->fail_again[s] = isnan(stage[s].fail_again) ? job->fail[s] : stage[s].fail_again;
        job->troubled |= job->fail[s] > 0;
    }
    return true;
}

enum br_status br_runner_job_init(struct br_runner_job *job,
                                  const struct br_deadline_request *request, struct br_diag *diag)
{
    const struct br_dag *dag = request->dag;
    *job = (struct br_runner_job){
        .dag = dag,
        .stages = dag->stages,
        .tasks = dag->tasks,
        .straggle = request->straggle,
        .slowness = request->slowness,
        .lost = request->lost,
        .latency_ns = request->latency_s * 1e9,
        .latency_spread = request->latency_spread,
        .troubled = request->straggle > 0 || request->latency_s > 0,
    };
    job->stage_of = br_arena_array(&job->arena, dag->tasks, sizeof *job->stage_of);
    job->count = br_arena_array(&job->arena, dag->stages, sizeof *job->count);
    job->barriers = br_arena_array(&job->arena, dag->stages, sizeof *job->barriers);
    job->partners = br_arena_array(&job->arena, dag->stages, sizeof *job->partners);
    if (!job->stage_of || !job->count || !job->barriers || !job->partners || !join_children(job) ||
        !take_failures(job, request))
        return br_fail_memory(diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        job->count[s] = dag->stage[s].tasks;
        for (uint32_t i = 0; i < job->count[s]; i++)
            job->stage_of[dag->stage[s].first_task + i] = s;
    }
    if (job->lost > 0 && !join_parents(job))
        return br_fail_memory(diag);
    if (request->rank && !runner_line_up(job, request->rank))
        return br_fail_memory(diag);
    job->shares = request->kind == BR_SHARES;
    bool pooled = job->shares || (request->within && request->cluster);
    return pooled ? read_demands(job, request->cluster, diag) : BR_OK;
}

void br_runner_job_finish(struct br_runner_job *job)
{
    br_instance_destroy(job->instance);
    br_arena_finish(&job->arena);
    *job = (struct br_runner_job){0};
}

/* The amount of a resource in so many percents of the cluster, rounded down like that of every
 * other. */
static int64_t pool(const struct br_runner_job *job, uint32_t r, uint32_t percent)
{
    return (int64_t)((br_wide)job->total[r] * percent / 100);
}

uint32_t br_runner_least_share(const struct br_runner_job *job)
{
    uint32_t least = 1;
    for (uint32_t s = 0; s < job->stages; s++)
        for (uint32_t r = 0; r < job->resources; r++)
            while (least <= 100 && pool(job, r, least) < job->demand[s * job->resources + r])
                least++;
    return least;
}

/* ---- A run ---- */

struct br_runner *br_runner_create(const struct br_runner_job *job)
{
    struct br_runner *runner = calloc(1, sizeof *runner);
    size_t stages = job->stages, tasks = job->tasks;
    if (!runner)
        return NULL;
    runner->job = job;
    runner->missing = calloc(stages, sizeof *runner->missing);
    runner->done = calloc(stages, sizeof *runner->done);
    runner->busy = calloc(stages, sizeof *runner->busy);
    runner->ready = calloc(stages, sizeof *runner->ready);
    runner->head = calloc(stages, sizeof *runner->head);
    runner->partners = calloc(tasks, sizeof *runner->partners);
    runner->ring = calloc(tasks, sizeof *runner->ring);
    runner->came = calloc(tasks, sizeof *runner->came);
    runner->came_ns = calloc(tasks, sizeof *runner->came_ns);
    runner->attempt = calloc(tasks, sizeof *runner->attempt);
    runner->fails = calloc(tasks, sizeof *runner->fails);
    runner->waiter = calloc(tasks, sizeof *runner->waiter);
    runner->next = calloc(tasks, sizeof *runner->next);
    runner->again = calloc(tasks, sizeof *runner->again);
    runner->end = calloc(tasks, sizeof *runner->end);
    runner->turn = calloc(stages, sizeof *runner->turn);
    runner->aside = calloc(stages, sizeof *runner->aside);
    runner->room = calloc((size_t)job->resources + 1, sizeof *runner->room);
    if (runner->missing && runner->done && runner->busy && runner->ready && runner->head &&
        runner->partners && runner->ring && runner->came && runner->came_ns && runner->attempt &&
        runner->fails && runner->waiter && runner->next && runner->again && runner->end &&
        runner->turn && runner->aside && runner->room)
        return runner;
    br_runner_destroy(runner);
    return NULL;
}

void br_runner_destroy(struct br_runner *runner)
{
    if (!runner)
        return;
    free(runner->missing);
    free(runner->done);
    free(runner->busy);
    free(runner->ready);
    free(runner->head);
    free(runner->partners);
    free(runner->ring);
    free(runner->came);
    free(runner->came_ns);
    free(runner->attempt);
    free(runner->fails);
    free(runner->waiter);
    free(runner->next);
    free(runner->again);
    free(runner->end);
    free(runner->turn);
    free(runner->aside);
    free(runner->room);
    free(runner);
}

/* The place of the k-th ready task of the stage. */
static inline uint32_t slot(const struct br_runner *runner, uint32_t s, uint32_t k)
{
    uint32_t at = runner->head[s] + k, count = runner->job->count[s];
    assert(runner->head[s] < count && k < count);
    return runner->job->dag->stage[s].first_task + (at < count ? at : at - count);
}

/* The key of the task that the stage starts next. */
static inline uint32_t runner_key_of(const struct br_runner *runner, uint32_t s)
{
    if (!runner->planned)
        return runner->came[slot(runner, s, 0)];
    uint32_t started = runner->done[s] + runner->busy[s], count = runner->job->count[s];
    /* What is made again goes as the last of its stage. */
    return runner->job
        ->rank[runner->job->dag->stage[s].first_task + (started < count ? started : count - 1)];
}

static void runner_add_ready(struct br_runner *runner, uint32_t s, uint32_t task)
{
    uint32_t at = slot(runner, s, runner->ready[s]++);
    runner->ring[at] = task;
    runner->came[at] = runner->arrivals++;
    runner->came_ns[at] = runner->now_ns;
    if (runner->ready[s] == 1)
        turns_push(NULL, runner->turn, &runner->turns, (struct turn){runner_key_of(runner, s), s});
}

/* All whole parents of the stage have finished: its tasks are ready, but those that wait for a
 * partner. */
static void runner_release(struct br_runner *runner, uint32_t s)
{
    const struct br_runner_job *job = runner->job;
    uint32_t first = job->dag->stage[s].first_task;
    for (uint32_t i = 0; i < job->count[s]; i++) {
        uint32_t task = runner->planned ? job->line[first + i] : first + i;
        if (runner->partners[task] == 0)
            runner_add_ready(runner, s, task);
    }
}

static void runner_begin(struct br_runner *runner)
{
    const struct br_runner_job *job = runner->job;
    runner->ends = runner->turns = runner->number = runner->arrivals = 0;
    runner->now_ns = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        uint32_t first = job->dag->stage[s].first_task;
        runner->missing[s] = job->barriers[s];
        runner->done[s] = runner->busy[s] = runner->ready[s] = runner->head[s] = 0;
        for (uint32_t i = 0; i < job->count[s]; i++) {
            runner->partners[first + i] = job->partners[s];
            runner->attempt[first + i] = 0;
        }
    }
    for (uint32_t s = 0; s < job->stages; s++)
        if (runner->missing[s] == 0)
            runner_release(runner, s);
}

/* How long this attempt takes, and whether it fails. */
static int64_t runner_attempt(struct br_runner *runner, uint32_t task)
{
    const struct br_runner_job *job = runner->job;
    double lasts_ns = (double)runner->duration_ns[task];
    if (!job->troubled)
        return runner->duration_ns[task];
    uint32_t s = job->stage_of[task];
    double fail = runner->attempt[task] ? job->fail_again[s] : job->fail[s];
    uint64_t which = (uint64_t)task << 32 | runner->attempt[task]++;
    struct br_rng rng = br_rng_seed(br_hash_number(runner->seed ^ br_hash_number(which)));
    if (br_rng_unit(&rng) < job->straggle)
        lasts_ns *= job->slowness;
    runner->fails[task] = br_rng_unit(&rng) < fail;
    if (runner->fails[task])
        lasts_ns *= br_rng_unit(&rng);
    if (job->latency_ns > 0) {
        double spread = job->latency_spread;
        double exponent = spread > 0 ? spread * (br_real_normal(&rng) - spread / 2) : 0;
        lasts_ns += job->latency_ns * br_real_exp(exponent < 100 ? exponent : 100);
    }
    return lasts_ns < (double)(INT64_MAX / 8) ? (int64_t)lasts_ns : INT64_MAX / 8;
}

static void runner_take_room(struct br_runner *runner, uint32_t s, int64_t sign)
{
    const struct br_runner_job *job = runner->job;
    if (!job->shares)
        runner->tokens -= (uint32_t)sign;
    for (uint32_t r = 0; r < job->resources && runner->pooled; r++)
        runner->room[r] -= sign * job->demand[s * job->resources + r];
}

static bool runner_has_room(const struct br_runner *runner, uint32_t s)
{
    const struct br_runner_job *job = runner->job;
    if (!job->shares && runner->tokens == 0)
        return false;
    for (uint32_t r = 0; r < job->resources && runner->pooled; r++)
        if (runner->room[r] < job->demand[s * job->resources + r])
            return false;
    return true;
}

static void runner_start(struct br_runner *runner, uint32_t s)
{
    uint32_t at = slot(runner, s, 0), task = runner->ring[at];
    assert(runner->ready[s] > 0);
    int64_t lasts_ns = runner_attempt(runner, task);
    runner->head[s] = runner->head[s] + 1 < runner->job->count[s] ? runner->head[s] + 1 : 0;
    runner->ready[s]--;
    runner->busy[s]++;
    runner_take_room(runner, s, 1);
    if (runner->watch->stage) {
        struct br_runner_stage *stage = &runner->watch->stage[s];
        stage->work_ns += lasts_ns;
        stage->wait_ns += runner->now_ns - runner->came_ns[at];
        if (stage->begin_ns < 0)
            stage->begin_ns = runner->now_ns;
        if (!runner->fails[task] && lasts_ns > stage->longest_ns)
            stage->longest_ns = lasts_ns;
    }
    assert(runner->ends < runner->job->tasks);
    ends_push(NULL, runner->end, &runner->ends,
              (struct end){runner->now_ns + lasts_ns, runner->number++, task});
}

/* Starts what has room, in turn; of a pool, what does not fit lets others pass. */
static void runner_decide(struct br_runner *runner)
{
    uint32_t aside = 0;
    while (runner->turns > 0 && (runner->job->shares || runner->tokens > 0)) {
        uint32_t s = runner->turn[0].stage;
        if (!runner_has_room(runner, s)) {
            runner->aside[aside++] = turns_pop(NULL, runner->turn, &runner->turns);
            continue;
        }
        runner_start(runner, s);
        if (runner->ready[s] == 0)
            turns_pop(NULL, runner->turn, &runner->turns);
        else
            turns_replace(NULL, runner->turn, runner->turns,
                          (struct turn){runner_key_of(runner, s), s});
    }
    while (aside > 0)
        turns_push(NULL, runner->turn, &runner->turns, runner->aside[--aside]);
}

static void finish_stage(struct br_runner *runner, uint32_t s)
{
    const struct br_runner_job *job = runner->job;
    if (runner->watch->stage)
        runner->watch->stage[s].end_ns = runner->now_ns;
    for (uint32_t e = job->child_first[s]; e < job->child_first[s + 1]; e++)
        if (job->whole[e] && --runner->missing[job->child[e]] == 0)
            runner_release(runner, job->child[e]);
}

/* The task that made what the failed one could not read, or the failed one itself if it was not
 * that. */
static uint32_t runner_lost_by(const struct br_runner *runner, uint32_t task)
{
    const struct br_runner_job *job = runner->job;
    uint32_t s = job->stage_of[task];
    if (!(job->lost > 0) || job->parent_first[s] == job->parent_first[s + 1])
        return task;
    uint64_t which = (uint64_t)task << 32 | runner->attempt[task];
    struct br_rng rng = br_rng_seed(br_hash_number(~runner->seed ^ br_hash_number(which)));
    if (br_rng_unit(&rng) >= job->lost)
        return task;
    uint32_t edges = job->parent_first[s + 1] - job->parent_first[s];
    const struct br_edge *edge =
        &job->dag->edge[job->parent[job->parent_first[s] + br_rng_below(&rng, edges)]];
    const struct br_stage *from = &job->dag->stage[edge->parent];
    return from->first_task + (edge->type == BR_BARRIER ? (uint32_t)br_rng_below(&rng, from->tasks)
                                                        : task - job->dag->stage[s].first_task);
}

/* The task waits until the other has run again. */
static void runner_make_again(struct br_runner *runner, uint32_t task, uint32_t other)
{
    runner->next[task] = runner->waiter[other];
    runner->waiter[other] = task + 1;
    if (runner->again[other])
        return;
    runner->again[other] = true;
    runner_add_ready(runner, runner->job->stage_of[other], other);
}

/* The output is there once more, for those that have waited for it. */
static void runner_made_again(struct br_runner *runner, uint32_t task)
{
    uint32_t waiter = runner->waiter[task];
    runner->again[task] = false;
    runner->waiter[task] = 0;
    while (waiter) {
        uint32_t next = runner->next[waiter - 1];
        runner_add_ready(runner, runner->job->stage_of[waiter - 1], waiter - 1);
        waiter = next;
    }
}

static void runner_end_task(struct br_runner *runner, uint32_t task)
{
    const struct br_runner_job *job = runner->job;
    uint32_t s = job->stage_of[task], index = task - job->dag->stage[s].first_task;
    runner_take_room(runner, s, -1);
    assert(runner->busy[s] > 0);
    runner->busy[s]--;
    if (runner->fails[task]) {
        uint32_t other = runner_lost_by(runner, task);
        runner->fails[task] = false;
        if (other == task)
            runner_add_ready(runner, s, task);
        else
            runner_make_again(runner, task, other);
        return;
    }
    if (runner->again[task]) {
        runner_made_again(runner, task);
        return;
    }
    runner->done[s]++;
    assert(runner->done[s] <= job->count[s]);
    if (runner->watch->finished)
        runner->watch->finished(runner->watch->context, s, runner->now_ns);
    for (uint32_t e = job->child_first[s]; e < job->child_first[s + 1]; e++) {
        uint32_t child = job->child[e];
        if (job->whole[e])
            continue;
        uint32_t other = job->dag->stage[child].first_task + index;
        assert(runner->partners[other] > 0);
        if (--runner->partners[other] == 0 && runner->missing[child] == 0)
            runner_add_ready(runner, child, other);
    }
    if (runner->done[s] == job->count[s])
        finish_stage(runner, s);
}

int64_t br_runner_run(struct br_runner *runner, uint32_t allocation, bool planned,
                      const int64_t *duration_ns, uint64_t seed,
                      const struct br_runner_watch *watch)
{
    const struct br_runner_job *job = runner->job;
    assert(!planned || job->rank);
    runner->planned = planned;
    runner->pooled = job->resources > 0 && allocation != BR_UNLIMITED;
    runner->tokens = allocation;
    for (uint32_t r = 0; r < job->resources && runner->pooled; r++)
        runner->room[r] = pool(job, r, job->shares ? allocation : 100);
    runner->duration_ns = duration_ns;
    runner->seed = seed;
    runner->watch = watch;
    runner_begin(runner);
    runner_decide(runner);
    while (runner->ends > 0) {
        assert(runner->end[0].at_ns >= runner->now_ns);
        runner->now_ns = runner->end[0].at_ns;
        do {
            struct end end = ends_pop(NULL, runner->end, &runner->ends);
            runner_end_task(runner, end.task);
        } while (runner->ends > 0 && runner->end[0].at_ns == runner->now_ns);
        runner_decide(runner);
    }
    assert(runner->turns == 0);
    return runner->now_ns;
}
