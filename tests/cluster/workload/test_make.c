/* Making workloads: arrivals against what defines them, loads and deadlines computed by hand, and
 * choices that do not disturb each other. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cluster/workload/make.h"
#include "cluster/workload/offered.h"
#include "cluster/workload/scale.h"
#include "cluster/workload/statistics.h"

#define S INT64_C(1000000000)

static struct br_diag diag;

#define OK(call)                                                                                   \
    do {                                                                                           \
        if ((call) != BR_OK)                                                                       \
            fail_msg("%s: %s", #call, diag.what);                                                  \
    } while (0)

static void near(double found, double wanted, double within, const char *what)
{
    if (!(fabs(found - wanted) <= within))
        fail_msg("%s is %.15g, not %.15g", what, found, wanted);
}
#define NEAR(found, wanted) near(found, wanted, 1e-9, #found)

/* Stage a of three tasks (2 s, 4 s, 6 s; 2 cpu), then b one to one (1 s each; 1 cpu, 10 mem), then
 * c of one task (5 s; 4 cpu) behind a barrier. Longest path: 6 + 1 + 5. */
static struct br_dag *forked(void)
{
    struct br_dag *dag = br_dag_create("forked");
    OK(br_dag_add_stage(dag, "a", 3, 2 * S, NULL, &diag));
    OK(br_dag_add_stage(dag, "b", 3, 1 * S, NULL, &diag));
    OK(br_dag_add_stage(dag, "c", 1, 5 * S, NULL, &diag));
    OK(br_dag_set_duration(dag, 0, 1, 4 * S, &diag));
    OK(br_dag_set_duration(dag, 0, 2, 6 * S, &diag));
    OK(br_dag_add_demand(dag, 0, "cpu", "2", &diag));
    OK(br_dag_add_demand(dag, 1, "cpu", "1", &diag));
    OK(br_dag_add_demand(dag, 1, "mem", "10", &diag));
    OK(br_dag_add_demand(dag, 2, "cpu", "4", &diag));
    OK(br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, &diag));
    OK(br_dag_add_edge(dag, 1, 2, BR_BARRIER, &diag));
    OK(br_dag_finish(dag, &diag));
    return dag;
}

/* One task of 10 s that takes half a cpu and 100 mem. */
static struct br_dag *single(void)
{
    struct br_dag *dag = br_dag_create("single");
    OK(br_dag_add_stage(dag, "x", 1, 10 * S, NULL, &diag));
    OK(br_dag_add_demand(dag, 0, "cpu", "0.5", &diag));
    OK(br_dag_add_demand(dag, 0, "mem", "100", &diag));
    OK(br_dag_finish(dag, &diag));
    return dag;
}

static struct br_workload *with_dags(void)
{
    struct br_workload *workload = br_workload_create(NULL, NULL);
    uint32_t number;
    OK(br_workload_add_dag(workload, forked(), "forked.xml", NULL, &number, &diag));
    OK(br_workload_add_dag(workload, single(), "single.xml", NULL, &number, &diag));
    return workload;
}

static struct br_workload *drawn(enum br_draw draw, uint32_t count, uint64_t seed)
{
    struct br_workload *workload = with_dags();
    OK(br_workload_draw(workload, draw, count, seed, &diag));
    return workload;
}

/* 3 machines of 8 cpu and one of 200 mem. */
static struct br_cluster *cluster(void)
{
    struct br_cluster *made = br_cluster_create(NULL);
    uint32_t cls;
    OK(br_cluster_add_class(made, "a", 3, &cls, &diag));
    OK(br_cluster_add_capacity(made, cls, "cpu", "8", &diag));
    OK(br_cluster_add_class(made, "b", 1, &cls, &diag));
    OK(br_cluster_add_capacity(made, cls, "mem", "200", &diag));
    return made;
}

static int64_t last_arrival(const struct br_workload *workload)
{
    return workload->job[workload->jobs - 1].arrival_ns;
}

static void poisson_gaps(void **state)
{
    enum { JOBS = 100001 };
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_RANDOM, JOBS, 5);
    OK(br_workload_arrive(workload, BR_ARRIVE_POISSON, 2.5, 5, &diag));
    double squares = 0, long_ones = 0, pairs = 0, before = 0;
    assert_int_equal(workload->job[0].arrival_ns, 0);
    for (uint32_t j = 1; j < JOBS; j++) {
        double gap = (double)(workload->job[j].arrival_ns - workload->job[j - 1].arrival_ns) / S;
        assert_true(gap >= 0);
        squares += (gap - 2.5) * (gap - 2.5);
        long_ones += gap > 2.5;
        pairs += j > 1 ? (gap - 2.5) * (before - 2.5) : 0;
        before = gap;
    }
    near(br_workload_mean_gap(workload), 2.5, 1e-8, "the mean");
    near((double)last_arrival(workload) / S, 2.5 * (JOBS - 1), 1e-6, "the span");
    near(sqrt(squares / (JOBS - 1)) / 2.5, 1, 0.02, "the coefficient of variation");
    near(long_ones / (JOBS - 1), exp(-1), 0.006, "the share of gaps beyond the mean");
    near(pairs / squares, 0, 0.02, "the correlation of neighbours");
    br_workload_destroy(workload);
}

static void other_gaps(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 5, 1);
    OK(br_workload_arrive(workload, BR_ARRIVE_REGULAR, 0.5, 1, &diag));
    for (uint32_t j = 0; j < 5; j++)
        assert_int_equal(workload->job[j].arrival_ns, j * S / 2);
    assert_int_equal(br_workload_arrive(workload, BR_ARRIVE_POISSON, 1e10, 1, &diag), BR_USAGE);
    OK(br_workload_arrive(workload, BR_ARRIVE_BATCH, 0, 1, &diag));
    assert_int_equal(last_arrival(workload), 0);
    br_workload_destroy(workload);
    workload = drawn(BR_DRAW_ALL, 1, 1); /* a single job has no gap */
    OK(br_workload_arrive(workload, BR_ARRIVE_POISSON, 3, 1, &diag));
    assert_int_equal(last_arrival(workload), 0);
    assert_true(isnan(br_workload_mean_gap(workload)));
    br_workload_destroy(workload);
}

/* forked: cpu 2 x 12 + 1 x 3 + 4 x 5 = 47, mem 30; single: cpu 5, mem 1000. Of two and one of them:
 * cpu 99 over 24, mem 1060 over 200, which is 5.3 s of the cluster. */
static void offered_by_hand(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 3, 1);
    struct br_cluster *made = cluster();
    struct br_offered offered;
    double seconds;
    uint32_t resource;
    OK(br_offered_make(workload, &offered, &diag));
    assert_int_equal(offered.resources, 2);
    assert_string_equal(offered.resource[0], "cpu");
    NEAR(offered.amount_s[0], 99);
    NEAR(offered.amount_s[1], 1060);
    NEAR(offered.task_s, 2 * 20 + 10);
    NEAR(br_offered_seconds(&offered, 0, made), 99. / 24);
    OK(br_offered_most(&offered, made, &seconds, &resource, &diag));
    NEAR(seconds, 5.3);
    assert_string_equal(offered.resource[resource], "mem");
    br_offered_finish(&offered);

    /* A recorded duration counts in place of the declared one. */
    struct br_workload_job job = br_workload_job_default();
    const int64_t true_ns[] = {30 * S};
    job.id = "recorded";
    job.dag = 1;
    job.true_ns = true_ns;
    OK(br_workload_add_job(workload, &job, &diag));
    OK(br_offered_make(workload, &offered, &diag));
    NEAR(offered.amount_s[1], 1060 + 3000);
    NEAR(offered.task_s, 50 + 30);
    br_offered_finish(&offered);
    br_workload_scale_durations(workload, 0.5);
    OK(br_offered_make(workload, &offered, &diag));
    NEAR(offered.amount_s[1], (1060 + 3000) / 2.);
    br_offered_finish(&offered);
    NEAR(workload->dag[1].scale, 0.5);

    struct br_cluster *poor = br_cluster_create(NULL);
    OK(br_cluster_add_class(poor, "a", 1, NULL, &diag));
    OK(br_cluster_add_capacity(poor, 0, "cpu", "8", &diag));
    OK(br_offered_make(workload, &offered, &diag));
    assert_int_equal(br_offered_most(&offered, poor, &seconds, &resource, &diag), BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "'mem'"));
    br_offered_finish(&offered);
    br_cluster_destroy(poor);
    br_cluster_destroy(made);
    br_workload_destroy(workload);
}

static void statistics_by_hand(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 4, 1);
    struct br_cluster *made = cluster();
    struct br_workload_statistics is;
    const int64_t time[] = {1 * S, 2 * S, 4 * S, 7 * S};
    uint32_t group;
    br_workload_arrive_at(workload, time);
    OK(br_workload_add_group(workload, "g", 3, &group, &diag));
    workload->job[1].group = group;
    OK(br_workload_set_deadlines(workload, 0, 24 * S, &diag));
    workload->job[3].deadline_ns = BR_NEVER;
    OK(br_workload_finish(workload, &diag));
    OK(br_workload_measure(workload, made, &is, &diag));
    assert_int_equal(is.jobs, 4);
    assert_int_equal(is.dags, 2);
    assert_int_equal(is.tasks, 16);
    assert_int_equal(is.stages, 8);
    NEAR(is.job_tasks.mean, 4);
    NEAR(is.job_tasks.p75, 7);
    NEAR(is.width.max, 3);
    NEAR(is.depth.min, 1);
    NEAR(is.depth.max, 3);
    NEAR(is.critical_s.min, 10);
    NEAR(is.critical_s.max, 12);
    NEAR(is.critical_s.p50, 11);
    NEAR(is.work_s.max, 20);
    NEAR(is.first_s, 1);
    NEAR(is.last_s, 7);
    NEAR(is.gap_mean_s, 2);
    NEAR(is.gap_cov, sqrt(2. / 3) / 2); /* gaps 1, 2, 3 */
    NEAR(is.load[1], 2060. / 200 / 4 / 2);
    assert_int_equal(is.most_loaded, 1);
    assert_int_equal(is.deadlines, 3);
    NEAR(is.slack.min, 2);
    NEAR(is.slack.max, 2.4);
    assert_int_equal(is.group[group].jobs, 1);
    NEAR(is.group[group].task_s, 10);
    NEAR(is.group[0].task_s, 50);
    br_workload_statistics_finish(&is);
    OK(br_workload_measure(workload, NULL, &is, &diag));
    assert_true(isnan(is.load[0]));
    assert_int_equal(is.most_loaded, UINT32_MAX);
    br_workload_statistics_finish(&is);
    br_cluster_destroy(made);
    br_workload_destroy(workload);
}

static void draws(void **state)
{
    enum { JOBS = 20000 };
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_RANDOM, JOBS, 3);
    uint32_t of_first = 0, turns = 0, high = 0;
    for (uint32_t j = 0; j < JOBS; j++) {
        of_first += workload->job[j].dag == 0;
        high += (workload->job[j].dag == 0) == (workload->job[j].seed < UINT64_C(1) << 52);
        turns += j && workload->job[j].dag != workload->job[j - 1].dag;
        assert_true(!j || workload->job[j].seed != workload->job[j - 1].seed);
    }
    near(of_first, JOBS / 2, 4 * sqrt(JOBS / 4), "jobs of the first file");
    near(high, JOBS / 2, 4 * sqrt(JOBS / 4), "first files with small seeds, and others with large");
    near(turns, JOBS / 2, 4 * sqrt(JOBS / 4), "changes from one job to the next");
    br_workload_destroy(workload);
    workload = drawn(BR_DRAW_ALL, 5, 3);
    for (uint32_t j = 0; j < 5; j++)
        assert_int_equal(workload->job[j].dag, j % 2);
    br_workload_destroy(workload);
}

/* One more choice, or another kind of arrivals, leaves what was drawn of the others. */
static void independent_choices(void **state)
{
    (void)state;
    struct br_workload *plain = drawn(BR_DRAW_RANDOM, 300, 7);
    struct br_workload *more = drawn(BR_DRAW_RANDOM, 300, 7);
    const uint32_t group[] = {0};
    br_workload_assign(more, group, 1, true, 7);
    OK(br_workload_arrive(plain, BR_ARRIVE_POISSON, 1, 7, &diag));
    OK(br_workload_arrive(more, BR_ARRIVE_POISSON, 2, 7, &diag));
    for (uint32_t j = 0; j < 300; j++) {
        assert_int_equal(plain->job[j].dag, more->job[j].dag);
        assert_int_equal(plain->job[j].seed, more->job[j].seed);
        assert_true(llabs(2 * plain->job[j].arrival_ns - more->job[j].arrival_ns) <= 2);
    }
    br_workload_destroy(plain);
    br_workload_destroy(more);
    assert_true(br_workload_generated_seed(1, 0) != br_workload_generated_seed(1, 1));
    assert_true(br_workload_generated_seed(1, 1) != br_workload_generated_seed(2, 0));
}

static void slices(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 10, 1);
    OK(br_workload_arrive(workload, BR_ARRIVE_REGULAR, 10, 1, &diag));
    OK(br_workload_set_deadlines(workload, 0, 7 * S, &diag));
    OK(br_workload_finish(workload, &diag));
    br_workload_slice(workload, 20 * S, 70 * S, 0); /* jobs 3 to 7: 70 s is no more in it */
    assert_int_equal(workload->jobs, 5);
    assert_string_equal(workload->job[0].id, "3");
    assert_int_equal(workload->job[0].arrival_ns, 0);
    assert_int_equal(workload->job[4].arrival_ns, 40 * S);
    assert_int_equal(workload->job[4].deadline_ns, 47 * S);
    assert_int_equal(workload->tasks, 3 * 7 + 2 * 1);
    br_workload_slice(workload, 5 * S, BR_NEVER, 2);
    assert_int_equal(workload->jobs, 2);
    assert_int_equal(workload->job[0].arrival_ns, 5 * S);
    OK(br_workload_stretch(workload, 3, &diag));
    assert_int_equal(workload->job[0].arrival_ns, 5 * S);
    assert_int_equal(workload->job[1].arrival_ns, 35 * S);
    assert_int_equal(workload->job[1].deadline_ns, 42 * S);
    assert_int_equal(br_workload_stretch(workload, 1e9, &diag), BR_USAGE);
    br_workload_destroy(workload);
}

static void thinned(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 10000, 1);
    br_workload_thin(workload, 0.3, 4);
    near(workload->jobs, 3000, 4 * sqrt(10000 * 0.21), "jobs that are kept");
    uint64_t tasks = 0;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        tasks += workload->dag[workload->job[j].dag].dag->tasks;
        assert_true(!j || atoi(workload->job[j].id) > atoi(workload->job[j - 1].id));
    }
    assert_int_equal(workload->tasks, tasks);
    br_workload_thin(workload, 0, 4);
    assert_int_equal(workload->jobs, 0);
    br_workload_destroy(workload);
}

static void groups_and_deadlines(void **state)
{
    (void)state;
    struct br_workload *workload = drawn(BR_DRAW_ALL, 6000, 1);
    uint32_t group[2], of_a = 0;
    OK(br_workload_add_group(workload, "a", 2, &group[0], &diag));
    OK(br_workload_add_group(workload, "b", 1, &group[1], &diag));
    br_workload_assign(workload, group, 2, false, 1);
    for (uint32_t j = 0; j < 10; j++)
        assert_int_equal(workload->job[j].group, group[j % 2]);
    br_workload_assign(workload, group, 2, true, 1);
    for (uint32_t j = 0; j < 6000; j++)
        of_a += workload->job[j].group == group[0];
    near(of_a, 3000, 4 * sqrt(6000 / 4), "jobs of the first group");

    OK(br_workload_arrive(workload, BR_ARRIVE_REGULAR, 1, 1, &diag));
    OK(br_workload_set_deadlines(workload, 1.5, 2 * S, &diag));
    assert_int_equal(workload->job[2].deadline_ns, 2 * S + 20 * S); /* 1.5 x 12 + 2 */
    assert_int_equal(workload->job[3].deadline_ns, 3 * S + 17 * S);
    br_dag_scale(workload->dag[1].dag, 0);
    OK(br_workload_set_deadlines(workload, 1.5, 0, &diag)); /* of no length: still after it */
    assert_int_equal(workload->job[3].deadline_ns, 3 * S + 1);
    br_workload_destroy(workload);
}

static void scaled(void **state)
{
    (void)state;
    struct br_dag *dag = forked();
    br_dag_scale(dag, 1.5);
    assert_int_equal(dag->duration_ns[1], 6 * S);
    assert_int_equal(dag->stage[0].duration_ns, 3 * S);
    dag->duration_ns[0] = 3;
    br_dag_scale(dag, 0.5); /* to the nearest */
    assert_int_equal(dag->duration_ns[0], 2);
    br_dag_scale(dag, 1e9);
    br_dag_scale(dag, 1e9);
    assert_int_equal(dag->duration_ns[1], INT64_MAX / 4);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_gaps),
        cmocka_unit_test(other_gaps),
        cmocka_unit_test(offered_by_hand),
        cmocka_unit_test(statistics_by_hand),
        cmocka_unit_test(draws),
        cmocka_unit_test(independent_choices),
        cmocka_unit_test(slices),
        cmocka_unit_test(thinned),
        cmocka_unit_test(groups_and_deadlines),
        cmocka_unit_test(scaled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
