/* Plans made again: what holds among the tasks of a rest is what held in the job, task by task; the
 * order is as promised; and pilots, guesses and news are those computed by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "base/text/diag.h"
#include "runtime/replanning/replanner.h"

#define MS INT64_C(1000000)

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

enum { STAGES = 6, TASKS_MOST = 200 };

/* A job of a few stages, some of equal width, with edges of both kinds. */
static struct br_dag *make_job(struct br_rng *rng)
{
    struct br_dag *dag = br_dag_create("job");
    uint32_t tasks[STAGES];
    for (uint32_t s = 0; s < STAGES; s++) {
        char id[8];
        tasks[s] = br_rng_below(rng, 3) ? 4 : 1 + (uint32_t)br_rng_below(rng, 5);
        snprintf(id, sizeof id, "s%u", s);
        OK(br_dag_add_stage(dag, id, tasks[s], 10, NULL, &diag));
        OK(br_dag_add_demand(dag, s, "cpu", s % 2 ? "2" : "1", &diag));
    }
    for (uint32_t a = 0; a < STAGES; a++)
        for (uint32_t b = a + 1; b < STAGES; b++)
            if (!br_rng_below(rng, 3))
                OK(br_dag_add_edge(dag, a, b,
                                   tasks[a] == tasks[b] && br_rng_below(rng, 3) ? BR_ONE_TO_ONE
                                                                                : BR_BARRIER,
                                   &diag));
    OK(br_dag_finish(dag, &diag));
    return dag;
}

/* waits[b * tasks + a]: task b starts after task a. */
static void expand(const struct br_dag *dag, bool *waits)
{
    memset(waits, 0, (size_t)dag->tasks * dag->tasks);
    for (uint32_t e = 0; e < dag->edges; e++) {
        const struct br_stage *from = &dag->stage[dag->edge[e].parent],
                              *to = &dag->stage[dag->edge[e].child];
        for (uint32_t i = 0; i < from->tasks; i++)
            for (uint32_t j = 0; j < to->tasks; j++)
                if (dag->edge[e].type == BR_BARRIER || i == j)
                    waits[(size_t)(to->first_task + j) * dag->tasks + from->first_task + i] = true;
    }
}

/* Lets tasks run and end at random, each after those that it waits for. */
static void play(const struct br_dag *dag, const bool *waits, struct br_rng *rng, uint32_t steps,
                 uint8_t *state)
{
    memset(state, BR_REST_WAITING, dag->tasks);
    for (uint32_t k = 0; k < steps; k++) {
        uint32_t t = (uint32_t)br_rng_below(rng, dag->tasks);
        bool ready = true;
        for (uint32_t a = 0; a < dag->tasks; a++)
            ready &= !waits[(size_t)t * dag->tasks + a] || state[a] == BR_REST_ENDED;
        if (state[t] != BR_REST_ENDED && ready)
            state[t]++;
    }
}

static void check_rest(const struct br_dag *dag, const struct br_rest *rest, const bool *waits)
{
    struct br_dag *made;
    uint32_t *task, open = 0;
    bool *left = calloc((size_t)dag->tasks * dag->tasks, 1);
    for (uint32_t t = 0; t < dag->tasks; t++)
        open += rest->state[t] != BR_REST_ENDED;
    enum br_status status = br_rest_job(dag, rest, &made, &task, &diag);
    assert_non_null(left);
    assert_int_equal(status, open ? BR_OK : BR_NO);
    if (open) {
        assert_int_equal(made->tasks, open);
        expand(made, left);
    }
    for (uint32_t k = 0; k < open; k++) {
        uint32_t a = br_dag_task_stage(dag, task[k]), b = br_dag_task_stage(made, k);
        assert_int_not_equal(rest->state[task[k]], BR_REST_ENDED);
        assert_int_equal(made->duration_ns[k], rest->duration_ns[task[k]]);
        assert_int_equal(made->stage[b].demands, 1);
        assert_int_equal(made->demand[made->stage[b].first_demand].amount.mantissa, 1 + a % 2);
        for (uint32_t i = 0; i < open; i++)
            assert_int_equal(left[(size_t)k * open + i],
                             waits[(size_t)task[k] * dag->tasks + task[i]]);
    }
    free(left);
    free(task);
    br_dag_destroy(made);
}

static struct br_cluster *make_cluster(void)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    OK(br_cluster_add_class(cluster, "m", 1, NULL, &diag));
    OK(br_cluster_add_capacity(cluster, 0, "cpu", "3", &diag));
    return cluster;
}

/* Classes follow one another; starts are not before now; no waiting task that is no pilot is before
 * one that it waits for. */
static void check_plan(const struct br_dag *dag, const struct br_rest *rest, const bool *waits)
{
    struct br_cluster *cluster = make_cluster();
    struct br_plan *plan;
    struct br_plan_options options = br_plan_options_default();
    options.effort = BR_EFFORT_FAST;
    options.threads = 1;
    enum br_status status = br_rest_plan(dag, cluster, rest, &options, &plan, &diag);
    int before = 0;
    int64_t last_ns = 0;
    for (uint32_t k = 0; k < dag->tasks && !status; k++) {
        uint32_t t = plan->order[k];
        int class = rest->state[t] == BR_REST_ENDED     ? 0
                    : rest->state[t] == BR_REST_RUNNING ? 1
                    : rest->pilot[t]                    ? 2
                                                        : 3;
        assert_true(class >= before);
        assert_true(class < 3 || before < 3 || plan->start_ns[t] >= last_ns);
        before = class;
        last_ns = plan->start_ns[t];
        assert_int_equal(plan->rank[t], k + 1);
        assert_true(plan->machine[t] >= br_cluster_machine_count(cluster));
        assert_true(class == 0 || plan->start_ns[t] >= rest->now_ns);
        assert_true(class != 1 || plan->start_ns[t] == rest->now_ns);
        assert_true(class == 0 || plan->end_ns[t] == plan->start_ns[t] + rest->duration_ns[t]);
        assert_true(plan->start_ns[t] <= plan->makespan_ns);
        for (uint32_t a = 0; a < dag->tasks; a++)
            if (class >= 2 && waits[(size_t)t * dag->tasks + a] && rest->state[a] != BR_REST_ENDED)
                assert_true(plan->start_ns[t] >= plan->end_ns[a]);
        for (uint32_t a = 0; a < dag->tasks; a++)
            if (class == 3 && waits[(size_t)t * dag->tasks + a])
                assert_true(plan->rank[a] < plan->rank[t]);
    }
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
}

static void test_rests(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_dag *dag = make_job(&rng);
        bool *waits = calloc((size_t)dag->tasks * dag->tasks, 1), pilot[TASKS_MOST];
        uint8_t states[TASKS_MOST];
        int64_t duration_ns[TASKS_MOST];
        assert_non_null(waits);
        assert_true(dag->tasks <= TASKS_MOST);
        expand(dag, waits);
        play(dag, waits, &rng, (uint32_t)br_rng_below(&rng, 150), states);
        for (uint32_t t = 0; t < dag->tasks; t++) {
            pilot[t] = !br_rng_below(&rng, 4);
            duration_ns[t] = 1 + (int64_t)br_rng_below(&rng, 100);
        }
        const struct br_rest rest = {states, duration_ns, pilot, 1000};
        check_rest(dag, &rest, waits);
        if (seed % 5 == 0)
            check_plan(dag, &rest, waits);
        free(waits);
        br_dag_destroy(dag);
    }
}

/* Stage a of 40 tasks is unknown, b of 2 and of 5 ms is not, c of 1 is unknown. */
static struct br_dag *make_open_job(void)
{
    struct br_dag *dag = br_dag_create("open");
    OK(br_dag_add_stage(dag, "a", 40, 0, NULL, &diag));
    OK(br_dag_set_command(dag, 0, "true", &diag));
    OK(br_dag_add_stage(dag, "b", 2, 5 * MS, NULL, &diag));
    OK(br_dag_set_command(dag, 1, "true", &diag));
    OK(br_dag_add_stage(dag, "c", 1, 0, NULL, &diag));
    OK(br_dag_set_command(dag, 2, "true", &diag));
    OK(br_dag_add_stage(dag, "gate", 1, 0, NULL, &diag));
    OK(br_dag_finish(dag, &diag));
    return dag;
}

static uint32_t count_pilots(const struct br_rest *rest, uint32_t first, uint32_t tasks)
{
    uint32_t count = 0;
    for (uint32_t t = first; t < first + tasks; t++)
        count += rest->pilot[t];
    return count;
}

/* Stages that are like one another are learned as one: one pilot of three, whose duration counts
 * for all of them. */
static void test_alike(void **state)
{
    (void)state;
    struct br_dag *dag = br_dag_create("alike");
    const uint32_t like[] = {0, 1, 0, 1, 0};
    const bool unknown[] = {true, true, true, true, true};
    for (uint32_t s = 0; s < 5; s++) {
        const char id[] = {(char)('a' + s), 0};
        OK(br_dag_add_stage(dag, id, s == 3 ? 2 : 1, 0, NULL, &diag));
    }
    OK(br_dag_finish(dag, &diag));
    struct br_beliefs *beliefs;
    struct br_replanner *replanner;
    struct br_replanner_options options = br_replanner_options_default();
    struct br_task_belief belief;
    const int64_t *expected_ns;
    uint32_t measured, pilot = 0;
    options.like = like;
    OK(br_beliefs_create(NULL, &beliefs, &diag));
    OK(br_replanner_create(dag, unknown, beliefs, &options, &replanner, &diag));
    struct br_rest rest = br_replanner_look(replanner, 0, NULL);
    assert_int_equal(rest.pilot[0] + rest.pilot[2] + rest.pilot[5], 1);
    assert_int_equal(rest.pilot[1] + rest.pilot[3] + rest.pilot[4], 1);
    assert_int_equal(br_replanner_alike(replanner, 0), 3);
    assert_int_equal(br_replanner_alike(replanner, 1), 3);
    assert_int_equal(br_replanner_alike(replanner, 4), 0);
    pilot = rest.pilot[2] ? 2 : rest.pilot[5] ? 5 : 0;
    for (uint32_t k = 0; k < 3; k++) {
        br_replanner_started(replanner, pilot, 0);
        br_replanner_ended(replanner, pilot, 90 * MS);
        assert_true(br_replanner_wants(replanner) || k > 0);
        rest = br_replanner_look(replanner, 0, &expected_ns);
        assert_true(expected_ns[0] > 80 * MS && expected_ns[0] < 100 * MS);
        assert_true(expected_ns[2] == expected_ns[0] && expected_ns[5] == expected_ns[0]);
        assert_true(br_replanner_stage(replanner, 4, &belief, &measured));
        assert_int_equal(measured, k + 1);
        pilot = pilot == 0 ? 2 : pilot == 2 ? 5 : 0;
    }
    const struct br_replanner_report report = br_replanner_report(replanner);
    assert_true(report.unknown == 2 && report.learnt == 1);
    assert_true(report.pilots == 1 && report.measured == 3);
    br_replanner_destroy(replanner);
    br_beliefs_destroy(beliefs);
    br_dag_destroy(dag);
}

static void test_replanner(void **state)
{
    (void)state;
    struct br_dag *dag = make_open_job();
    struct br_beliefs *beliefs;
    struct br_replanner *replanner;
    struct br_replanner_options options = br_replanner_options_default();
    struct br_task_belief belief;
    const int64_t *expected_ns;
    uint32_t measured, ended = 0;
    bool *unknown;
    OK(br_replanner_unknown(dag, &unknown, &diag));
    assert_true(unknown[0] && !unknown[1] && unknown[2] && !unknown[3]);
    options.ratio = 0.1;
    OK(br_beliefs_create(NULL, &beliefs, &diag));
    OK(br_replanner_create(dag, unknown, beliefs, &options, &replanner, &diag));
    struct br_rest rest = br_replanner_look(replanner, 0, &expected_ns);
    assert_int_equal(count_pilots(&rest, 0, 40), 4);
    assert_int_equal(count_pilots(&rest, 40, 2), 0);
    assert_int_equal(count_pilots(&rest, 42, 1), 1);
    assert_int_equal(count_pilots(&rest, 43, 1), 0);
    /* Nothing is known of a and c but how long b takes. */
    assert_int_equal(expected_ns[0], 5 * MS);
    assert_int_equal(expected_ns[42], 5 * MS);
    assert_int_equal(expected_ns[43], 0);
    assert_false(br_replanner_wants(replanner));
    /* Three pilots and a failed attempt are no news, the fourth is. */
    for (uint32_t t = 0; t < 40; t++)
        if (rest.pilot[t]) {
            br_replanner_started(replanner, t, 100 * MS);
            if (ended == 1) {
                br_replanner_failed(replanner, t, true);
                br_replanner_started(replanner, t, 100 * MS);
            }
            assert_false(br_replanner_wants(replanner));
            br_replanner_ended(replanner, t, 80 * MS);
            ended++;
        }
    assert_true(br_replanner_wants(replanner));
    uint32_t runs = rest.pilot[0] ? 1 : 0;
    runs = rest.pilot[runs] ? 2 : runs;
    br_replanner_started(replanner, runs, 100 * MS);
    rest = br_replanner_look(replanner, 150 * MS, &expected_ns);
    assert_false(br_replanner_wants(replanner));
    assert_true(expected_ns[39] > 70 * MS && expected_ns[39] < 90 * MS);
    assert_int_equal(rest.duration_ns[runs], expected_ns[39] - 50 * MS);
    rest = br_replanner_look(replanner, 900 * MS, &expected_ns);
    assert_int_equal(rest.duration_ns[runs], expected_ns[39] / 10); /* it is late */
    /* c: the geometric mean of a and b by now, within what a may be. */
    assert_true(expected_ns[42] > 18 * MS && expected_ns[42] < 22 * MS);
    assert_true(br_replanner_stage(replanner, 0, &belief, &measured));
    assert_int_equal(measured, 4);
    assert_true(belief.known && belief.low_ns < 80 * MS && belief.high_ns > 80 * MS);
    /* What is as expected is no news; a task of unknown time teaches nothing; none is left. */
    br_replanner_ended(replanner, 39, rest.pilot[39] ? -1 : 80 * MS);
    assert_false(br_replanner_wants(replanner));
    br_replanner_ended(replanner, 42, -1);
    assert_false(br_replanner_wants(replanner));
    struct br_replanner_report report = br_replanner_report(replanner);
    assert_int_equal(report.unknown, 2);
    assert_int_equal(report.learnt, 1);
    assert_int_equal(report.pilots, 4);
    for (uint32_t t = 0; t < dag->tasks; t++)
        br_replanner_ended(replanner, t, 800 * MS);
    assert_false(br_replanner_wants(replanner)); /* nothing is left to be planned */
    br_replanner_destroy(replanner);
    br_beliefs_destroy(beliefs);
    free(unknown);
    br_dag_destroy(dag);
}

/* Forecasts: what is known of a stage by its measured tasks; nothing of another means the longest
 * that is known. */
static void test_forecast(void **state)
{
    (void)state;
    struct br_dag *dag = make_open_job();
    struct br_beliefs *beliefs;
    struct br_replanner *replanner;
    const struct br_replanner_options options = br_replanner_options_default();
    int64_t duration_ns[44];
    double spread[4];
    bool *unknown;
    assert_int_equal(dag->tasks, 44);
    OK(br_replanner_unknown(dag, &unknown, &diag));
    OK(br_beliefs_create(NULL, &beliefs, &diag));
    OK(br_replanner_create(dag, unknown, beliefs, &options, &replanner, &diag));
    assert_false(br_replanner_knows(replanner));
    br_replanner_forecast(replanner, duration_ns, spread);
    assert_int_equal(duration_ns[0], 5 * MS); /* as long as b */
    assert_int_equal(duration_ns[42], 5 * MS);
    assert_int_equal(duration_ns[43], 0);
    for (uint32_t t = 0; t < 4; t++)
        br_replanner_ended(replanner, t, (t % 2 ? 60 : 100) * MS);
    br_replanner_forecast(replanner, duration_ns, spread);
    assert_false(br_replanner_knows(replanner));
    assert_true(duration_ns[0] > 70 * MS && duration_ns[0] < 90 * MS);
    assert_int_equal(duration_ns[39], duration_ns[0]);
    assert_int_equal(duration_ns[40], 5 * MS);
    assert_int_equal(duration_ns[42], duration_ns[0]); /* as long as a */
    assert_true(spread[0] > 0.05 && spread[1] < 0 && spread[2] < 0 && spread[3] < 0);
    br_replanner_ended(replanner, 42, 30 * MS);
    br_replanner_forecast(replanner, duration_ns, spread);
    assert_true(br_replanner_knows(replanner));
    assert_true(duration_ns[42] > 20 * MS && duration_ns[42] < 40 * MS);
    br_replanner_destroy(replanner);
    br_beliefs_destroy(beliefs);
    free(unknown);
    br_dag_destroy(dag);
}

/* By default 3 % of the tasks are pilots, and a mean that is off by more than a tenth is news; the
 * seed draws other pilots. */
static void test_defaults(void **state)
{
    struct br_replanner_options options = br_replanner_options_default();
    const bool unknown[1] = {true};
    struct br_dag *dag = br_dag_create("wide");
    (void)state;
    OK(br_dag_add_stage(dag, "a", 200, 0, NULL, &diag));
    OK(br_dag_finish(dag, &diag));
    bool first[200];
    for (uint32_t run = 0; run < 3; run++) {
        struct br_beliefs *beliefs;
        struct br_replanner *replanner;
        uint32_t measured = 0;
        OK(br_beliefs_create(NULL, &beliefs, &diag));
        options.seed += run == 2;
        OK(br_replanner_create(dag, unknown, beliefs, &options, &replanner, &diag));
        struct br_rest rest = br_replanner_look(replanner, 0, NULL);
        assert_int_equal(count_pilots(&rest, 0, 200), 6);
        if (run == 0)
            memcpy(first, rest.pilot, sizeof first);
        assert_int_equal(memcmp(first, rest.pilot, sizeof first) != 0, run == 2);
        for (uint32_t t = 0; t < 200; t++)
            if (rest.pilot[t])
                br_replanner_ended(replanner, t, 100 * MS);
        br_replanner_look(replanner, 0, NULL);
        /* Six took 100 ms. Six more make the mean 109 ms, or 112 ms. */
        for (uint32_t t = 0; t < 200 && measured < 6; t++)
            if (!first[t] && !rest.pilot[t]) {
                br_replanner_ended(replanner, t, (run ? 124 : 118) * MS);
                measured++;
            }
        assert_int_equal(br_replanner_wants(replanner), run != 0);
        br_replanner_destroy(replanner);
        br_beliefs_destroy(beliefs);
    }
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rests), cmocka_unit_test(test_alike),
                                       cmocka_unit_test(test_replanner),
                                       cmocka_unit_test(test_forecast),
                                       cmocka_unit_test(test_defaults)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
