/* The search over orders of starts against the oracle and the exact solver, whatever it knows to
 * begin with and however little it may look at; and plans of few tasks with long durations, which
 * end proven with little work. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/exact/enumerate.h"
#include "planner/exact/exact.h"
#include "planner/instance/rounding.h"
#include "planner/instance/plan.h"
#include "tests/support/judge.h"
#include "tests/support/oracle.h"

enum {
    JOBS = 1000,
    TASKS = 7,
    LARGE_JOBS = 1500,
    LONG_JOBS = 24,
    LONG_TASKS = 12,
    LONG_PLACEMENTS = 4000000,
    LONG_NODES = 300000
};
/* Some large jobs take more, and say nothing. */
enum { CONFLICTS = 1000, NODES = 3000 };

struct fixture {
    struct random_job job;
    struct br_instance *in;
    struct br_schedule schedule;
    struct br_enumerate e;
};

static void open_fixture(struct fixture *f, uint64_t seed, uint32_t tasks)
{
    *f = (struct fixture){0};
    assert_true(random_job_make(seed, tasks, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    assert_true(br_schedule_init(&f->schedule, f->in));
    f->e = (struct br_enumerate){.in = f->in,
                                 .nodes_max = UINT64_MAX,
                                 .start = f->schedule.start,
                                 .machine = f->schedule.machine,
                                 .upper = 1};
    for (uint32_t t = 0; t < f->in->tasks; t++)
        f->e.upper += f->in->duration[t];
}

static void close_fixture(struct fixture *f)
{
    br_schedule_finish(&f->schedule);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

static void check_schedule(struct fixture *f, int64_t makespan)
{
    br_schedule_measure(&f->schedule, f->in);
    assert_int_equal(f->schedule.makespan, makespan);
    judge_schedule(&f->job, f->in, &f->schedule);
}

static void finds_the_optimum(void **state)
{
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct fixture f;
        open_fixture(&f, seed, TASKS);
        int64_t optimum = oracle_optimum(f.in);
        br_enumerate_run(&f.e);
        assert_true(f.e.complete && f.e.found);
        assert_int_equal(f.e.upper, optimum);
        check_schedule(&f, optimum);
        f.e.upper = optimum; /* is known */
        br_enumerate_run(&f.e);
        assert_true(f.e.complete && !f.e.found);
        assert_int_equal(f.e.upper, optimum);
        close_fixture(&f);
    }
}

/* Jobs for which the oracle would take too long. */
static void agrees_with_the_solver(void **state)
{
    uint32_t one = 0, several = 0;
    for (uint64_t seed = 1; seed <= random_jobs(LARGE_JOBS); seed++) {
        struct fixture f;
        open_fixture(&f, seed + 5000, 12);
        struct br_exact *x = br_exact_create(f.in, f.e.upper, 1, false);
        assert_non_null(x);
        enum br_exact_result result;
        do
            result = br_exact_solve(x, BR_EXACT_SHORTER, CONFLICTS, NULL);
        while (result == BR_EXACT_FOUND);
        f.e.nodes_max = NODES;
        br_enumerate_run(&f.e);
        if (result == BR_EXACT_OPTIMAL && f.e.complete) {
            assert_int_equal(f.e.upper, br_exact_upper(x));
            check_schedule(&f, f.e.upper);
            *(f.in->machines == 1 ? &one : &several) += f.in->tasks > TASKS;
        }
        br_exact_destroy(x);
        close_fixture(&f);
    }
    print_message("%u jobs on one machine, %u on several\n", one, several);
    assert_true(one >= random_jobs(LARGE_JOBS) / 8 && several >= random_jobs(LARGE_JOBS) / 8);
}

static void ends_by_its_limits(void **state)
{
    uint32_t open = 0;
    for (uint64_t seed = 1; seed <= random_jobs(JOBS / 10); seed++) {
        struct fixture f;
        open_fixture(&f, seed, TASKS);
        int64_t optimum = oracle_optimum(f.in), known = f.e.upper;
        f.e.nodes_max = seed % 12;
        br_enumerate_run(&f.e);
        assert_true(f.e.nodes <= f.e.nodes_max + 1);
        assert_true(f.e.upper >= optimum && f.e.found == (f.e.upper < known));
        assert_true(!f.e.complete || f.e.upper == optimum);
        if (f.e.found)
            check_schedule(&f, f.e.upper);
        open += !f.e.complete;
        f.e.lower = f.e.upper; /* nothing is left to be found */
        f.e.nodes_max = UINT64_MAX;
        br_enumerate_run(&f.e);
        assert_true(f.e.complete && f.e.nodes <= 1);
        close_fixture(&f);
    }
    assert_true(open > 0);
}

static struct br_dag *long_job(uint64_t seed)
{
    struct br_rng rng = br_rng_seed(seed);
    struct br_dag *dag = br_dag_create("long");
    for (uint32_t s = 0; s < LONG_TASKS; s++) {
        char id[16], cpu[16], mem[16];
        uint32_t stage;
        snprintf(id, sizeof id, "s%u", s);
        snprintf(cpu, sizeof cpu, "%u", (unsigned)br_rng_below(&rng, 7));
        snprintf(mem, sizeof mem, "%u", (unsigned)br_rng_below(&rng, 7));
        assert_int_equal(
            br_dag_add_stage(dag, id, 1, 1 + (int64_t)br_rng_below(&rng, 1000000000), &stage, NULL),
            BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "cpu", cpu, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, stage, "mem", mem, NULL), BR_OK);
        for (uint32_t p = 0; p < s; p++)
            if (br_rng_below(&rng, 100) < 12)
                assert_int_equal(br_dag_add_edge(dag, p, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* The shortest makespan, or 0 if too many orders would have to be tried. */
static int64_t optimum_of(const struct br_dag *dag, const struct br_cluster *cluster)
{
    struct fixture f = {0};
    assert_int_equal(br_instance_create(dag, cluster, &f.in, NULL), BR_OK);
    assert_true(br_schedule_init(&f.schedule, f.in));
    f.e = (struct br_enumerate){.in = f.in,
                                .nodes_max = LONG_NODES,
                                .start = f.schedule.start,
                                .machine = f.schedule.machine,
                                .upper = 1};
    for (uint32_t t = 0; t < f.in->tasks; t++)
        f.e.upper += f.in->duration[t];
    br_enumerate_run(&f.e);
    int64_t ns = f.e.complete ? f.e.upper * f.in->tick_ns : 0;
    br_schedule_finish(&f.schedule);
    br_instance_destroy(f.in);
    return ns;
}

/* The exact solver has no place for so many ticks. It proves these jobs with rounded durations; all
 * orders together find the best plan. Each took some 30 million placements and stayed open. */
static void closes_long_jobs(void **state)
{
    uint32_t exhaustive = 0;
    for (uint64_t seed = 1; seed <= LONG_JOBS; seed++) {
        struct br_dag *dag = long_job(seed);
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_plan_options options = br_plan_options_default();
        struct br_plan *plan;
        uint32_t cls;
        assert_int_equal(
            br_cluster_add_class(cluster, "node", 1 + (uint32_t)(seed % 2), &cls, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "cpu", "8", NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, cls, "mem", "8", NULL), BR_OK);
        options.threads = 1;
        assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
        assert_true(plan->certificate && br_plan_gap(plan) <= BR_ROUNDING_TOLERANCE);
        assert_true(plan->placements < LONG_PLACEMENTS);
        int64_t optimum = optimum_of(dag, cluster);
        assert_true(optimum == 0 || optimum == plan->makespan_ns);
        exhaustive += optimum > 0;
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
    print_message("%u of %d compared with all orders\n", exhaustive, LONG_JOBS);
    assert_true(exhaustive > LONG_JOBS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_optimum),
        cmocka_unit_test(agrees_with_the_solver),
        cmocka_unit_test(ends_by_its_limits),
        cmocka_unit_test(closes_long_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
