/* Tasks that share what is overbooked: by hand, and against a plain computation in real numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "cluster/simulate/policies/policies.h"
#include "cluster/workload/misjudge.h"
#include "tests/cluster/simulate/script.h"
#include "tests/support/judge_outcome.h"
#include "tests/support/random_job.h"

#define S INT64_C(1000000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* One job of independent tasks on one machine of net=10, disk=10, cpu=10, of which net and disk are
 * overbooked up to three times; each starts at its second. */
struct trial {
    struct small small;
    struct script script;
    struct script_step step[16];
    struct br_outcome outcome;
};

static const struct br_overbook three_times[] = {{"net", 300}, {"disk", 300}};

static void begin(struct trial *trial, const char *const *stage, const int64_t *start_ns,
                  uint32_t tasks)
{
    assert_true(tasks <= COUNT(trial->step));
    small_begin(&trial->small, 1, "net=10,disk=10,cpu=10");
    small_job(&trial->small, small_dag(&trial->small, stage, tasks, false), 0);
    trial->small.options.setup.overbooked = COUNT(three_times);
    trial->small.options.setup.overbook = three_times;
    for (uint32_t t = 0; t < tasks; t++)
        trial->step[t] = (struct script_step){start_ns[t], 0, t, 0};
    script_begin(&trial->script, trial->step, tasks);
    trial->script.no_decisions = true;
}

static void end(struct trial *trial)
{
    br_outcome_finish(&trial->outcome);
    small_finish(&trial->small);
}

static void ends_at(const char *const *stage, const int64_t *start_s, const int64_t *end_s,
                    uint32_t tasks)
{
    struct trial trial;
    struct br_diag diag = {0};
    int64_t start_ns[16];
    for (uint32_t t = 0; t < tasks; t++)
        start_ns[t] = start_s[t] * S;
    begin(&trial, stage, start_ns, tasks);
    if (small_run(&trial.small, &trial.script.row, &trial.outcome, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    for (uint32_t t = 0; t < tasks; t++) {
        const struct br_span *span = small_span(&trial.outcome, 0, t, BR_SPAN_DONE, 0);
        assert_int_equal(span->start_ns, start_ns[t]);
        assert_int_equal(span->end_ns, end_s[t] * S);
    }
    end(&trial);
}

#define ENDS_AT(stage, start_s, end_s) ends_at(stage, start_s, end_s, COUNT(stage))

static void test_by_hand(void **state)
{
    { /* Two that want all of it: both take twice as long. */
        static const char *const stage[] = {"4:net=10", "4:net=10"};
        ENDS_AT(stage, ((int64_t[]){0, 0}), ((int64_t[]){8, 8}));
    }
    { /* The second comes half-way. The first has 2 s left, which take 4; the second then has 2
         left, alone. */
        static const char *const stage[] = {"4:net=10", "4:net=10"};
        ENDS_AT(stage, ((int64_t[]){0, 2}), ((int64_t[]){6, 8}));
    }
    { /* Unequal demands slow down alike, by 15 / 10; what does not demand it does not. */
        static const char *const stage[] = {"4:net=10", "4:net=5", "4:cpu=10"};
        ENDS_AT(stage, ((int64_t[]){0, 0, 0}), ((int64_t[]){6, 6, 4}));
    }
    { /* Up to the capacity nothing slows down. */
        static const char *const stage[] = {"4:net=5", "4:net=5", "5:disk=10"};
        ENDS_AT(stage, ((int64_t[]){0, 0, 0}), ((int64_t[]){4, 4, 5}));
    }
    { /* Of two resources the scarcer one counts: net 20 / 10 for the first two, disk 16 / 10 for
         the third alone. */
        static const char *const stage[] = {"4:net=10,disk=5", "4:net=10,disk=10", "5:disk=1"};
        ENDS_AT(stage, ((int64_t[]){0, 0, 0}), ((int64_t[]){8, 8, 8}));
    }
    { /* Three, two, one: from 4 s on the first has 3 left at half speed, from 6 s at a third. */
        static const char *const stage[] = {"7:net=10", "4:net=10", "2:net=10"};
        /* first: 4 + 1 by 6 s, 2 left; second: 1 by 6 s, 3 left; third: 2 left. At a third of the
           speed the first and the third end at 12 s; the second has 1 left then, alone. */
        ENDS_AT(stage, ((int64_t[]){0, 4, 6}), ((int64_t[]){12, 13, 12}));
    }
}

/* What is not overbooked holds no more than there is, and what is, no more than its limit. */
static void test_limits(void **state)
{
    static const char *const cpu[] = {"4:net=1,cpu=6", "4:net=1,cpu=6"}, *const net[] = {
                                                                             "4:net=10", "4:net=10",
                                                                             "4:net=10", "4:net=1"};
    const int64_t at_once[] = {0, 0, 0, 0};
    struct trial trial;
    begin(&trial, cpu, at_once, 2);
    assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, NULL), BR_SYSTEM);
    end(&trial);
    begin(&trial, net, at_once, 3);
    assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, NULL), BR_OK);
    end(&trial);
    begin(&trial, net, at_once, 4);
    assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, NULL), BR_SYSTEM);
    end(&trial);
}

/* ---- What tasks use ---- */

/* Runs two equal tasks that start at these seconds, and nothing is overbooked; both end at that
 * second, or the second may not start (0). */
static void pair_ends_at(struct trial *trial, int64_t second_s, int64_t first_ends_s,
                         int64_t second_ends_s)
{
    struct br_diag diag = {0};
    trial->small.options.setup.overbooked = 0;
    trial->step[1].at_ns = second_s * S;
    enum br_status status = small_run(&trial->small, &trial->script.row, &trial->outcome, &diag);
    if (!second_ends_s) {
        assert_int_equal(status, BR_SYSTEM);
        assert_non_null(strstr(diag.what, "does not fit"));
    } else if (status) {
        fail_msg("%s", diag.what);
    } else {
        assert_int_equal(small_span(&trial->outcome, 0, 0, BR_SPAN_DONE, 0)->end_ns,
                         first_ends_s * S);
        assert_int_equal(small_span(&trial->outcome, 0, 1, BR_SPAN_DONE, 0)->end_ns,
                         second_ends_s * S);
    }
    end(trial);
}

/* Demands are peaks, of which tasks use a part: with twice the capacity demanded, half of it is all
 * that there is, and three quarters slow both by a half. */
static void test_averages(void **state)
{
    (void)state;
    static const char *const stage[] = {"4:net=10,cpu=1", "4:net=10,cpu=1"};
    static const int64_t at_once[] = {0, 0};
    static const struct {
        uint32_t percent;
        int64_t ends_s;
    } cases[] = {{50, 4}, {75, 6}, {100, 8}, {1, 4}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct trial trial;
        const struct br_average average = {"net", cases[k].percent};
        begin(&trial, stage, at_once, 2);
        trial.small.options.world.averages = 1;
        trial.small.options.world.average = &average;
        assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, NULL), BR_OK);
        for (uint32_t t = 0; t < 2; t++)
            assert_int_equal(small_span(&trial.outcome, 0, t, BR_SPAN_DONE, 0)->end_ns,
                             cases[k].ends_s * S);
        end(&trial);
    }
    struct trial trial;
    struct br_diag diag = {0};
    const struct br_average unknown = {"licence", 50};
    begin(&trial, stage, at_once, 2);
    trial.small.options.world.averages = 1;
    trial.small.options.world.average = &unknown;
    assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, &diag), BR_USAGE);
    assert_non_null(strstr(diag.what, "licence"));
    end(&trial);
}

/* The policy is told so much more than is true. */
static void begin_misjudged(struct trial *trial, const char *const *stage, double by)
{
    static const int64_t at_once[] = {0, 0};
    begin(trial, stage, at_once, 2);
    assert_int_equal(br_workload_finish(trial->small.workload, NULL), BR_OK);
    assert_int_equal(
        br_workload_misjudge(trial->small.workload, trial->small.cluster, 1, by, by, NULL), BR_OK);
}

static void test_misjudged(void **state)
{
    (void)state;
    static const char *const whole[] = {"4:net=10,cpu=1", "4:net=10,cpu=1"},
                             *const half[] = {"4:net=5,cpu=1", "4:net=5,cpu=1"},
                             *const most[] = {"4:net=8,cpu=8", "4:net=8,cpu=8"};
    struct trial trial;
    /* Half of it is declared: two fit, and slow one another. */
    begin_misjudged(&trial, whole, -0.5);
    assert_int_equal(trial.small.workload->dag[0].dag->duration_ns[1], 2 * S);
    pair_ends_at(&trial, 0, 8, 8);
    /* Three quarters too little: uses of 16 of 10 for a second, declared as 4. */
    begin_misjudged(&trial, most, -0.75);
    assert_int_equal(trial.small.workload->dag[0].dag->duration_ns[0], S);
    pair_ends_at(&trial, 4, 4, 8);
    /* Twice as much: only one fits at a time, though both would. */
    begin_misjudged(&trial, half, 1);
    pair_ends_at(&trial, 0, 0, 0);
    begin_misjudged(&trial, half, 1);
    pair_ends_at(&trial, 4, 4, 8);
    /* Not beyond a machine, however much is believed; what is true stays. */
    begin_misjudged(&trial, most, 99);
    assert_int_equal(trial.small.workload->dag[0].dag->duration_ns[0], 400 * S);
    pair_ends_at(&trial, 4, 4, 8);
}

/* A policy that does not look at a resource demands none of it, and tasks slow. */
static void test_unseen(void **state)
{
    (void)state;
    static const char *const stage[] = {"4:net=10,cpu=1", "4:net=10,cpu=1"}, *const unseen[] = {
                                                                                 "net"};
    static const int64_t at_once[] = {0, 0};
    static const char *const policies[] = {"capacity", "capacity-plan", "fifo", "cp", "srpt"};
    struct trial trial;
    for (int narrow = 0; narrow < 2; narrow++) {
        begin(&trial, stage, at_once, 2);
        trial.script.row.narrow = narrow;
        trial.small.options.setup.unseens = 1;
        trial.small.options.setup.unseen = unseen;
        pair_ends_at(&trial, 0, 8, narrow ? 8 : 0);
    }
    for (size_t k = 0; k < COUNT(policies); k++) {
        const struct br_policy_row *row;
        double number;
        struct br_diag diag = {0};
        bool looks = strcmp(policies[k], "srpt") == 0;
        assert_int_equal(br_policies_find(policies[k], &row, &number, NULL), BR_OK);
        if (row->plans)
            continue; /* which the tests' setups do not have */
        begin(&trial, stage, at_once, 2);
        trial.small.options.setup.overbooked = 0;
        trial.small.options.setup.unseens = 1;
        trial.small.options.setup.unseen = unseen;
        if (small_run(&trial.small, row, &trial.outcome, &diag))
            fail_msg("%s", diag.what);
        assert_int_equal(trial.outcome.end_ns[0], 8 * S);
        assert_int_equal(small_span(&trial.outcome, 0, 0, BR_SPAN_DONE, 0)->end_ns,
                         looks ? 4 * S : 8 * S);
        end(&trial);
    }
}

/* ---- Against real numbers ---- */

enum { TASKS = 8, KINDS = 2 };

struct fluid {
    uint32_t tasks;
    int demand[TASKS][KINDS];
    double start[TASKS], left[TASKS], end[TASKS]; /* in ns; end < 0: not yet */
};

static double rate_of(const struct fluid *fluid, const bool *runs, uint32_t t)
{
    double rate = 1;
    for (uint32_t r = 0; r < KINDS; r++) {
        double held = 0;
        for (uint32_t u = 0; u < fluid->tasks; u++)
            held += runs[u] ? fluid->demand[u][r] : 0;
        if (fluid->demand[t][r] && held > 10)
            rate = fmin(rate, 10 / held);
    }
    return rate;
}

/* Moves on from one start or end to the next. */
static void flow(struct fluid *fluid)
{
    double now = 0;
    for (uint32_t left = fluid->tasks; left;) {
        bool runs[TASKS];
        double next = INFINITY;
        for (uint32_t t = 0; t < fluid->tasks; t++)
            runs[t] = fluid->start[t] <= now && fluid->end[t] < 0;
        for (uint32_t t = 0; t < fluid->tasks; t++) {
            if (runs[t])
                next = fmin(next, now + fluid->left[t] / rate_of(fluid, runs, t));
            else if (fluid->start[t] > now)
                next = fmin(next, fluid->start[t]);
        }
        double past = next - now;
        double gone[TASKS] = {0};
        for (uint32_t t = 0; t < fluid->tasks; t++)
            gone[t] = runs[t] ? past * rate_of(fluid, runs, t) : 0;
        for (uint32_t t = 0; t < fluid->tasks; t++) {
            fluid->left[t] -= gone[t];
            if (runs[t] && fluid->left[t] < 1e-3) {
                fluid->end[t] = next;
                left--;
            }
        }
        now = next;
    }
}

/* Ends are those of the fluid, and no earlier but by the error of these real numbers. A change of
 * the rates may cost a nanosecond of progress, at rates down to a third. */
static void test_fluid(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    for (unsigned trial_number = 0; trial_number < random_jobs(2000); trial_number++) {
        struct fluid fluid = {.tasks = 1 + (uint32_t)br_rng_below(&rng, TASKS)};
        char text[TASKS][64];
        const char *stage[TASKS];
        int64_t start_ns[TASKS];
        int held[KINDS] = {0};
        for (uint32_t t = 0; t < fluid.tasks; t++) {
            int64_t seconds = 1 + (int64_t)br_rng_below(&rng, 9);
            start_ns[t] = (t ? start_ns[t - 1] : 0) + (int64_t)br_rng_below(&rng, 3 * S);
            for (uint32_t r = 0; r < KINDS; r++) {
                fluid.demand[t][r] = (int)br_rng_below(&rng, 11);
                if (held[r] + fluid.demand[t][r] > 30)
                    fluid.demand[t][r] = 0;
                held[r] += fluid.demand[t][r];
            }
            fluid.start[t] = (double)start_ns[t];
            fluid.left[t] = (double)(seconds * S);
            fluid.end[t] = -1;
            snprintf(text[t], sizeof text[t], "%d:net=%d,disk=%d", (int)seconds, fluid.demand[t][0],
                     fluid.demand[t][1]);
            stage[t] = text[t];
        }
        struct trial trial;
        begin(&trial, stage, start_ns, fluid.tasks);
        assert_int_equal(small_run(&trial.small, &trial.script.row, &trial.outcome, NULL), BR_OK);
        flow(&fluid);
        for (uint32_t t = 0; t < fluid.tasks; t++) {
            double late =
                (double)small_span(&trial.outcome, 0, t, BR_SPAN_DONE, 0)->end_ns - fluid.end[t];
            assert_true(late >= -1e-2 && late <= 4 * 2 * TASKS);
        }
        end(&trial);
    }
}

/* Where machines leave, and tasks fail or straggle, what is overbooked still goes by the judge. */
static void test_lost(void **state)
{
    static const char *const stage[] = {"4:net=10", "9:net=10", "6:net=5", "5:net=2,cpu=3"};
    const struct judge_limit limit = {"net", 300};
    uint32_t lost = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct small small;
        struct br_outcome outcome;
        const struct br_policy_row *row;
        double number;
        struct br_diag diag = {0};
        small_begin(&small, 2, "net=10,disk=10,cpu=10");
        uint32_t dag = small_dag(&small, stage, COUNT(stage), false);
        for (int64_t j = 0; j < 4; j++)
            small_job(&small, dag, 3 * j);
        small.options.setup.overbooked = 1;
        small.options.setup.overbook = three_times;
        small.options.world = (struct br_world){.seed = seed,
                                                .job = {1, 0.2},
                                                .stage = {1, 0.2},
                                                .task = {1, 0.2},
                                                .fail = 0.1,
                                                .straggle = 0.1,
                                                .slowness = 2,
                                                .leave_s = 60,
                                                .return_s = 5};
        assert_int_equal(br_policies_find("tetris", &row, &number, NULL), BR_OK);
        if (small_run(&small, row, &outcome, &diag) != BR_OK)
            fail_msg("%s", diag.what);
        judge_outcome(small.workload, small.cluster, &small.options.world, &limit, &outcome);
        assert_int_equal(outcome.finished, 4);
        for (uint64_t s = 0; s < outcome.spans; s++)
            lost += outcome.span[s].end == BR_SPAN_EVICTED;
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
    assert_true(lost > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),  cmocka_unit_test(test_limits),
        cmocka_unit_test(test_averages), cmocka_unit_test(test_misjudged),
        cmocka_unit_test(test_unseen),   cmocka_unit_test(test_fluid),
        cmocka_unit_test(test_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
