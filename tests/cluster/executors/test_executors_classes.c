/* Executors of several sizes: cases that can be computed by hand, and random runs under every
 * policy, in which each task has to run where its stage fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/classes.h"
#include "cluster/executors/policy.h"

#define MS INT64_C(1000000)
#define NONE BR_EXECUTORS_NONE

/* Stages of so many tasks of 1 s that wait for nothing. */
static struct br_waves *waves_of(const uint32_t *tasks, uint32_t stages)
{
    const uint32_t ms[] = {1000, 1000};
    const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        waves->stage[s].tasks = tasks[s];
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

static struct br_executors *sim_of(uint32_t executors, const char *classes)
{
    struct br_executors_options options = {.executors = executors, .moving_ns = 2000 * MS};
    assert_int_equal(br_executors_classes_read(classes, &options, NULL), BR_OK);
    struct br_executors *sim = br_executors_create(&options);
    assert_non_null(sim);
    return sim;
}

static void expect(struct br_executors *sim, int64_t now_ms, uint32_t count, uint32_t job,
                   uint32_t cls)
{
    assert_true(br_executors_next(sim));
    assert_int_equal(sim->now_ns, now_ms * MS);
    assert_int_equal(sim->group.count, count);
    assert_int_equal(sim->group.job, job);
    assert_int_equal(sim->group.cls, cls);
}

static void test_read(void **state)
{
    struct br_executors_options options = {.executors = 11};
    (void)state;
    assert_int_equal(br_executors_classes_read("0.25,0.5,0.75,1", &options, NULL), BR_OK);
    assert_int_equal(options.classes, 4);
    assert_int_equal(options.cls[0].executors, 3);
    assert_int_equal(options.cls[2].executors, 3);
    assert_int_equal(options.cls[3].executors, 2);
    assert_true(options.cls[1].memory == 0.5);
    options.executors = 2;
    assert_int_equal(br_executors_classes_read("1,2,3", &options, NULL), BR_USAGE);
}

/* Small executors are asked about first, and cannot be sent to what is large for them. Those that
 * end a stage are asked about with others of their class alone. */
static void test_by_hand(void **state)
{
    const uint32_t tasks[] = {5, 2};
    const struct br_executor_request request[] = {{0.4, 0}, {0.8, 1}};
    struct br_waves *waves = waves_of(tasks, 2);
    struct br_executors *sim = sim_of(4, "0.5,1");
    struct br_outcome record;
    const struct br_executors_run run = {BR_NEVER, &record};
    const struct br_executors_arrival job = {.waves = waves, .seed = 7, .request = request};
    (void)state;
    assert_int_equal(br_executors_reset(sim, &job, 1, &run, NULL), BR_OK);
    expect(sim, 0, 2, NONE, 0);
    assert_true(br_executors_selectable(sim, 0));
    assert_false(br_executors_selectable(sim, 1));
    br_executors_decide(sim, 0, 4);
    assert_int_equal(sim->free, 2);
    expect(sim, 0, 2, NONE, 1);
    assert_true(br_executors_selectable(sim, 1));
    br_executors_decide(sim, 0, 3); /* one of the two */
    assert_int_equal(sim->group.count, 1);
    br_executors_decide(sim, 1, 4);
    /* At 2 s three begin stage 0 and one stage 1; at 3 s the small ones take the last of stage 0,
     * so the large one that was there with them finds nothing, alone of its class. */
    expect(sim, 3000, 1, 0, 1);
    assert_int_equal(sim->group.stage, 0);
    assert_int_equal(sim->stage[0].running, 2);
    br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    /* The other large one goes on in stage 1. Nothing is left for anybody. */
    assert_false(br_executors_next(sim));
    assert_int_equal(sim->now_ns, 4000 * MS);
    assert_int_equal(record.spans, 7);
    for (uint64_t k = 0; k < record.spans; k++)
        if (record.span[k].task >= 5)
            assert_int_equal(record.span[k].machine, 3);
    br_outcome_finish(&record);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* Idle executors of every class are asked about when a stage lets another one run, and are free
 * when their job ends. */
static void test_idle(void **state)
{
    const struct br_executor_request request[] = {{0.4, 0}, {0.4, 0}};
    const uint32_t ms[] = {1000, 1000};
    const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
    struct br_waves *waves = br_waves_create(2);
    struct br_executors *sim = sim_of(2, "0.5,1");
    const struct br_executors_arrival job = {.waves = waves, .seed = 7, .request = request};
    (void)state;
    for (uint32_t s = 0; s < 2; s++) {
        waves->stage[s].tasks = 3 - s;
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
    }
    assert_int_equal(br_waves_add_edge(waves, 0, 1, NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, &job, 1, NULL, NULL), BR_OK);
    expect(sim, 0, 1, NONE, 0);
    br_executors_decide(sim, 0, 1);
    expect(sim, 0, 1, NONE, 1);
    br_executors_decide(sim, 0, 2);
    /* The small one has taken the last task. */
    expect(sim, 3000, 1, 0, 1);
    br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    assert_int_equal(sim->job[0].idle, 1);
    expect(sim, 4000, 1, 0, 0);
    br_executors_decide(sim, 1, 1);
    expect(sim, 4000, 1, 0, 1);
    br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    assert_int_equal(sim->job[0].idle, 1);
    assert_false(br_executors_next(sim));
    assert_int_equal(sim->now_ns, 6000 * MS);
    assert_int_equal(sim->free, 2);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* ---- Every policy ---- */

enum { JOBS = 10, EXECUTORS = 9, STAGES = 6 };

struct crowd {
    struct br_executors_arrival job[JOBS];
    struct br_executor_request request[JOBS][STAGES];
};

static void draw_crowd(struct crowd *crowd, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t j = 0; j < JOBS; j++) {
        uint32_t stages = 1 + (uint32_t)br_rng_below(&rng, STAGES);
        struct br_waves *waves = br_waves_create(stages);
        assert_non_null(waves);
        for (uint32_t s = 0; s < stages; s++) {
            const uint32_t ms[] = {1 + (uint32_t)br_rng_below(&rng, 3000), 500};
            const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
            waves->stage[s].tasks = 1 + (uint32_t)br_rng_below(&rng, 12);
            assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
            for (uint32_t p = 0; p < s; p++)
                if (br_rng_below(&rng, 3) == 0)
                    assert_int_equal(br_waves_add_edge(waves, p, s, NULL), BR_OK);
            uint32_t cls = (uint32_t)br_rng_below(&rng, 3);
            crowd->request[j][s] = (struct br_executor_request){0.3 * (cls + 1), cls};
        }
        assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
        crowd->job[j] = (struct br_executors_arrival){
            .waves = waves, .arrival_ns = j * 1500 * MS, .seed = j, .request = crowd->request[j]};
    }
}

/* Each task once, one at a time on an executor, and never on one that is too small. */
static void judge(const struct crowd *crowd, const struct br_outcome *record)
{
    uint64_t tasks = 0;
    for (uint32_t j = 0; j < JOBS; j++)
        tasks += crowd->job[j].waves->tasks;
    assert_int_equal(record->spans, tasks);
    for (uint64_t k = 0; k < record->spans; k++) {
        const struct br_span *span = &record->span[k];
        const struct br_waves *waves = crowd->job[span->job].waves;
        uint32_t stage = 0, task = span->task;
        for (; task >= waves->stage[stage].tasks; stage++)
            task -= waves->stage[stage].tasks;
        assert_true(crowd->request[span->job][stage].cls <= span->machine / 3);
        for (uint64_t i = 0; i < k; i++) {
            const struct br_span *other = &record->span[i];
            assert_false(other->job == span->job && other->task == span->task);
            if (other->machine == span->machine)
                assert_true(other->end_ns <= span->start_ns);
        }
    }
}

/* The counts that are seen agree with each other and with the group. */
static void check_view(const struct br_executors *sim)
{
    uint32_t bound = 0, moving = 0;
    bool any = false;
    for (uint32_t j = 0; j < sim->jobs; j++) {
        bound += sim->job[j].executors;
        moving += sim->job[j].coming;
        assert_true(sim->job[j].leaving <= sim->job[j].executors);
    }
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        any |= br_executors_selectable(sim, sim->ready[k]);
    assert_true(any);
    assert_true(bound + sim->free <= EXECUTORS);
    assert_true(bound + sim->free + moving >= EXECUTORS);
    assert_uint_in_range(sim->group.count, 1, EXECUTORS / 3);
    if (sim->group.job == NONE)
        assert_true(sim->group.count <= sim->free);
    else
        assert_true(sim->group.count <= sim->job[sim->group.job].executors);
}

static void run_policy(struct br_executors *sim, const struct br_executors_row *row, uint64_t seed)
{
    struct crowd crowd;
    struct br_outcome record;
    const struct br_executors_run run = {BR_NEVER, &record};
    const uint32_t order[JOBS] = {5, 6, 7, 8, 9, 0, 1, 2, 3, 4};
    const struct br_executors_setup setup = {
        .row = row, .seed = seed, .number = NAN, .order = order};
    void *policy;
    draw_crowd(&crowd, seed);
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, crowd.job, JOBS, &run, NULL), BR_OK);
    if (row->begin)
        assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    while (br_executors_next(sim)) {
        check_view(sim);
        struct br_executors_choice choice = row->decide(policy, sim);
        br_executors_decide(sim, choice.stage, choice.limit);
    }
    assert_int_equal(sim->ended_jobs, JOBS);
    judge(&crowd, &record);
    row->destroy(policy);
    br_outcome_finish(&record);
    for (uint32_t j = 0; j < JOBS; j++)
        br_waves_destroy((struct br_waves *)crowd.job[j].waves);
}

static void test_policies(void **state)
{
    struct br_executors *sim = sim_of(EXECUTORS, "0.3,0.6,0.9");
    (void)state;
    for (uint32_t k = 0; br_executors_policy(k); k++)
        for (uint64_t seed = 1; seed <= 8; seed++)
            run_policy(sim, br_executors_policy(k), seed);
    br_executors_destroy(sim);
}

/* ---- What each policy prefers ---- */

/* The stage of one job that the row names first for executors of the class. */
static uint32_t first_choice(const char *name, double trouble, uint32_t cls)
{
    const uint32_t tasks[] = {9, 2, 4, 3};
    const struct br_executor_request request[] = {{0.1, 0}, {0.4, 1}, {0.5, 1}, {0.9, 2}};
    struct br_waves *waves = waves_of(tasks, 4);
    struct br_executors *sim = sim_of(EXECUTORS, "0.3,0.6,0.9");
    const struct br_executors_arrival job = {.waves = waves, .seed = 1, .request = request};
    const struct br_executors_row *row = NULL;
    struct br_executors_choice choice = {NONE, 0};
    void *policy;
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (strcmp(br_executors_policy(k)->named.name, name) == 0)
            row = br_executors_policy(k);
    assert_non_null(row);
    const struct br_executors_setup setup = {.row = row, .number = NAN, .trouble = trouble};
    assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, &job, 1, NULL, NULL), BR_OK);
    assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
    while (choice.stage == NONE && br_executors_next(sim)) {
        if (sim->group.cls == cls)
            choice = row->decide(policy, sim);
        else
            br_executors_decide(sim, BR_EXECUTORS_STAY, 0);
    }
    row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
    return choice.stage;
}

static void test_first_choices(void **state)
{
    (void)state;
    /* The most memory of what fits; fifo and shares: what the class fits best, then by number, or
     * the fewest executors, which all have. */
    assert_int_equal(first_choice("tetris", 0, 0), 0);
    assert_int_equal(first_choice("tetris", 0, 1), 2);
    assert_int_equal(first_choice("tetris", 0, 2), 3);
    assert_int_equal(first_choice("fifo", 0, 1), 1);
    assert_int_equal(first_choice("fair", 0, 1), 1);
    assert_int_equal(first_choice("fair", 0, 2), 3);
    assert_int_equal(first_choice("bound", 0, 1), 1);
    assert_int_equal(first_choice("graphene", 0.5, 1), 1);
}

/* Stages 0 and 2 ask for 0.6 of the largest; 2 waits for 1, and 3 lasts the longest. Where 0.6 is
 * troublesome, 0 and 3 wait until 2 can be named, and 1 goes first; else only 3 is, and 0 goes. */
static void test_trouble(void **state)
{
    const struct br_executor_request request[] = {{0.6, 0}, {0.1, 0}, {0.6, 0}, {0.1, 0}};
    struct br_waves *waves = br_waves_create(4);
    struct br_executors *sim = sim_of(4, "1");
    const struct br_executors_arrival job = {.waves = waves, .seed = 1, .request = request};
    const struct br_executors_row *row = NULL;
    (void)state;
    for (uint32_t s = 0; s < 4; s++) {
        const uint32_t ms[] = {s == 3 ? 20000 : 1000, s == 3 ? 20000 : 1000};
        const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
        waves->stage[s].tasks = 4;
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
    }
    assert_int_equal(br_waves_add_edge(waves, 1, 2, NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (strcmp(br_executors_policy(k)->named.name, "graphene") == 0)
            row = br_executors_policy(k);
    assert_non_null(row);
    for (uint32_t first = 0; first < 2; first++) {
        const struct br_executors_setup setup = {
            .row = row, .number = NAN, .trouble = first == 1 ? 0.5 : 0.75};
        void *policy;
        assert_int_equal(row->create(&setup, &policy, NULL), BR_OK);
        assert_int_equal(br_executors_reset(sim, &job, 1, NULL, NULL), BR_OK);
        assert_int_equal(row->begin(policy, sim, NULL), BR_OK);
        assert_true(br_executors_next(sim));
        assert_int_equal(row->decide(policy, sim).stage, first);
        row->destroy(policy);
    }
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),     cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_policies), cmocka_unit_test(test_first_choices),
        cmocka_unit_test(test_trouble),  cmocka_unit_test(test_idle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
