/* What every policy has to keep on random traces: no port above its capacity, no bytes lost,
 * nothing free that a flow could use, nothing decided by sizes that were not told, nothing below
 * the bound. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/coflow/fabric/rates.h"
#include "cluster/coflow/fabric/state.h"
#include "tests/cluster/coflow/traces.h"

/* ---- A policy that is watched ---- */

static struct {
    const struct br_coflow_row *row;
    struct br_fabric *fabric;
    void *policy;
    bool exact;
    uint64_t decisions, hash;
    uint64_t hashed; /* decisions beyond the first of which the rates count */
    bool pending;    /* something has happened of which the policy is to decide */
} watched;

static enum br_status watch_create(const struct br_coflow_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    struct br_coflow_setup own = *setup;
    own.row = watched.row;
    watched.fabric = setup->fabric;
    watched.exact = setup->exact;
    watched.decisions = watched.hash = 0;
    *policy = NULL;
    return watched.row->create(&own, &watched.policy, diag);
}

static void watch_event(void *policy, enum br_coflow_event event, uint32_t coflow)
{
    (void)policy;
    watched.pending = true;
    watched.row->event(watched.policy, event, coflow);
}

/* Ports keep their capacity, and in the exact clock nothing is free that a flow could use. */
static void check_ports(const struct br_fabric *f)
{
    double up[16] = {0}, down[16] = {0};
    for (uint64_t k = 0; k < f->grants; k++) {
        const struct br_grant *g = &f->grant[k];
        const struct br_coflow *c = &f->trace->coflow[g->coflow];
        up[c->up[g->sender]] += f->rate[g->flow];
        down[c->down[g->receiver]] += f->rate[g->flow];
    }
    for (uint32_t p = 0; p < f->trace->ports; p++) {
        assert_true(up[p] <= f->capacity * (1 + 1e-9));
        assert_true(down[p] <= f->capacity * (1 + 1e-9));
    }
    if (!watched.exact)
        return;
    for (uint32_t c = 0; c < f->trace->coflows; c++) {
        const struct br_coflow *coflow = &f->trace->coflow[c];
        for (uint32_t r = 0; f->coflow[c].up_bits && r < coflow->receivers; r++)
            for (uint32_t k = 0; k < f->coflow[c].live_down[r]; k++) {
                uint32_t s = br_fabric_live_senders(f, c, r)[k];
                if (up[coflow->up[s]] < f->capacity * (1 - 1e-6) &&
                    down[coflow->down[r]] < f->capacity * (1 - 1e-6))
                    fail_msg("%s leaves ports %u and %u free", watched.row->named.name,
                             coflow->up[s], coflow->down[r]);
            }
    }
}

/* The flow that ends still has its rate; what ended before has been handed on. */
static void watch_flow(void *policy, uint32_t coflow, uint32_t receiver, double bytes)
{
    (void)policy;
    if (watched.exact && !watched.pending)
        check_ports(watched.fabric);
    if (watched.row->flow)
        watched.row->flow(watched.policy, coflow, receiver, bytes);
}

static void watch_decide(void *policy)
{
    const struct br_fabric *f = watched.fabric;
    (void)policy;
    watched.row->decide(watched.policy);
    watched.pending = false;
    for (uint64_t k = 0; k < f->grants; k++) {
        const struct br_grant *g = &f->grant[k];
        assert_true(f->rate[g->flow] > 0);
        assert_false(br_fabric_over(f, g->flow));
        if (watched.decisions <= watched.hashed) {
            uint64_t bits;
            memcpy(&bits, &f->rate[g->flow], sizeof bits);
            watched.hash = watched.hash * 1099511628211u + g->flow * 31 + bits;
        }
    }
    watched.decisions++;
    check_ports(f);
}

static void watch_destroy(void *policy)
{
    (void)policy;
    watched.row->destroy(watched.policy);
}

static void watch(const struct br_coflows *trace, const struct br_coflow_row *row,
                  enum br_coflow_clock clock, struct br_coflow_outcome *outcome)
{
    struct br_coflow_row outer = {.named.name = row->named.name,
                                  .told = row->told,
                                  .true_rates = row->true_rates,
                                  .create = watch_create,
                                  .event = watch_event,
                                  .flow = watch_flow,
                                  .decide = watch_decide,
                                  .destroy = watch_destroy};
    struct br_coflow_options options = {.clock = clock};
    struct br_diag diag = {0};
    assert_int_equal(br_coflow_policy_find(row->named.name, &options.policy, &diag), BR_OK);
    if (!row->by_flow) /* whose rates test_coflow_fair.c judges */
        options.policy.row = &outer;
    watched.row = row;
    assert_int_equal(br_coflow_simulate(trace, &options, outcome, &diag), BR_OK);
    assert_int_equal(outcome->finished, trace->coflows);
}

static double rounded(double bytes)
{
    return ceil(bytes / BR_COFLOW_MB) * BR_COFLOW_MB;
}

static void test_every_policy(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 150; seed++) {
        struct br_coflows *trace = random_coflows(seed, seed, 7);
        for (int clock = BR_CLOCK_EXACT; clock <= BR_CLOCK_EPOCHS; clock++) {
            struct br_coflow_bound bound;
            struct br_coflow_options options = {.clock = (enum br_coflow_clock)clock};
            double bytes = 0;
            bound_of(trace, &options, 30, &bound);
            for (uint64_t f = 0; f < trace->flows; f++)
                bytes += clock == BR_CLOCK_EPOCHS ? rounded(trace->bytes[f]) : trace->bytes[f];
            for (uint32_t k = 0; br_coflow_policy(k); k++) {
                struct br_coflow_outcome outcome;
                double moved = 0, sum = 0;
                watch(trace, br_coflow_policy(k), (enum br_coflow_clock)clock, &outcome);
                for (uint32_t s = 0; s < outcome.spans; s++)
                    moved += outcome.span[s].bytes;
                if (fabs(moved - bytes) > 1)
                    fail_msg("%s moves %.3f of %.3f bytes (seed %llu)",
                             br_named_name(&br_coflow_policies, k), moved, bytes,
                             (unsigned long long)seed);
                for (uint32_t c = 0; c < trace->coflows; c++)
                    sum += outcome.end_ms[c] - outcome.start_ms[c];
                if (sum / trace->coflows / 1000 < bound.average_cct_s * (1 - 1e-9))
                    fail_msg("%s is below the bound (seed %llu)",
                             br_named_name(&br_coflow_policies, k), (unsigned long long)seed);
                br_coflow_outcome_finish(&outcome);
            }
        }
        br_coflows_destroy(trace);
    }
}

enum { APART = 40 };

static const uint32_t *apart(struct br_coflows *trace, const uint32_t *port, uint32_t count)
{
    uint32_t *far = br_arena_array(&trace->arena, count, sizeof *far);
    assert_non_null(far);
    for (uint32_t k = 0; k < count; k++)
        far[k] = port[k] * APART;
    return far;
}

/* Ports that are far from one another, so that sets of them have several words, change nothing:
 * not a bit of when coflows end. */
static void test_ports_far_apart(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct br_coflows *near = random_coflows(seed, seed, 9),
                          *far = random_coflows(seed, seed, 9);
        far->ports *= APART;
        for (uint32_t c = 0; c < far->coflows; c++) {
            struct br_coflow *coflow = &far->coflow[c];
            coflow->up = apart(far, coflow->up, coflow->senders);
            coflow->down = apart(far, coflow->down, coflow->receivers);
        }
        for (uint32_t k = 0; br_coflow_policy(k); k++) {
            struct br_coflow_outcome one, other;
            run_coflows(near, br_named_name(&br_coflow_policies, k), BR_CLOCK_EXACT, &one);
            run_coflows(far, br_named_name(&br_coflow_policies, k), BR_CLOCK_EXACT, &other);
            if (memcmp(one.end_ms, other.end_ms, near->coflows * sizeof *one.end_ms) != 0)
                fail_msg("%s ends otherwise (seed %llu)", br_named_name(&br_coflow_policies, k),
                         (unsigned long long)seed);
            br_coflow_outcome_finish(&one);
            br_coflow_outcome_finish(&other);
        }
        br_coflows_destroy(near);
        br_coflows_destroy(far);
    }
}

/* Traces that differ in sizes alone: the first decision of one who is not told them is the same to
 * the bit, under both clocks; and of one who is told them it differs somewhere. */
static void test_blind(void **state)
{
    (void)state;
    for (uint32_t k = 0; br_coflow_policy(k); k++) {
        const struct br_coflow_row *row = br_coflow_policy(k);
        uint32_t differ = 0;
        if (row->by_flow)
            continue;
        for (uint64_t seed = 0; seed < 60; seed++) {
            for (int clock = BR_CLOCK_EXACT; clock <= BR_CLOCK_EPOCHS; clock++) {
                uint64_t hash[2];
                for (uint64_t side = 0; side < 2; side++) {
                    struct br_coflow_outcome outcome;
                    struct br_coflows *trace = random_coflows(seed, 1000 + seed * 2 + side, 7);
                    watch(trace, row, (enum br_coflow_clock)clock, &outcome);
                    hash[side] = watched.hash;
                    br_coflow_outcome_finish(&outcome);
                    br_coflows_destroy(trace);
                }
                differ += hash[0] != hash[1];
            }
        }
        if (!row->told && differ)
            fail_msg("%s sees sizes that it is not told", row->named.name);
        if (row->told && !differ && strcmp(row->named.name, "aalo-oracle") != 0)
            fail_msg("%s does not use the sizes that it is told", row->named.name);
    }
}

/* The pilot, to the first receiver, has ended with a MiB; what the others have is still unseen, and
 * the second decision is the same to the bit. */
static void test_blind_after_pilots(void **state)
{
    (void)state;
    static const char *const text[] = {"10 1\n1 0 1 0 9 1:1 2:5 3:5 4:5 5:5 6:5 7:5 8:5 9:5\n",
                                       "10 1\n1 0 1 0 9 1:1 2:9 3:3 4:7 5:5 6:6 7:8 8:5 9:4\n"};
    static const struct {
        const char *name;
        bool epochs; /* also in that clock: the published simulator lets Philae see there */
    } cases[] = {{"philae", false},   {"philae-a", false}, {"philae-b", false},
                 {"philae-c", false}, {"expected", true},  {"saath", true}};
    watched.hashed = 1;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        for (int clock = BR_CLOCK_EXACT; clock <= (cases[n].epochs ? BR_CLOCK_EPOCHS : 0);
             clock++) {
            uint64_t hash[2];
            for (int side = 0; side < 2; side++) {
                struct br_coflow_setup setup;
                struct br_coflow_outcome outcome;
                struct br_diag diag = {0};
                struct br_coflows *trace = tiny_trace(text[side]);
                assert_int_equal(br_coflow_policy_find(cases[n].name, &setup, &diag), BR_OK);
                watch(trace, setup.row, (enum br_coflow_clock)clock, &outcome);
                hash[side] = watched.hash;
                br_coflow_outcome_finish(&outcome);
                br_coflows_destroy(trace);
            }
            if (hash[0] != hash[1])
                fail_msg("%s sees sizes of flows that have not ended", cases[n].name);
        }
    }
    watched.hashed = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_policy),
        cmocka_unit_test(test_ports_far_apart),
        cmocka_unit_test(test_blind),
        cmocka_unit_test(test_blind_after_pilots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
