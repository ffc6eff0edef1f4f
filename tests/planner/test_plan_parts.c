/* Large parts that are planned side by side: the plan, its counters and what is told of it are
 * those of one thread, in the same order, and a stop leaves a plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/instance/plan.h"
#include "tests/support/random_job.h"

enum { STAGES = 12, MACHINES = 12, FOUND = 200 };

/* Adds a part, of stages with as many tasks each, that all tasks so far come before. */
static void add_part(struct br_dag *dag, struct br_rng *rng, uint32_t stages, uint32_t tasks)
{
    const uint32_t before = br_dag_stage_count(dag);
    char text[32];
    for (uint32_t k = 0; k < stages; k++) {
        const uint32_t s = before + k;
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(dag, text, tasks, 1 + (int64_t)br_rng_below(rng, 1000), NULL, NULL),
            BR_OK);
        snprintf(text, sizeof text, "%u", 10 + (unsigned)br_rng_below(rng, 50));
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", text, NULL), BR_OK);
        snprintf(text, sizeof text, "%u", 10 + (unsigned)br_rng_below(rng, 50));
        assert_int_equal(br_dag_add_demand(dag, s, "mem", text, NULL), BR_OK);
        for (uint32_t b = 0; b < before; b++)
            assert_int_equal(br_dag_add_edge(dag, b, s, BR_BARRIER, NULL), BR_OK);
        if (k > 1)
            assert_int_equal(
                br_dag_add_edge(dag, before + (uint32_t)br_rng_below(rng, k), s, BR_BARRIER, NULL),
                BR_OK);
    }
}

/* Two large parts, the second the larger one, and a small one between them. */
static struct random_job two_large(uint64_t seed)
{
    struct random_job job = {br_dag_create("two"), br_cluster_create(NULL)};
    struct br_rng rng = br_rng_seed(seed);
    add_part(job.dag, &rng, STAGES, 350);
    add_part(job.dag, &rng, 3, 2);
    add_part(job.dag, &rng, STAGES, 380);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", MACHINES, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "cpu", "100", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "mem", "100", NULL), BR_OK);
    return job;
}

struct course {
    unsigned count;
    struct br_incumbent found[FOUND];
    struct br_stop *stop; /* raised by the first schedule; or NULL */
};

static void record(void *context, const struct br_incumbent *found)
{
    struct course *course = context;
    assert_true(course->count < FOUND);
    course->found[course->count++] = *found;
    if (course->stop)
        br_stop_raise(course->stop);
}

static struct br_plan *make(const struct random_job *job, uint32_t threads, struct course *course)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    options.effort = BR_EFFORT_FAST;
    options.threads = threads;
    options.found = record;
    options.found_context = course;
    options.stop = course->stop;
    assert_int_equal(br_plan_make(job->dag, job->cluster, &options, &plan, NULL), BR_OK);
    return plan;
}

static void assert_same(const struct br_plan *a, const struct br_plan *b)
{
    assert_memory_equal(a->start_ns, b->start_ns, a->tasks * sizeof *a->start_ns);
    assert_memory_equal(a->machine, b->machine, a->tasks * sizeof *a->machine);
    assert_memory_equal(a->order, b->order, a->tasks * sizeof *a->order);
    assert_int_equal(a->placements, b->placements);
    assert_int_equal(a->counters.improvements, b->counters.improvements);
    assert_int_equal(a->counters.parts_bypassed, b->counters.parts_bypassed);
    assert_int_equal(a->trials, b->trials);
    for (uint32_t k = 0; k < a->trials; k++)
        assert_int_equal(a->trial[k].makespan_ns, b->trial[k].makespan_ns);
    assert_int_equal(a->parts, b->parts);
    for (uint32_t k = 0; k < a->parts; k++) {
        assert_string_equal(a->part[k].method, b->part[k].method);
        assert_int_equal(a->part[k].lower_bound_ns, b->part[k].lower_bound_ns);
    }
}

static void threads_change_nothing(void **state)
{
    static const uint32_t threads[] = {2, 3, 7};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct random_job job = two_large(seed);
        struct course one = {0};
        struct br_plan *plan = make(&job, 1, &one);
        assert_int_equal(plan->parts, 3);
        assert_true(plan->part[0].tasks > 4000 && plan->part[2].tasks > plan->part[0].tasks);
        assert_true(one.count > 3 && one.found[one.count - 1].part == 2);
        for (uint32_t k = 0; k < sizeof threads / sizeof threads[0]; k++) {
            struct course course = {0};
            struct br_plan *other = make(&job, threads[k], &course);
            assert_same(plan, other);
            assert_int_equal(course.count, one.count);
            for (unsigned e = 0; e < one.count; e++) {
                const struct br_incumbent *a = &one.found[e], *b = &course.found[e];
                assert_int_equal(a->part, b->part);
                assert_int_equal(a->makespan_ns, b->makespan_ns);
                assert_int_equal(a->lower_bound_ns, b->lower_bound_ns);
                assert_int_equal(a->placements, b->placements);
                assert_string_equal(a->finder, b->finder);
            }
            br_plan_destroy(other);
        }
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
}

static void a_stop_leaves_a_plan(void **state)
{
    struct random_job job = two_large(3);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        struct br_stop stop = {0};
        struct course course = {.stop = &stop};
        br_stop_raise(&stop);
        struct br_plan *plan = make(&job, threads, &course);
        assert_non_null(plan->note);
        assert_int_equal(br_plan_verify(plan, job.dag, job.cluster, 1, NULL, NULL, NULL), BR_OK);
        br_plan_destroy(plan);
    }
    random_job_finish(&job);
}

static struct br_plan *make_with(const struct random_job *job, const char *method, uint32_t threads,
                                 uint64_t placements)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    options.method = method;
    options.effort = BR_EFFORT_FAST;
    options.threads = threads;
    options.placements = placements;
    assert_int_equal(br_plan_make(job->dag, job->cluster, &options, &plan, NULL), BR_OK);
    return plan;
}

/* What a heuristic is told to reach is what it reaches alone: the sum over the parts. */
static void trials_are_sums(void **state)
{
    struct random_job job = two_large(1);
    struct course course = {0};
    struct br_plan *plan = make(&job, 2, &course);
    assert_true(plan->trials > 1);
    for (uint32_t k = 0; k < plan->trials; k++) {
        struct br_plan *alone = make_with(&job, plan->trial[k].method, 2, 0);
        assert_int_equal(plan->trial[k].makespan_ns, alone->makespan_ns);
        br_plan_destroy(alone);
    }
    br_plan_destroy(plan);
    random_job_finish(&job);
}

/* Each part has a limit of placements for itself, side by side or not. */
static void limits_change_nothing(void **state)
{
    struct random_job job = two_large(1);
    struct br_plan *all = make_with(&job, "best", 1, 0);
    for (uint64_t part = 1; part < 4; part++) {
        const uint64_t most = all->placements * part / 8;
        struct br_plan *one = make_with(&job, "best", 1, most);
        struct br_plan *two = make_with(&job, "best", 2, most);
        assert_true(one->placements < all->placements);
        assert_same(one, two);
        br_plan_destroy(one);
        br_plan_destroy(two);
    }
    br_plan_destroy(all);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_nothing), cmocka_unit_test(a_stop_leaves_a_plan),
        cmocka_unit_test(trials_are_sums), cmocka_unit_test(limits_change_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
