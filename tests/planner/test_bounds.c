/* Every bound against the optimum of very small jobs, and against what it must not depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "planner/bounds/bounds.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"

static struct br_bound best(const struct br_instance *in)
{
    return br_bounds_best(in, INT64_MAX);
}

static const struct {
    const char *name;
    struct br_bound (*bound)(const struct br_instance *in);
} bounds[] = {
    {"critical path", br_bounds_critical_path},
    {"work", br_bounds_work},
    {"fragmentation", br_bounds_fragmentation},
    {"energy", br_bounds_energy},
    {"modcp", br_bounds_modcp},
    {"waves", br_bounds_waves},
    {"window", br_bounds_window},
    {"best", best},
    {"sum", br_bounds_sum},
};
enum { BOUNDS = sizeof bounds / sizeof *bounds };
enum { CRITICAL_PATH, WORK, FRAGMENTATION, ENERGY, MODCP, WAVES, WINDOW, BEST, SUM };

static void all_bounds(const struct random_job *job, int64_t ticks[BOUNDS], int64_t *optimum)
{
    struct br_instance *in;
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    for (int k = 0; k < BOUNDS; k++) {
        struct br_bound bound = bounds[k].bound(in);
        assert_non_null(bound.method);
        ticks[k] = bound.ticks;
    }
    if (optimum)
        *optimum = oracle_optimum(in);
    br_instance_destroy(in);
}

static void no_bound_is_above_the_optimum(void **state)
{
    enum { CASES = 10000 };
    /* Measured values: in how many jobs a bound is the optimum, and the sum of it over all jobs.
     * Less is a step back: some argument is weaker, or dead. */
    static const struct {
        int tight;
        int64_t total;
    } least[BOUNDS] = {
        [CRITICAL_PATH] = {7886, 44531}, [WORK] = {3626, 27957},  [FRAGMENTATION] = {5891, 37338},
        [ENERGY] = {8923, 49376},        [MODCP] = {8466, 47456}, [WAVES] = {8873, 48565},
        [WINDOW] = {9867, 51447},        [BEST] = {9867, 51447},  [SUM] = {9867, 51447},
    };
    int tight[BOUNDS] = {0};
    int64_t total[BOUNDS] = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct random_job job;
        int64_t ticks[BOUNDS], optimum;
        assert_true(random_job_make(seed, 6, 0, &job));
        all_bounds(&job, ticks, &optimum);
        for (int k = 0; k < BOUNDS; k++) {
            if (ticks[k] > optimum)
                fail_msg("seed %d: %s says %lld, the optimum is %lld", (int)seed, bounds[k].name,
                         (long long)ticks[k], (long long)optimum);
            tight[k] += ticks[k] == optimum;
            total[k] += ticks[k];
        }
        random_job_finish(&job);
    }
    for (int k = 0; k < BOUNDS; k++)
        if (getenv("SHOWT"))
            print_message("[%s] = {%d, %lld},\n", bounds[k].name, tight[k], (long long)total[k]);
        else if (tight[k] < least[k].tight || total[k] < least[k].total)
            fail_msg(
                "%s meets the optimum in %d of %d jobs, with %lld ticks in all; it was %d, %lld",
                bounds[k].name, tight[k], CASES, (long long)total[k], least[k].tight,
                (long long)least[k].total);
}

static void stronger_arguments_give_stronger_bounds(void **state)
{
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct random_job job;
        int64_t t[BOUNDS];
        assert_true(random_job_make(seed, 40, 0, &job));
        all_bounds(&job, t, NULL);
        assert_true(t[FRAGMENTATION] >= t[WORK] && t[ENERGY] >= t[WORK]);
        assert_true(t[ENERGY] >= t[CRITICAL_PATH] && t[MODCP] >= t[CRITICAL_PATH]);
        assert_true(t[WAVES] >= t[MODCP]);
        for (int k = 0; k < WINDOW; k++)
            assert_true(t[WINDOW] >= t[k]);
        assert_true(t[BEST] >= t[WINDOW] && t[SUM] >= t[BEST]);
        random_job_finish(&job);
    }
}

/* The arguments are tried from the simplest on, and none after one has reached what is enough. */
static void arguments_end_where_one_is_enough(void **state)
{
    static const int order[] = {CRITICAL_PATH, WAVES, WORK, FRAGMENTATION, ENERGY, WINDOW};
    uint32_t early = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct random_job job;
        struct br_instance *in;
        int64_t t[BOUNDS];
        assert_true(random_job_make(seed, 40, 0, &job));
        all_bounds(&job, t, NULL);
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        for (int k = 0; k < BOUNDS; k++) {
            int64_t expected = t[order[0]], enough = t[k];
            for (size_t i = 1; i < sizeof order / sizeof *order && expected < enough; i++)
                expected = t[order[i]] > expected ? t[order[i]] : expected;
            assert_int_equal(br_bounds_best(in, enough).ticks, expected);
            early += expected < t[BEST];
        }
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    assert_true(early > 100);
}

static void numbering_does_not_matter(void **state)
{
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct random_job job, other;
        int64_t a[BOUNDS], b[BOUNDS];
        assert_true(random_job_make(seed, 30, 0, &job));
        assert_true(random_job_make(seed, 30, seed, &other));
        all_bounds(&job, a, NULL);
        all_bounds(&other, b, NULL);
        for (int k = 0; k < BOUNDS; k++)
            if (a[k] != b[k])
                fail_msg("seed %d: %s says %lld and, numbered otherwise, %lld", (int)seed,
                         bounds[k].name, (long long)a[k], (long long)b[k]);
        random_job_finish(&job);
        random_job_finish(&other);
    }
}

/* A job of one resource on `machines` machines that each hold 10 of it. */
struct small {
    struct random_job job;
};

static void open_job(struct small *s, uint32_t machines)
{
    s->job.dag = br_dag_create("j");
    s->job.cluster = br_cluster_create(NULL);
    assert_int_equal(br_cluster_add_class(s->job.cluster, "m", machines, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(s->job.cluster, 0, "cpu", "10", NULL), BR_OK);
}

static uint32_t stage(struct small *s, const char *id, uint32_t tasks, int64_t ns, const char *cpu)
{
    uint32_t number;
    assert_int_equal(br_dag_add_stage(s->job.dag, id, tasks, ns, &number, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(s->job.dag, number, "cpu", cpu, NULL), BR_OK);
    return number;
}

static void close_job(struct small *s, int64_t ticks[BOUNDS])
{
    assert_int_equal(br_dag_finish(s->job.dag, NULL), BR_OK);
    all_bounds(&s->job, ticks, NULL);
}

static void known_values(void **state)
{
    struct small s;
    int64_t t[BOUNDS];

    /* Seven tasks of 3 and 4 of cpu on two machines: two on a machine, so two rounds of four. */
    open_job(&s, 2);
    stage(&s, "a", 7, 3, "4");
    stage(&s, "b", 1, 2, "0"); /* makes the tick 1 */
    close_job(&s, t);
    assert_int_equal(t[CRITICAL_PATH], 3);
    assert_int_equal(t[WORK], 5); /* 7 x 3 x 4 / 20 = 4.2 */
    assert_int_equal(t[WAVES], 6);
    random_job_finish(&s.job);

    /* Two stages that need more than half of a machine each: 4 x 5 on three machines is 7. */
    open_job(&s, 3);
    stage(&s, "a", 2, 5, "6");
    stage(&s, "b", 2, 5, "7");
    stage(&s, "c", 1, 1, "0");
    close_job(&s, t);
    assert_int_equal(t[WORK], 5); /* 130 / 30 */
    assert_int_equal(t[FRAGMENTATION], 7);
    random_job_finish(&s.job);

    /* Rounds along barriers, and a cut behind each. */
    open_job(&s, 1);
    uint32_t a = stage(&s, "a", 3, 2, "4"), b = stage(&s, "b", 5, 1, "3");
    assert_int_equal(br_dag_add_edge(s.job.dag, a, b, BR_BARRIER, NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[CRITICAL_PATH], 3);
    assert_int_equal(t[MODCP], 5); /* 24 / 10 and 15 / 10, each rounded up */
    assert_int_equal(t[WAVES], 6);
    assert_int_equal(t[SUM], 6);
    random_job_finish(&s.job);

    /* Different durations on two slots: of 5, 4, 3, 3 and 1 the third and the second longest share
     * a slot: 7; the work by slots, 16 / 2, is more. */
    open_job(&s, 1);
    a = stage(&s, "a", 5, 3, "5");
    const int64_t duration[] = {5, 4, 3, 3, 1};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(br_dag_set_duration(s.job.dag, a, i, duration[i], NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[WAVES], 8);
    random_job_finish(&s.job);

    open_job(&s, 1);
    a = stage(&s, "a", 3, 4, "5");
    assert_int_equal(br_dag_set_duration(s.job.dag, a, 1, 3, NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[WAVES], 7); /* 4, 4, 3 on two slots: 11 / 2, but 4 + 3 */
    random_job_finish(&s.job);

    /* A head, a middle that fills the pool, a tail. */
    open_job(&s, 1);
    a = stage(&s, "a", 1, 2, "1");
    b = stage(&s, "b", 3, 4, "10");
    uint32_t c = stage(&s, "c", 1, 3, "1");
    stage(&s, "d", 1, 1, "1"); /* beside all: no cuts */
    assert_int_equal(br_dag_add_edge(s.job.dag, a, b, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(s.job.dag, b, c, BR_BARRIER, NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[CRITICAL_PATH], 9);
    assert_int_equal(t[ENERGY], 17);
    random_job_finish(&s.job);

    /* One-to-one: the second half of the way overlaps the first. */
    open_job(&s, 1);
    a = stage(&s, "a", 4, 2, "5");
    b = stage(&s, "b", 4, 3, "5");
    assert_int_equal(br_dag_add_edge(s.job.dag, a, b, BR_ONE_TO_ONE, NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[WAVES], 8);
    assert_int_equal(t[WINDOW], 10);
    random_job_finish(&s.job);
}

/* Jobs on which one argument alone comes as far as the optimum; values and optimum by hand. */
static void every_argument_is_needed(void **state)
{
    struct small s;
    int64_t t[BOUNDS];

    /* Cliques: every two lack room together, each pair for another resource, so that no resource
     * sees more than two of them. */
    open_job(&s, 1);
    const char *pair[3][2] = {{"cpu", "mem"}, {"cpu", "net"}, {"mem", "net"}};
    assert_int_equal(br_cluster_add_capacity(s.job.cluster, 0, "mem", "10", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(s.job.cluster, 0, "net", "10", NULL), BR_OK);
    for (uint32_t k = 0; k < 3; k++) {
        uint32_t number;
        const char id[] = {(char)('a' + k), 0};
        assert_int_equal(br_dag_add_stage(s.job.dag, id, 1, 3 + k, &number, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(s.job.dag, number, pair[k][0], "6", NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(s.job.dag, number, pair[k][1], "6", NULL), BR_OK);
    }
    close_job(&s, t);
    assert_int_equal(t[WORK], 6); /* 4 and 5 at 6 of 10: 5.4 */
    assert_int_equal(t[ENERGY], 6);
    assert_int_equal(t[WAVES], 5);
    assert_int_equal(t[FRAGMENTATION], 12);
    random_job_finish(&s.job);

    /* Rounds of several stages: of 4, 4 and 3 on two slots some two take 7; work is 11 / 2. */
    open_job(&s, 1);
    stage(&s, "a", 1, 4, "5");
    stage(&s, "b", 1, 4, "5");
    stage(&s, "c", 1, 3, "5");
    close_job(&s, t);
    assert_int_equal(t[FRAGMENTATION], 6);
    assert_int_equal(t[ENERGY], 6);
    assert_int_equal(t[WAVES], 4);
    assert_int_equal(t[WINDOW], 7);
    random_job_finish(&s.job);

    /* Cuts: the same twice over, one after the other. The whole only sees the work of what is
     * ahead. */
    open_job(&s, 1);
    for (uint32_t k = 0; k < 6; k++) {
        const char id[] = {(char)('a' + k), 0};
        stage(&s, id, 1, k % 3 < 2 ? 4 : 3, "5");
    }
    for (uint32_t from = 0; from < 3; from++)
        for (uint32_t to = 3; to < 6; to++)
            assert_int_equal(br_dag_add_edge(s.job.dag, from, to, BR_BARRIER, NULL), BR_OK);
    close_job(&s, t);
    assert_int_equal(t[BEST], 13);
    assert_int_equal(t[SUM], 14);
    random_job_finish(&s.job);

    /* The work of all ancestors as a head: two tasks that fill cpu, before two that fill mem. A
     * task beside them keeps it from being cut. */
    open_job(&s, 1);
    assert_int_equal(br_cluster_add_capacity(s.job.cluster, 0, "mem", "10", NULL), BR_OK);
    uint32_t a = stage(&s, "a", 1, 3, "10"), b = stage(&s, "b", 1, 4, "10");
    stage(&s, "z", 1, 1, "0");
    for (int k = 0; k < 2; k++) {
        uint32_t number;
        const char id[] = {(char)('c' + k), 0};
        assert_int_equal(br_dag_add_stage(s.job.dag, id, 1, 3, &number, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(s.job.dag, number, "mem", "10", NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(s.job.dag, a, number, BR_BARRIER, NULL), BR_OK);
        assert_int_equal(br_dag_add_edge(s.job.dag, b, number, BR_BARRIER, NULL), BR_OK);
    }
    close_job(&s, t);
    assert_int_equal(t[WAVES], 7);
    assert_int_equal(t[ENERGY], 10);
    assert_int_equal(t[WINDOW], 13);
    assert_int_equal(t[SUM], 13);
    random_job_finish(&s.job);
}

static void public_call_gives_nanoseconds(void **state)
{
    struct small s;
    int64_t ns;
    const char *method;
    open_job(&s, 2);
    stage(&s, "a", 5, 1500000000, "10");
    assert_int_equal(br_dag_finish(s.job.dag, NULL), BR_OK);
    assert_int_equal(br_bound(s.job.dag, s.job.cluster, &ns, &method, NULL), BR_OK);
    assert_int_equal(ns, 4500000000);
    assert_string_equal(method, "critical path of stages by waves");
    assert_int_equal(br_bound(s.job.dag, s.job.cluster, &ns, NULL, NULL), BR_OK);
    random_job_finish(&s.job);
}

/* Two stages of 105 tasks that demand 10 of 109: ten run at a time, 21 rounds, where the demand
 * alone would fit 210 x 10 / 109 in 20. Hundreds of stages that take no time and demand 100 do not
 * crowd the one demand out of the thresholds that are tried. */
static void equal_demands_count_once(void **state)
{
    enum { OTHERS = 300 };
    struct random_job job = {br_dag_create("crowd"), br_cluster_create(NULL)};
    struct br_instance *in;
    char id[16];
    for (uint32_t s = 0; s < 2 + OTHERS; s++) {
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(job.dag, id, s < 2 ? 105 : 1, s < 2 ? 1000000000 : 0, NULL, NULL),
            BR_OK);
        assert_int_equal(br_dag_add_demand(job.dag, s, "cpu", s < 2 ? "10" : "100", NULL), BR_OK);
    }
    /* A smaller one, so that theirs is not the least. */
    assert_int_equal(br_dag_add_stage(job.dag, "least", 1, 0, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(job.dag, 2 + OTHERS, "cpu", "1", NULL), BR_OK);
    assert_int_equal(br_dag_finish(job.dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job.cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job.cluster, 0, "cpu", "109", NULL), BR_OK);
    assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
    assert_int_equal(br_bounds_fragmentation(in).ticks * in->tick_ns, 21000000000);
    assert_int_equal(br_bounds_work(in).ticks * in->tick_ns, 20000000000);
    br_instance_destroy(in);
    random_job_finish(&job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(every_argument_is_needed),
        cmocka_unit_test(equal_demands_count_once),
        cmocka_unit_test(public_call_gives_nanoseconds),
        cmocka_unit_test(stronger_arguments_give_stronger_bounds),
        cmocka_unit_test(arguments_end_where_one_is_enough),
        cmocka_unit_test(numbering_does_not_matter),
        cmocka_unit_test(no_bound_is_above_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
