/* Tasks come by rank once all that they wait for is placed, in either direction, no earlier than
 * the arcs allow: against all arcs looked at one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/instance/frontier.h"

enum { STAGES = 6, TASKS = 24, ARCS = STAGES * STAGES, JOBS = 3000 };

struct edge {
    uint32_t parent, child;
    bool one_to_one, stream;
    int64_t lag;
};

struct job {
    uint32_t stages, tasks, edges;
    uint32_t stage_first[STAGES + 1], task_stage[TASKS], rank[TASKS];
    int64_t release[TASKS];
    struct edge edge[ARCS];
    uint32_t first[2][STAGES + 1];
    struct br_stage_arc arc[2][ARCS]; /* to parents, to children */
};

static void list_arcs(struct job *job, bool to_children)
{
    uint32_t *first = job->first[to_children], count = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        first[s] = count;
        for (uint32_t e = 0; e < job->edges; e++) {
            const struct edge *edge = &job->edge[e];
            if ((to_children ? edge->parent : edge->child) == s)
                job->arc[to_children][count++] =
                    (struct br_stage_arc){to_children ? edge->child : edge->parent,
                                          edge->one_to_one, edge->stream, edge->lag};
        }
    }
    first[job->stages] = count;
}

/* Stages of one or three tasks; every second task has its rank twice. */
static void make_job(struct job *job, struct br_rng *rng)
{
    job->stages = 1 + (uint32_t)br_rng_below(rng, STAGES);
    job->tasks = job->edges = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        job->stage_first[s] = job->tasks;
        for (uint32_t n = br_rng_below(rng, 2) ? 3 : 1; n; n--) {
            job->rank[job->tasks] = (uint32_t)br_rng_below(rng, 12);
            job->release[job->tasks] = (int64_t)br_rng_below(rng, 20);
            job->task_stage[job->tasks++] = s;
        }
    }
    job->stage_first[job->stages] = job->tasks;
    for (uint32_t a = 0; a < job->stages; a++)
        for (uint32_t b = a + 1; b < job->stages; b++) {
            const bool alike = job->stage_first[a + 1] - job->stage_first[a] ==
                               job->stage_first[b + 1] - job->stage_first[b];
            if (br_rng_below(rng, 3) == 0)
                job->edge[job->edges++] =
                    (struct edge){a, b, alike && br_rng_below(rng, 2), br_rng_below(rng, 4) == 0,
                                  (int64_t)br_rng_below(rng, 5)};
        }
    list_arcs(job, false);
    list_arcs(job, true);
}

/* Does `task` wait for `other` over the edge? */
static bool waits(const struct job *job, const struct edge *edge, bool backward, uint32_t task,
                  uint32_t other)
{
    const uint32_t later = backward ? edge->parent : edge->child;
    const uint32_t earlier = backward ? edge->child : edge->parent;
    return job->task_stage[task] == later && job->task_stage[other] == earlier &&
           (!edge->one_to_one ||
            task - job->stage_first[later] == other - job->stage_first[earlier]);
}

/* The earliest start of the task; -1: it waits for one that is not placed. */
static int64_t earliest(const struct job *job, bool backward, uint32_t task, const bool *placed,
                        const int64_t *start, const int64_t *end)
{
    int64_t from = backward ? 0 : job->release[task];
    for (uint32_t e = 0; e < job->edges; e++)
        for (uint32_t other = 0; other < job->tasks; other++) {
            const struct edge *edge = &job->edge[e];
            if (!waits(job, edge, backward, task, other))
                continue;
            if (!placed[other])
                return -1;
            const int64_t least = (edge->stream ? start[other] : end[other]) + edge->lag;
            from = least > from ? least : from;
        }
    return from;
}

/* The task that is to come next: of those that wait for nothing and are not aside. */
static uint32_t next_plainly(const struct job *job, bool backward, const bool *placed,
                             const bool *aside, const int64_t *start, const int64_t *end)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t t = 0; t < job->tasks; t++) {
        if (placed[t] || aside[t] || earliest(job, backward, t, placed, start, end) < 0)
            continue;
        if (best == UINT32_MAX ||
            (backward ? job->rank[t] > job->rank[best] : job->rank[t] < job->rank[best]))
            best = t;
    }
    return best;
}

static void walk(const struct job *job, struct br_frontier *f, bool backward, struct br_rng *rng)
{
    bool placed[TASKS] = {false}, aside[TASKS] = {false};
    int64_t start[TASKS], end[TASKS];
    uint32_t task, count = 0;
    const struct br_stage_arcs parents = {job->first[0], job->arc[0]};
    const struct br_stage_arcs children = {job->first[1], job->arc[1]};
    br_frontier_begin(f, backward ? children : parents, backward ? parents : children, job->rank,
                      backward, backward ? NULL : job->release);
    while (br_frontier_next(f, &task)) {
        assert_int_equal(task, next_plainly(job, backward, placed, aside, start, end));
        assert_int_equal(br_frontier_from(f, task),
                         earliest(job, backward, task, placed, start, end));
        if (br_rng_below(rng, 4) == 0) {
            aside[task] = true;
            continue;
        }
        start[task] = br_frontier_from(f, task) + (int64_t)br_rng_below(rng, 3);
        end[task] = start[task] + (int64_t)br_rng_below(rng, 9);
        placed[task] = true;
        count++;
        br_frontier_place(f, task, start[task], end[task]);
        for (uint32_t t = 0; t < job->tasks; t++)
            if (aside[t]) {
                br_frontier_again(f, t);
                aside[t] = false;
            }
    }
    for (uint32_t t = 0; t < job->tasks; t++)
        count += aside[t];
    assert_true(count == job->tasks ||
                next_plainly(job, backward, placed, aside, start, end) == UINT32_MAX);
}

static void tasks_come_by_rank_in_both_directions(void **state)
{
    (void)state;
    struct br_rng rng = br_rng_seed(1);
    for (uint32_t k = 0; k < JOBS; k++) {
        struct job job;
        struct br_frontier f;
        make_job(&job, &rng);
        assert_true(br_frontier_init(&f, job.stages, job.tasks, job.task_stage));
        walk(&job, &f, false, &rng);
        walk(&job, &f, true, &rng);
        br_frontier_finish(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tasks_come_by_rank_in_both_directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
