/* The lower bounds of a workload against the optimum of very small ones, and against what they must
 * not depend on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <bigrocks/planner.h>

#include "cluster/simulate/bounds/ends.h"
#include "cluster/simulate/bounds/regret.h"
#include "tests/cluster/simulate/tiny.h"

static const double nearly = 1 + 1e-12;

/* As sums, like the optimum's. */
static struct tiny_optimum bound(const struct tiny *tiny, const struct tiny_workload *built,
                                 bool overbooked, const struct br_stop *stop)
{
    struct br_workload_bounds bounds;
    double weight = 0;
    assert_int_equal(br_workload_bounds_make(built->workload, built->cluster, built->true_ns,
                                             overbooked, stop, &bounds, NULL),
                     BR_OK);
    assert_non_null(bounds.mean_method);
    assert_non_null(bounds.makespan_method);
    for (int j = 0; j < tiny->jobs; j++)
        weight += tiny->weight[j];
    struct tiny_optimum got = {bounds.mean_jct_s * tiny->jobs, bounds.weighted_jct_s * weight,
                               bounds.makespan_s};
    br_workload_bounds_finish(&bounds);
    return got;
}

static void check(const char *what, uint64_t seed, double got, double most)
{
    if (got > most * nearly)
        fail_msg("seed %llu: the bound of the %s is %.9f, but %.9f can be had",
                 (unsigned long long)seed, what, got, most);
}

static void no_bound_is_above_the_optimum(void **state)
{
    enum { CASES = 1500 };
    int tight[3] = {0};
    double share[3] = {0};
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct tiny_optimum most = tiny_solve(&tiny), got = bound(&tiny, &built, false, NULL);
        check("sum", seed, got.sum, most.sum);
        check("weighted sum", seed, got.weighted, most.weighted);
        check("makespan", seed, got.makespan, most.makespan);
        const double pairs[3][2] = {
            {got.sum, most.sum}, {got.weighted, most.weighted}, {got.makespan, most.makespan}};
        for (int k = 0; k < 3; k++) {
            tight[k] += pairs[k][0] > pairs[k][1] * (1 - 1e-6);
            share[k] += pairs[k][1] > 0 ? pairs[k][0] / pairs[k][1] : 1;
        }
        tiny_finish(&built);
    }
    /* Measured. Less is a step back: some argument is weaker, or dead. */
    static const double least[3] = {0.929, 0.930, 0.984};
    for (int k = 0; k < 3; k++) {
        print_message("%.4f of the optimum on average, equal in %d of %d\n", share[k] / CASES,
                      tight[k], CASES);
        assert_true(share[k] / CASES >= least[k]);
    }
}

static void overbooked_bounds_hold(void **state)
{
    enum { CASES = 1000 };
    int beyond = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct tiny_optimum most = tiny_overbook(&tiny, seed, 30);
        struct tiny_optimum got = bound(&tiny, &built, true, NULL);
        check("overbooked sum", seed, got.sum, most.sum);
        check("overbooked weighted sum", seed, got.weighted, most.weighted);
        check("overbooked makespan", seed, got.makespan, most.makespan);
        got = bound(&tiny, &built, false, NULL);
        beyond += got.makespan > most.makespan * nearly || got.sum > most.sum * nearly;
        tiny_finish(&built);
    }
    /* The bounds that count whole tasks do not hold here, so the cases tell the two apart. */
    print_message("%d cases in which bounds for tasks that are not slowed fail\n", beyond);
    assert_true(beyond > CASES / 100);
}

/* Jobs of one task that takes all of one machine, sizes and arrivals in seconds. */
static struct tiny line(int jobs, const int *size, const int *arrival)
{
    struct tiny tiny = {.jobs = jobs, .tasks = jobs, .machines = 1, .resources = 1};
    tiny.capacity[0][0] = 1;
    for (int j = 0; j < jobs; j++) {
        tiny.job[j] = j;
        tiny.arrival[j] = arrival[j];
        tiny.weight[j] = 1;
        tiny.lasts[j] = tiny.declared[j] = size[j];
        tiny.demand[j][0] = 1;
    }
    return tiny;
}

/* The sum is within these limits, the makespan is that. */
static void expect(const struct tiny *tiny, double least, double most, double makespan)
{
    struct tiny_workload built;
    assert_true(tiny_build(tiny, &built));
    struct tiny_optimum got = bound(tiny, &built, false, NULL);
    assert_true(got.sum > least * (1 - 1e-6) && got.sum <= most * nearly);
    assert_true(got.makespan > makespan * (1 - 1e-6) && got.makespan <= makespan * nearly);
    tiny_finish(&built);
}

/* Computed by hand. */
static void known_values(void **state)
{
    /* 5 from 0, interrupted from 1 to 2 and from 3 to 4 for the others: ends 2, 4 and 7. */
    struct tiny tiny = line(3, (const int[]){5, 1, 1}, (const int[]){0, 1, 3});
    expect(&tiny, 9, 9, 7);
    /* The clock begins with the first arrival: nothing changes when all come later. */
    tiny = line(3, (const int[]){5, 1, 1}, (const int[]){100, 101, 103});
    expect(&tiny, 9, 9, 7);
    /* One after another, the shortest first: 1, 3, 6 and 10. */
    tiny = line(4, (const int[]){4, 3, 2, 1}, (const int[]){0, 0, 0, 0});
    expect(&tiny, 20, 20, 10);
    /* A job of 2 s that takes all of four places, and three of one place: 4, 4 and 8 s. By work
     * alone the ends are 1, 2, 4 and 6; alone the jobs end at 2, 4, 4 and 8, which sum to 18. The
     * best is 2, 6, 6 and 10. The makespan is 10: the first and the last do not run side by side.
     */
    tiny = line(4, (const int[]){2, 4, 4, 8}, (const int[]){0, 0, 0, 0});
    tiny.capacity[0][0] = 4;
    tiny.demand[0][0] = 4;
    expect(&tiny, 18, 24, 10);
    /* Two of 4 s from 10 on that do not fit side by side, though their work does: 3 of 5 each. */
    tiny = line(3, (const int[]){1, 4, 4}, (const int[]){0, 10, 10});
    tiny.capacity[0][0] = 5;
    tiny.demand[0][0] = tiny.demand[1][0] = tiny.demand[2][0] = 3;
    expect(&tiny, 1 + 4 + 4, 1 + 4 + 8, 18);
}

/* Four places. From 0 on a job of one place, 8 s; from 4 on two jobs of all places, 3 s each. Alone
 * they end at 8, 7 and 7. By work alone (2, 3 and 3 s) the ends are 2, 7 and 10. No two can have
 * ended before 8: the first cannot, and the others have 6 s of work after 4. So the ends are at
 * least 7, 8 and 10, which is more than the larger of both lists: 7, 7 and 10. */
static void known_ends(void **state)
{
    struct tiny tiny = line(3, (const int[]){8, 3, 3}, (const int[]){0, 4, 4});
    struct tiny_workload built;
    struct br_load load;
    double sum_s;
    tiny.capacity[0][0] = 4;
    tiny.demand[1][0] = tiny.demand[2][0] = 4;
    assert_true(tiny_build(&tiny, &built));
    assert_int_equal(br_load_make(built.workload, built.cluster, NULL, false, NULL, &load, NULL),
                     BR_OK);
    assert_true(br_ends_bound(&load, NULL, &sum_s));
    assert_true(sum_s > 7 + 8 + 10 - (0 + 4 + 4) - 0.001);
    assert_true(sum_s < 7 + 8 + 10 - (0 + 4 + 4) + 1e-9);
    br_load_finish(&load);
    tiny_finish(&built);
}

/* Two tasks of 2 s that need 3 of 5 each, then one of 1 s, and another of 1 s apart. Overbooked,
 * the two end together at 2.4, and all at 3.4; the others need 1 of 5. One after another they
 * take 4. */
static void overbooked_heads_count_no_rounds(void **state)
{
    struct tiny tiny = {.jobs = 1,
                        .tasks = 4,
                        .machines = 1,
                        .resources = 1,
                        .weight = {1},
                        .stage = {0, 0, 1, 2},
                        .lasts = {2, 2, 1, 1},
                        .declared = {2, 2, 1, 1},
                        .demand = {{3}, {3}, {1}, {1}},
                        .parents = {0, 0, 3, 0},
                        .capacity = {{5}}};
    struct tiny_workload built;
    assert_true(tiny_build(&tiny, &built));
    struct tiny_optimum got = bound(&tiny, &built, true, NULL);
    assert_true(got.makespan <= 3.4 && got.makespan > 3.39);
    assert_true(got.sum <= 3.4 && got.sum > 3.39);
    got = bound(&tiny, &built, false, NULL);
    assert_true(got.makespan == 5);
    tiny_finish(&built);
}

static void a_raised_stop_weakens(void **state)
{
    struct br_stop stop = {.level = 1};
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct tiny_optimum got = bound(&tiny, &built, false, &stop),
                            all = bound(&tiny, &built, false, NULL);
        assert_true(got.sum >= 0 && got.sum <= all.sum * nearly);
        assert_true(got.makespan >= 0 && got.makespan <= all.makespan * nearly);
        tiny_finish(&built);
    }
}

/* By job: the planner's bound of the job with its true durations. */
static void own_bounds_follow_true_durations(void **state)
{
    struct tiny tiny = line(2, (const int[]){3, 3}, (const int[]){0, 0});
    struct tiny_workload built;
    struct br_workload_bounds bounds;
    tiny.lasts[1] = 7;
    assert_true(tiny_build(&tiny, &built));
    assert_int_equal(br_workload_bounds_make(built.workload, built.cluster, built.true_ns, false,
                                             NULL, &bounds, NULL),
                     BR_OK);
    assert_true(bounds.job_s[0] == 3 && bounds.job_s[1] == 7);
    br_workload_bounds_finish(&bounds);
    assert_int_equal(
        br_workload_bounds_make(built.workload, built.cluster, NULL, false, NULL, &bounds, NULL),
        BR_OK);
    assert_true(bounds.job_s[0] == 3 && bounds.job_s[1] == 3);
    br_workload_bounds_finish(&bounds);
    tiny_finish(&built);
}

static void a_job_that_no_machine_holds_is_refused(void **state)
{
    struct tiny tiny = line(2, (const int[]){1, 1}, (const int[]){0, 0});
    struct tiny_workload built;
    struct br_workload_bounds bounds;
    struct br_diag diag = {0};
    tiny.demand[1][0] = 2;
    assert_true(tiny_build(&tiny, &built));
    assert_int_equal(
        br_workload_bounds_make(built.workload, built.cluster, NULL, false, NULL, &bounds, &diag),
        BR_BAD_INPUT);
    assert_non_null(strstr(diag.what, "cpu"));
    br_workload_bounds_finish(&bounds);
    tiny_finish(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(known_ends),
        cmocka_unit_test(overbooked_heads_count_no_rounds),
        cmocka_unit_test(a_raised_stop_weakens),
        cmocka_unit_test(own_bounds_follow_true_durations),
        cmocka_unit_test(a_job_that_no_machine_holds_is_refused),
        cmocka_unit_test(no_bound_is_above_the_optimum),
        cmocka_unit_test(overbooked_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
