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

#include "base/collections/index.h"
#include "base/numbers/rng.h"
#include "planner/improve/completion_search.h"
#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
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

static bool open_job(struct all *all, uint64_t seed, uint32_t tasks)
{
    struct br_rng rng = br_rng_seed(seed);
    memset(all, 0, sizeof *all);
    assert_true(random_job_make(seed, tasks, 0, &all->job));
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
static br_wide search(struct all *all, const struct br_schedule *from, int64_t limit,
                      uint64_t placements)
{
    struct br_completion_search search = {.in = all->in,
                                          .dag = all->job.dag,
                                          .ends = &all->ends,
                                          .limit = limit,
                                          .seed = 1,
                                          .placements = placements};
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
        if (open_job(&all, seed, TASKS)) {
            try_lists(&all, key, 0, 0);
            memset(key, 0, sizeof key);
            /* The bound is rounded down, to a nanosecond of the mean. */
            int64_t bound_ns = br_completions_bound(&all.ends, all.in);
            int64_t least_ns = (int64_t)(all.least * all.in->tick_ns / all.ends.weights);
            assert_true(bound_ns >= 0 && bound_ns <= least_ns);
            met += bound_ns == least_ns;
            apart += all.ends.apart;
            br_wide shorter = search(&all, &all.shortest, all.shortest.makespan, PLACEMENTS);
            assert_true(shorter >= all.least_short);
            best_short += shorter == all.least_short;
            struct br_schedule any;
            assert_true(br_schedule_init(&any, all.in));
            assert_true(br_serial_pass(all.serial, BR_FORWARD, key, INT64_MAX, &any, NULL));
            br_wide sum = search(&all, &any, INT64_MAX, PLACEMENTS);
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

/* So many stages of one task, a CPU each, and these edges, unfinished. */
static struct br_dag *make_stages(uint32_t stages, int64_t lasts_ns, uint32_t edges,
                                  const uint32_t (*edge)[2])
{
    struct br_dag *dag = br_dag_create("stages");
    for (uint32_t s = 0; s < stages; s++) {
        char id[8];
        snprintf(id, sizeof id, "s%u", (unsigned)s);
        assert_int_equal(br_dag_add_stage(dag, id, 1, lasts_ns, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    }
    for (uint32_t e = 0; e < edges; e++)
        assert_int_equal(br_dag_add_edge(dag, edge[e][0], edge[e][1], BR_BARRIER, NULL), BR_OK);
    return dag;
}

static int64_t bound_of(struct br_dag *dag, const char *cpus)
{
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_completions ends;
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", cpus, NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_int_equal(br_completions_find(dag, false, &ends, NULL), BR_OK);
    int64_t bound_ns = br_completions_bound(&ends, in);
    br_completions_finish(&ends);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return bound_ns;
}

/* What edges join is one job, whatever its stages' order; of one job alone the last stages end. */
static void test_ends(void **state)
{
    static const uint32_t apart[][2] = {{3, 0}, {1, 4}, {3, 5}, {0, 6}},
                          one[][2] = {{0, 1}, {0, 2}};
    struct br_completions ends;
    struct br_dag *dag = make_stages(7, 1, 4, apart);
    (void)state;
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_completions_find(dag, false, &ends, NULL), BR_OK);
    assert_true(ends.apart);
    assert_int_equal(ends.count, 3);
    assert_memory_equal(ends.end, ((uint32_t[]){0, 1, 2, 0, 1, 0, 0}), 7 * sizeof *ends.end);
    br_completions_finish(&ends);
    br_dag_destroy(dag);
    dag = make_stages(3, 1, 2, one);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_completions_find(dag, false, &ends, NULL), BR_OK);
    assert_false(ends.apart);
    assert_int_equal(ends.count, 2);
    assert_memory_equal(ends.end, ((uint32_t[]){BR_NO_END, 0, 1}), 3 * sizeof *ends.end);
    br_completions_finish(&ends);
    br_dag_destroy(dag);
}

/* The largest weight of a job's stages counts, 1 if there is none; only stages have weights. */
static void test_weights(void **state)
{
    static const uint32_t edges[][2] = {{0, 1}, {1, 2}};
    struct br_completions ends;
    struct br_dag *dag = make_stages(4, 1, 2, edges);
    (void)state;
    assert_int_equal(br_dag_set_weight(dag, 0, 3, NULL), BR_OK);
    assert_int_equal(br_dag_set_weight(dag, 1, 5, NULL), BR_OK);
    assert_int_equal(br_dag_set_weight(dag, 2, 4, NULL), BR_OK);
    assert_int_equal(br_dag_add_attribute(dag, BR_OWNER_EDGE, 0, BR_WEIGHT_ATTRIBUTE, "9", NULL),
                     BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_completions_find(dag, true, &ends, NULL), BR_OK);
    assert_int_equal(ends.weight[0], 5);
    assert_int_equal(ends.weight[1], 1);
    assert_int_equal(ends.weights, 6);
    br_completions_finish(&ends);
    br_dag_destroy(dag);
    static const char *const wrong[] = {"1000001", "-1", "0.5", "many"};
    for (uint32_t k = 0; k < 4; k++) {
        dag = make_stages(1, 1, 0, NULL);
        assert_int_equal(
            br_dag_add_attribute(dag, BR_OWNER_STAGE, 0, BR_WEIGHT_ATTRIBUTE, wrong[k], NULL),
            BR_OK);
        assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
        assert_int_equal(br_completions_find(dag, true, &ends, NULL), BR_BAD_INPUT);
        br_completions_finish(&ends);
        br_dag_destroy(dag);
    }
}

/* Five tasks on two processors end at no less than (1 + 2 + 3 + 4 + 5) / 2 in all, which is 8 whole
 * tasks. Work that takes many ticks counts, too. With room for all, paths count: through both kinds
 * of edges to the last task of each end. */
static void test_bounds(void **state)
{
    struct br_dag *dag;
    (void)state;
    assert_int_equal(bound_of(make_stages(5, 10, 0, NULL), "2"), 16);
    dag = make_stages(2, 3000017, 0, NULL);
    assert_int_equal(br_dag_add_stage(dag, "other", 1, 1000003, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, 2, "cpu", "1", NULL), BR_OK);
    assert_int_equal(bound_of(dag, "1"), (1000003 + 4000020 + 7000037) / 3);
    dag = br_dag_create("paths");
    assert_int_equal(br_dag_add_stage(dag, "a", 2, 5, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 0, 0, 7, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 2, 3, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 1, 0, 4, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "c", 2, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 2, 1, 6, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "d", 1, 8, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 4; s++)
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 1, 2, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 3, BR_BARRIER, NULL), BR_OK);
    /* c ends at 7 + 3 + 6, the larger of that and 7 + 4 + 1; d at 7 + 8. */
    assert_int_equal(bound_of(dag, "9"), (16 + 15) / 2);
}

/* The same seed gives the same schedules on every machine: another number is another search. */
static void test_same(void **state)
{
    static const uint64_t placements[] = {60, 300, 1000, 200000};
    uint64_t sum = 0;
    (void)state;
    for (uint64_t seed = 1, tried = 0; tried < 40; seed++) {
        static struct all all;
        struct br_schedule schedule;
        int64_t key[60] = {0};
        if (open_job(&all, seed, 60)) {
            all.ends.weights -= all.ends.weight[0];
            all.ends.weight[0] = 0;
            assert_true(br_schedule_init(&schedule, all.in));
            assert_true(br_serial_pass(all.serial, BR_FORWARD, key, INT64_MAX, &schedule, NULL));
            search(&all, &schedule, INT64_MAX, placements[tried++ % 4]);
            for (uint32_t t = 0; t < all.in->tasks; t++)
                sum = br_hash_number(sum ^ (uint64_t)all.schedule.start[t]);
            br_schedule_finish(&schedule);
        }
        close_job(&all);
    }
    assert_int_equal(sum, UINT64_C(0x476889b917ca5df3));
}

/* A mean that is good enough ends the search before it begins. */
static void test_enough(void **state)
{
    static struct all all;
    int64_t key[TASKS] = {0};
    uint64_t seed = 0;
    (void)state;
    for (; !open_job(&all, seed, TASKS); seed++)
        close_job(&all);
    struct br_completion_search search = {.in = all.in,
                                          .dag = all.job.dag,
                                          .ends = &all.ends,
                                          .limit = INT64_MAX,
                                          .placements = PLACEMENTS,
                                          .enough_ns = INT64_MAX};
    assert_true(br_serial_pass(all.serial, BR_FORWARD, key, INT64_MAX, &all.schedule, NULL));
    assert_true(br_completions_improve(&search, &all.schedule));
    assert_int_equal(search.spent, 0);
    close_job(&all);
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
        cmocka_unit_test(test_refused),   cmocka_unit_test(test_ends),
        cmocka_unit_test(test_weights),   cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_same),      cmocka_unit_test(test_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
