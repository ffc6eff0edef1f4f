/* Time limits as promises: a search goes on until the limit or a proof, and all that is quick gets
 * its turn first, on every part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/numbers/rng.h"
#include "base/process/clock.h"
#include "generate/generate.h"
#include "planner/instance/plan.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/keep.h"
#include "tests/support/random_job.h"
#include <bigrocks/bigrocks.h>

static const int64_t second_ns = INT64_C(1000000000);

static struct br_plan *make(const struct random_job *job, const struct br_plan_options *options,
                            double *seconds)
{
    struct br_plan *plan = NULL;
    struct br_diag diag = {0};
    int64_t began_ns = br_now_ns();
    if (br_plan_make(job->dag, job->cluster, options, &plan, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    *seconds = (double)(br_now_ns() - began_ns) / 1e9;
    assert_int_equal(br_plan_verify(plan, job->dag, job->cluster, 1, NULL, NULL, NULL), BR_OK);
    return plan;
}

/* So many parts one behind another, of tasks without edges that pack badly. */
static struct random_job hard(uint64_t seed, uint32_t parts, uint32_t tasks, uint32_t machines)
{
    static const char *const resource[] = {"cpu", "mem"};
    struct random_job job = {br_dag_create("hard"), br_cluster_create(NULL)};
    struct br_rng rng = br_rng_seed(seed);
    char text[32];
    assert_int_equal(br_cluster_add_class(job.cluster, "m", machines, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < parts * tasks; s++) {
        snprintf(text, sizeof text, "s%u", s);
        const int64_t duration_ns = 1000 + (int64_t)br_rng_below(&rng, 100000);
        assert_int_equal(br_dag_add_stage(job.dag, text, 1, duration_ns, NULL, NULL), BR_OK);
        for (uint32_t r = 0; r < 2; r++) {
            snprintf(text, sizeof text, "%u", 10 + (unsigned)br_rng_below(&rng, 50));
            assert_int_equal(br_dag_add_demand(job.dag, s, resource[r], text, NULL), BR_OK);
        }
        for (uint32_t k = s / tasks * tasks; s >= tasks && k > s / tasks * tasks - tasks; k--)
            assert_int_equal(br_dag_add_edge(job.dag, k - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(br_cluster_add_capacity(job.cluster, 0, resource[r], "100", NULL), BR_OK);
    return job;
}

/* Without an effort the search goes on until the limit, and leaves no part as it was after what is
 * quick; where an effort is given, that ends it sooner. */
static void a_limit_is_used_up(void **state)
{
    for (uint32_t parts = 1; parts <= 6; parts += 5) {
        struct random_job job = hard(parts, parts, parts == 1 ? 60 : 250, 3);
        struct br_plan_options options = br_plan_options_default();
        double seconds;
        options.effort = BR_EFFORT_FAST;
        struct br_plan *fast = make(&job, &options, &seconds);
        options.effort = br_plan_options_default().effort;
        options.time_limit_ns = (parts == 1 ? 2 : 5) * second_ns;
        struct br_plan *plan = make(&job, &options, &seconds);
        assert_true(seconds >= 1.8);
        assert_true(plan->makespan_ns > plan->lower_bound_ns);
        assert_non_null(strstr(br_plan_note(plan), "time limit"));
        assert_int_equal(plan->parts, parts);
        for (uint32_t k = 0; k < parts; k++) {
            assert_true(plan->part[k].makespan_ns <= fast->part[k].makespan_ns);
            assert_true(strcmp(plan->part[k].method, "stages") == 0 ||
                        strcmp(plan->part[k].method, "improved") == 0);
        }
        br_plan_destroy(plan);
        br_plan_destroy(fast);
        random_job_finish(&job);
    }
}

/* With an effort both hold: the plan is the one without the limit, which is not reached. */
static void an_effort_ends_before_the_limit(void **state)
{
    struct random_job job = hard(7, 1, 40, 3);
    struct br_plan_options options = br_plan_options_default();
    double seconds, limited;
    struct br_plan *plan = make(&job, &options, &seconds);
    options.effort = BR_EFFORT_DEFAULT;
    options.time_limit_ns = 1000 * second_ns;
    struct br_plan *same = make(&job, &options, &limited);
    assert_true(limited < 500);
    assert_null(br_plan_note(same));
    assert_true(plan->makespan_ns > plan->lower_bound_ns);
    assert_int_equal(plan->placements, same->placements);
    assert_memory_equal(plan->start_ns, same->start_ns, plan->tasks * sizeof *plan->start_ns);
    br_plan_destroy(plan);
    br_plan_destroy(same);
    random_job_finish(&job);
}

/* A proof ends the search at once, one by the exact solver, too. */
static void a_proof_ends_it(void **state)
{
    unsigned searched = 0;
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct random_job job = hard(seed, 2, 8, 1);
        struct br_plan_options options = br_plan_options_default();
        double seconds;
        options.time_limit_ns = 1000 * second_ns;
        struct br_plan *plan = make(&job, &options, &seconds);
        assert_true(seconds < 300);
        assert_int_equal(plan->makespan_ns, plan->lower_bound_ns);
        assert_null(br_plan_note(plan));
        searched += plan->counters.parts_bypassed < plan->counters.parts;
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    assert_true(searched > 0);
}

/* Stages in layers, on machines with four resources. */
static struct random_job large(uint32_t tasks, uint32_t machines)
{
    struct br_generate_options like = br_generate_options_default();
    struct random_job job = {NULL, br_cluster_create(NULL)};
    static const char *const capacity[][2] = {
        {"cpu", "16"}, {"mem", "68719476736"}, {"net", "1000"}, {"disk", "1000"}};
    like.kind = "layered";
    like.tasks = tasks;
    like.stages = 200;
    assert_int_equal(br_generate(&like, &job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", machines, NULL, NULL), BR_OK);
    for (size_t k = 0; k < sizeof capacity / sizeof *capacity; k++)
        assert_int_equal(
            br_cluster_add_capacity(job.cluster, 0, capacity[k][0], capacity[k][1], NULL), BR_OK);
    return job;
}

/* A large job: every baseline is tried before the rest of the time goes to searches. A machine
 * that others use gets more time. */
static void every_baseline_gets_its_turn(void **state)
{
    struct random_job job = large(200000, 100);
    uint32_t rows = 0;
    while (br_heuristic_at(rows))
        rows++;
    struct br_plan_options options = br_plan_options_default();
    for (options.time_limit_ns = 4 * second_ns;; options.time_limit_ns *= 2) {
        double seconds;
        clock_t before = clock();
        struct br_plan *plan = make(&job, &options, &seconds);
        double spent = (double)(clock() - before) / CLOCKS_PER_SEC;
        bool all = plan->trials == rows, searched = plan->counters.graphene_variants > 0;
        assert_true(plan->makespan_ns > plan->lower_bound_ns);
        br_plan_destroy(plan);
        if (all && searched)
            break;
        print_message("%.1f s of a processor in %.1f s were not enough\n", spent, seconds);
        assert_true(spent < 6 && options.time_limit_ns < 100 * second_ns);
    }
    random_job_finish(&job);
}

/* Moving to the left. */
struct moving {
    const struct br_instance *in;
    struct br_schedule *schedule;
    struct br_stop stop;
    double processor_s; /* what it took */
    bool done;
};

static void *move(void *argument)
{
    struct moving *m = argument;
    struct timespec began, ended;
    uint64_t moved;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &began);
    m->done = br_left_shift(m->schedule, m->in, false, &m->stop, &moved);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ended);
    m->processor_s =
        (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9;
    return NULL;
}

/* Moves a schedule, and raises the stop after so many seconds, or never where they are negative;
 * the makespan. */
static int64_t move_for(struct moving *m, double seconds)
{
    const struct timespec wait = {(time_t)seconds,
                                  (long)((seconds - (double)(time_t)seconds) * 1e9)};
    pthread_t thread;
    m->stop = (struct br_stop){0};
    assert_int_equal(pthread_create(&thread, NULL, move, m), 0);
    if (seconds >= 0) {
        nanosleep(&wait, NULL);
        br_stop_raise(&m->stop);
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(m->done);
    return m->schedule->makespan;
}

/* A stop that comes while tasks move to other machines ends that soon; what has been moved is kept,
 * and nothing is later for it. */
static void moving_left_ends_at_a_stop(void **state)
{
    struct random_job job = large(100000, 400);
    struct br_instance *in;
    struct br_reach reach;
    struct br_schedule first, schedule;
    assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
    assert_true(br_reach_init(&reach, in) && br_schedule_init(&first, in) &&
                br_schedule_init(&schedule, in));
    struct br_serial *serial = br_serial_create(in, &reach);
    int64_t *key = calloc(in->tasks, sizeof *key);
    for (uint32_t t = 0; t < in->tasks; t++)
        key[t] = (int64_t)((t * UINT64_C(0x9e3779b97f4a7c15)) % 1000);
    assert_true(br_serial_pass(serial, BR_BACKWARD, key, INT64_MAX, &first, NULL));
    struct moving m = {.in = in, .schedule = &schedule};
    br_schedule_copy(&schedule, &first);
    assert_true(move_for(&m, -1) <= first.makespan);
    const double whole_s = m.processor_s;
    br_schedule_copy(&schedule, &first);
    assert_true(move_for(&m, whole_s / 20) <= first.makespan);
    print_message("%.3f s of a processor, stopped %.3f\n", whole_s, m.processor_s);
    for (uint32_t t = 0; t < in->tasks; t++)
        assert_true(schedule.start[t] <= first.start[t]);
    assert_true(m.processor_s < whole_s / 2);
    free(key);
    br_serial_destroy(serial);
    br_schedule_finish(&first);
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_is_used_up),
        cmocka_unit_test(an_effort_ends_before_the_limit),
        cmocka_unit_test(a_proof_ends_it),
        cmocka_unit_test(every_baseline_gets_its_turn),
        cmocka_unit_test(moving_left_ends_at_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
