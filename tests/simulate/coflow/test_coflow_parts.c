/* The parts of which policies are made, by hand: queues, pilots, contention. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/coflow/fabric/state.h"
#include "simulate/coflow/policies/contention.h"
#include "simulate/coflow/policies/pilots.h"
#include "simulate/coflow/policies/queues.h"
#include "tests/simulate/coflow/traces.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queues),
        cmocka_unit_test(test_contention),
        cmocka_unit_test(test_pilots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
