/* Schedules on one machine: every profile against the space and against a plain model of parallel
 * generation, justification against the definition of a schedule, and the limit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "planner/rcpsp/rcpsp.h"
#include "planner/space/space.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { JOBS = 3000, WIDE_JOBS = 1500, LISTS = 4, PROFILES = 3 };

static const enum br_rcpsp_profile profiles[PROFILES] = {BR_RCPSP_SLICES, BR_RCPSP_EVENTS,
                                                         BR_RCPSP_WIDE};

struct fixture {
    struct random_job job;
    struct br_instance *in;
    struct br_rcpsp_model *model[PROFILES];
    struct br_rcpsp_workspace *workspace[PROFILES];
    char *before; /* [parent * tasks + child] */
};

static int between(struct br_rng *rng, int low, int high)
{
    return low + (int)br_rng_below(rng, (uint64_t)(high - low) + 1);
}

/* Jobs that random_job does not draw: up to nine resources, large capacities, long durations, many
 * parents, wide stages. */
static void make_wide_job(uint64_t seed, struct random_job *job)
{
    static const int longest[] = {3, 12, 31, 40, 150}, capacities[] = {1, 7, 30, 200, 4000, 100000};
    struct br_rng rng = br_rng_seed(seed);
    int resources = between(&rng, 0, 9), stages = between(&rng, 1, 20), width = between(&rng, 1, 5),
        duration = longest[between(&rng, 0, 4)], density = between(&rng, 0, 60), capacity[9];
    char text[32];
    job->dag = br_dag_create("wide");
    job->cluster = br_cluster_create(NULL);
    assert_true(job->dag && job->cluster);
    assert_int_equal(br_cluster_add_class(job->cluster, "pool", 1, NULL, NULL), BR_OK);
    for (int r = 0; r < resources; r++) {
        capacity[r] = between(&rng, 1, capacities[between(&rng, 0, 5)]);
        char name[2] = {(char)('a' + r), 0};
        snprintf(text, sizeof text, "%d", capacity[r]);
        assert_int_equal(br_cluster_add_capacity(job->cluster, 0, name, text, NULL), BR_OK);
    }
    for (int s = 0; s < stages; s++) {
        uint32_t number, tasks = (uint32_t)between(&rng, 1, width);
        snprintf(text, sizeof text, "s%d", s);
        assert_int_equal(
            br_dag_add_stage(job->dag, text, tasks, between(&rng, 0, duration), &number, NULL),
            BR_OK);
        for (uint32_t i = 0; i < tasks; i++)
            if (br_rng_below(&rng, 3) == 0)
                br_dag_set_duration(job->dag, number, i, between(&rng, 0, duration), NULL);
        for (int r = 0; r < resources; r++)
            if (br_rng_below(&rng, 3) > 0) {
                char name[2] = {(char)('a' + r), 0};
                snprintf(text, sizeof text, "%d",
                         between(&rng, 0, br_rng_below(&rng, 2) ? capacity[r] : capacity[r] / 2));
                assert_int_equal(br_dag_add_demand(job->dag, number, name, text, NULL), BR_OK);
            }
        for (int p = 0; p < s; p++)
            if (between(&rng, 1, 100) <= density)
                assert_int_equal(br_dag_add_edge(job->dag, (uint32_t)p, number, BR_BARRIER, NULL),
                                 BR_OK);
    }
    assert_int_equal(br_dag_finish(job->dag, NULL), BR_OK);
}

/* False where the job has more than one machine. */
static int open_fixture(struct fixture *f, uint64_t seed, int wide)
{
    memset(f, 0, sizeof *f);
    if (wide)
        make_wide_job(seed, &f->job);
    else
        assert_true(random_job_make(seed, 40, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    if (f->in->machines > 1)
        return 0;
    const struct br_instance *in = f->in;
    for (int k = 0; k < PROFILES; k++) {
        f->model[k] = br_rcpsp_model_create(in, profiles[k]);
        f->workspace[k] = br_rcpsp_workspace_create(f->model[k]);
        assert_true(f->model[k] && f->workspace[k]);
    }
    f->before = precedence_edges(in);
    return 1;
}

static void close_fixture(struct fixture *f)
{
    for (int k = 0; k < PROFILES; k++) {
        br_rcpsp_workspace_destroy(f->workspace[k]);
        br_rcpsp_model_destroy(f->model[k]);
    }
    free(f->before);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

static void shuffle(struct br_rng *rng, uint32_t *list, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) {
        uint32_t at = (uint32_t)br_rng_below(rng, k + 1);
        list[k] = list[at];
        list[at] = k;
    }
}

/* A random list in which parents come first. */
static void draw_list(const struct fixture *f, struct br_rng *rng, uint32_t *list)
{
    uint32_t n = f->in->tasks, *any = malloc(n * sizeof *any);
    char *done = calloc(n, 1);
    shuffle(rng, any, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t pick = n;
        for (uint32_t i = 0; i < n && pick == n; i++) {
            int ready = !done[any[i]];
            for (uint32_t p = 0; p < n; p++)
                ready &= !f->before[p * n + any[i]] || done[p];
            if (ready)
                pick = i;
        }
        list[k] = any[pick];
        done[list[k]] = 1;
        /* Otherwise the same early task would be taken in most lists. */
        uint32_t at = (uint32_t)br_rng_below(rng, n), swap = any[at];
        any[at] = any[pick];
        any[pick] = swap;
    }
    free(done);
    free(any);
}

/* Serial generation by the space, a task at a time; starts from 0. */
static int64_t plain_serial(const struct fixture *f, int backward, const uint32_t *list,
                            int64_t *start)
{
    const struct br_instance *in = f->in;
    uint32_t n = in->tasks;
    struct br_space *space = br_space_create(in);
    char *placed = calloc(n, 1);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t t = backward ? list[n - 1 - k] : list[k], stage = in->task_stage[t];
        int64_t bound = 0, duration = in->duration[t];
        struct br_fit fit;
        for (uint32_t o = 0; o < n; o++) {
            if (!placed[o])
                continue;
            if (backward && f->before[t * n + o] && start[o] < bound)
                bound = start[o];
            if (!backward && f->before[o * n + t] && start[o] + in->duration[o] > bound)
                bound = start[o] + in->duration[o];
        }
        fit = backward ? br_space_latest(space, stage, duration, bound)
                       : br_space_earliest(space, stage, duration, bound);
        assert_true(br_space_place(space, stage, duration, fit, 1));
        start[t] = fit.start;
        placed[t] = 1;
    }
    int64_t begin = INT64_MAX, end = INT64_MIN;
    for (uint32_t t = 0; t < n; t++) {
        begin = start[t] < begin ? start[t] : begin;
        end = start[t] + in->duration[t] > end ? start[t] + in->duration[t] : end;
    }
    /* Forward begins at 0, backward ends there, whatever is placed. */
    begin = backward ? begin : 0;
    end = backward ? 0 : end;
    for (uint32_t t = 0; t < n; t++)
        start[t] -= begin;
    free(placed);
    br_space_destroy(space);
    return end - begin;
}

/* Parallel generation by the definition, tick by tick from event to event. */
static int64_t plain_parallel(const struct fixture *f, int backward, const uint32_t *priority,
                              int64_t *start)
{
    const struct br_instance *in = f->in;
    uint32_t n = in->tasks, left = n;
    int64_t now = 0, makespan = 0, *free_now = malloc((in->resources + 1) * sizeof *free_now),
            *end = malloc(n * sizeof *end);
    char *state = calloc(n, 1); /* 0 waits, 1 runs, 2 ended */
    memcpy(free_now, in->capacity, in->resources * sizeof *free_now);
    while (left) {
        for (uint32_t k = 0; k < n; k++) {
            uint32_t t = priority[k];
            const int64_t *demand = in->demand + (size_t)in->task_stage[t] * in->resources;
            int ready = state[t] == 0;
            for (uint32_t o = 0; o < n; o++)
                if (backward ? f->before[t * n + o] : f->before[o * n + t])
                    ready &= state[o] == 2;
            for (uint32_t r = 0; r < in->resources && in->duration[t] > 0; r++)
                ready &= demand[r] <= free_now[r];
            if (!ready)
                continue;
            for (uint32_t r = 0; r < in->resources && in->duration[t] > 0; r++)
                free_now[r] -= demand[r];
            state[t] = 1;
            end[t] = now + in->duration[t];
            makespan = end[t] > makespan ? end[t] : makespan;
        }
        int64_t next = INT64_MAX;
        for (uint32_t t = 0; t < n; t++)
            if (state[t] == 1 && end[t] < next)
                next = end[t];
        now = next;
        for (uint32_t t = 0; t < n; t++) {
            const int64_t *demand = in->demand + (size_t)in->task_stage[t] * in->resources;
            if (state[t] != 1 || end[t] != now)
                continue;
            for (uint32_t r = 0; r < in->resources && in->duration[t] > 0; r++)
                free_now[r] += demand[r];
            state[t] = 2;
            left--;
        }
    }
    for (uint32_t t = 0; t < n; t++)
        start[t] = backward ? makespan - end[t] : end[t] - in->duration[t];
    free(free_now);
    free(end);
    free(state);
    return makespan;
}

/* Against the definition: arcs, and the sums of demands at every start. */
static void check_feasible(const struct fixture *f, const int64_t *start, int64_t makespan)
{
    const struct br_instance *in = f->in;
    uint32_t n = in->tasks;
    int64_t end = 0;
    for (uint32_t t = 0; t < n; t++) {
        assert_true(start[t] >= 0);
        end = start[t] + in->duration[t] > end ? start[t] + in->duration[t] : end;
        for (uint32_t o = 0; o < n; o++)
            assert_true(!f->before[t * n + o] || start[t] + in->duration[t] <= start[o]);
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t sum = 0;
            for (uint32_t o = 0; o < n; o++)
                if (start[o] <= start[t] && start[t] < start[o] + in->duration[o])
                    sum += in->demand[(size_t)in->task_stage[o] * in->resources + r];
            assert_true(sum <= in->capacity[r]);
        }
    }
    assert_int_equal(end, makespan);
}

/* What was left out is what would have come after the first task that is too late: behind it in the
 * list, or later in time. */
static void check_left(const struct br_rcpsp_workspace *workspace, enum br_direction direction,
                       const uint32_t *list, int parallel, const int64_t *start, int64_t makespan,
                       int64_t limit)
{
    const struct br_rcpsp_model *m = workspace->model;
    uint32_t placed = 0, most = 0;
    int64_t first = INT64_MAX;
    for (uint32_t k = 0; k < m->tasks; k++) {
        uint32_t t = list[direction == BR_BACKWARD && !parallel ? m->tasks - 1 - k : k];
        int64_t d = m->in->duration[t];
        int64_t end = direction == BR_FORWARD ? start[t] + d : makespan - start[t];
        bool late = end + m->side[direction].tail[t] > limit;
        placed += first == INT64_MAX;
        if (late && (parallel ? end - d < first : first == INT64_MAX))
            first = end - d;
    }
    assert_true(first < INT64_MAX);
    if (!parallel) {
        assert_int_equal(workspace->left, m->tasks - placed);
        return;
    }
    placed = 1;
    for (uint32_t t = 0; t < m->tasks; t++) {
        int64_t at = direction == BR_FORWARD ? start[t] : makespan - start[t] - m->in->duration[t];
        placed += at < first;
        most += at <= first;
    }
    assert_uint_in_range(m->tasks - workspace->left, placed, most);
}

/* Every limit at or above the makespan gives the same schedule, every lower one gives it up. */
static void check_limit(struct br_rcpsp_workspace *workspace, enum br_direction direction,
                        const uint32_t *list, int parallel, uint32_t tasks, const int64_t *start,
                        int64_t makespan)
{
    int64_t *again = calloc(tasks, sizeof *again);
    for (int64_t limit = makespan - 9; limit <= makespan + 1; limit++) {
        int64_t got = parallel ? br_rcpsp_parallel(workspace, direction, list, limit, again)
                               : br_rcpsp_serial(workspace, direction, list, limit, again);
        if (limit < makespan) {
            assert_true(got == BR_RCPSP_CUT);
            check_left(workspace, direction, list, parallel, start, makespan, limit);
        } else {
            assert_int_equal(got, makespan);
            assert_memory_equal(again, start, tasks * sizeof *start);
        }
    }
    free(again);
}

static void check_justify(const struct fixture *f, struct br_rcpsp_workspace *workspace,
                          const uint32_t *list, const int64_t *start, int64_t makespan,
                          int64_t *out)
{
    uint32_t n = f->in->tasks, *order = malloc(n * sizeof *order), *at = malloc(n * sizeof *at);
    memcpy(order, list, n * sizeof *order);
    memcpy(out, start, n * sizeof *out);
    int64_t better = br_rcpsp_justify(workspace, order, out);
    assert_true(better <= makespan);
    check_feasible(f, out, better);
    for (uint32_t k = 0; k < n; k++)
        at[order[k]] = k;
    for (uint32_t k = 0; k + 1 < n; k++)
        assert_true(out[order[k]] <= out[order[k + 1]]);
    for (uint32_t t = 0; t < n; t++) {
        assert_int_equal(order[at[t]], t);
        for (uint32_t o = 0; o < n; o++)
            assert_true(!f->before[t * n + o] || at[t] < at[o]);
    }
    free(order);
    free(at);
}

/* Counts of cases that the runs met, so that no part of the test is idle. */
static unsigned shorter, by_slices, by_parallel;

static void check_lists(struct fixture *f, struct br_rng *rng)
{
    uint32_t n = f->in->tasks, *list = malloc(n * sizeof *list);
    int64_t *want = malloc(n * sizeof *want), *got = malloc(n * sizeof *got),
            *justified[PROFILES] = {0};
    for (int k = 0; k < PROFILES; k++)
        justified[k] = malloc(n * sizeof *want);
    for (int round = 0; round < LISTS; round++)
        for (int d = 0; d < 2; d++) {
            draw_list(f, rng, list);
            int64_t makespan = plain_serial(f, d, list, want);
            for (int k = 0; k < PROFILES; k++) {
                assert_int_equal(br_rcpsp_serial(f->workspace[k], (enum br_direction)d, list,
                                                 BR_RCPSP_NO_LIMIT, got),
                                 makespan);
                assert_memory_equal(got, want, n * sizeof *got);
                check_limit(f->workspace[k], (enum br_direction)d, list, 0, n, want, makespan);
                check_justify(f, f->workspace[k], list, want, makespan, justified[k]);
                assert_memory_equal(justified[k], justified[0], n * sizeof *got);
            }
            by_slices += br_rcpsp_model_profile(f->model[0]) == BR_RCPSP_SLICES;
            for (uint32_t t = 0; t < n; t++)
                if (justified[0][t] != want[t]) {
                    shorter++;
                    break;
                }
            int64_t parallel;
            shuffle(rng, list, n);
            parallel = plain_parallel(f, d, list, want);
            for (int k = 0; k < PROFILES; k++) {
                assert_int_equal(br_rcpsp_parallel(f->workspace[k], (enum br_direction)d, list,
                                                   BR_RCPSP_NO_LIMIT, got),
                                 parallel);
                assert_memory_equal(got, want, n * sizeof *got);
                check_limit(f->workspace[k], (enum br_direction)d, list, 1, n, want, parallel);
            }
            by_parallel += parallel < makespan;
        }
    for (int k = 0; k < PROFILES; k++)
        free(justified[k]);
    free(list);
    free(want);
    free(got);
}

static void run_jobs(uint64_t first, uint64_t count, int wide)
{
    unsigned pools = 0;
    shorter = by_slices = by_parallel = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed + 77);
        if (open_fixture(&f, seed, wide)) {
            check_lists(&f, &rng);
            pools++;
        }
        close_fixture(&f);
    }
    assert_true(pools > count / 4 && shorter > pools && by_slices > pools && by_parallel > pools);
    print_message("%u pools: %u of %u schedules changed by justification, %u sliced, parallel "
                  "generation shorter in %u\n",
                  pools, shorter, 2 * LISTS * pools, by_slices, by_parallel);
}

static void test_random_jobs(void **state)
{
    run_jobs(0, random_jobs(JOBS), 0);
}

static void test_wide_jobs(void **state)
{
    run_jobs(0, random_jobs(WIDE_JOBS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_jobs),
        cmocka_unit_test(test_wide_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
