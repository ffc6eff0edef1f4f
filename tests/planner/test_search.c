/* The search of one part as br_plan_make calls it: nobody has to listen, what a time limit is
 * expected to leave ends nothing, and the limit of placements is used up unless the bound is
 * reached. And what is left of it for the largest jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "planner/search/portfolio.h"
#include "planner/search/search.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { JOBS = 150, TASKS = 40, LIMIT = 20000, EXPECTED = 2500 };

static void limits_are_used_up(void **state)
{
    unsigned open = 0, pools = 0;
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_arena arena = {0};
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed + 60000, TASKS, 0, &job));
        options.threads = 1;
        options.threshold_limit = 2;
        options.effort = BR_EFFORT_MAX;
        /* About EXPECTED placements of one thread on one machine. The clock is not looked at here.
         */
        options.time_limit_ns = EXPECTED * 40;
        struct br_search search = {
            .options = &options, .limit = LIMIT, .share = 1, .arena = &arena};
        struct br_instance *in;
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        search.in = in;
        search.trial = calloc(br_search_rows(), sizeof *search.trial);
        assert_non_null(search.trial);
        assert_true(br_search_part(&search)); /* with nobody who listens */
        judge_schedule(&job, in, br_search_best(&search));
        if (!br_search_done(&search)) {
            assert_true(search.cut);
            open++;
            pools += in->machines == 1;
            assert_true(search.placements > LIMIT * 3 / 4);
        }
        br_search_finish(&search);
        free(search.trial);
        br_arena_finish(&arena);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u parts stay open, %u of them on one machine\n", open, pools);
    assert_true(pools > 0 && open > pools);
}

/* Of a job that is too large to keep all that is found, the best alone is justified: the first
 * baseline places every task once, and each of at most five rounds twice. */
static void the_largest_jobs_justify_their_best(void **state)
{
    struct br_dag *dag = br_dag_create("large");
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_instance *in;
    struct br_reach reach;
    struct br_elite elite;
    const uint32_t first = 0;
    int64_t trial = 0;
    assert_int_equal(br_dag_add_stage(dag, "a", BR_PORTFOLIO_LARGE, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 1, 5, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 2; s++)
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "64", NULL), BR_OK);
    assert_int_equal(br_instance_create(dag, cluster, &in, NULL), BR_OK);
    assert_true(br_reach_init(&reach, in) && br_elite_init(&elite, in, 1));
    struct br_portfolio portfolio = {
        .in = in, .reach = &reach, .seed = 1, .threads = 2, .elite = &elite};
    assert_true(br_portfolio_init(&portfolio));
    assert_true(br_portfolio_baselines(&portfolio, &first, 1, &trial));
    assert_int_equal(portfolio.placements, in->tasks);
    assert_null(portfolio.kept); /* only smaller jobs keep plans for a population */
    assert_true(br_portfolio_justify(&portfolio, 0));
    assert_false(portfolio.cut);
    uint64_t justified = portfolio.placements - in->tasks;
    assert_true(justified >= 2 * (uint64_t)in->tasks && justified <= 10 * (uint64_t)in->tasks);
    assert_true(elite.count == 1 && elite.entry[0].schedule.makespan <= trial);
    br_portfolio_finish(&portfolio);
    br_elite_finish(&elite);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_used_up),
                                       cmocka_unit_test(the_largest_jobs_justify_their_best)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
