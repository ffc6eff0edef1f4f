/* The times at which the ends of a job are reached, against all lists of small jobs: no plan is
 * below the bound, none that is found below the best, and nearly all are the best; with a limit on
 * the makespan as without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/improve/completion_search.h"
#include "planner/model/instance.h"
#include "planner/model/plan.h"
#include "planner/schedule/justify.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { JOBS = 3000, TASKS = 6, PLACEMENTS = 6000 };

/* One job, with what all its lists come to. */
struct all {
    struct random_job job;
    struct br_instance *in;
    struct br_reach reach;
    struct br_serial *serial;
    struct br_completions ends;
    struct br_schedule schedule, shortest;
    int64_t last[RANDOM_JOB_TASKS], end[RANDOM_JOB_TASKS];
    br_wide least, least_short; /* of all, and of those with the shortest makespan */
};

static br_wide sum_of(struct all *all, const struct br_schedule *schedule)
{
    for (uint32_t t = 0; t < all->in->tasks; t++)
        all->end[t] = schedule->start[t] + all->in->duration[t];
    return br_completions_sum(&all->ends, all->job.dag, all->end, all->last);
}

/* Every list of the tasks from the k-th place on; on one pool some list gives the best. */
static void try_lists(struct all *all, int64_t *key, uint32_t used, uint32_t k)
{
    if (k == all->in->tasks) {
        assert_true(br_serial_pass(all->serial, BR_FORWARD, key, INT64_MAX, &all->schedule, NULL));
        br_wide sum = sum_of(all, &all->schedule);
        int64_t makespan = all->schedule.makespan;
        if (sum < all->least)
            all->least = sum;
        if (makespan > all->shortest.makespan ||
            (makespan == all->shortest.makespan && sum >= all->least_short))
            return;
        all->least_short = sum;
        br_schedule_copy(&all->shortest, &all->schedule);
        return;
    }
    for (uint32_t t = 0; t < all->in->tasks; t++)
        if (!(used >> t & 1)) {
            key[t] = k;
            try_lists(all, key, used | 1u << t, k + 1);
        }
}

static bool open_job(struct all *all, uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    int64_t key[TASKS];
    memset(all, 0, sizeof *all);
    assert_true(random_job_make(seed, TASKS, 0, &all->job));
    assert_int_equal(br_instance_create(all->job.dag, all->job.cluster, &all->in, NULL), BR_OK);
    assert_int_equal(br_completions_find(all->job.dag, false, &all->ends, NULL), BR_OK);
    if (all->in->machines > 1 || all->ends.count == 1)
        return false;
    all->ends.weights = 0;
    for (uint32_t k = 0; k < all->ends.count; k++)
        all->ends.weights += all->ends.weight[k] =
            1 + (int64_t)br_rng_below(&rng, seed % 2 ? 9 : 1);
    assert_true(br_reach_init(&all->reach, all->in));
    all->serial = br_serial_create(all->in, &all->reach);
    assert_non_null(all->serial);
    assert_true(br_schedule_init(&all->schedule, all->in));
    assert_true(br_schedule_init(&all->shortest, all->in));
    all->least = (br_wide)1 << 120;
    all->least_short = all->least;
    try_lists(all, key, 0, 0);
    return true;
}

static void close_job(struct all *all)
{
    br_serial_destroy(all->serial);
    br_schedule_finish(&all->schedule);
    br_schedule_finish(&all->shortest);
    br_reach_finish(&all->reach);
    br_completions_finish(&all->ends);
    br_instance_destroy(all->in);
    random_job_finish(&all->job);
}

/* The sum that the search gets from the schedule, within the limit. */
static br_wide search(struct all *all, const struct br_schedule *from, int64_t limit)
{
    struct br_completion_search search = {.in = all->in,
                                          .dag = all->job.dag,
                                          .ends = &all->ends,
                                          .limit = limit,
                                          .seed = 1,
                                          .placements = PLACEMENTS};
    br_schedule_copy(&all->schedule, from);
    br_wide before = sum_of(all, from);
    assert_true(br_completions_improve(&search, &all->schedule));
    judge_schedule(&all->job, all->in, &all->schedule);
    br_wide after = sum_of(all, &all->schedule);
    assert_true(after <= before && all->schedule.makespan <= limit);
    return after;
}

static void test_all_lists(void **state)
{
    uint32_t tried = 0, best = 0, best_short = 0, met = 0, apart = 0;
    (void)state;
    for (uint64_t seed = 0; seed < random_jobs(JOBS); seed++) {
        static struct all all;
        int64_t key[TASKS] = {0};
        if (open_job(&all, seed)) {
            /* The bound is rounded down, to a nanosecond of the mean. */
            int64_t bound_ns = br_completions_bound(&all.ends, all.in);
            int64_t least_ns = (int64_t)(all.least * all.in->tick_ns / all.ends.weights);
            assert_true(bound_ns >= 0 && bound_ns <= least_ns);
            met += bound_ns == least_ns;
            apart += all.ends.apart;
            br_wide shorter = search(&all, &all.shortest, all.shortest.makespan);
            assert_true(shorter >= all.least_short);
            best_short += shorter == all.least_short;
            struct br_schedule any;
            assert_true(br_schedule_init(&any, all.in));
            assert_true(br_serial_pass(all.serial, BR_FORWARD, key, INT64_MAX, &any, NULL));
            br_wide sum = search(&all, &any, INT64_MAX);
            br_schedule_finish(&any);
            assert_true(sum >= all.least);
            best += sum == all.least;
            tried++;
        }
        close_job(&all);
    }
    print_message("%u jobs, %u of them several: best of all %u, of the shortest %u; bound met %u\n",
                  tried, apart, best, best_short, met);
    assert_true(tried > random_jobs(JOBS) / 10 && apart > 0 && met > tried / 3);
    assert_true(best >= tried - tried / 100 && best_short >= tried - tried / 100);
}

/* Two jobs on one processor: the short one is first, unless the long one weighs more. */
static struct br_plan *plan_two(enum br_objective objective, const uint32_t *weight,
                                struct br_dag **dag, struct br_cluster **cluster)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    *dag = br_dag_create("two");
    *cluster = br_cluster_create(NULL);
    assert_int_equal(br_dag_add_stage(*dag, "long", 1, 10000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(*dag, "short", 1, 1000, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_demand(*dag, s, "cpu", "1", NULL), BR_OK);
        if (weight)
            assert_int_equal(br_dag_set_weight(*dag, s, weight[s], NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(*dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(*cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(*cluster, 0, "cpu", "1", NULL), BR_OK);
    options.objective = objective;
    assert_int_equal(br_plan_make(*dag, *cluster, &options, &plan, NULL), BR_OK);
    return plan;
}

static void test_two(void **state)
{
    static const uint32_t weights[][2] = {{1, 1}, {10, 1}, {11, 1}, {0, 1}};
    static const int64_t means[] = {6000, 10090, 10083, 1000};
    struct br_dag *dag;
    struct br_cluster *cluster;
    (void)state;
    for (uint32_t k = 0; k < 6; k++) {
        enum br_objective objective = k < 4    ? BR_OBJECTIVE_WEIGHTED
                                      : k == 4 ? BR_OBJECTIVE_MEAN
                                               : BR_OBJECTIVE_MAKESPAN;
        struct br_plan *plan = plan_two(objective, weights[k < 4 ? k : 1], &dag, &cluster);
        assert_int_equal(plan->makespan_ns, 11000);
        assert_int_equal(plan->mean_ns, k < 4 ? means[k] : k == 4 ? 6000 : 0);
        assert_int_equal(plan->mean_bound_ns, plan->mean_ns);
        assert_int_equal(plan->start_ns[1], k == 2 ? 10000 : 0);
        br_plan_destroy(plan);
        br_dag_destroy(dag);
        br_cluster_destroy(cluster);
    }
}

/* What a plan states is checked. */
static void test_stated(void **state)
{
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_plan *plan = plan_two(BR_OBJECTIVE_MEAN, NULL, &dag, &cluster);
    (void)state;
    assert_int_equal(br_plan_verify(plan, dag, cluster, 1, NULL, NULL, NULL), BR_OK);
    plan->mean_ns--;
    assert_int_equal(br_plan_verify(plan, dag, cluster, 1, NULL, NULL, NULL), BR_NO);
    plan->mean_ns++;
    plan->mean_bound_ns++;
    assert_int_equal(br_plan_verify(plan, dag, cluster, 1, NULL, NULL, NULL), BR_NO);
    plan->mean_bound_ns--;
    assert_int_equal(br_plan_verify(plan, dag, cluster, 1, NULL, NULL, NULL), BR_OK);
    br_plan_destroy(plan);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* Plans of any cluster: the same for any number of threads, and hardly ever worse than those for
 * the makespan, of which others are tried. */
static void test_plans(void **state)
{
    uint32_t smaller = 0, larger = 0;
    (void)state;
    for (uint64_t seed = 0; seed < random_jobs(150); seed++) {
        struct random_job job;
        struct br_plan *plan[3];
        struct br_completions ends;
        assert_true(random_job_make(seed, 25, 0, &job));
        assert_int_equal(br_completions_find(job.dag, false, &ends, NULL), BR_OK);
        for (uint32_t k = 0; k < 3; k++) {
            struct br_plan_options options = br_plan_options_default();
            options.effort = BR_EFFORT_FAST;
            options.threads = k == 1 ? 3 : 1;
            options.objective = k < 2 ? BR_OBJECTIVE_MEAN : BR_OBJECTIVE_MAKESPAN;
            assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan[k], NULL), BR_OK);
        }
        int64_t other = br_completions_mean(&ends, job.dag, plan[2]->end_ns);
        larger += plan[0]->mean_ns > other;
        assert_true(plan[0]->mean_ns >= plan[0]->mean_bound_ns);
        assert_true(plan[0]->makespan_ns >= plan[2]->makespan_ns);
        assert_memory_equal(plan[0]->start_ns, plan[1]->start_ns,
                            plan[0]->tasks * sizeof *plan[0]->start_ns);
        smaller += plan[0]->mean_ns < other;
        for (uint32_t k = 0; k < 3; k++)
            br_plan_destroy(plan[k]);
        br_completions_finish(&ends);
        random_job_finish(&job);
    }
    print_message("smaller than for the makespan %u, larger %u\n", smaller, larger);
    assert_true(smaller > random_jobs(150) / 10 && larger <= 1 + random_jobs(150) / 50);
}

static void test_refused(void **state)
{
    struct br_dag *dag = br_dag_create("refused");
    struct br_completions ends;
    (void)state;
    assert_int_equal(br_dag_add_stage(dag, "a", 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_weight(dag, 0, BR_WEIGHT_MAX + 1, NULL), BR_BAD_INPUT);
    assert_int_equal(br_dag_set_weight(dag, 0, 0, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_completions_find(dag, true, &ends, NULL), BR_BAD_INPUT); /* all are 0 */
    br_completions_finish(&ends);
    assert_int_equal(br_completions_find(dag, false, &ends, NULL), BR_OK);
    br_completions_finish(&ends);
    br_dag_destroy(dag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lists), cmocka_unit_test(test_two),
        cmocka_unit_test(test_stated),    cmocka_unit_test(test_plans),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
