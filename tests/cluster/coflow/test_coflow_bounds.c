/* Bounds of coflows: optima that are proven by hand, and on random traces never above the best of
 * all orders. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "cluster/coflow/bounds/order_bound.h"
#include "cluster/coflow/fabric/rates.h"
#include "cluster/coflow/fabric/state.h"
#include "tests/cluster/coflow/traces.h"

/* ---- The bound against all orders ---- */

enum { ORDERED_MOST = 4 };
static uint32_t order[ORDERED_MOST], orders;

static enum br_status order_create(const struct br_coflow_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    (void)diag;
    *policy = setup->fabric;
    return BR_OK;
}

static void order_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    (void)policy;
    (void)event;
    (void)coflow;
}

static void order_decide(void *policy)
{
    struct br_fabric *fabric = policy;
    for (uint32_t k = 0; k < orders; k++)
        if (fabric->coflow[order[k]].up_bits)
            br_rates_madd(fabric, order[k]);
    for (uint32_t k = 0; k < orders; k++)
        if (fabric->coflow[order[k]].up_bits) {
            br_rates_fill(fabric, order[k]);
            br_rates_order(fabric, &order[k], 1);
        }
}

static void order_destroy(void *policy)
{
    (void)policy;
}

static void try_orders(const struct br_coflows *trace, uint32_t from, double *best)
{
    static const struct br_coflow_row row = {.named = {"order", NULL},
                                             .told = true,
                                             .create = order_create,
                                             .event = order_event,
                                             .decide = order_decide,
                                             .destroy = order_destroy};
    if (from < orders && from < ORDERED_MOST) {
        for (uint32_t k = from; k < orders && k < ORDERED_MOST; k++) {
            uint32_t one = order[from];
            order[from] = order[k];
            order[k] = one;
            try_orders(trace, from + 1, best);
            order[k] = order[from];
            order[from] = one;
        }
        return;
    }
    struct br_coflow_outcome outcome;
    struct br_coflow_options options = {.policy = {.row = &row}, .clock = BR_CLOCK_EXACT};
    struct br_diag diag = {0};
    double sum = 0;
    assert_int_equal(br_coflow_simulate(trace, &options, &outcome, &diag), BR_OK);
    for (uint32_t c = 0; c < trace->coflows; c++)
        sum += outcome.end_ms[c] - outcome.start_ms[c];
    *best = fmin(*best, sum / trace->coflows / 1000);
    br_coflow_outcome_finish(&outcome);
}

/* The bound is never above the best of all orders, and comes near it. */
static void test_bound(void **state)
{
    (void)state;
    double ratios = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct br_coflows *trace = random_coflows(seed, seed + 7, ORDERED_MOST);
        struct br_coflow_bound bound;
        struct br_coflow_options options = {.clock = BR_CLOCK_EXACT};
        double best = INFINITY;
        orders = trace->coflows;
        for (uint32_t k = 0; k < orders; k++)
            order[k] = k;
        try_orders(trace, 0, &best);
        bound_of(trace, &options, 100, &bound);
        if (bound.average_cct_s > best * (1 + 1e-9))
            fail_msg("bound %.9f above %.9f (seed %llu)", bound.average_cct_s, best,
                     (unsigned long long)seed);
        ratios += bound.average_cct_s / best;
        br_coflows_destroy(trace);
    }
    assert_true(ratios / 200 > 0.93);
}

/* Proven optima: 6, 46 and 12 units in all. */
static void test_proven(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double units;
    } cases[] = {{small_two, 6}, {small_three, 46}, {small_later, 12}};
    for (size_t k = 0; k < 3; k++) {
        struct br_coflows *trace = tiny_trace(cases[k].text);
        struct br_coflow_bound bound;
        struct br_coflow_options options = {.clock = BR_CLOCK_EXACT};
        bound_of(trace, &options, 100, &bound);
        double units = bound.average_cct_s * trace->coflows * 125;
        if (fabs(units - cases[k].units) > 1e-6)
            fail_msg("%.9f units are proven, not %.0f", units, cases[k].units);
        br_coflows_destroy(trace);
    }
}

/* 3 MiB from two senders are two flows of two in epochs, and what comes before the epoch's end has
 * been there from its beginning. */
static void test_bound_in_epochs(void **state)
{
    (void)state;
    struct br_coflows *trace = tiny_trace("3 1\n1 10250 2 0 1 1 2:3\n");
    struct br_coflow_options options = {.clock = BR_CLOCK_EPOCHS};
    struct br_coflow_bound bound;
    bound_of(trace, &options, 30, &bound);
    assert_true(fabs(bound.average_cct_s - 0.032) < 1e-9);
    options.clock = BR_CLOCK_EXACT;
    bound_of(trace, &options, 30, &bound);
    assert_true(fabs(bound.average_cct_s - 0.024) < 1e-9);
    br_coflows_destroy(trace);
}

/* ---- The bound of the order, from weights ---- */

static enum br_status order_bound_of(const struct br_coflows *trace, struct br_order_proof *proof,
                                     double *units)
{
    struct br_coflow_options options = {.clock = BR_CLOCK_EXACT};
    struct br_coflow_parts parts;
    struct br_diag diag = {0};
    double mean_s = NAN;
    assert_int_equal(br_coflow_parts_make(trace, &options, &parts, &diag), BR_OK);
    enum br_status status = br_coflow_order_bound(&parts, proof, &mean_s, &diag);
    *units = mean_s * trace->coflows * 125;
    br_coflow_parts_finish(&parts);
    return status;
}

/* Downlinks 2 and 3 of six ports are 8 and 9. With half of the first coflow's weight at each, its
 * 10 behind the others cost 6 each time, in front of them 10: 10 + 12 + 12 + 6 + 6. */
static void test_order_by_hand(void **state)
{
    (void)state;
    struct br_order_row rows[] = {{0, 8, 0, 0.5}, {0, 9, 0, 0.5}, {1, 8, 0, 1}, {2, 9, 0, 1}};
    struct br_order_cycle cycle = {{0, 1, 2}, 1.5 * 8};
    struct br_coflows *trace = tiny_trace(small_three), *last = tiny_trace(small_later);
    struct br_order_proof proof = {4, 0, rows, &cycle};
    double units;
    assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
    assert_true(fabs(units - 46) < 1e-6);
    rows[0].weight = rows[1].weight = 3; /* scaled down to halves */
    assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
    assert_true(fabs(units - 46) < 1e-6);
    rows[0].weight = 1;
    proof.rows = 1; /* nothing of the others' order: each alone */
    assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
    assert_true(fabs(units - 34) < 1e-6);
    proof.rows = 0;
    proof.cycles = 1; /* a cycle that pairs do not need costs twice its weight */
    assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
    assert_true(fabs(units - 31) < 1e-6);
    /* 10 from 0 on, and 1 from 2 on: nothing of the first has to be before the second. */
    struct br_order_row two_rows[] = {{0, 3, 0, 1}, {1, 3, 1, 1}};
    proof = (struct br_order_proof){2, 0, two_rows, NULL};
    assert_int_equal(order_bound_of(last, &proof, &units), BR_OK);
    assert_true(fabs(units - 11) < 1e-6);
    /* The first cannot be bounded since the release of the second. */
    two_rows[0].since = 1;
    assert_int_equal(order_bound_of(last, &proof, &units), BR_BAD_INPUT);
    two_rows[0] = (struct br_order_row){0, 4, 0, 1};
    assert_int_equal(order_bound_of(last, &proof, &units), BR_BAD_INPUT);
    two_rows[0] = (struct br_order_row){2, 3, 0, 1};
    assert_int_equal(order_bound_of(last, &proof, &units), BR_BAD_INPUT);
    two_rows[0] = (struct br_order_row){0, 3, 0, -0.1};
    assert_int_equal(order_bound_of(last, &proof, &units), BR_BAD_INPUT);
    two_rows[0].weight = NAN;
    assert_int_equal(order_bound_of(last, &proof, &units), BR_BAD_INPUT);
    proof = (struct br_order_proof){0, 1, NULL, &cycle};
    for (int k = 0; k < 3; k++) { /* a coflow twice */
        cycle = (struct br_order_cycle){{0, 1, 2}, 1};
        assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
        cycle.coflow[k] = cycle.coflow[(k + 1) % 3];
        assert_int_equal(order_bound_of(trace, &proof, &units), BR_BAD_INPUT);
    }
    br_coflows_destroy(trace);
    br_coflows_destroy(last);
}

/* Whatever the weights are, the bound is not above the best of all orders. */
static void test_order_any_weights(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct br_coflows *trace = random_coflows(seed, seed + 7, ORDERED_MOST);
        struct br_rng rng = br_rng_seed(seed);
        struct br_order_row row[12];
        struct br_order_cycle cycle[2];
        struct br_order_proof proof = {0, 0, row, cycle};
        double best = INFINITY, units;
        orders = trace->coflows;
        for (uint32_t k = 0; k < orders; k++)
            order[k] = k;
        try_orders(trace, 0, &best);
        while (proof.rows < 12)
            row[proof.rows++] = (struct br_order_row){
                (uint32_t)br_rng_below(&rng, orders),
                (uint32_t)br_rng_below(&rng, 2 * RANDOM_PORTS),
                (uint32_t)br_rng_below(&rng, orders), (double)br_rng_below(&rng, 10) / 10};
        for (uint32_t k = 0; k < 12; k++)
            if (trace->coflow[row[k].since].arrival_ms > trace->coflow[row[k].coflow].arrival_ms)
                row[k].since = row[k].coflow;
        for (; orders > 2 && proof.cycles < 2; proof.cycles++) {
            uint32_t first = (uint32_t)br_rng_below(&rng, 2);
            cycle[proof.cycles] =
                (struct br_order_cycle){{first, 1 - first, 2}, (double)br_rng_below(&rng, 40)};
        }
        assert_int_equal(order_bound_of(trace, &proof, &units), BR_OK);
        if (units / 125 / trace->coflows > best * (1 + 1e-9))
            fail_msg("weights prove %.9f above %.9f (seed %llu)", units / 125 / trace->coflows,
                     best, (unsigned long long)seed);
        br_coflows_destroy(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_proven),
        cmocka_unit_test(test_bound_in_epochs),
        cmocka_unit_test(test_order_by_hand),
        cmocka_unit_test(test_order_any_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
