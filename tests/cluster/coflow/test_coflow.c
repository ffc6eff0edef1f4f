/* Coflows on a fabric: completion times of traces made by hand, computed by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/cluster/coflow/traces.h"

/* Completion times in units of 8 ms, in which a port moves a MiB; NAN: any. */
static void expect(const char *text, const char *policy, const double *units)
{
    struct br_coflow_outcome outcome;
    struct br_coflows *trace = tiny_trace(text);
    run_coflows(trace, policy, BR_CLOCK_EXACT, &outcome);
    for (uint32_t c = 0; c < trace->coflows; c++) {
        double took = (outcome.end_ms[c] - outcome.start_ms[c]) / 8;
        if (!isnan(units[c]) && fabs(took - units[c]) > 1e-6)
            fail_msg("%s: coflow %u takes %.9f units, not %.9f", policy, c + 1, took, units[c]);
    }
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
}

static void test_by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text, *policy;
        double units[3];
    } cases[] = {
        {small_two, "fifo", {4, 5}},
        {small_two, "varys", {5, 1}},
        {small_two, "lcf", {5, 1}},
        {small_two, "sincronia", {5, 1}},
        {small_two, "scf", {5, 1}},
        {small_two, "fair", {5, 3}},
        {small_two, "expected-oracle", {5, 1}},
        {small_three, "fifo", {10, 22, 22}},
        {small_three, "varys", {10, 22, 22}},
        {small_three, "lcf", {22, 12, 12}},
        {small_three, "sincronia", {22, 12, 12}},
        {small_three, "fair", {15, 22, 22}},
        {small_three, "expected-oracle", {22, 12, 12}},
        {small_later, "fifo", {10, 9}},
        {small_later, "remaining-bottleneck-first", {11, 1}},
        {small_later, "lcf", {11, 1}},
        {small_later, "fair", {11, 2}},
        {small_later, "ncf", {10, 9}},
        /* Both thin, first in first out, no sizes. */
        {small_two, "philae", {4, 5}},
        {small_two, "aalo", {4, 5}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        expect(cases[k].text, cases[k].policy, cases[k].units);
}

/* A coflow of 25 MiB sinks at 10: one of 12 that came later then goes first up to its own 10, waits
 * at the end of the second queue, and the first goes on. */
static void test_aalo_sinks(void **state)
{
    (void)state;
    expect("2 2\n1 0 1 0 1 1:25\n2 8 1 0 1 1:12\n", "aalo", (const double[]){35, 36});
    /* Not before it has sent them: at 6 of 10 it stays ahead. */
    expect("2 2\n1 0 1 0 1 1:25\n2 48 1 0 1 1:9\n", "aalo", (const double[]){34, 13});
    expect("2 2\n1 0 1 0 1 1:25\n2 8 1 0 1 1:12\n", "aalo:first=100", (const double[]){25, 36});
    expect("2 2\n1 0 1 0 1 1:25\n2 8 1 0 1 1:9\n", "aalo-oracle", (const double[]){34, 9});
}

/* By weights of 10 the first coflow, once it has sunk at 10, keeps an eleventh: the second has sent
 * its 9 at 19.9, and the first, with 10.9 by then, goes on alone. Equal weights: half each. */
static void test_aalo_weights(void **state)
{
    (void)state;
    static const char text[] = "2 2\n1 0 1 0 1 1:25\n2 8 1 0 1 1:9\n";
    expect(text, "aalo", (const double[]){34, 18});
    expect(text, "aalo:weight=10", (const double[]){34, 18.9});
    expect(text, "aalo:weight=1", (const double[]){34, 27});
    /* One port for both: strictly the long one waits for all that keep coming; by weights it goes
     * on. */
    static const char stream[] =
        "3 4\n1 0 1 0 1 1:12\n2 80 1 0 1 2:9\n3 152 1 0 1 2:9\n4 224 1 0 1 2:9\n";
    expect(stream, "aalo", (const double[]){39, 9, 9, 9});
    expect(stream, "aalo:weight=1", (const double[]){14, NAN, NAN, NAN});
}

/* What was believed of the first coflow, the units and the MiB that this took. */
static void learns(const char *text, const char *policy, double mb, double units, double sent)
{
    struct br_coflow_outcome outcome;
    struct br_coflows *trace = tiny_trace(text);
    run_coflows(trace, policy, BR_CLOCK_EXACT, &outcome);
    const struct br_coflow_guess *guess = &outcome.guess[0];
    const double found[] = {guess->bytes / BR_COFLOW_MB, guess->at_ms / 8,
                            guess->sent / BR_COFLOW_MB};
    const double wanted[] = {mb, units, sent};
    for (int k = 0; k < 3; k++)
        if (isnan(wanted[k]) ? !isnan(found[k]) : !(fabs(found[k] - wanted[k]) < 1e-5))
            fail_msg("%s: %.9f in place %d, not %.9f", policy, found[k], k, wanted[k]);
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
}

/* Nine flows of 1 to 9 MiB: pilots by number, by the share of the flows and by that of the senders,
 * one after another from the only sender. Aalo learns as it sinks, last at 100 of 205. */
static void test_learning(void **state)
{
    (void)state;
    static const char nine[] = "10 1\n1 0 1 0 9 1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9\n";
    learns(nine, "philae", 9, 1, 1);
    learns(nine, "philae:least=3", 18, 6, 6);
    learns(nine, "philae:pilots=0:flows=0.34", 18, 6, 6);
    learns(nine, "philae:pilots=1:flows=0.1", 9, 1, 1);
    learns(nine, "expected:least=2", 13.5, 3, 3);
    learns(nine, "philae:thin=9", NAN, NAN, NAN);
    learns("2 1\n1 0 1 0 1 1:9\n", "aalo", NAN, NAN, NAN);
    learns("2 1\n1 0 1 0 1 1:25\n", "aalo", NAN, 10, 10);
    learns("2 1\n1 0 1 0 1 1:205\n", "aalo", NAN, 100, 100);
}

/* What a flow leaves free when it ends is given on at once, at both its ports: after 4 units the
 * first coflow's other flow has its uplink alone, and the second coflow its downlink. */
static void test_hand_on(void **state)
{
    (void)state;
    expect("4 2\n1 0 1 0 2 1:2 2:6\n2 0 1 3 1 1:4\n", "aalo", (const double[]){8, 6});
    /* Half as fast after an end, it reaches 6 MiB after 6 units, and lets the second go first. */
    expect("4 2\n1 0 1 0 2 1:2 2:6\n2 24 1 0 1 3:4\n", "aalo:first=6", (const double[]){12, 7});
}

/* The same of policies that give what is left to all in their order: a third coflow gets nothing of
 * what the first leaves before the second has enough. */
static void test_hand_on_in_order(void **state)
{
    (void)state;
    static const char *const names[] = {"aalo", "philae", "philae-a", "expected", "saath"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        expect("5 3\n1 0 1 0 2 1:2 2:6\n2 0 1 3 1 1:4\n3 0 1 4 1 1:4\n", names[n],
               (const double[]){8, 6, 10});
}

/* Queues share an uplink by weights: the pilots end at 404, and the first coflow has nine tenths
 * then, for the second is two queues behind it; its next queue is empty and has no part. */
static void test_philae_weights(void **state)
{
    (void)state;
    expect("5 2\n1 0 1 0 2 1:4 2:4\n2 0 1 0 2 3:400 4:400\n", "philae-a:thin=0:weight=3",
           (const double[]){404 + 4 / 0.9, 808});
    /* One queue behind it: three quarters. */
    expect("5 2\n1 0 1 0 2 1:4 2:4\n2 0 1 0 2 3:40 4:40\n", "philae-a:thin=0:weight=3",
           (const double[]){44 + 4 / 0.75, 88});
    expect("5 2\n1 0 1 0 2 1:4 2:4\n2 0 1 0 2 3:40 4:40\n", "philae-a:thin=0",
           (const double[]){48, 88});
}

/* The second and the third coflow have flows of 4 MiB from one port, and their pilots end at 118.
 * The second meets the first, which is large, at its receivers, too; so the third goes before it.
 */
static void test_philae_meets_at_receivers(void **state)
{
    (void)state;
    expect("7 3\n1 0 2 5 6 2 1:200 2:200\n2 880 1 0 2 1:4 2:4\n3 880 1 0 2 3:4 4:4\n",
           "philae:thin=0", (const double[]){NAN, 16, 12});
    /* Without the first one they are equal, and go as they came. */
    expect("7 2\n1 880 1 0 2 1:4 2:4\n2 880 1 0 2 3:4 4:4\n", "philae:thin=0",
           (const double[]){12, 16});
}

/* Least contention first within a queue, by bytes of a flow for its coflow; late ones before all.
 */
static void test_saath(void **state)
{
    (void)state;
    /* The first coflow meets two others, who meet it alone. */
    expect(small_three, "saath:first=100", (const double[]){22, 12, 12});
    /* They sink at 10 MiB, the first at 5 of each of its two flows, and have 2 left. */
    expect(small_three, "saath", (const double[]){22, 17, 17});
    /* The first queue takes 100 units: the first coflow is late at 5, the others at 10 and 15. */
    expect(small_three, "saath:first=100:deadline=0.05", (const double[]){15, 22, 22});
    /* Each meets two. The second has half of its ports and gets nothing: the third has its own. */
    expect("6 4\n1 0 1 3 1 1:4\n2 0 1 0 2 1:2 2:2\n3 0 1 0 1 4:4\n4 0 1 3 1 4:4\n",
           "saath:first=100", (const double[]){4, 8, 4, 8});
    /* A flow that goes on twice as fast, since another has ended, sinks its coflow at 6, not 8. */
    expect("4 2\n1 0 1 0 2 1:2 2:6\n2 24 1 0 1 3:4\n", "saath:first=8", (const double[]){12, 7});
    /* The second coflow's flow of 2 MiB never sends 4; the other one sinks it at 10. */
    expect("5 3\n1 0 1 4 1 2:6\n2 0 1 0 2 1:2 2:6\n3 56 1 0 1 3:4\n", "saath:first=8",
           (const double[]){6, 16, 7});
}

/* The published simulator admits at 0 what comes until 10240 ms, moves whole MiB in ticks of 8 ms,
 * and counts from the epoch. 3 MiB over 2 mappers are 2 flows of 2 MiB. */
static void test_epochs(void **state)
{
    (void)state;
    struct br_coflow_outcome outcome;
    struct br_coflows *trace = tiny_trace("3 3\n1 0 2 0 1 1 2:3\n2 10240 1 0 1 1:1\n"
                                          "3 10241 1 0 1 1:5\n");
    run_coflows(trace, "varys", BR_CLOCK_EPOCHS, &outcome);
    assert_true(outcome.start_ms[1] == 0 && outcome.start_ms[2] == 10240);
    assert_true(outcome.end_ms[1] == 8);
    assert_true(outcome.end_ms[0] == 32 || outcome.end_ms[0] == 40);
    assert_true(outcome.end_ms[2] == 10240 + 40);
    br_coflow_outcome_finish(&outcome);
    run_coflows(trace, "fair", BR_CLOCK_EPOCHS, &outcome);
    /* Sender 0 has two flows: one of 2 MiB, one of 1, half a MiB a tick each; then the first alone
     * at half a tick of the receiver's, until the other sender's has ended as well. */
    assert_true(outcome.end_ms[1] == 16);
    assert_true(outcome.end_ms[0] == 32);
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),        cmocka_unit_test(test_aalo_sinks),
        cmocka_unit_test(test_aalo_weights),   cmocka_unit_test(test_learning),
        cmocka_unit_test(test_hand_on),        cmocka_unit_test(test_hand_on_in_order),
        cmocka_unit_test(test_philae_weights), cmocka_unit_test(test_philae_meets_at_receivers),
        cmocka_unit_test(test_saath),          cmocka_unit_test(test_epochs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
