/* Fair shares by flow without ticks, against a slow computation by single flows: all flows that are
 * not stopped grow alike until a port is full, found anew after every end, arrival and failure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "cluster/coflow/fabric/coordinator.h"
#include "tests/cluster/coflow/traces.h"

struct slow_flow {
    uint32_t coflow, up, down;
    double left, rate;
};

struct slow {
    const struct br_coflows *trace;
    const struct br_coflow_failure *failure; /* NULL: none */
    struct slow_flow *flow;
    uint32_t flows, arrived;
    double now_ms;
    double *end_ms;
};

static void enter(struct slow *s, uint32_t c)
{
    const struct br_coflow *coflow = &s->trace->coflow[c];
    s->end_ms[c] = (double)coflow->arrival_ms;
    for (uint32_t r = 0; r < coflow->receivers; r++)
        for (uint32_t k = 0; k < coflow->senders; k++) {
            double bytes = s->trace->bytes[coflow->first + (uint64_t)r * coflow->senders + k];
            if (bytes > 0)
                s->flow[s->flows++] =
                    (struct slow_flow){c, coflow->up[k], coflow->down[r], bytes, 0};
        }
}

/* What each port still has for flows that grow: ports up, then down. */
static void set_rates(struct slow *s)
{
    double room[2 * RANDOM_PORTS], level = 0;
    for (uint32_t p = 0; p < 2 * RANDOM_PORTS; p++) {
        bool failed = s->failure && s->failure->port == p % RANDOM_PORTS &&
                      s->failure->at_ms <= s->now_ms && s->now_ms < s->failure->until_ms;
        room[p] = failed ? 0 : BR_COFLOW_PORT_RATE;
    }
    for (uint32_t f = 0; f < s->flows; f++)
        s->flow[f].rate = -1; /* grows */
    for (;;) {
        uint32_t grow[2 * RANDOM_PORTS] = {0};
        double more = INFINITY;
        for (uint32_t f = 0; f < s->flows; f++)
            if (s->flow[f].rate < 0) {
                grow[s->flow[f].up]++;
                grow[RANDOM_PORTS + s->flow[f].down]++;
            }
        for (uint32_t p = 0; p < 2 * RANDOM_PORTS; p++)
            if (grow[p])
                more = fmin(more, room[p] / grow[p]);
        if (!(more < INFINITY))
            return;
        level += more;
        for (uint32_t p = 0; p < 2 * RANDOM_PORTS; p++)
            room[p] -= more * grow[p];
        for (uint32_t f = 0; f < s->flows; f++)
            if (s->flow[f].rate < 0 &&
                (room[s->flow[f].up] < 1e-6 || room[RANDOM_PORTS + s->flow[f].down] < 1e-6))
                s->flow[f].rate = level;
    }
}

static double next_ms(const struct slow *s)
{
    double next = INFINITY;
    for (uint32_t f = 0; f < s->flows; f++)
        if (s->flow[f].rate > 0)
            next = fmin(next, s->now_ms + s->flow[f].left / s->flow[f].rate);
    if (s->arrived < s->trace->coflows)
        next = fmin(next, (double)s->trace->coflow[s->arrived].arrival_ms);
    if (s->failure && s->failure->at_ms > s->now_ms)
        next = fmin(next, s->failure->at_ms);
    if (s->failure && s->failure->until_ms > s->now_ms)
        next = fmin(next, s->failure->until_ms);
    return next;
}

static void run_slowly(struct slow *s)
{
    while (s->flows || s->arrived < s->trace->coflows) {
        double next = fmax(next_ms(s), s->now_ms), passes = next - s->now_ms;
        uint32_t kept = 0;
        s->now_ms = next;
        for (uint32_t f = 0; f < s->flows; f++) {
            s->flow[f].left -= passes * s->flow[f].rate;
            if (s->flow[f].left > 1e-2)
                s->flow[kept++] = s->flow[f];
            else
                s->end_ms[s->flow[f].coflow] = next;
        }
        s->flows = kept;
        while (s->arrived < s->trace->coflows &&
               (double)s->trace->coflow[s->arrived].arrival_ms <= s->now_ms)
            enter(s, s->arrived++);
        set_rates(s);
    }
}

static void compare(uint64_t seed, uint32_t most, const struct br_coflow_failure *failure)
{
    struct br_coflows *trace = random_coflows(seed, seed + 1, most);
    struct br_coflow_options options = {
        .clock = BR_CLOCK_EXACT, .failure = failure, .failures = failure != NULL};
    struct br_coflow_outcome outcome;
    struct br_diag diag = {0};
    struct slow slow = {.trace = trace, .failure = failure};
    slow.flow = malloc((trace->flows + 1) * sizeof *slow.flow);
    slow.end_ms = malloc((trace->coflows + 1) * sizeof *slow.end_ms);
    assert_int_equal(br_coflow_policy_find("fair", &options.policy, &diag), BR_OK);
    assert_int_equal(br_coflow_simulate(trace, &options, &outcome, &diag), BR_OK);
    assert_int_equal(outcome.finished, trace->coflows);
    run_slowly(&slow);
    for (uint32_t c = 0; c < trace->coflows; c++)
        if (fabs(outcome.end_ms[c] - slow.end_ms[c]) > 1e-5)
            fail_msg("coflow %u ends at %.9f ms, not %.9f (seed %llu)", c, outcome.end_ms[c],
                     slow.end_ms[c], (unsigned long long)seed);
    double bytes = 0, moved = 0;
    for (uint64_t f = 0; f < trace->flows; f++)
        bytes += trace->bytes[f];
    for (uint32_t k = 0; k < outcome.spans; k++)
        moved += outcome.span[k].bytes;
    assert_true(fabs(bytes - moved) < 1);
    free(slow.flow);
    free(slow.end_ms);
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
}

static void test_against_slow(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++)
        compare(seed, seed < 150 ? 7 : 40, NULL);
}

static void test_with_failures(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_coflow_failure failure = {(uint32_t)br_rng_below(&rng, RANDOM_PORTS), 0, 0};
        failure.at_ms = (double)br_rng_below(&rng, 100) + 0.25;
        failure.until_ms = failure.at_ms + (double)br_rng_below(&rng, 200) + 1;
        compare(seed, 7, &failure);
    }
}

/* Three flows from uplink 0, two of them to downlink 2, where another uplink sends too. */
static void test_by_hand(void **state)
{
    (void)state;
    struct br_coflow_outcome outcome;
    struct br_coflows *trace = tiny_trace("4 3\n1 0 1 0 2 2:6 3:4\n2 0 1 0 1 2:6\n3 0 1 1 1 2:1\n");
    run_coflows(trace, "fair", BR_CLOCK_EXACT, &outcome);
    /* All at thirds of uplink 0 and downlink 2: at 3 units the last has gone, 1 MiB of each of the
     * others too. Thirds go on, as uplink 0 is full: 4 MiB at 12, when the two others have 2 left
     * and halves, until 16. */
    assert_true(fabs(outcome.end_ms[2] - 3 * 8) < 1e-6);
    assert_true(fabs(outcome.end_ms[0] - 16 * 8) < 1e-6);
    assert_true(fabs(outcome.end_ms[1] - 16 * 8) < 1e-6);
    br_coflow_outcome_finish(&outcome);
    br_coflows_destroy(trace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_against_slow),
        cmocka_unit_test(test_with_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
