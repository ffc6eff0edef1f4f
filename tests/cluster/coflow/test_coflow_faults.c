/* A coordinator that hears and tells late or not at all, and failures of it and of ports: times
 * computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cluster/coflow/traces.h"

/* ---- A coordinator, and failures ---- */

/* Completion times in units; NULL: whatever they are. */
static struct br_coordinator_figures under(const char *text, const char *policy,
                                           const char *coordinator, const char *fail,
                                           const double *units)
{
    struct br_coflow_outcome outcome;
    struct br_coflow_failure failure;
    struct br_coflow_options options = {.failure = &failure};
    struct br_diag diag = {0};
    struct br_coflows *trace = tiny_trace(text);
    assert_int_equal(br_coflow_policy_find(policy, &options.policy, &diag), BR_OK);
    if (coordinator)
        assert_int_equal(br_coordinator_read(coordinator, &options.coordinator, &diag), BR_OK);
    if (fail)
        assert_int_equal(br_coflow_failure_read(fail, strlen(fail), &failure, &diag), BR_OK);
    options.failures = fail != NULL;
    assert_int_equal(br_coflow_simulate(trace, &options, &outcome, &diag), BR_OK);
    assert_int_equal(outcome.finished, trace->coflows);
    for (uint32_t c = 0; c < trace->coflows; c++) {
        double took = (outcome.end_ms[c] - outcome.start_ms[c]) / 8;
        if (units ? fabs(took - units[c]) > 1e-6 : took < 1)
            fail_msg("%s under %s, %s: coflow %u takes %.9f units", policy, coordinator, fail,
                     c + 1, took);
    }
    struct br_coordinator_figures figures = outcome.coordinator;
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
    return figures;
}

static const char at_once[] = "3 1\n1 0 1 0 1 1:10\n";

static void test_coordinator(void **state)
{
    (void)state;
    struct br_coordinator_figures f;
    /* Come at 3 ms, it is seen at 8; come at 0, at once. */
    under("2 1\n1 3 1 0 1 1:10\n", "fifo", "interval=8", NULL, (const double[]){10.625});
    f = under(at_once, "fifo", "interval=8", NULL, (const double[]){10});
    assert_true(f.rounds == 1 && f.missed == 0 && f.intervals == 10 && f.heard == 1);
    /* Heard at 4, seen at 8, told at 12. */
    under(at_once, "fifo", "interval=8:latency=4", NULL, (const double[]){11.5});
    /* A report takes 1 ms, two flows 4, an update 3: told at 12, since it is seen at 4. */
    f = under("3 1\n1 1 1 0 2 1:5 2:5\n", "fifo", "interval=4:rate=2000:report=1000:update=3000",
              NULL, (const double[]){11.375});
    assert_int_equal(f.missed, 2);
    /* A round of 20 ms takes two more intervals. */
    f = under(at_once, "fifo", "interval=8:rate=20000", NULL, (const double[]){12.5});
    assert_true(f.missed == 2 && f.rounds == 1);
    /* The first ends at 44, which is heard and seen at 48; the second is told at 52. */
    f = under(small_two, "fifo", "interval=8:latency=4", NULL, (const double[]){5.5, 7.5});
    assert_int_equal(f.rounds, 2);
    /* Its agent reports in each interval where the policy goes by bytes sent. */
    f = under(at_once, "aalo:first=100", "interval=8", NULL, (const double[]){10});
    assert_int_equal(f.heard, f.intervals);
    /* Messages are lost, but all are told at last. */
    assert_true(under(small_three, "varys", "interval=8:loss=0.8", NULL, NULL).rounds > 3);
    f = under(small_three, "varys", "interval=8", NULL, (const double[]){10, 22, 22});
    assert_int_equal(f.rounds, 2);
    /* What comes at 10 waits for the round until 20, is seen at 24, and told after 40 ms. */
    f = under("3 2\n1 0 1 0 1 1:10\n2 10 1 2 1 0:1\n", "fifo", "interval=8:rate=20000", NULL,
              (const double[]){12.5, 7.75});
    assert_true(f.missed == 2 + 5 + 2 && f.rounds == 3); /* and one when the second has ended */
    /* A pilot that waits for the port of another one is told when nothing moves any more. Then the
     * second ends at 18, the coordinator looks at 20, and the seven others share 56 ms. */
    under("10 1\n1 0 1 0 9 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1 9:1\n", "philae:least=2", "interval=10",
          NULL, (const double[]){9.5});
    /* Who shares by flow asks nobody. */
    f = under(small_two, "fair", "interval=8:latency=4", NULL, (const double[]){5, 3});
    assert_int_equal(f.rounds, 0);
}

/* Half of the messages are lost: the arrival is heard an interval late in the mean. Its rates are
 * lost once in the mean, each time for an interval and until that is heard: 3 units in all. */
static void test_loss(void **state)
{
    (void)state;
    double late = 0;
    struct br_coflows *trace = tiny_trace(at_once);
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct br_coflow_outcome outcome;
        struct br_coflow_options options = {.coordinator = {.interval_ms = 8, .loss = 0.5}};
        struct br_diag diag = {0};
        options.coordinator.seed = seed;
        assert_int_equal(br_coflow_policy_find("fifo", &options.policy, &diag), BR_OK);
        assert_int_equal(br_coflow_simulate(trace, &options, &outcome, &diag), BR_OK);
        late += (outcome.end_ms[0] / 8 - 10) / 400;
        br_coflow_outcome_finish(&outcome);
    }
    assert_true(late > 2.6 && late < 3.4);
    br_coflows_destroy(trace);
}

static void test_failures(void **state)
{
    (void)state;
    /* It fails at 17 ms, before the coordinator can see it at 24, and is back at 56. */
    under(at_once, "fifo", "interval=8", "1:at=0.017:for=0.039", (const double[]){14.875});
    under(at_once, "fifo", NULL, "1:at=0.016:for=0.04", (const double[]){15});
    under(at_once, "fair", NULL, "0:at=0.016:for=0.04", (const double[]){15});
    under(at_once, "fifo", NULL, "2:at=0.016:for=0.04", (const double[]){10});
    under(at_once, "fifo", "interval=8", "1:at=0.016:for=0.04", (const double[]){15});
    /* Back at 58 ms, which is seen at 64. */
    under(at_once, "fifo", "interval=8", "1:at=0.016:for=0.042", (const double[]){16});
    /* It arrives without a coordinator, who is back at 80 ms; one who has rates goes on. */
    under(at_once, "fifo", "interval=8", "coordinator:at=0:for=0.08", (const double[]){20});
    under(at_once, "fifo", "interval=8", "coordinator:at=0.008:for=0.08", (const double[]){10});
    /* The second waits until the first's end is seen. */
    under(small_two, "fifo", "interval=8", "coordinator:at=0.008:for=0.072",
          (const double[]){4, 11});
    /* Only the flow at the port waits, and leaves the other all of the uplink. */
    under("3 1\n1 0 1 0 2 1:4 2:4\n", "aalo", NULL, "2:at=0:for=0.032", (const double[]){8});
    for (uint32_t k = 0; br_coflow_policy(k); k++)
        under(small_three, br_named_name(&br_coflow_policies, k), NULL, "2:at=0.02:for=1", NULL);
    struct br_coordinator coordinator;
    struct br_coflow_failure failure;
    struct br_diag diag = {0};
    static const char *const bad[] = {"x",      "interval", "interval=",     "interval=0",
                                      "loss=1", "loss=-1",  "interval=8:x=1"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(br_coordinator_read(bad[k], &coordinator, &diag), BR_USAGE);
    static const char *const faults[] = {"",          "x:for=1",  "1",       "1:at=2",
                                         "1.5:for=1", "-1:for=1", "1:for=0", "1:until=3"};
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        assert_int_equal(br_coflow_failure_read(faults[k], strlen(faults[k]), &failure, &diag),
                         BR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coordinator),
        cmocka_unit_test(test_loss),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
