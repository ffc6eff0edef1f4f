/* The parts of which policies and clocks are made, by hand: queues, pilots, contention, ends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/coflow/clocks/ends.h"
#include "cluster/coflow/fabric/rates.h"
#include "cluster/coflow/fabric/state.h"
#include "cluster/coflow/policies/contention.h"
#include "cluster/coflow/policies/pilots.h"
#include "cluster/coflow/policies/queues.h"
#include "cluster/coflow/policies/sampled.h"
#include "tests/cluster/coflow/traces.h"

/* A fabric on which all coflows of the trace are there. */
static void fill_fabric(struct br_fabric *fabric, const struct br_coflows *trace)
{
    struct br_diag diag = {0};
    assert_int_equal(br_fabric_init(fabric, trace, BR_COFLOW_PORT_RATE, true, false, &diag), BR_OK);
    for (uint32_t c = 0; c < trace->coflows; c++)
        assert_int_equal(br_fabric_enter(fabric, c, &diag), BR_OK);
}

static void end_flow(struct br_fabric *fabric, uint32_t coflow, uint32_t sender, uint32_t receiver)
{
    uint64_t flow = br_fabric_flow(fabric, coflow, sender, receiver);
    const struct br_grant grant = {flow, coflow, sender, receiver};
    br_fabric_move(fabric, &grant, fabric->left[flow]);
}

/* A threshold belongs to the queue that it ends. */
static void test_queues(void **state)
{
    (void)state;
    struct br_coflows *trace = tiny_trace(small_two);
    struct br_fabric fabric;
    struct br_queues queues = {0};
    fill_fabric(&fabric, trace);
    struct br_coflow_setup setup = {.fabric = &fabric};
    setup.option[BR_QUEUE_FIRST] = setup.option[BR_QUEUE_FACTOR] = 10;
    setup.option[BR_QUEUE_COUNT] = 3;
    assert_true(br_queues_init(&queues, &setup));
    assert_int_equal(br_queues_of(&queues, 0), 0);
    assert_int_equal(br_queues_of(&queues, 10 * BR_COFLOW_MB), 0);
    assert_int_equal(br_queues_of(&queues, 10 * BR_COFLOW_MB + 1), 1);
    assert_int_equal(br_queues_of(&queues, 100 * BR_COFLOW_MB), 1);
    assert_int_equal(br_queues_of(&queues, 100 * BR_COFLOW_MB + 1), 2);
    assert_int_equal(br_queues_of(&queues, 1e18), 2);
    assert_true(fabs(br_queues_end(&queues, 0) - 10 * BR_COFLOW_MB) < 1);
    assert_true(fabs(br_queues_end(&queues, 1) - 100 * BR_COFLOW_MB) < 1);
    assert_true(br_queues_end(&queues, 2) > 1e300);
    br_queues_finish(&queues);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

static void check_others(const struct br_fabric *fabric, struct br_contention *contention,
                         const uint32_t *expected)
{
    static const uint32_t all[] = {0, 1, 2, 3, 4};
    uint32_t others[5];
    assert_true(br_contention_others(contention, fabric, all, 5, others));
    for (uint32_t k = 0; k < 5; k++)
        assert_int_equal(others[k], expected[k]);
    br_contention_ports(contention, fabric, all, 5);
}

/* Uplink 0 has the coflows 0, 2, 4; uplink 1 has 1, 2; downlink 2 has 0, 4; downlink 3 has 0, 1. */
static void test_contention(void **state)
{
    (void)state;
    struct br_coflows *trace = tiny_trace("6 5\n1 0 1 0 2 2:1 3:1\n2 0 1 1 1 3:1\n"
                                          "3 0 2 0 1 1 4:2\n4 0 1 5 1 5:1\n5 0 1 0 1 2:1\n");
    struct br_fabric fabric;
    struct br_contention contention = {0};
    fill_fabric(&fabric, trace);
    assert_true(br_contention_init(&contention, &fabric));
    check_others(&fabric, &contention, (const uint32_t[]){3, 2, 3, 0, 2});
    assert_memory_equal(contention.up, ((const uint32_t[]){3, 2, 0, 0, 0, 1}), 6 * 4);
    assert_memory_equal(contention.down, ((const uint32_t[]){0, 0, 2, 2, 1, 1}), 6 * 4);
    end_flow(&fabric, 0, 0, 1); /* to downlink 3 */
    check_others(&fabric, &contention, (const uint32_t[]){2, 1, 3, 0, 2});
    assert_memory_equal(contention.up, ((const uint32_t[]){3, 2, 0, 0, 0, 1}), 6 * 4);
    assert_memory_equal(contention.down, ((const uint32_t[]){0, 0, 2, 1, 1, 1}), 6 * 4);
    br_contention_finish(&contention);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

/* Pilots go from the sender and to the receiver with the fewest, the first port among equals. The
 * estimate is the mean of all flows that have ended, and gives the ports back. */
static void test_pilots(void **state)
{
    (void)state;
    struct br_coflows *trace =
        tiny_trace("6 2\n1 0 2 0 1 3 2:2 3:4 4:6\n2 0 2 0 1 3 2:2 4:2 5:2\n");
    struct br_fabric fabric;
    struct br_pilots pilots = {0};
    fill_fabric(&fabric, trace);
    assert_true(br_pilots_init(&pilots, &fabric));
    br_pilots_choose(&pilots, 0, 3);
    for (uint32_t s = 0; s < 2; s++)
        for (uint32_t r = 0; r < 3; r++)
            assert_int_equal(br_fabric_is_pilot(&fabric, 0, s, r),
                             s == 0 ? r == 0 || r == 2 : r == 1);
    br_pilots_choose(&pilots, 1, 1);
    assert_true(br_fabric_is_pilot(&fabric, 1, 1, 2));
    end_flow(&fabric, 0, 0, 0);
    end_flow(&fabric, 0, 1, 1);
    end_flow(&fabric, 0, 0, 2);
    end_flow(&fabric, 0, 1, 2); /* no pilot: (1 + 2 + 3 + 3) / 4 */
    assert_true(fabs(br_pilots_estimate(&pilots, 0) - 2.25 * BR_COFLOW_MB) < 1e-3);
    assert_memory_equal(pilots.up, ((const uint32_t[]){0, 1, 0, 0, 0, 0}), 6 * 4);
    assert_memory_equal(pilots.down, ((const uint32_t[]){0, 0, 0, 0, 0, 1}), 6 * 4);
    br_pilots_choose(&pilots, 1, 100); /* all of them, and no more */
    assert_int_equal(pilots.up[0] + pilots.up[1], 6);
    br_pilots_finish(&pilots);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

/* A thin coflow needs no pilots, another one is sized by them; one that leaves before gives their
 * ports back. Thin ones have their ports first, in equal parts, then pilots all that is free. */
static void test_sampled(void **state)
{
    (void)state;
    struct br_coflows *trace =
        tiny_trace("6 3\n1 0 2 0 1 1 2:2\n2 0 2 1 2 2 3:4 4:6\n3 0 1 3 3 3:3 4:3 5:3\n");
    const double option[] = {0.5, 2, 0, 1}, mb = BR_COFLOW_MB;
    struct br_fabric fabric;
    struct br_sampled sampled = {0};
    fill_fabric(&fabric, trace);
    assert_true(br_sampled_init(&sampled, &fabric, option));
    for (uint32_t c = 0; c < 3; c++)
        assert_true(br_sampled_event(&sampled, BR_COFLOW_ARRIVES, c) <= 0);
    assert_int_equal(sampled.thins.count, 1);
    assert_int_equal(sampled.sampling.count, 2);
    assert_memory_equal(sampled.pilots.up, ((const uint32_t[]){0, 1, 0, 1, 0, 0}), 6 * 4);
    br_rates_reset(&fabric);
    br_sampled_serve(&sampled);
    assert_int_equal(fabric.grants, 4); /* two of the thin one, two pilots */
    assert_true(fabric.rate[0] == BR_COFLOW_PORT_RATE / 2);
    assert_true(fabric.rate[br_fabric_flow(&fabric, 1, 0, 0)] == BR_COFLOW_PORT_RATE / 2);
    end_flow(&fabric, 1, 0, 0); /* half of the receiver's 4 */
    assert_true(fabs(br_sampled_event(&sampled, BR_COFLOW_PILOTS, 1) - 2 * mb) < 1);
    assert_int_equal(sampled.sized.coflow[0], 1);
    for (uint32_t r = 0; r < 3; r++)
        end_flow(&fabric, 2, 0, r);
    assert_true(br_sampled_event(&sampled, BR_COFLOW_LEAVES, 2) <= 0);
    assert_int_equal(sampled.sampling.count, 0);
    assert_memory_equal(sampled.pilots.up, ((const uint32_t[]){0, 0, 0, 0, 0, 0}), 6 * 4);
    br_sampled_finish(&sampled);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

/* A flow from a full port gets nothing, and leaves its part of the other port to others. */
static void test_split(void **state)
{
    (void)state;
    struct br_coflows *trace = tiny_trace("6 2\n1 0 1 0 1 4:1\n2 0 3 0 1 2 1 5:9\n");
    struct br_fabric fabric;
    fill_fabric(&fabric, trace);
    br_rates_reset(&fabric);
    br_rates_fill(&fabric, 0);
    br_rates_split(&fabric, (const uint32_t[]){1}, 1);
    assert_true(fabric.rate[br_fabric_flow(&fabric, 1, 0, 0)] <= 0);
    for (uint32_t s = 1; s < 3; s++)
        assert_true(fabric.rate[br_fabric_flow(&fabric, 1, s, 0)] == BR_COFLOW_PORT_RATE / 2);
    assert_true(fabric.free_down[5] <= 0);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

/* Ends behind the first coflow that is sure to leave, or behind the time at which rates are new
 * anyway, are not kept; without such a time all are, and one that has come nearer counts alone. */
static void test_ends(void **state)
{
    (void)state;
    struct br_coflows *trace =
        tiny_trace("8 3\n1 0 1 0 2 4:1 5:2\n2 0 1 1 2 6:1 7:9\n3 0 1 2 1 6:900\n");
    const uint32_t all[] = {0, 1, 2};
    struct br_fabric fabric;
    struct br_ends ends;
    fill_fabric(&fabric, trace);
    assert_true(br_ends_init(&ends, &fabric));
    br_rates_reset(&fabric);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t r = 0; r < trace->coflow[c].receivers; r++)
            if (c != 1 || r == 0) { /* a flow of the second has none */
                uint64_t flow = br_fabric_flow(&fabric, c, 0, r);
                fabric.rate[flow] = BR_COFLOW_MB / 100;
                fabric.grant[fabric.grants++] = (struct br_grant){flow, c, 0, r};
                fabric.coflow[c].rated++;
            }
    assert_true(br_ends_renew(&ends, 50, 1e6, all, 3));
    assert_int_equal(ends.size, 3); /* at 150 twice, at 250: there the first coflow leaves */
    assert_true(br_ends_renew(&ends, 50, 160, all, 3));
    assert_int_equal(ends.size, 2);
    assert_true(br_ends_renew(&ends, 50, INFINITY, NULL, 0));
    assert_int_equal(ends.size, 4);
    fabric.rate[fabric.grant[3].flow] *= 1000;
    assert_true(br_ends_raise(&ends, 60, &fabric.grant[3])); /* at 150, too */
    const double ms[] = {150, 150, 150, 250};
    for (int k = 0; k < 4; k++) {
        assert_true(fabs(br_ends_next_ms(&ends) - ms[k]) < 1e-9);
        const struct br_grant first = br_ends_pop(&ends);
        assert_int_equal(first.coflow, ((const uint32_t[]){0, 1, 2, 0})[k]);
    }
    assert_true(br_ends_next_ms(&ends) == INFINITY);
    br_ends_finish(&ends);
    br_fabric_finish(&fabric);
    br_coflows_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues), cmocka_unit_test(test_contention),
        cmocka_unit_test(test_pilots), cmocka_unit_test(test_sampled),
        cmocka_unit_test(test_split),  cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
