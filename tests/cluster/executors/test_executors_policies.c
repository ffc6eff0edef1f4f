/* The policies for executors: what each names first, how many executors it gives, and whose share
 * counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/executors/policy.h"
#include "tests/cluster/executors/executors_scene.h"

static const struct br_executors_row *row_named(const char *name)
{
    const uint32_t k = br_named_find(&br_executors_policies, name);
    assert_int_not_equal(k, BR_NO_ROW);
    return br_executors_policy(k);
}

/* The first stage that the row names with these jobs, of one stage each, all there at 0. */
static struct br_executors_choice first_choice(const char *name, double number,
                                               const struct stage *stage, uint32_t jobs)
{
    struct br_executors *sim = sim_of(10, false);
    struct br_executors_arrival arrival[4];
    const struct br_executors_row *row = row_named(name);
    void *policy;
    for (uint32_t j = 0; j < jobs; j++)
        arrival[j] = (struct br_executors_arrival){waves_of(&stage[j], 1, NULL, 0), 0, j, NULL, 0};
    const struct br_executors_setup setup = {.row = row, .number = number};
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    begin(sim, arrival, jobs, NULL);
    assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    assert_true(br_executors_next(sim));
    struct br_executors_choice choice = row->decide(policy, sim);
    row->destroy(policy);
    br_executors_destroy(sim);
    for (uint32_t j = 0; j < jobs; j++)
        br_waves_destroy((struct br_waves *)arrival[j].waves);
    return choice;
}

static void test_first_choices(void **state)
{
    /* Work 30, 10 and 60 s. */
    const struct stage stage[] = {
        {30, 1000, 1000, 1000}, {10, 1000, 1000, 1000}, {60, 1000, 1000, 1000}};
    struct br_executors_choice choice;
    (void)state;
    choice = first_choice("fifo", NAN, stage, 3);
    assert_int_equal(choice.stage, 0);
    assert_int_equal(choice.limit, 10);
    choice = first_choice("sjf-cp", NAN, stage, 3);
    assert_int_equal(choice.stage, 1);
    assert_int_equal(choice.limit, 10);
    choice = first_choice("fair", NAN, stage, 3);
    assert_int_equal(choice.limit, 4); /* a third of 10 */
    choice = first_choice("weighted-fair-naive", NAN, stage, 3);
    assert_int_equal(choice.stage, 0); /* all have 0 of their parts: the first */
    assert_int_equal(choice.limit, 3); /* 30 of 100 */
    choice = first_choice("weighted-fair", NAN, stage, 3);
    assert_int_equal(choice.limit, 3); /* (1/30) of (1/30 + 1/10 + 1/60): 2/9 of 10 */
    choice = first_choice("weighted-fair", 2, stage, 3);
    assert_int_equal(choice.limit, 2); /* 900 of 4600 */
    choice = first_choice("tetris", NAN, stage, 3);
    assert_int_equal(choice.stage, 2); /* it could take 60 */
    assert_int_equal(choice.limit, 10);
    /* The least work; on k executors 10 tasks take 10, 5, 4, 3, 2, ..., 2, 1 s. */
    choice = first_choice("bound", NAN, stage, 3);
    assert_int_equal(choice.stage, 1);
    assert_int_equal(choice.limit, 10); /* 1 x 10^0.85 is the least */
    choice = first_choice("bound", 2, stage, 3);
    assert_int_equal(choice.limit, 1); /* 10 x 1 is the least */
}

static void decide_by(const struct br_executors_row *row, void *policy, struct br_executors *sim,
                      uint32_t stage, uint32_t limit)
{
    struct br_executors_choice choice = row->decide(policy, sim);
    assert_int_equal(choice.stage, stage);
    assert_int_equal(choice.limit, limit);
    br_executors_decide(sim, choice.stage, choice.limit);
}

/* By jobs, each on one executor: first the job with less work, then the other, which has less than
 * its number. An executor whose own job has something to start stays, whatever the numbers. */
static void test_numbers_of_jobs(void **state)
{
    const struct stage a[] = {{1, 3000, 3000, 3000}, {4, 1000, 1000, 1000}};
    const struct stage b = {6, 9000, 9000, 9000};
    struct br_waves *waves[] = {waves_of(a, 2, NULL, 0), waves_of(&b, 1, NULL, 0)};
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 0, 8, NULL, 0}};
    const struct br_executors_row *row = row_named("bound");
    const struct br_executors_setup setup = {.row = row, .number = 2};
    struct br_executors *sim = sim_of(2, false);
    void *policy;
    (void)state;
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    begin(sim, jobs, 2, NULL);
    assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    expect(sim, 0, 2, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    decide_by(row, policy, sim, 0, 1);
    decide_by(row, policy, sim, 2, 1);
    expect(sim, 5000, 1, 0, 0);
    decide_by(row, policy, sim, 1, 2);
    row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* By stages: of the job with less work that with the longer path first, on 2 executors (3 x 2^0.85
 * is less than 6 x 1), then 4 for the 4 tasks of 1 s, then what is over for the next job. Those
 * that end go where the least work is left; or stay, where their own job has a stage with less than
 * its number. */
static void test_numbers_of_stages(void **state)
{
    const struct stage a[] = {{4, 1000, 1000, 1000}, {2, 3000, 3000, 3000}};
    const struct stage b = {6, 9000, 9000, 9000}, c = {1, 1, 1, 1};
    struct br_waves *waves[] = {waves_of(a, 2, NULL, 0), waves_of(&b, 1, NULL, 0),
                                waves_of(&c, 1, NULL, 0)};
    const struct br_executors_arrival jobs[] = {{waves[1], 0, 7, NULL, 0},
                                                {waves[0], 0, 8, NULL, 0},
                                                {waves[0], 0, 8, NULL, 0},
                                                {waves[2], 2500 * MS, 8, NULL, 0}};
    const struct br_executors_row *row = row_named("bound-stages");
    (void)state;
    const struct br_executors_setup setup = {.row = row, .number = NAN};
    for (int few = 0; few < 2; few++) {
        struct br_executors *sim = sim_of(few ? 2 : 8, false);
        void *policy;
        assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
        begin(sim, jobs, 4, NULL);
        assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
        expect(sim, 0, few ? 2 : 8, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
        decide_by(row, policy, sim, 2, 2);
        if (few) {
            expect(sim, 5000, 2, 1, 2);
            decide_by(row, policy, sim, 1, 2);
        } else {
            decide_by(row, policy, sim, 1, 6);
            decide_by(row, policy, sim, 4, 2);
            expect(sim, 3000, 4, 1, 1);
            decide_by(row, policy, sim, 5, 1);
            decide_by(row, policy, sim, 3, 6);
        }
        row->destroy(policy);
        br_executors_destroy(sim);
    }
    for (int k = 0; k < 3; k++)
        br_waves_destroy(waves[k]);
}

/* Where some have more than their number, or a part of it: who lacks some goes first, and gets what
 * it lacks; then who has the least more gets one; those whose job still has something all stay. */
static void test_more_than_numbers(void **state)
{
    const struct stage a[] = {{10, 9000, 9000, 9000}, {2, 1000, 1000, 1000}};
    struct br_waves *waves[] = {waves_of(a, 2, NULL, 0), waves_of(a, 1, NULL, 0)};
    const struct br_executors_arrival jobs[] = {
        {waves[0], 0, 7, NULL, 0}, {waves[1], 0, 8, NULL, 0}, {waves[1], 2500 * MS, 8, NULL, 0}};
    const struct br_executors_row *row = row_named("bound-stages");
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        /* The number of a stage is 1; or that of its tasks (9 x 10^0.85 is the least). */
        const struct br_executors_setup setup = {.row = row, .number = wide ? NAN : 2};
        struct br_executors *sim = sim_of(10, false);
        void *policy;
        assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
        begin(sim, jobs, 3, NULL);
        assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
        expect(sim, 0, 10, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
        br_executors_decide(sim, 0, 3);
        br_executors_decide(sim, 1, 5);
        br_executors_decide(sim, 2, 2);
        expect(sim, 2500, 3, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
        if (wide) {
            decide_by(row, policy, sim, 0, 12); /* 5 that the job has, and 7 that the stage lacks */
        } else {
            decide_by(row, policy, sim, 3, 1);
            decide_by(row, policy, sim, 2, 3);
            decide_by(row, policy, sim, 0, 6);
            expect(sim, 3000, 2, 0, 1);
            decide_by(row, policy, sim, 0, 10);
        }
        row->destroy(policy);
        br_executors_destroy(sim);
    }
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

/* Five executors are asked about while three wait for one of two stages behind the same parent. By
 * shares the other stage gets them, since it has fewer, and the share is of all executors, not of
 * those that are asked about. At random any of the two, and never more than there are. */
static void share_of_all(const char *name, uint32_t busy)
{
    const struct stage family[] = {
        {2, 20000, 20000, 20000}, {10, 9000, 9000, 9000}, {10, 9000, 9000, 9000}};
    const struct stage brief = {5, 1000, 1000, 1000};
    const uint32_t edge[][2] = {{0, 1}, {0, 2}};
    struct br_waves *waves[] = {waves_of(family, 3, edge, 2), waves_of(&brief, 1, NULL, 0)};
    const struct br_executors_arrival jobs[] = {{waves[0], 0, 7, NULL, 0},
                                                {waves[1], 0, 8, NULL, 0}};
    const struct br_executors_row *row = row_named(name);
    void *policy;
    const struct br_executors_setup setup = {.row = row, .number = NAN};
    struct br_executors *sim = sim_of(10, false);
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    begin(sim, jobs, 2, NULL);
    assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    expect(sim, 0, 10, BR_EXECUTORS_NONE, BR_EXECUTORS_NONE);
    br_executors_decide(sim, 0, 2);
    br_executors_decide(sim, busy, 5);
    br_executors_decide(sim, 3, 5);
    expect(sim, 3000, 5, 1, 3);
    assert_int_equal(sim->stage[busy].coming, 3);
    if (strcmp(name, "random") != 0) {
        decide_by(row, policy, sim, 3 - busy, 10);
    } else {
        uint32_t seen = 0;
        for (int k = 0; k < 400; k++) {
            struct br_executors_choice choice = row->decide(policy, sim);
            assert_true(choice.stage == 1 || choice.stage == 2);
            assert_true(choice.limit > 5 && choice.limit <= 10);
            seen |= 1u << (5 * (choice.stage - 1) + choice.limit - 6);
        }
        assert_int_equal(seen, 1023);
    }
    row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves[0]);
    br_waves_destroy(waves[1]);
}

static void test_shares_of_all(void **state)
{
    (void)state;
    for (uint32_t busy = 1; busy <= 2; busy++) {
        share_of_all("fair", busy);
        share_of_all("random", busy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_choices),     cmocka_unit_test(test_numbers_of_jobs),
        cmocka_unit_test(test_numbers_of_stages), cmocka_unit_test(test_more_than_numbers),
        cmocka_unit_test(test_shares_of_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
