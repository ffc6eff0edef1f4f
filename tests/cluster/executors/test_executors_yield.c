/* Executors that yield: those that end a task are asked about where a job has come since they were
 * placed, once each; and policies that share give up what is beyond a job's part. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cluster/executors/policy.h"
#include "tests/cluster/executors/executors_scene.h"

#define NONE BR_EXECUTORS_NONE

/* Two executors run the first two of four tasks when a job comes. As each ends its task, it is
 * asked about: the first goes to the new job, the second stays, runs what is left as one that never
 * left its stage (0.5 s), and is not asked about again. */
static void once_after_an_arrival(void **state)
{
    const struct stage a = {4, 1000, 900, 500}, b = {1, 10, 10, 10};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(2, true);
    struct br_outcome record;
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, &record);
    expect(sim, 0, 2, NONE, NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 3000, 1, 0, NONE);
    assert_int_equal(br_executors_held(sim, 0), 1);
    br_executors_decide(sim, 1, 1);
    expect(sim, 3000, 1, 0, NONE);
    br_executors_decide(sim, 0, 9);
    assert_false(br_executors_next(sim));
    assert_int_equal(record.end_ns[0], 4000 * MS);
    assert_int_equal(record.end_ns[1], 5010 * MS);
    assert_int_equal(sim->moves, 3);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* One that does not yield stays until its stage is used up, whoever comes. */
static void not_unless_they_yield(void **state)
{
    const struct stage a = {4, 1000, 900, 500}, b = {1, 10, 10, 10};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(2, false);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 2, NONE, NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 3500, 2, 0, 0);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* A third executor is sent for the last task of three. So nobody could be sent back to the stage:
 * the first that ends runs that task at once, and the second is asked about as all are whose stage
 * has none left. */
static void not_where_others_come_for_all(void **state)
{
    const struct stage a = {3, 1000, 1000, 1000}, b = {5, 10, 10, 10};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(3, true);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 3, NONE, NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 2500, 1, NONE, NONE);
    br_executors_decide(sim, 0, 3);
    assert_int_equal(br_executors_need(&sim->stage[0]), 0);
    expect(sim, 3000, 2, 0, 0);
    assert_int_equal(sim->stage[0].started, 3);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* What was promised before a job came is kept, and asked about after its first task: nobody thought
 * of that job when it was promised. Where none has come it is not. */
static void promises_have_not_heard(void **state)
{
    const struct stage a = {3, 1000, 3000, 3000}, b = {9, 1000, 1000, 1000}, c = {1, 10, 10, 10};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0),
                                waves_of(&c, 1, NULL, 0)};
    struct br_executors *sim = sim_of(2, true);
    (void)state;
    for (int comes = 0; comes < 2; comes++) {
        const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                    {waves[1], 0, 8, NULL, 0},
                                                    {waves[2], 5500 * MS, 9, NULL, 0}};
        begin(sim, jobs, comes ? 3 : 2, NULL);
        expect(sim, 0, 2, NONE, NONE);
        br_executors_decide(sim, 0, 2);
        expect(sim, 3000, 2, 0, 0); /* one that has ended, and one that runs the third task */
        br_executors_decide(sim, 1, 2);
        if (!comes) {
            assert_false(br_executors_next(sim));
            continue;
        }
        expect(sim, 6000, 1, 1, NONE); /* the first has run a task of b when c is there */
        br_executors_decide(sim, 1, 2);
        expect(sim, 9000, 1, 1, NONE); /* the other, by its promise at b since 8 s */
        assert_int_equal(sim->job[1].executors, 2);
    }
    br_executors_destroy(sim);
    for (int k = 0; k < 3; k++)
        br_waves_destroy(waves[k]);
}

/* One that was asked about since its stage had none left, when the job had come, has heard of it.
 */
static void who_leaves_has_heard(void **state)
{
    const struct stage a = {3, 1000, 3000, 3000}, b = {9, 1000, 1000, 1000};
    struct br_waves *waves[] = {waves_of(&a, 1, NULL, 0), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(2, true);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    (void)state;
    begin(sim, jobs, 2, NULL);
    expect(sim, 0, 2, NONE, NONE);
    br_executors_decide(sim, 0, 2);
    expect(sim, 3000, 1, 0, NONE); /* it runs the third task till 6 s, so the other leaves */
    br_executors_decide(sim, 0, 2);
    expect(sim, 3000, 2, 0, 0);
    br_executors_decide(sim, 1, 1);
    expect(sim, 6000, 1, NONE, NONE); /* the job has ended; the other is at b since 5 s */
    assert_int_equal(sim->ended_jobs, 1);
    br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    assert_false(br_executors_next(sim));
    assert_int_equal(sim->ended_jobs, 2);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* Four executors run a long job of two stages when another comes. How many the first has a while
 * later. */
static uint32_t kept_by(const char *name, double number, uint32_t tasks_of_other, bool yields)
{
    const struct stage a[] = {{8, 1000, 1000, 1000}, {100, 1000, 1000, 1000}};
    const struct stage b = {tasks_of_other, 1000, 1000, 1000};
    const uint32_t edge[][2] = {{0, 1}};
    struct br_waves *waves[] = {waves_of(a, 2, edge, 1), waves_of(&b, 1, NULL, 0)};
    struct br_executors *sim = sim_of(4, yields);
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 2500 * MS, 8, NULL, 0}};
    const struct br_executors_row *row = br_executors_policy(0);
    void *policy;
    for (uint32_t k = 1; strcmp(row->named.name, name) != 0; row = br_executors_policy(k++))
        assert_non_null(row);
    const struct br_executors_setup setup = {.row = row, .number = number};
    const struct br_executors_run run = {.until_ns = 9000 * MS};
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, jobs, 2, &run, NULL), BR_OK);
    assert_int_equal(br_executors_follow(sim, row, policy, NULL), BR_OK);
    uint32_t kept = sim->job[0].executors;
    assert_int_equal(kept + sim->job[1].executors, 4);
    row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
    return kept;
}

/* Parts are halves; by work^-1 as well, where the jobs are equal. Four are the number of each job
 * by its bound, and go to the one with less work left. */
static void policies_give_up_what_is_beyond_a_part(void **state)
{
    (void)state;
    assert_int_equal(kept_by("fair", 0, 108, false), 4);
    assert_int_equal(kept_by("fair", 0, 108, true), 2);
    assert_int_equal(kept_by("weighted-fair", -1, 108, true), 2);
    assert_int_equal(kept_by("graphene", -1, 108, true), 2);
    assert_int_equal(kept_by("bound", 0.85, 20, false), 4);
    assert_int_equal(kept_by("bound", 0.85, 20, true), 0);
    assert_int_equal(kept_by("bound", 0.85, 108, true), 4);
}

/* Each job's number is one executor. The first job has three, and the other one: its executors
 * stay, since no job has less than its number. */
static void nobody_leaves_for_a_job_that_has_its_number(void **state)
{
    const struct stage one = {100, 1000, 1000, 1000};
    struct br_waves *waves = waves_of(&one, 1, NULL, 0);
    struct br_executors *sim = sim_of(4, true);
    const struct br_executors_arrival jobs[] = {{waves, 0, 7, NULL, 0},
                                                {waves, 2500 * MS, 8, NULL, 0}};
    const struct br_executors_row *row = br_executors_policy(0);
    void *policy;
    (void)state;
    for (uint32_t k = 1; strcmp(row->named.name, "bound") != 0; row = br_executors_policy(k++))
        assert_non_null(row);
    const struct br_executors_setup setup = {.row = row, .number = 2};
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    begin(sim, jobs, 2, NULL);
    assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    expect(sim, 0, 4, NONE, NONE);
    br_executors_decide(sim, 0, 3);
    expect(sim, 2500, 1, NONE, NONE);
    br_executors_decide(sim, 1, 1);
    expect(sim, 3000, 1, 0, NONE);
    assert_int_equal(row->decide(policy, sim).stage, 0);
    row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once_after_an_arrival),
        cmocka_unit_test(not_where_others_come_for_all),
        cmocka_unit_test(not_unless_they_yield),
        cmocka_unit_test(who_leaves_has_heard),
        cmocka_unit_test(nobody_leaves_for_a_job_that_has_its_number),
        cmocka_unit_test(promises_have_not_heard),
        cmocka_unit_test(policies_give_up_what_is_beyond_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
