/* The simulator, on cases that can be computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "cluster/simulate/policies/policies.h"
#include "tests/cluster/simulate/script.h"
#include "tests/support/judge_outcome.h"

#define S INT64_C(1000000000)
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct judge_limit none = {NULL, 0};

static void run(struct small *small, const struct br_policy_row *row, struct br_outcome *outcome)
{
    struct br_diag diag = {0};
    if (small_run(small, row, outcome, &diag) != BR_OK)
        fail_msg("%s", diag.what);
    judge_outcome(small->workload, small->cluster, &small->options.world, &none, outcome);
}

static const struct br_policy_row *row_of(const char *name)
{
    const struct br_policy_row *row;
    double number;
    assert_int_equal(br_policies_find(name, &row, &number, NULL), BR_OK);
    return row;
}

static void assert_span(const struct br_span *span, int64_t start_ns, int64_t end_ns)
{
    assert_int_equal(span->start_ns, start_ns);
    assert_int_equal(span->end_ns, end_ns);
}

/* Of one moment the ends are told first, by job, then jobs that arrive, then the policy decides;
 * and a policy is called when it asks to be. */
static void test_order_of_events(void **state)
{
    static const char *const chain[] = {"2:cpu=1", "3:cpu=1"}, *const one[] = {"2:cpu=1"};
    const struct script_step step[] = {
        {0, 0, 0, 0}, {0, 1, 0, 1}, {2 * S, 0, 1, 0}, {4 * S, 2, 0, 1}};
    struct small small;
    struct script script;
    struct br_outcome outcome;
    small_begin(&small, 2, "cpu=1");
    uint32_t two = small_dag(&small, chain, 2, true), single = small_dag(&small, one, 1, true);
    small_job(&small, two, 0);
    small_job(&small, single, 0);
    small_job(&small, single, 2);
    script_begin(&script, step, COUNT(step));
    run(&small, &script.row, &outcome);
    assert_string_equal(script.log, "a0@0 a1@0 d@0 e0.0@2 e1.0@2 r1 a2@2 d@2 d@4 e0.1@5 r0 d@5 "
                                    "e2.0@6 r2 d@6");
    assert_int_equal(outcome.end_ns[0], 5 * S);
    assert_int_equal(outcome.end_ns[1], 2 * S);
    assert_int_equal(outcome.end_ns[2], 6 * S);
    assert_int_equal(outcome.events, 3 + 4);
    assert_int_equal(outcome.end_of_all_ns, 6 * S);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* What a job says of itself reaches the policy, with what will be true only where it is
 * clairvoyant. A deadline does not stop the job. */
static void test_arrival(void **state)
{
    static const char *const one[] = {"2:cpu=1"};
    const struct script_step step[] = {{3 * S, 0, 0, 0}};
    const int64_t true_ns[] = {7 * S};
    for (int clairvoyant = 0; clairvoyant < 2; clairvoyant++) {
        struct small small;
        struct script script;
        struct br_outcome outcome;
        struct br_workload_job job = br_workload_job_default();
        small_begin(&small, 1, "cpu=1");
        job.id = "urgent";
        job.dag = small_dag(&small, one, 1, true);
        assert_int_equal(br_workload_add_group(small.workload, "night", 2, &job.group, NULL),
                         BR_OK);
        job.arrival_ns = 3 * S;
        job.deadline_ns = 4 * S;
        job.weight = 2.5;
        job.true_ns = true_ns;
        assert_int_equal(br_workload_add_job(small.workload, &job, NULL), BR_OK);
        script_begin(&script, step, COUNT(step));
        script.row.clairvoyant = clairvoyant;
        run(&small, &script.row, &outcome);
        assert_int_equal(script.arrival.group, 1);
        assert_true(script.arrival.weight == 2.5);
        assert_int_equal(script.arrival.arrival_ns, 3 * S);
        assert_int_equal(script.arrival.deadline_ns, 4 * S);
        assert_int_equal(script.arrival.true_ns != NULL, clairvoyant);
        assert_int_equal(outcome.end_ns[0], 10 * S);
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

/* ---- What is refused ---- */

static void refuse(const struct script_step *step, uint32_t steps, const char *why)
{
    static const char *const stage[] = {"2:cpu=2", "2:cpu=2", "1:cpu=3"};
    struct small small;
    struct script script;
    struct br_outcome outcome;
    struct br_diag diag = {0};
    small_begin(&small, 1, "cpu=4");
    small_job(&small, small_dag(&small, stage, 2, true), 0);
    small_job(&small, small_dag(&small, stage, 3, false), 0);
    script_begin(&script, step, steps);
    assert_int_equal(small_run(&small, &script.row, &outcome, &diag), BR_SYSTEM);
    if (!strstr(diag.what, why))
        fail_msg("'%s' does not say '%s'", diag.what, why);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

static void test_refused(void **state)
{
    const struct script_step waits[] = {{0, 0, 1, 0}}, again[] = {{0, 0, 0, 0}, {S, 0, 0, 0}},
                             done[] = {{0, 0, 0, 0}, {2 * S, 0, 0, 0}},
                             gone[] = {{0, 0, 0, 0}, {2 * S, 0, 1, 0}, {4 * S, 0, 1, 0}},
                             task[] = {{0, 0, 2, 0}}, job[] = {{0, 2, 0, 0}},
                             machine[] = {{0, 0, 0, 1}}, any[] = {{0, 0, 0, UINT32_MAX}},
                             full[] = {{0, 0, 0, 0}, {0, 1, 0, 0}, {S, 1, 1, 0}},
                             large[] = {{0, 0, 0, 0}, {S, 1, 2, 0}};
    refuse(waits, COUNT(waits), "waits for another");
    refuse(again, COUNT(again), "runs or has finished");
    refuse(done, COUNT(done), "runs or has finished");
    refuse(gone, COUNT(gone), "is of a job that is not there");
    refuse(task, COUNT(task), "runs or has finished");
    refuse(job, COUNT(job), "is of a job that is not there");
    refuse(machine, COUNT(machine), "does not fit");
    refuse(any, COUNT(any), "does not fit");
    refuse(full, COUNT(full), "does not fit");
    refuse(large, COUNT(large), "does not fit");
}

/* A task waits for its own parent alone where the edge is one to one. */
static void test_one_to_one(void **state)
{
    for (uint32_t child = 2; child < 4; child++) {
        const struct script_step step[] = {{0, 0, 0, 0}, {S, 0, child, 0}};
        struct small small;
        struct script script;
        struct br_outcome outcome;
        struct br_dag *dag = br_dag_create("pairs");
        uint32_t number;
        small_begin(&small, 1, "cpu=4");
        br_dag_add_stage(dag, "a", 2, S, NULL, NULL);
        br_dag_add_stage(dag, "b", 2, S, NULL, NULL);
        br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, NULL);
        br_dag_finish(dag, NULL);
        br_workload_add_dag(small.workload, dag, NULL, NULL, &number, NULL);
        small_job(&small, number, 0);
        script_begin(&script, step, COUNT(step));
        assert_int_equal(small_run(&small, &script.row, &outcome, NULL),
                         child == 2 ? BR_OK : BR_SYSTEM);
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

/* Time does not turn back for a policy that asks for what has passed, nor stands still. */
static void test_wakes(void **state)
{
    static const char *const one[] = {"2:cpu=1"};
    const struct script_step step[] = {{0, 0, 0, 0}};
    for (int64_t asks_s = 1; asks_s <= 4; asks_s++) {
        struct small small;
        struct script script;
        struct br_outcome outcome;
        small_begin(&small, 1, "cpu=1");
        small_job(&small, small_dag(&small, one, 1, true), 3);
        script_begin(&script, step, COUNT(step));
        script.asks_ns = asks_s * S;
        bool late = asks_s <= 3;
        assert_int_equal(small_run(&small, &script.row, &outcome, NULL), late ? BR_SYSTEM : BR_OK);
        if (!late) {
            assert_string_equal(script.log, "a0@3 d@3 d@4 e0.0@5 r0 d@5");
            assert_int_equal(outcome.events, 2); /* being called is none */
        }
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

/* Nothing runs and nobody is to come, but the policy has asked to be called. */
static void test_waits(void **state)
{
    static const char *const one[] = {"2:cpu=1"};
    const struct script_step step[] = {{6 * S, 0, 0, 0}};
    struct small small;
    struct script script;
    struct br_outcome outcome;
    small_begin(&small, 1, "cpu=1");
    small_job(&small, small_dag(&small, one, 1, true), 3);
    script_begin(&script, step, COUNT(step));
    run(&small, &script.row, &outcome);
    assert_string_equal(script.log, "a0@3 d@3 d@6 e0.0@8 r0 d@8");
    assert_int_equal(outcome.finished, 1);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

static void test_bad_input(void **state)
{
    static const char *const one[] = {"2:cpu=3"}, *const second[] = {"2:cpu=3,mem=2"},
                             *const other[] = {"2:gpu=1"};
    static const struct br_overbook overbook[] = {
        {"disk", 150}, {"cpu", 99}, {"cpu", 401}, {"mem", 150}};
    struct small small;
    struct br_outcome outcome;
    small_begin(&small, 1, "cpu=2,mem=1");
    small_job(&small, small_dag(&small, one, 1, true), 0);
    assert_int_equal(small_run(&small, row_of("fifo"), &outcome, NULL), BR_BAD_INPUT);
    br_outcome_finish(&outcome);
    small_finish(&small);

    small_begin(&small, 1, "cpu=3,mem=1");
    small_job(&small, small_dag(&small, second, 1, true), 0);
    assert_int_equal(small_run(&small, row_of("fifo"), &outcome, NULL), BR_BAD_INPUT);
    br_outcome_finish(&outcome);
    small_finish(&small);

    small_begin(&small, 1, "cpu=2");
    small_job(&small, small_dag(&small, other, 1, true), 0);
    assert_int_equal(small_run(&small, row_of("fifo"), &outcome, NULL), BR_BAD_INPUT);
    br_outcome_finish(&outcome);
    small_finish(&small);

    for (size_t k = 0; k < COUNT(overbook); k++) {
        small_begin(&small, 1, "cpu=4,mem=1");
        small_job(&small, small_dag(&small, one, 1, true), 0);
        small.options.setup.overbooked = 1;
        small.options.setup.overbook = &overbook[k];
        assert_int_equal(small_run(&small, row_of("fifo"), &outcome, NULL), BR_USAGE);
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

/* Durations whose sum no clock can say are an error, not a wrap. */
static void test_beyond_time(void **state)
{
    struct small small;
    struct br_outcome outcome;
    struct br_dag *dag = br_dag_create("long");
    uint32_t number;
    small_begin(&small, 1, "cpu=1");
    br_dag_add_stage(dag, "s", 5, INT64_MAX / 4, NULL, NULL);
    br_dag_add_demand(dag, 0, "cpu", "1", NULL);
    br_dag_finish(dag, NULL);
    br_workload_add_dag(small.workload, dag, NULL, NULL, &number, NULL);
    small_job(&small, number, 0);
    assert_int_equal(small_run(&small, row_of("fifo"), &outcome, NULL), BR_BAD_INPUT);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* ---- Jobs that do not finish ---- */

/* A policy that never starts the rest is no failure; the outcome says so. */
static void test_stuck(void **state)
{
    static const char *const one[] = {"2:cpu=1"};
    const struct script_step step[] = {{0, 0, 0, 0}};
    struct small small;
    struct script script;
    struct br_outcome outcome;
    small_begin(&small, 1, "cpu=1");
    uint32_t dag = small_dag(&small, one, 1, true);
    small_job(&small, dag, 0);
    small_job(&small, dag, 1);
    script_begin(&script, step, COUNT(step));
    run(&small, &script.row, &outcome);
    assert_non_null(outcome.note);
    assert_int_equal(outcome.finished, 1);
    assert_int_equal(outcome.end_ns[1], -1);
    assert_false(outcome.cut);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

static struct br_stop to_stop;
static uint32_t told;

static void stop_soon(void *context, uint32_t finished, uint32_t jobs)
{
    assert_ptr_equal(context, &told);
    assert_true(finished < jobs);
    told++;
    br_stop_raise(&to_stop);
}

/* A stop cuts the run: what runs then is told as cut. */
static void test_stop(void **state)
{
    static const char *const one[] = {"2:cpu=1"};
    struct small small;
    struct br_outcome outcome;
    small_begin(&small, 2, "cpu=1");
    uint32_t dag = small_dag(&small, one, 1, true);
    for (uint32_t j = 0; j < 20000; j++)
        small_job(&small, dag, 0);
    small.options.stop = &to_stop;
    small.options.progress = stop_soon;
    small.options.progress_context = &told;
    run(&small, row_of("fifo"), &outcome);
    assert_true(outcome.cut);
    assert_non_null(outcome.note);
    assert_int_equal(told, 1);
    assert_true(outcome.finished == 0);
    /* The 20000 arrivals are of one moment, so the stop is seen before the first end. */
    assert_int_equal(outcome.spans, 2);
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(outcome.span[k].end, BR_SPAN_CUT);
        assert_span(&outcome.span[k], 0, 0);
    }
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* ---- Groups ---- */

/* Groups get shares of the cluster by their weights: of the first forty tasks that start on four
 * processors, three in four are of the group that weighs three times as much. */
static void test_groups(void **state)
{
    static const char *const names[] = {"tetris", "capacity"}, *const one[] = {"1:cpu=1"};
    for (size_t p = 0; p < COUNT(names); p++) {
        struct small small;
        struct br_outcome outcome;
        uint32_t heavy = 0;
        small_begin(&small, 1, "cpu=4");
        uint32_t dag = small_dag(&small, one, 1, true), group;
        assert_int_equal(br_workload_add_group(small.workload, "heavy", 3, &group, NULL), BR_OK);
        for (uint32_t j = 0; j < 80; j++) {
            small_job(&small, dag, 0);
            small.workload->job[j].group = j % 2 ? group : 0;
        }
        run(&small, row_of(names[p]), &outcome);
        for (uint64_t s = 0; s < outcome.spans; s++)
            heavy += outcome.span[s].start_ns < 10 * S &&
                     small.workload->job[outcome.span[s].job].group == group;
        assert_uint_in_range(heavy, 28, 32);
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
}

/* ---- What goes wrong ---- */

static void test_straggler(void **state)
{
    static const char *const chain[] = {"4:cpu=1", "5:cpu=1"};
    struct small small;
    struct br_outcome outcome;
    small_begin(&small, 1, "cpu=1");
    small_job(&small, small_dag(&small, chain, 2, true), 1);
    small.options.world.straggle = 1;
    small.options.world.slowness = 2.5;
    run(&small, row_of("fifo"), &outcome);
    assert_span(small_span(&outcome, 0, 0, BR_SPAN_DONE, 0), S, 11 * S);
    assert_span(small_span(&outcome, 0, 1, BR_SPAN_DONE, 0), 11 * S, 11 * S + S * 25 / 2);
    br_outcome_finish(&outcome);
    small_finish(&small);
}

/* The attempts that fail follow one another until one does not; each for as long as the world says.
 */
static void test_failures(void **state)
{
    static const char *const one[] = {"4:cpu=1"};
    uint32_t most = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct small small;
        struct br_outcome outcome;
        struct br_attempt attempt;
        int64_t at_ns = 0;
        uint32_t k = 0;
        small_begin(&small, 1, "cpu=1");
        small_job(&small, small_dag(&small, one, 1, true), 0);
        small.options.world.fail = 0.6;
        small.options.world.seed = seed;
        run(&small, row_of("fifo"), &outcome);
        do {
            attempt = br_world_attempt(&small.options.world, &small.workload->job[0], 0, k, 4 * S);
            assert_true(k < outcome.spans);
            assert_int_equal(outcome.span[k].end, attempt.fails ? BR_SPAN_FAILED : BR_SPAN_DONE);
            assert_span(&outcome.span[k++], at_ns, at_ns + attempt.lasts_ns);
            at_ns += attempt.lasts_ns;
        } while (attempt.fails);
        assert_int_equal(attempt.lasts_ns, 4 * S);
        assert_int_equal(outcome.spans, k);
        most = k > most ? k : most;
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
    assert_true(most > 3);
}

/* What runs on a machine that leaves is lost, and starts anew when it returns; a policy that starts
 * it while the machine is away is refused. */
static void test_machine_leaves(void **state)
{
    static const char *const one[] = {"40:cpu=1"};
    uint32_t lost = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct small small;
        struct br_outcome outcome;
        small_begin(&small, 1, "cpu=1");
        small_job(&small, small_dag(&small, one, 1, true), 0);
        small.options.world.seed = seed;
        small.options.world.leave_s = 40;
        small.options.world.return_s = 10;
        run(&small, row_of("fifo"), &outcome);
        int64_t at_ns = 0;
        for (uint32_t k = 0; k < outcome.spans; k++) {
            int64_t stay_ns = br_world_machine_ns(&small.options.world, 0, 2 * k);
            bool last = stay_ns >= 40 * S;
            assert_int_equal(outcome.span[k].end, last ? BR_SPAN_DONE : BR_SPAN_EVICTED);
            assert_span(&outcome.span[k], at_ns, at_ns + (last ? 40 * S : stay_ns));
            assert_int_equal(last, k + 1 == outcome.spans);
            at_ns += stay_ns + br_world_machine_ns(&small.options.world, 0, 2 * k + 1);
            lost += !last;
        }
        const struct script_step step[] = {
            {0, 0, 0, 0}, {br_world_machine_ns(&small.options.world, 0, 0), 0, 0, 0}};
        struct script script;
        script_begin(&script, step, COUNT(step));
        if (outcome.spans > 1) {
            struct br_outcome refused;
            struct br_diag diag = {0};
            assert_int_equal(small_run(&small, &script.row, &refused, &diag), BR_SYSTEM);
            assert_non_null(strstr(diag.what, "does not fit"));
            assert_non_null(strstr(script.log, " f0.0@"));
            assert_non_null(strstr(script.log, " m0- d@"));
            br_outcome_finish(&refused);
        }
        br_outcome_finish(&outcome);
        small_finish(&small);
    }
    assert_true(lost > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_events), cmocka_unit_test(test_arrival),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_one_to_one),
        cmocka_unit_test(test_wakes),           cmocka_unit_test(test_waits),
        cmocka_unit_test(test_bad_input),       cmocka_unit_test(test_beyond_time),
        cmocka_unit_test(test_stuck),           cmocka_unit_test(test_stop),
        cmocka_unit_test(test_groups),          cmocka_unit_test(test_straggler),
        cmocka_unit_test(test_failures),        cmocka_unit_test(test_machine_leaves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
