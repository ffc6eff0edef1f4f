/* The check of plans: against the plain definition of a feasible plan on random plans, good and
 * bad, and fault by fault on a known one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/instance/instance.h"
#include "planner/instance/plan.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

/* A plan that runs all tasks one after another, parents first, each on a machine that holds it. */
static struct br_plan *one_by_one(const struct random_job *job)
{
    const struct br_dag *dag = job->dag;
    struct br_plan *plan = br_plan_create(dag->tasks);
    struct br_instance *in;
    int64_t now = 0;
    assert_non_null(plan);
    assert_int_equal(br_instance_create(dag, job->cluster, &in, NULL), BR_OK);
    for (uint32_t k = 0; k < in->stages; k++) {
        uint32_t s = in->topological[k], home = 0;
        for (uint32_t c = in->classes; c-- > 0;) {
            bool fits = true;
            for (uint32_t r = 0; r < in->resources; r++)
                fits &= in->demand[s * in->resources + r] <= in->capacity[c * in->resources + r];
            if (fits)
                home = in->class_first[c];
        }
        for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
            plan->start_ns[t] = now;
            plan->machine[t] = home;
            now += dag->duration_ns[t];
        }
    }
    br_instance_destroy(in);
    assert_int_equal(br_plan_rank(plan, dag, NULL), BR_OK);
    assert_int_equal(plan->makespan_ns, now);
    return plan;
}

/* The definition, for the times and machines only: no child before its parent's end, and at every
 * start no machine over its capacity. */
static bool feasible(const struct br_plan *plan, const struct random_job *job)
{
    const struct br_dag *dag = job->dag;
    struct br_instance *in;
    bool good = true;
    assert_int_equal(br_instance_create(dag, job->cluster, &in, NULL), BR_OK);
    char *before = precedence_edges(in);
    for (uint32_t i = 0; i < in->tasks; i++)
        for (uint32_t j = 0; j < in->tasks; j++)
            good &= !before[i * in->tasks + j] || plan->start_ns[j] >= plan->end_ns[i];
    free(before);
    for (uint32_t t = 0; t < in->tasks; t++)
        for (uint32_t r = 0; r < in->resources; r++) {
            uint32_t cls = br_instance_machine_class(in, plan->machine[t]);
            int64_t held = 0, at = plan->start_ns[t];
            for (uint32_t u = 0; u < in->tasks; u++)
                if (plan->machine[u] == plan->machine[t] && plan->start_ns[u] <= at &&
                    at < plan->end_ns[u])
                    held += in->demand[in->task_stage[u] * in->resources + r];
            good &= held <= in->capacity[cls * in->resources + r];
        }
    br_instance_destroy(in);
    return good;
}

static void agrees_with_the_definition(void **state)
{
    uint32_t good = 0, bad = 0;
    for (uint64_t seed = 0; seed < 4000; seed++) {
        struct random_job job;
        struct br_rng rng = br_rng_seed(seed);
        assert_true(random_job_make(seed, 6, 0, &job));
        struct br_plan *plan = one_by_one(&job);
        assert_int_equal(br_plan_verify(plan, job.dag, job.cluster, 0, NULL, NULL, NULL), BR_OK);
        for (int attempt = 0; attempt < 8; attempt++) {
            uint32_t t = (uint32_t)br_rng_below(&rng, plan->tasks);
            plan->machine[t] = (uint32_t)br_rng_below(&rng, job.cluster->machines);
            /* Where another task starts or ends: that is where faults by one tick would be. */
            uint32_t u = (uint32_t)br_rng_below(&rng, plan->tasks);
            plan->start_ns[t] = br_rng_below(&rng, 2) ? plan->start_ns[u]
                                                      : plan->start_ns[u] + job.dag->duration_ns[u];
            assert_int_equal(br_plan_rank(plan, job.dag, NULL), BR_OK);
            bool expected = feasible(plan, &job);
            assert_int_equal(br_plan_verify(plan, job.dag, job.cluster, 0, NULL, NULL, NULL),
                             expected ? BR_OK : BR_NO);
            good += expected;
            bad += !expected;
        }
        br_plan_destroy(plan);
        random_job_finish(&job);
    }
    assert_true(good > 1000);
    assert_true(bad > 1000);
}

/* Stage a: two tasks of 1.5 s and 2 s, then b one-to-one, then c by a barrier; z lasts no time. */
struct fixture {
    struct random_job job;
    struct br_plan *plan;
};

static void set_up(struct fixture *f)
{
    struct br_dag *dag = f->job.dag = br_dag_create("j");
    struct br_cluster *cluster = f->job.cluster = br_cluster_create(NULL);
    assert_int_equal(br_dag_add_stage(dag, "a", 2, 1500000000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_set_duration(dag, 0, 1, 2000000000, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "b", 2, 1000000000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "c", 1, 1000000000, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_stage(dag, "z", 1, 0, NULL, NULL), BR_OK);
    for (uint32_t s = 0; s < 4; s++)
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "0.75", NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 0, 1, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(dag, 1, 2, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(cluster, "m", 2, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "1", NULL), BR_OK);
    f->plan = br_plan_create(6);
    const int64_t start[] = {0, 0, 1500000000, 2000000000, 3000000000, 2500000000};
    const uint32_t machine[] = {0, 1, 0, 1, 0, 1}; /* z inside b[1], where nothing is free */
    memcpy(f->plan->start_ns, start, sizeof start);
    memcpy(f->plan->machine, machine, sizeof machine);
    assert_int_equal(br_plan_rank(f->plan, dag, NULL), BR_OK);
    f->plan->lower_bound_ns = 4000000000;
}

static void tear_down(struct fixture *f)
{
    br_plan_destroy(f->plan);
    random_job_finish(&f->job);
}

struct faults {
    uint32_t count;
    char text[8][768];
};

static void collect(void *context, const char *text)
{
    struct faults *faults = context;
    assert_true(faults->count < 8);
    strcpy(faults->text[faults->count++], text);
}

/* Verifies, expects exactly the given faults, and ends the fixture. */
static void expect(struct fixture *f, uint32_t count, const char *const *text)
{
    struct faults faults = {0};
    struct br_diag diag = {0};
    enum br_status status =
        br_plan_verify(f->plan, f->job.dag, f->job.cluster, 8, collect, &faults, &diag);
    for (uint32_t k = 0; k < count && k < faults.count; k++)
        assert_string_equal(faults.text[k], text[k]);
    assert_int_equal(faults.count, count);
    assert_int_equal(status, count ? BR_NO : BR_OK);
    if (count) {
        struct br_diag first;
        assert_string_equal(diag.what, text[0]);
        /* With less patience: the first fault alone, in the diagnostic. */
        assert_int_equal(br_plan_verify(f->plan, f->job.dag, f->job.cluster, 0, NULL, NULL, &first),
                         BR_NO);
        assert_string_equal(first.what, text[0]);
    }
    tear_down(f);
}

#define EXPECT(f, ...)                                                                             \
    do {                                                                                           \
        const char *const text[] = {__VA_ARGS__};                                                  \
        expect(f, sizeof text / sizeof *text, text);                                               \
    } while (0)

static void every_fault_has_its_words(void **state)
{
    struct fixture f;
    set_up(&f);
    expect(&f, 0, NULL);

    set_up(&f);
    f.plan->start_ns[0] = -500000000;
    assert_int_equal(br_plan_rank(f.plan, f.job.dag, NULL), BR_OK);
    EXPECT(&f, "task a[0] starts at -0.5 s, before the plan does");

    set_up(&f);
    f.plan->end_ns[4] += 1;
    f.plan->makespan_ns += 1;
    EXPECT(&f, "task c runs from 3 s to 4.000000001 s, but its duration is 1 s");

    set_up(&f);
    f.plan->machine[2] = 2;
    EXPECT(&f, "task b[0] runs on machine number 2, but the cluster has 2");

    set_up(&f);
    f.plan->subset[2] = 'x';
    EXPECT(&f, "task b[0] is of subset number 120, which is none of T, S, P and C");

    set_up(&f);
    f.plan->subset[2] = 0;
    EXPECT(&f, "task b[0] is of subset number 0, which is none of T, S, P and C");

    set_up(&f);
    f.plan->makespan_ns = 3999999999;
    EXPECT(&f, "the plan says that it takes 3.999999999 s, but its last task ends at 4 s");

    set_up(&f);
    f.plan->lower_bound_ns = 4000000001;
    EXPECT(&f, "the lower bound of 4.000000001 s is above the last end at 4 s");

    set_up(&f);
    f.plan->start_ns[2] = 1499999999;
    assert_int_equal(br_plan_rank(f.plan, f.job.dag, NULL), BR_OK);
    EXPECT(&f, "task b[0] starts at 1.499999999 s, before its parent a[0] ends at 1.5 s",
           "machine m[0] has 1 of cpu, but holds 1.5 of it when task b[0] starts at 1.499999999 s");

    set_up(&f);
    f.plan->start_ns[4] = 2999999999;
    assert_int_equal(br_plan_rank(f.plan, f.job.dag, NULL), BR_OK);
    f.plan->lower_bound_ns = 0;
    EXPECT(&f, "task c starts at 2.999999999 s, before its parent b[1] ends at 3 s");

    set_up(&f);
    f.plan->machine[1] = 0;
    f.plan->machine[3] = 0;
    EXPECT(&f, "machine m[0] has 1 of cpu, but holds 1.5 of it when task a[1] starts at 0 s",
           "machine m[0] has 1 of cpu, but holds 1.5 of it when task b[0] starts at 1.5 s",
           "machine m[0] has 1 of cpu, but holds 1.5 of it when task b[1] starts at 2 s");

    set_up(&f);
    f.plan->rank[0] = 0;
    EXPECT(&f, "task a[0] has rank 0, which is not within 1 and 6");

    set_up(&f);
    f.plan->rank[0] = 1;
    EXPECT(&f, "task a[0] has rank 1, but the order has another task there",
           "task a[1] has rank 1, which another task has, too");

    set_up(&f); /* the order is a[1], a[0], b[0], b[1], z, c */
    f.plan->order[3] = 5;
    f.plan->order[4] = 3;
    f.plan->rank[5] = 4;
    f.plan->rank[3] = 5;
    EXPECT(&f, "task z with rank 4 starts at 2.5 s, after task b[1] with rank 5, which starts at "
               "2 s");

    set_up(&f);
    f.plan->order[2] = 0;
    f.plan->order[1] = 2;
    f.plan->rank[0] = 3;
    f.plan->rank[2] = 2;
    EXPECT(&f, "task b[0] has rank 2, ahead of its parent a[0] with rank 3",
           "task b[0] with rank 2 starts at 1.5 s, after task a[0] with rank 3, which starts at 0 "
           "s");

    set_up(&f);
    br_plan_destroy(f.plan);
    f.plan = br_plan_create(5);
    EXPECT(&f, "the plan has 5 tasks, the job has 6");
}

/* The limit on the number of faults holds. */
static void faults_are_limited(void **state)
{
    struct fixture f;
    struct faults faults = {0};
    set_up(&f);
    memset(f.plan->subset, '-', 6);
    assert_int_equal(br_plan_verify(f.plan, f.job.dag, f.job.cluster, 3, collect, &faults, NULL),
                     BR_NO);
    assert_int_equal(faults.count, 3);
    tear_down(&f);
}

/* An amount that needs more than 63 bits with all its decimals is held exactly, and told rounded.
 */
static void large_amounts_are_exact(void **state)
{
    static const char *const demand[] = {"999999999999999999", "0.25"};
    struct fixture f = {.job = {br_dag_create("j"), br_cluster_create(NULL)}};
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(br_dag_add_stage(f.job.dag, s ? "b" : "a", 1, 1000000000, NULL, NULL),
                         BR_OK);
        assert_int_equal(br_dag_add_demand(f.job.dag, s, "cpu", demand[s], NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(f.job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(f.job.cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(f.job.cluster, 0, "cpu", demand[0], NULL), BR_OK);
    f.plan = br_plan_create(2);
    memset(f.plan->start_ns, 0, 2 * sizeof *f.plan->start_ns);
    memset(f.plan->machine, 0, 2 * sizeof *f.plan->machine);
    assert_int_equal(br_plan_rank(f.plan, f.job.dag, NULL), BR_OK);
    EXPECT(&f, "machine m has 999999999999999999 of cpu, but holds 1e+18 of it when task b starts "
               "at 0 s");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_definition),
        cmocka_unit_test(every_fault_has_its_words),
        cmocka_unit_test(faults_are_limited),
        cmocka_unit_test(large_amounts_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
