/* The baselines: feasible, as long as they say, and (but for strip-part) work-conserving. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/process/stop.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/rank.h"
#include "planner/schedule/strip.h"
#include "tests/support/random_job.h"

enum { JOBS = 3000, TASKS = 16 };

static uint32_t class_of(const struct br_instance *in, uint32_t machine)
{
    return br_instance_machine_class(in, machine);
}

/* Free capacity of the machine at time t, after everything that runs then. */
static void free_at(const struct br_instance *in, const struct br_schedule *s, uint32_t machine,
                    int64_t t, int64_t *free)
{
    for (uint32_t r = 0; r < in->resources; r++)
        free[r] = in->capacity[class_of(in, machine) * in->resources + r];
    for (uint32_t v = 0; v < in->tasks; v++)
        if (s->machine[v] == machine && s->start[v] <= t && t < s->start[v] + in->duration[v])
            for (uint32_t r = 0; r < in->resources; r++)
                free[r] -= in->demand[in->task_stage[v] * in->resources + r];
}

/* The time at which all parents of the task have ended. */
static int64_t ready_at(const struct br_instance *in, const struct br_schedule *s, uint32_t v)
{
    uint32_t stage = in->task_stage[v];
    int64_t ready = 0;
    for (uint32_t a = in->parent_first[stage]; a < in->parent_first[stage + 1]; a++) {
        uint32_t p = in->parent[a].stage;
        for (uint32_t x = in->stage_first[p]; x < in->stage_first[p + 1]; x++)
            if (!in->parent[a].one_to_one || x - in->stage_first[p] == v - in->stage_first[stage])
                if (s->start[x] + in->duration[x] > ready)
                    ready = s->start[x] + in->duration[x];
    }
    return ready;
}

static int fits_at(const struct br_instance *in, const struct br_schedule *s, uint32_t v, int64_t t)
{
    int64_t free[8];
    for (uint32_t m = 0; m < in->machines; m++) {
        int fits = 1;
        free_at(in, s, m, t, free);
        for (uint32_t r = 0; r < in->resources; r++)
            fits &= free[r] >= in->demand[in->task_stage[v] * in->resources + r];
        if (fits)
            return 1;
    }
    return 0;
}

static void check(const struct br_instance *in, const struct br_schedule *s, int work_conserving)
{
    int64_t free[8], makespan = 0;
    for (uint32_t v = 0; v < in->tasks; v++) {
        int64_t ready = ready_at(in, s, v);
        assert_true(s->start[v] >= ready);
        if (s->start[v] + in->duration[v] > makespan)
            makespan = s->start[v] + in->duration[v];
        free_at(in, s, s->machine[v], s->start[v], free); /* load only rises at starts */
        for (uint32_t r = 0; r < in->resources; r++)
            assert_true(free[r] >= 0);
        if (!work_conserving)
            continue;
        if (in->duration[v] == 0) {
            if (in->stage_longest[in->task_stage[v]] == 0)
                assert_int_equal(s->start[v], ready);
            continue; /* else it takes its turn in its stage */
        }
        /* It waits only while it fits nowhere: room appears only where something ends. */
        if (ready < s->start[v])
            assert_false(fits_at(in, s, v, ready));
        for (uint32_t x = 0; x < in->tasks; x++) {
            int64_t end = s->start[x] + in->duration[x];
            if (end > ready && end < s->start[v])
                assert_false(fits_at(in, s, v, end));
        }
    }
    assert_int_equal(s->makespan, makespan);
}

static void test_schedules(void **state)
{
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_reach reach;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(br_reach_init(&reach, in));
        for (uint32_t k = 0; br_heuristic_at(k); k++) {
            struct br_schedule schedule;
            assert_true(br_schedule_init(&schedule, in));
            assert_true(br_heuristic_at(k)->run(&schedule, in, &reach, seed, NULL));
            check(in, &schedule, strcmp(br_heuristic_at(k)->named.name, "strip-part") != 0);
            br_schedule_finish(&schedule);
        }
        br_reach_finish(&reach);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
}

/* A single task needs no event loop for the schedule that this would make. */
static void test_single_task(void **state)
{
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_order order;
        struct br_schedule single, full;
        struct br_key key = {0};
        assert_true(random_job_make(seed, 1, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        assert_true(br_order_init(&order, in, &key) && br_schedule_init(&single, in) &&
                    br_schedule_init(&full, in));
        br_dispatch_single(&single, in);
        assert_true(br_dispatch(&full, in, &order, BR_DISPATCH_ORDER, NULL));
        assert_int_equal(single.start[0], full.start[0]);
        assert_int_equal(single.machine[0], full.machine[0]);
        assert_int_equal(single.makespan, full.makespan);
        br_schedule_finish(&single);
        br_schedule_finish(&full);
        br_order_finish(&order);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
}

static double seconds_of(struct br_schedule *schedule, const struct br_instance *in,
                         const struct br_reach *reach, const struct br_stop *stop, bool *done)
{
    struct timespec began, ended;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    *done = br_strip_partition(schedule, in, reach, stop);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    return (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
}

/* A stop ends strip-part in the midst of a strip: here all tasks are one. */
static void test_strip_stops(void **state)
{
    enum { MANY = 30000 };
    struct br_dag *dag = br_dag_create("wide");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_reach reach;
    struct br_schedule schedule;
    struct br_stop stop = {0};
    bool done;
    assert_int_equal(br_dag_add_stage(dag, "a", MANY, 1000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, 0, "cpu", "1", NULL), BR_OK);
    for (uint32_t t = 0; t < MANY; t++)
        assert_int_equal(br_dag_set_duration(dag, 0, t, 1000 + t * 7919 % 997, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 50, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "4", NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_reach_init(&reach, in) && br_schedule_init(&schedule, in));
    const double whole = seconds_of(&schedule, in, &reach, &stop, &done);
    assert_true(done);
    br_stop_raise(&stop);
    const double stopped = seconds_of(&schedule, in, &reach, &stop, &done);
    assert_false(done);
    print_message("%.4f s, stopped %.4f s\n", whole, stopped);
    assert_true(stopped < whole / 2);
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

static void test_ranks(void **state)
{
    /* 0 -> 2, 0 -> 3, 1 -> 4, 2 -> 5, 3 -> 5, 4 -> 5 */
    static const uint32_t arcs[][2] = {{0, 2}, {0, 3}, {1, 4}, {2, 5}, {3, 5}, {4, 5}};
    struct br_dag *dag = br_dag_create("ranks");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    uint32_t out[6];
    char id[2] = "a";
    for (; id[0] < 'g'; id[0]++)
        assert_int_equal(br_dag_add_stage(dag, id, 1, 1, NULL, NULL), BR_OK);
    for (size_t k = 0; k < 6; k++)
        assert_int_equal(br_dag_add_edge(dag, arcs[k][0], arcs[k][1], BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_rank_breadth_first(in, out));
    assert_memory_equal(out, ((const uint32_t[]){0, 1, 2, 3, 4, 5}), sizeof out);
    assert_true(br_rank_depth_first(in, out));
    assert_memory_equal(out, ((const uint32_t[]){0, 3, 1, 2, 4, 5}), sizeof out);
    /* Labels from the sink: f, then e, d, c (equal lists: high numbers first), then b with {e},
     * then a with {d, c}, whose list is the greater. */
    assert_true(br_rank_coffman_graham(in, out));
    assert_memory_equal(out, ((const uint32_t[]){0, 1, 2, 3, 4, 5}), sizeof out);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_single_task),
        cmocka_unit_test(test_strip_stops),
        cmocka_unit_test(test_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
