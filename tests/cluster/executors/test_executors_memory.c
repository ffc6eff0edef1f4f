/* The memory of the simulator of executors: none is taken while it runs, nor by a run that is no
 * larger than one before; and where memory is out, that is told and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "cluster/executors/policy.h"
#include "tests/support/takings.h"

enum { JOBS = 6 };
static const struct br_executors_options options = {.executors = 4, .moving_ns = 2000000000};

static struct br_waves *waves_of(uint32_t stages)
{
    const uint32_t ms[] = {700, 900};
    const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
    struct br_waves *waves = br_waves_create(stages);
    enum br_status status = waves ? BR_OK : BR_SYSTEM;
    for (uint32_t s = 0; s < stages && !status; s++) {
        waves->stage[s].tasks = 3 + s;
        status = br_waves_add(waves, s, &measured, NULL);
        if (!status && s)
            status = br_waves_add_edge(waves, s / 2, s, NULL);
    }
    if (!status)
        status = br_waves_finish(waves, NULL);
    if (!status)
        return waves;
    br_waves_destroy(waves);
    return NULL;
}

static enum br_status run(struct br_executors *sim, const struct br_waves *waves,
                          struct br_outcome *record, uint32_t *while_running)
{
    const struct br_executors_row *row = br_executors_policy(0);
    const struct br_executors_setup setup = {.row = row};
    const struct br_executors_run how = {BR_NEVER, record};
    struct br_executors_arrival jobs[JOBS];
    void *policy = NULL;
    for (uint32_t j = 0; j < JOBS; j++)
        jobs[j] = (struct br_executors_arrival){waves, j * INT64_C(500000000), j, NULL, 0};
    enum br_status status = br_executors_reset(sim, jobs, JOBS, &how, NULL);
    if (!status)
        status = row->create(&setup, &policy, NULL);
    if (!status)
        status = row->begin(policy, sim, NULL);
    uint32_t before = taken;
    while (!status && br_executors_next(sim)) {
        struct br_executors_choice choice = row->decide(policy, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    *while_running = taken - before;
    if (!status)
        status = br_executors_status(sim);
    if (policy)
        row->destroy(policy);
    return status;
}

static void test_none_while_running(void **state)
{
    struct br_waves *large = waves_of(9), *small = waves_of(3);
    struct br_executors *sim = br_executors_create(&options);
    uint32_t while_running;
    (void)state;
    assert_int_equal(run(sim, small, NULL, &while_running), BR_OK);
    assert_int_equal(while_running, 0);
    assert_int_equal(sim->ended_jobs, JOBS);
    assert_int_equal(run(sim, large, NULL, &while_running), BR_OK);
    assert_int_equal(while_running, 0);
    uint32_t before = taken;
    assert_int_equal(run(sim, large, NULL, &while_running), BR_OK);
    assert_uint_in_range(taken - before, 0, 4); /* of the policy alone */
    before = taken;
    const struct br_executors_arrival job = {small, 0, 1, NULL, 0};
    assert_int_equal(br_executors_reset(sim, &job, 1, NULL, NULL), BR_OK);
    assert_int_equal(taken, before);
    br_executors_destroy(sim);
    br_waves_destroy(small);
    br_waves_destroy(large);
}

/* All of it with each taking refused in turn. True: nothing had to be refused. */
static bool attempt(uint32_t k)
{
    struct br_outcome record = {0};
    uint32_t while_running;
    enum br_status status = BR_SYSTEM;
    taken = 0;
    refuse = k;
    struct br_waves *waves = waves_of(9);
    struct br_executors *sim = waves ? br_executors_create(&options) : NULL;
    if (sim)
        status = run(sim, waves, &record, &while_running);
    bool all = taken <= k;
    refuse = UINT32_MAX;
    assert_int_equal(status, all ? BR_OK : BR_SYSTEM);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
    return all;
}

static void test_refusals(void **state)
{
    uint32_t k = 0;
    (void)state;
    while (!attempt(k))
        k++;
    assert_uint_in_range(k, 20, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_while_running),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
