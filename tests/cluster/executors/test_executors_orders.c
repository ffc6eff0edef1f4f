/* The best order of jobs: by hand, and against all of them tried one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/executors/orders.h"

#define S INT64_C(1000000000)
enum { MOST = 6 };

/* A job of stages in a row, with so many tasks that last so many ms. */
static struct br_waves *waves_of(uint32_t stages, const uint32_t *tasks, const uint32_t *ms)
{
    struct br_waves *waves = br_waves_create(stages);
    assert_non_null(waves);
    for (uint32_t s = 0; s < stages; s++) {
        const uint32_t both[] = {ms[s], ms[s]};
        const struct br_wave_measured measured = {5, {1, 2, 1}, {both, both, both}};
        waves->stage[s].tasks = tasks[s];
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
        if (s)
            assert_int_equal(br_waves_add_edge(waves, s - 1, s, NULL), BR_OK);
    }
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    return waves;
}

static const struct br_executors_row *search_row(void)
{
    const struct br_executors_row *row = NULL;
    for (uint32_t k = 0; br_executors_policy(k); k++)
        if (br_executors_policy(k)->orders)
            row = br_executors_policy(k);
    assert_non_null(row);
    assert_string_equal(row->named.name, "order-search");
    return row;
}

static int64_t cost_of(const struct br_orders_request *request, const uint32_t *order)
{
    const struct br_executors_setup setup = {.row = request->row, .number = NAN, .order = order};
    struct br_executors *sim = br_executors_create(request->options);
    void *policy;
    assert_non_null(sim);
    assert_int_equal(request->row->create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, request->arrival, request->jobs, NULL, NULL), BR_OK);
    assert_int_equal(br_executors_follow(sim, request->row, policy, NULL), BR_OK);
    int64_t cost = sim->jobs_time_ns;
    request->row->destroy(policy);
    br_executors_destroy(sim);
    return cost;
}

/* The 24 orders of four jobs ascend as words, from the first to the last. */
static void test_words(void **state)
{
    uint32_t last[4] = {0}, order[4];
    (void)state;
    for (uint32_t k = 0; k < 24; k++) {
        uint32_t seen = 0, at = 0;
        br_executors_order(k, 4, order);
        for (uint32_t j = 0; j < 4; j++)
            seen |= 1u << order[j];
        assert_int_equal(seen, 15);
        while (k && at < 4 && order[at] == last[at])
            at++;
        assert_true(k == 0 || (at < 4 && order[at] > last[at]));
        memcpy(last, order, sizeof last);
    }
    br_executors_order(23, 4, order);
    assert_int_equal(order[0], 3);
    assert_int_equal(order[3], 0);
}

/* One executor, nothing to move: the shortest first, 1 + 3 + 6 s. Of equal jobs, by number. */
static void test_by_hand(void **state)
{
    const struct br_executors_options options = {.executors = 1, .simple = true};
    const uint32_t one = 1, ms[] = {3000, 1000, 2000};
    struct br_executors_arrival arrival[3] = {{0}};
    struct br_orders_request request = {
        .options = &options, .arrival = arrival, .row = search_row(), .jobs = 3, .threads = 1};
    uint32_t order[BR_ORDERS_JOBS];
    (void)state;
    for (uint32_t j = 0; j < 3; j++)
        arrival[j].waves = waves_of(1, &one, &ms[j]);
    assert_int_equal(br_executors_best_order(&request, order, NULL), BR_OK);
    assert_int_equal(order[0], 1);
    assert_int_equal(order[1], 2);
    assert_int_equal(order[2], 0);
    assert_int_equal(cost_of(&request, order), 10 * S);
    br_executors_order(0, 3, order);
    assert_int_equal(cost_of(&request, order), (3 + 4 + 6) * S);
    const struct br_executors_arrival equal[] = {arrival[2], arrival[2], arrival[2]};
    request.arrival = equal;
    assert_int_equal(br_executors_best_order(&request, order, NULL), BR_OK);
    assert_int_equal(order[0] * 9 + order[1] * 3 + order[2], 5);
    const struct br_executors_setup none = {.row = request.row, .number = NAN};
    void *policy;
    assert_int_equal(request.row->create(&none, &policy, NULL), BR_USAGE);
    assert_null(policy);
    request.jobs = BR_ORDERS_JOBS + 1;
    assert_int_equal(br_executors_best_order(&request, order, NULL), BR_USAGE);
    for (uint32_t j = 0; j < 3; j++)
        br_waves_destroy((struct br_waves *)arrival[j].waves);
}

/* Within a job the longest path goes first: stage 1, since 2 waits for it. */
static void test_path(void **state)
{
    const struct br_executors_options options = {.executors = 1, .simple = true};
    const uint32_t order[] = {0}, ms[] = {2000, 2000};
    const struct br_wave_measured measured = {5, {1, 2, 1}, {ms, ms, ms}};
    struct br_waves *waves = br_waves_create(3);
    struct br_executors *sim = br_executors_create(&options);
    const struct br_executors_arrival arrival = {.waves = waves};
    const struct br_executors_setup setup = {.row = search_row(), .number = NAN, .order = order};
    void *policy;
    (void)state;
    for (uint32_t s = 0; s < 3; s++) {
        waves->stage[s].tasks = 1;
        assert_int_equal(br_waves_add(waves, s, &measured, NULL), BR_OK);
    }
    assert_int_equal(br_waves_add_edge(waves, 1, 2, NULL), BR_OK);
    assert_int_equal(br_waves_finish(waves, NULL), BR_OK);
    assert_int_equal(setup.row->create(&setup, &policy, NULL), BR_OK);
    assert_int_equal(br_executors_reset(sim, &arrival, 1, NULL, NULL), BR_OK);
    assert_int_equal(setup.row->begin(policy, sim, NULL), BR_OK);
    assert_true(br_executors_next(sim));
    assert_int_equal(setup.row->decide(policy, sim).stage, 1);
    setup.row->destroy(policy);
    br_executors_destroy(sim);
    br_waves_destroy(waves);
}

/* Nothing is below the order that is found, for any number of threads; it is the first of the best;
 * and the shortest first is often not among these. */
static void test_all(void **state)
{
    uint32_t sjf_is_worse = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        const struct br_executors_options options = {
            .executors = 4, .simple = seed % 2, .moving_ns = seed % 2 ? 0 : 2 * S};
        struct br_executors_arrival arrival[MOST] = {{0}};
        struct br_orders_request request = {
            .options = &options, .arrival = arrival, .row = search_row(), .jobs = MOST - 1};
        uint32_t order[3][MOST], best[MOST] = {0}, next[MOST];
        int64_t least = INT64_MAX;
        for (uint32_t j = 0; j < request.jobs; j++) {
            uint32_t tasks[3], ms[3];
            for (int s = 0; s < 3; s++) {
                tasks[s] = 1 + (uint32_t)br_rng_below(&rng, 6);
                ms[s] = 500 * (1 + (uint32_t)br_rng_below(&rng, 6));
            }
            arrival[j].waves = waves_of(3, tasks, ms);
            arrival[j].seed = j;
        }
        for (uint32_t k = 0; k < 120; k++) {
            br_executors_order(k, request.jobs, next);
            int64_t cost = cost_of(&request, next);
            if (cost < least)
                memcpy(best, next, sizeof best);
            least = cost < least ? cost : least;
        }
        for (uint32_t t = 0; t < 3; t++) {
            request.threads = 1 + 2 * t;
            assert_int_equal(br_executors_best_order(&request, order[t], NULL), BR_OK);
            assert_memory_equal(order[t], best, request.jobs * sizeof *best);
        }
        for (uint32_t k = 1; k < request.jobs; k++)
            if (arrival[best[k]].waves->work_us < arrival[best[k - 1]].waves->work_us) {
                sjf_is_worse++;
                break;
            }
        for (uint32_t j = 0; j < request.jobs; j++)
            br_waves_destroy((struct br_waves *)arrival[j].waves);
    }
    assert_uint_in_range(sjf_is_worse, 3, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_path),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
