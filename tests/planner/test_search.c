/* The search of one part as br_plan_make calls it: nobody has to listen, what a time limit is
 * expected to leave ends nothing, and the limit of placements is used up unless the bound is
 * reached; how much of it the exact solvers have of jobs that are not small; and what is left of it
 * for the largest jobs; and what large jobs cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "generate/generate.h"
#include "planner/search/exact_search.h"
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
            .run = {.seed = options.seed, .threads = 1, .placements = LIMIT, .share = 1},
            .options = &options,
            .arena = &arena};
        struct br_instance *in;
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        search.run.in = search.origin = in;
        search.trial = calloc(br_search_rows(), sizeof *search.trial);
        assert_non_null(search.trial);
        assert_true(br_search_part(&search)); /* with nobody who listens */
        judge_schedule(&job, in, br_search_best(&search));
        if (!br_search_done(&search)) {
            assert_true(search.cut);
            open++;
            pools += in->machines == 1;
            assert_true(search.run.spent > LIMIT * 3 / 4);
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

/* A job of that many tasks that all differ on one machine with two resources: the more it holds of
 * them, the closer are the bounds. */
static struct random_job one_machine(uint64_t seed, uint32_t tasks, uint32_t holds)
{
    static const char *const resource[] = {"cpu", "mem"};
    struct random_job job = {br_dag_create("job"), br_cluster_create(NULL)};
    struct br_rng rng = br_rng_seed(seed);
    char text[16];
    assert_true(job.dag && job.cluster);
    for (uint32_t s = 0; s < tasks; s++) {
        snprintf(text, sizeof text, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(job.dag, text, 1, 1 + (int64_t)br_rng_below(&rng, 100), NULL, NULL),
            BR_OK);
        for (uint32_t r = 0; r < 2; r++) {
            snprintf(text, sizeof text, "%u", 1 + (uint32_t)br_rng_below(&rng, 10));
            assert_int_equal(br_dag_add_demand(job.dag, s, resource[r], text, NULL), BR_OK);
        }
        for (uint32_t from = s > 12 ? s - 12 : 0; from < s; from++)
            if (br_rng_below(&rng, 8) == 0)
                assert_int_equal(br_dag_add_edge(job.dag, from, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 1, NULL, NULL), BR_OK);
    snprintf(text, sizeof text, "%u", holds);
    for (uint32_t r = 0; r < 2; r++)
        assert_int_equal(br_cluster_add_capacity(job.cluster, 0, resource[r], text, NULL), BR_OK);
    return job;
}

/* The makespan that the division of the budget goes by. */
struct decision {
    const struct br_search *search;
    int64_t makespan;
    bool made;      /* a population has worked */
    uint64_t spent; /* placements told so far */
};

static void note_makespan(void *context, int64_t makespan, const char *finder, uint64_t placements)
{
    struct decision *decision = context;
    decision->made |= decision->search->exact && strcmp(finder, br_exact_search_method) != 0;
    if (!decision->made)
        decision->makespan = makespan;
    assert_true(placements >= decision->spent);
    decision->spent = placements;
}

/* Of a job of 100 tasks the solvers have a tenth of what the search may spend, and where that
 * leaves at most a twentieth of the makespan between the bounds, four fifths. The bound is then
 * somewhere between the first and the last. Jobs that end with a single tick between the bounds are
 * another matter. */
static void what_is_nearly_closed_is_the_solvers(void **state)
{
    enum { HELD = 5, JOBS_OF_100 = 40, GRANT = 3000000 };
    static const uint32_t holds[HELD] = {20, 24, 28, 32, 36};
    unsigned near = 0, far = 0, others = 0;
    for (uint64_t k = 0; k < JOBS_OF_100; k++) {
        struct random_job job = one_machine(k, 100, holds[k % HELD]);
        struct br_arena arena = {0};
        struct br_plan_options options = br_plan_options_default();
        options.threads = 1;
        options.threshold_limit = 2;
        struct decision decision = {0};
        struct br_search search = {.run = {.seed = options.seed,
                                           .threads = 1,
                                           .placements = GRANT,
                                           .share = 1,
                                           .found = note_makespan,
                                           .context = &decision},
                                   .options = &options,
                                   .arena = &arena};
        struct br_instance *in;
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        decision.search = &search;
        search.run.in = search.origin = in;
        search.trial = calloc(br_search_rows(), sizeof *search.trial);
        assert_non_null(search.trial);
        assert_true(br_search_part(&search));
        judge_schedule(&job, in, br_search_best(&search));
        int64_t makespan = decision.makespan, last = search.bound.ticks;
        int64_t first = search.combinatorial.ticks;
        if (br_search_best(&search)->makespan - last > 1) {
            double exact = (double)search.run.counters.exact_placements;
            double share = exact / (exact + (double)search.run.counters.population_placements +
                                    (double)search.run.counters.shop_placements);
            bool most = share > 0.7;
            assert_true(most ? share < 0.9 : share > 0.05 && share < 0.15);
            if (makespan - first <= makespan / 20)
                assert_true(most);
            if (makespan - last > makespan / 20)
                assert_false(most);
            near += makespan - first <= makespan / 20;
            far += makespan - last > makespan / 20;
        } else {
            others++;
        }
        br_search_finish(&search);
        free(search.trial);
        br_arena_finish(&arena);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("nearly closed %u, not %u, closed or all but a tick %u\n", near, far, others);
    assert_true(near > 2 && far > 2);
}

/* Of a job that is too large to keep all that is found, the best alone is justified, by parallel
 * generation: the first baseline places every task once, and each of at most four rounds twice. */
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
    struct br_portfolio portfolio;
    struct br_run run = {.in = in, .reach = &reach, .seed = 1, .threads = 2, .elite = &elite};
    assert_true(br_portfolio_init(&portfolio, &run));
    assert_true(br_portfolio_baselines(&portfolio, &first, 1, &trial));
    assert_int_equal(run.spent, in->tasks);
    assert_null(portfolio.kept); /* only smaller jobs keep plans for a population */
    assert_true(br_portfolio_justify(&portfolio, BR_WORKS_ALL));
    assert_false(portfolio.cut);
    uint64_t justified = run.spent - in->tasks;
    assert_true(justified >= 2 * (uint64_t)in->tasks && justified <= 8 * (uint64_t)in->tasks);
    assert_true(elite.count == 1 && elite.entry[0].schedule.makespan <= trial);
    br_portfolio_finish(&portfolio);
    br_elite_finish(&elite);
    br_reach_finish(&reach);
    br_instance_destroy(in);
    br_dag_destroy(dag);
    br_cluster_destroy(cluster);
}

/* A made-up job of a production cluster, on so many of the machines that it is made for. */
static struct random_job large_job(uint64_t seed, uint32_t machines)
{
    static const char *const resource[] = {"cpu", "mem", "net", "disk"};
    static const char *const amount[] = {"16", "68719476736", "1000", "1000"};
    struct br_generate_options options = br_generate_options_default();
    struct random_job job = {.cluster = br_cluster_create(NULL)};
    options.seed = seed;
    options.tasks = 5000;
    options.stages = 60;
    options.spread = 0.3;
    assert_int_equal(br_generate(&options, &job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", machines, NULL, NULL), BR_OK);
    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(br_cluster_add_capacity(job.cluster, 0, resource[r], amount[r], NULL),
                         BR_OK);
    return job;
}

/* Effort default tries every simple order that fast tries, and its plan is no longer. */
static void more_effort_is_not_longer(const struct random_job *job, const struct br_plan *fast)
{
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    assert_int_equal(br_plan_make(job->dag, job->cluster, &options, &plan, NULL), BR_OK);
    assert_true(plan->counters.heuristic_schedules >= fast->counters.heuristic_schedules);
    assert_true(plan->makespan_ns <= fast->makespan_ns);
    br_plan_destroy(plan);
}

/* On large jobs the plan of effort fast costs at most PASSES schedules' worth of placements, and
 * whatever closes a part, the plan and its counts are the same for any number of threads. Where a
 * justified schedule closes the job early, the less promising ones are not justified. */
static void large_jobs_cost_what_they_may(void **state)
{
    enum { LARGE_JOBS = 12, FEW_JOBS = 1, PASSES = 200 };
    const bool all = random_jobs(100) >= 100; /* else the build is a slow one, or time is short */
    unsigned closed = 0, early = 0, open = 0;
    for (uint64_t seed = 0; seed < (all ? LARGE_JOBS : FEW_JOBS); seed++) {
        struct random_job job = large_job(1 + seed / 2, seed % 2 ? 45 : 20);
        struct br_plan *plan[3];
        for (uint32_t k = 0; k < 3; k++) {
            struct br_plan_options options = br_plan_options_default();
            options.effort = BR_EFFORT_FAST;
            options.threads = 1 + k;
            assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan[k], NULL), BR_OK);
            assert_true(plan[k]->placements <= (uint64_t)PASSES * plan[k]->tasks);
            assert_int_equal(plan[k]->placements, plan[0]->placements);
            assert_int_equal(plan[k]->counters.justify_schedules,
                             plan[0]->counters.justify_schedules);
            assert_memory_equal(plan[k]->start_ns, plan[0]->start_ns,
                                plan[0]->tasks * sizeof *plan[0]->start_ns);
            assert_memory_equal(plan[k]->machine, plan[0]->machine,
                                plan[0]->tasks * sizeof *plan[0]->machine);
        }
        if (plan[0]->makespan_ns > plan[0]->lower_bound_ns) {
            more_effort_is_not_longer(&job, plan[0]);
            open++;
        } else if (plan[0]->counters.justify_schedules) {
            closed++;
            early += plan[0]->counters.justify_schedules < plan[0]->trials;
        }
        for (uint32_t k = 0; k < 3; k++)
            br_plan_destroy(plan[k]);
        random_job_finish(&job);
    }
    print_message("%u large jobs stay open, %u are closed by justification, %u of them early\n",
                  open, closed, early);
    assert_true(open > 0 && (!all || (closed > early && early > 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_are_used_up),
                                       cmocka_unit_test(what_is_nearly_closed_is_the_solvers),
                                       cmocka_unit_test(the_largest_jobs_justify_their_best),
                                       cmocka_unit_test(large_jobs_cost_what_they_may)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
