/* The shape of random jobs, with and without lags and streams, against the planner's own cuts and a
 * slow walk over single tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "planner/model/shape.h"
#include "planner/instance/instance.h"
#include "planner/instance/part.h"
#include "planner/eligibility/features.h"
#include "tests/support/random_features.h"

enum { JOBS = 4000, TASKS = 24 };

static bool is_parent(const struct br_dag *dag, uint32_t parent, uint32_t child)
{
    uint32_t p = br_dag_task_stage(dag, parent), c = br_dag_task_stage(dag, child);
    for (uint32_t e = 0; e < dag->edges; e++)
        if (dag->edge[e].parent == p && dag->edge[e].child == c)
            return dag->edge[e].type == BR_BARRIER ||
                   parent - dag->stage[p].first_task == child - dag->stage[c].first_task;
    return false;
}

/* Longest path by relaxing all pairs until nothing changes. */
static int64_t slow_critical(const struct br_dag *dag)
{
    int64_t end[TASKS], most = 0;
    bool changed = true;
    for (uint32_t t = 0; t < dag->tasks; t++)
        end[t] = dag->duration_ns[t];
    while (changed) {
        changed = false;
        for (uint32_t p = 0; p < dag->tasks; p++)
            for (uint32_t c = 0; c < dag->tasks; c++)
                if (is_parent(dag, p, c) && end[p] + dag->duration_ns[c] > end[c]) {
                    end[c] = end[p] + dag->duration_ns[c];
                    changed = true;
                }
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        most = end[t] > most ? end[t] : most;
    return most;
}

static void check_path(const struct br_dag *dag, const struct br_shape *shape)
{
    int64_t length = 0;
    assert_true(shape->critical_size > 0);
    for (uint32_t k = 0; k < shape->critical_size; k++) {
        length += dag->duration_ns[shape->critical[k]];
        if (k)
            assert_true(is_parent(dag, shape->critical[k - 1], shape->critical[k]));
    }
    assert_int_equal(length, shape->critical_ns);
}

static void test_random(void **state)
{
    uint32_t with_cuts = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        struct random_job job;
        struct br_shape shape;
        struct br_instance *instance;
        struct br_parts parts;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_shape_measure(job.dag, &shape, NULL), BR_OK);
        assert_int_equal(br_instance_create(job.dag, job.cluster, &instance, NULL), BR_OK);
        assert_int_equal(br_parts_create(instance, &parts, NULL), BR_OK);
        assert_int_equal(shape.parts, parts.count);
        with_cuts += parts.count > 1;
        assert_int_equal(shape.critical_ns, slow_critical(job.dag));
        check_path(job.dag, &shape);
        assert_true(shape.depth >= 1 && shape.depth <= job.dag->stages);
        assert_true(shape.width >= 1 && shape.width <= job.dag->tasks);
        assert_true((uint64_t)shape.depth * shape.width >= job.dag->tasks);
        assert_int_equal(shape.barriers + shape.one_to_ones, job.dag->edges);
        br_parts_finish(&parts);
        br_instance_destroy(instance);
        br_shape_finish(&shape);
        random_job_finish(&job);
    }
    assert_true(with_cuts > JOBS / 10); /* else this shows nothing */
}

/* The earliest starts of all tasks by relaxing all edges, task by task, until nothing changes. */
static int64_t slow_timed(const struct br_dag *dag)
{
    int64_t start[RANDOM_JOB_TASKS] = {0}, most = 0;
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t e = 0; e < dag->edges; e++) {
            const struct br_stage *from = &dag->stage[dag->edge[e].parent];
            const struct br_stage *to = &dag->stage[dag->edge[e].child];
            const struct br_wait wait = br_dag_wait(dag, e);
            for (uint32_t i = 0; i < from->tasks; i++)
                for (uint32_t j = 0; j < to->tasks; j++) {
                    const uint32_t p = from->first_task + i, c = to->first_task + j;
                    const int64_t end = start[p] + dag->duration_ns[p];
                    int64_t at = (wait.stream ? start[p] : end) + wait.lag_ns;
                    if (dag->edge[e].type == BR_ONE_TO_ONE && from->tasks > 1 && i != j)
                        continue;
                    if (wait.stream && end - dag->duration_ns[c] > at)
                        at = end - dag->duration_ns[c];
                    changed |= at > start[c];
                    start[c] = at > start[c] ? at : start[c];
                }
        }
    }
    for (uint32_t t = 0; t < dag->tasks; t++)
        most = start[t] + dag->duration_ns[t] > most ? start[t] + dag->duration_ns[t] : most;
    return most;
}

/* Lags and streams lengthen the critical path, or let its tasks run beside each other. */
static void test_lags_and_streams(void **state)
{
    uint32_t lags = 0, streams = 0;
    for (uint64_t seed = 1; seed <= JOBS; seed++) {
        const struct random_features wish = {TASKS,
                                             (enum random_shape)(seed % RANDOM_SHAPES),
                                             BR_FEATURE_LAGS | BR_FEATURE_STREAMS,
                                             1,
                                             9,
                                             false};
        struct random_job job;
        struct br_shape shape;
        assert_true(random_features_make(seed, &wish, &job));
        assert_int_equal(br_shape_measure(job.dag, &shape, NULL), BR_OK);
        assert_int_equal(shape.critical_ns, slow_timed(job.dag));
        for (uint32_t k = 1; k < shape.critical_size; k++)
            assert_true(is_parent(job.dag, shape.critical[k - 1], shape.critical[k]));
        lags += (br_features(job.dag, NULL) & BR_FEATURE_LAGS) != 0;
        streams += (br_features(job.dag, NULL) & BR_FEATURE_STREAMS) != 0;
        br_shape_finish(&shape);
        random_job_finish(&job);
    }
    assert_true(lags > JOBS / 4 && streams > JOBS / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_lags_and_streams)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
