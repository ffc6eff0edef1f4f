/* Rounded durations: which rounding is chosen; that bounds of the rounded job hold for the true
 * one, found by trying everything, with proofs that the checker accepts for that rounding alone;
 * and that plans of measured durations end as good as proven. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "base/numbers/rng.h"
#include "planner/check/proofs/certificate.h"
#include "planner/exact/exact.h"
#include "planner/instance/remainder.h"
#include "planner/instance/rounding.h"
#include "planner/instance/plan.h"
#include "planner/search/bound/exact_bound.h"
#include "planner/search/bound/retime.h"
#include "tests/support/judge.h"
#include "tests/support/oracle.h"

enum { JOBS = 1000, PLANNED_JOBS = 250, NOISE = 1000, LARGE_JOBS = 24, LARGE_TASKS = 14 };

/* Makes the durations of the job `noise` times as long, and up to noise - 1 nanoseconds longer, if
 * a tick was one. */
static struct br_instance *noisy(struct random_job *job, uint64_t seed, uint32_t noise)
{
    struct br_instance *in;
    struct br_rng rng = br_rng_seed(seed);
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    for (uint32_t t = 0; t < in->tasks; t++)
        if (in->duration[t])
            job->dag->duration_ns[in->task_origin[t]] =
                noise * in->duration[t] + (int64_t)br_rng_below(&rng, noise);
    br_instance_destroy(in);
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    return in;
}

static int64_t work(const struct br_instance *in)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        sum += in->duration[t];
    return sum;
}

/* Durations in seconds, as one stage each. */
static struct br_instance *instance_of(const double *seconds, uint32_t tasks, struct br_dag **dag,
                                       struct br_cluster **cluster)
{
    struct br_instance *in;
    *dag = br_dag_create("durations");
    *cluster = br_cluster_create(NULL);
    for (uint32_t t = 0; t < tasks; t++) {
        char id[16];
        snprintf(id, sizeof id, "t%u", t);
        assert_int_equal(
            br_dag_add_stage(*dag, id, 1, (int64_t)(seconds[t] * 1e9 + 0.5), NULL, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(*dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(*cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_instance_create(*dag, *cluster, &in, NULL), BR_OK);
    return in;
}

/* The long tick in seconds from which the durations differ by noise; 1e-9: there is none. */
static double noise_tick(const double *seconds, uint32_t tasks)
{
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_instance *in = instance_of(seconds, tasks, &dag, &cluster);
    const int64_t tick_ns = in->tick_ns;
    const int64_t rounding = br_rounding_noise(in);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return (double)(rounding * tick_ns) / 1e9;
}

/* Whole seconds and tenths of them are found again below noise; durations of nine random digits
 * have no pattern, however many there are. */
static void noise_has_a_pattern(void **state)
{
    static const double seconds[] = {3.000214973, 7.000001009, 4.000730001, 9.000999337};
    static const double tenths[] = {3.200014973, 7.100001009, 309.700030001, 9.000999337};
    assert_true(noise_tick(seconds, 4) == 1);
    assert_true(noise_tick(tenths, 4) == 0.1);
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        double odd[40];
        const uint32_t tasks = 10 + (uint32_t)br_rng_below(&rng, 31);
        for (uint32_t t = 0; t < tasks; t++)
            odd[t] = (double)(1 + br_rng_below(&rng, 1000000000)) / 1e9;
        assert_true(noise_tick(odd, tasks) == 1e-9);
    }
}

/* The rounding in seconds for a makespan in seconds; 0 if there is none. */
static double chosen(const double *seconds, uint32_t tasks, double makespan, double before)
{
    struct br_dag *dag;
    struct br_cluster *cluster;
    struct br_instance *in = instance_of(seconds, tasks, &dag, &cluster);
    const int64_t tick_ns = in->tick_ns;
    int64_t rounding = br_rounding(in, (int64_t)(makespan * 1e9) / tick_ns,
                                   (int64_t)(before * 1e9 + 0.5) / tick_ns);
    br_instance_destroy(in);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
    return (double)(rounding * tick_ns) / 1e9;
}

static void roundings_suit_durations(void **state)
{
    /* Whole seconds, up to three days of them, stay what they are. */
    assert_float_equal(chosen((const double[]){3, 5, 86400}, 3, 200000, 0), 1, 0);
    /* Noise around whole seconds, and around half ones; then ever finer, to an end. */
    static const double noise[] = {2.000731, 3.000412, 7.000088, 5.000931},
                        half[] = {2.500000731, 3.000000412, 7.500000088, 5.000000931};
    assert_float_equal(chosen(noise, 4, 12, 0), 1, 1e-12);
    assert_float_equal(chosen(half, 4, 12, 0), 0.5, 1e-12);
    uint32_t finer = 0;
    for (double before = 1, next; (next = chosen(noise, 4, 12, before)) > 0; before = next) {
        assert_true(next < before && 12 / next <= 1 << 19);
        finer++;
    }
    assert_true(finer > 0 && finer < 12);
    /* Durations without a pattern, of a makespan of many ticks: enough are left of them. */
    static const double any[] = {1.618033988, 2.718281828, 3.141592653, 1.414213562};
    double rounding = chosen(any, 4, 5, 0);
    assert_true(rounding > 0 && 5 / rounding > 1000 && 5 / rounding <= 1 << 16);
}

/* Checks the proof with that rounding instead, a bound of so many ticks more, and so much more
 * rest.
 */
static enum br_status check(const struct br_certificate *made, int64_t rounding, int64_t more,
                            int64_t rest, const struct random_job *job,
                            const struct br_instance *in)
{
    struct br_proof proof = made->part[0];
    struct br_certificate c = *made;
    proof.rounding = rounding;
    proof.bound += more;
    proof.rest += rest;
    c.part = &proof;
    return br_certificate_check(&c, job->dag, in, NULL);
}

static void bounds_hold_for_true_durations(void **state)
{
    uint32_t forged = 0, longer = 0, equal = 0, rests = 0;
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct random_job job;
        assert_true(random_job_make(seed, ORACLE_TASKS, 0, &job));
        struct br_instance *in = noisy(&job, seed, NOISE);
        struct br_reach reach;
        struct br_schedule schedule;
        bool made;
        int64_t optimum = oracle_optimum(in);
        assert_true(br_reach_init(&reach, in) && br_schedule_init(&schedule, in));
        const int64_t rounding = in->tick_ns < NOISE ? NOISE / in->tick_ns : 1;
        struct br_exact *x = br_exact_create(in, work(in) + rounding, rounding, true);
        assert_non_null(x);
        for (int turn = 0; turn < 1000; turn++)
            if (br_exact_solve(x, turn % 2 ? BR_EXACT_SHORTER : BR_EXACT_BOUND, 50, NULL) ==
                BR_EXACT_OPTIMAL)
                break;
        int64_t proven = br_exact_proven(x);
        const int64_t rest = br_remainder(in, rounding, br_exact_proven_rounded(x));
        assert_true(br_exact_proven_rounded(x) * rounding == br_exact_upper(x));
        assert_true(proven == br_exact_upper(x) + rest && proven <= optimum);
        rests += rest > 0;
        made = br_exact_schedule(x, schedule.start, schedule.machine);
        if (made) {
            assert_true(br_retime(in, &reach, &schedule));
            judge_schedule(&job, in, &schedule);
            assert_true(schedule.makespan >= optimum && br_exact_upper(x) <= schedule.makespan);
            longer += schedule.makespan > optimum;
            equal += schedule.makespan == optimum;
        }
        struct br_certificate *c = br_certificate_create(in->tick_ns, 1);
        assert_true(c && br_exact_proof(x, &c->arena, &c->part[0]));
        int64_t ns;
        assert_true(br_certificate_bound(c, &ns) && ns == proven * in->tick_ns);
        assert_int_equal(check(c, rounding, 0, 0, &job, in), BR_OK);
        assert_int_equal(check(c, rounding, 0, -rest, &job, in), BR_OK);
        assert_int_equal(check(c, rounding, 0, 1, &job, in), BR_NO);
        assert_int_equal(check(c, rounding, 0, -rest - 1, &job, in), BR_NO);
        for (int64_t other = rounding / 2 + 1; other < 3 * rounding; other += rounding / 8 + 1) {
            int64_t more = optimum / other + 1 - c->part[0].bound;
            assert_int_equal(check(c, other, more > 0 ? more : 0, 0, &job, in), BR_NO);
            forged++;
        }
        br_certificate_destroy(c);
        br_exact_destroy(x);
        br_schedule_finish(&schedule);
        br_reach_finish(&reach);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u forged roundings; %u retimed schedules are optimal, %u are not; %u rests\n",
                  forged, equal, longer, rests);
    assert_true(equal > 3 * longer && rests > equal / 2);
}

/* What the planner says of a job with so many ticks that it rounds them is true: the bound is none
 * that a schedule beats, the proof holds, and the plan is no shorter than what trying everything
 * finds, nor longer by more than the tolerance if it is called optimal. */
static void plans_of_odd_nanoseconds_are_true(void **state)
{
    enum { ODD = 10000000 };
    uint32_t rounded = 0, optimal = 0, within = 0, jobs = random_jobs(PLANNED_JOBS);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct random_job job;
        struct br_plan *plan;
        struct br_plan_options options = br_plan_options_default();
        assert_true(random_job_make(seed, ORACLE_TASKS, 0, &job));
        struct br_instance *in = noisy(&job, seed, ODD);
        const int64_t optimum_ns = oracle_optimum(in) * in->tick_ns;
        options.threads = 1;
        assert_int_equal(br_plan_make(job.dag, job.cluster, &options, &plan, NULL), BR_OK);
        const int64_t makespan_ns = br_plan_makespan_ns(plan),
                      bound_ns = br_plan_lower_bound_ns(plan);
        assert_true(bound_ns <= optimum_ns && optimum_ns <= makespan_ns);
        if (plan->certificate) {
            int64_t proven_ns;
            assert_int_equal(br_certificate_check(plan->certificate, job.dag, in, NULL), BR_OK);
            assert_true(br_certificate_bound(plan->certificate, &proven_ns));
            assert_true(proven_ns <= optimum_ns);
            for (uint32_t p = 0; p < plan->certificate->parts; p++)
                rounded += plan->certificate->part[p].rounding > 1;
        }
        optimal += makespan_ns == optimum_ns;
        within += br_plan_gap(plan) <= BR_ROUNDING_TOLERANCE;
        br_plan_destroy(plan);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    print_message("%u plans: %u are optimal, %u proven to within the tolerance; %u rounded parts\n",
                  jobs, optimal, within, rounded);
    assert_true(rounded > 0 && within >= jobs - jobs / 20);
}

/* Seconds, each up to a millisecond longer, in nanoseconds. */
static struct br_dag *measured(uint64_t seed, uint32_t tasks)
{
    struct br_rng rng = br_rng_seed(seed);
    struct br_dag *dag = br_dag_create("measured");
    for (uint32_t s = 0; s < tasks; s++) {
        char id[16], cpu[16], mem[16];
        int64_t ns = (2 + (int64_t)br_rng_below(&rng, 8)) * 1000000000 +
                     (int64_t)br_rng_below(&rng, 1000000);
        snprintf(id, sizeof id, "s%u", s);
        snprintf(cpu, sizeof cpu, "%u", (unsigned)br_rng_below(&rng, 7));
        snprintf(mem, sizeof mem, "%u", (unsigned)br_rng_below(&rng, 7));
        assert_int_equal(br_dag_add_stage(dag, id, 1, ns, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", cpu, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "mem", mem, NULL), BR_OK);
        for (uint32_t p = 0; p < s; p++)
            if (br_rng_below(&rng, 100) < 12)
                assert_int_equal(br_dag_add_edge(dag, p, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* A job that is closed but for its noise, and stays open near the schedule by which it is, gets
 * another that is shorter by what was left. */
static void noise_is_searched_anew(void **state)
{
    struct br_dag *dag = measured(109, 30);
    struct br_cluster *cluster = br_cluster_create(NULL);
    struct br_plan_options options = br_plan_options_default();
    struct br_plan *plan;
    assert_int_equal(br_cluster_add_class(cluster, "node", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", "8", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(cluster, 0, "mem", "8", NULL), BR_OK);
    options.threads = 1;
    options.tolerance = 5e-5;
    assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
    assert_true(plan->certificate && br_plan_gap(plan) <= options.tolerance);
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    br_dag_destroy(dag);
}

static void measured_durations_keep_their_proofs(void **state)
{
    uint32_t within = 0;
    for (uint64_t seed = 1; seed <= LARGE_JOBS; seed++) {
        struct br_dag *dag = measured(seed, LARGE_TASKS);
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
        within += plan->certificate && br_plan_gap(plan) <= BR_ROUNDING_TOLERANCE;
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
    print_message("%u of %d within the tolerance\n", within, LARGE_JOBS);
    assert_true(within >= LARGE_JOBS - LARGE_JOBS / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roundings_suit_durations),
        cmocka_unit_test(noise_has_a_pattern),
        cmocka_unit_test(bounds_hold_for_true_durations),
        cmocka_unit_test(plans_of_odd_nanoseconds_are_true),
        cmocka_unit_test(measured_durations_keep_their_proofs),
        cmocka_unit_test(noise_is_searched_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
