/* The clairvoyant schedule of a workload: it can be run, and it is between the optimum and the
 * schedule that its search begins with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cluster/simulate/bounds/clairvoyant.h"
#include "tests/cluster/simulate/tiny.h"

enum { CASES = 600 };

/* The numbers of the tiny model's tasks, in the order of the workload's. */
static void match_tasks(const struct tiny *tiny, int task[TINY_TASKS], int job[TINY_JOBS])
{
    int count = 0, jobs = 0;
    for (int time = 0; time <= 100; time++)
        for (int j = 0; j < tiny->jobs; j++)
            if (tiny->arrival[j] == time) {
                job[jobs++] = j;
                for (int t = 0; t < tiny->tasks; t++)
                    if (tiny->job[t] == j)
                        task[count++] = t;
            }
}

static void check_capacity(const struct tiny *tiny, const int start[TINY_TASKS],
                           const uint32_t machine[TINY_TASKS])
{
    for (int t = 0; t < tiny->tasks; t++)
        for (int r = 0; r < tiny->resources && tiny->lasts[t]; r++) {
            int held = 0;
            for (int u = 0; u < tiny->tasks; u++)
                if (machine[u] == machine[t] && start[u] <= start[t] &&
                    start[t] < start[u] + tiny->lasts[u])
                    held += tiny->demand[u][r];
            assert_true(held <= tiny->capacity[machine[t]][r]);
        }
}

/* Judges the spans by the tiny model alone. */
static void check_spans(const struct tiny *tiny, const struct br_clairvoyant *got)
{
    int number[TINY_TASKS], job[TINY_JOBS], start[TINY_TASKS], first = 100, end[TINY_JOBS] = {0};
    uint32_t machine[TINY_TASKS];
    double sum = 0;
    match_tasks(tiny, number, job);
    for (int j = 0; j < tiny->jobs; j++)
        first = tiny->arrival[j] < first ? tiny->arrival[j] : first;
    for (int k = 0; k < tiny->tasks; k++) {
        start[number[k]] = (int)(got->span[k].start_ns / 1000000000) + first;
        machine[number[k]] = got->span[k].machine;
        assert_true(got->span[k].machine < (uint32_t)tiny->machines);
    }
    for (int t = 0; t < tiny->tasks; t++) {
        int j = tiny->job[t];
        assert_true(start[t] >= tiny->arrival[j]);
        for (int u = 0; u < tiny->tasks; u++)
            if (tiny->parents[t] >> u & 1)
                assert_true(start[t] >= start[u] + tiny->lasts[u]);
        end[j] = start[t] + tiny->lasts[t] > end[j] ? start[t] + tiny->lasts[t] : end[j];
    }
    check_capacity(tiny, start, machine);
    for (int k = 0; k < tiny->jobs; k++) {
        assert_true(got->jct_s[k] == end[job[k]] - tiny->arrival[job[k]]);
        sum += got->jct_s[k];
    }
    assert_true(got->mean_jct_s * tiny->jobs < sum + 1e-9 &&
                got->mean_jct_s * tiny->jobs > sum - 1e-9);
}

static struct br_clairvoyant search(const struct tiny_workload *built, uint64_t evaluations,
                                    bool weighted)
{
    struct br_clairvoyant got;
    struct br_clairvoyant_options options = {
        .seed = 1, .evaluations = evaluations, .weighted = weighted};
    assert_int_equal(br_clairvoyant_search(built->workload, built->cluster, built->true_ns,
                                           &options, &got, NULL),
                     BR_OK);
    return got;
}

static void schedules_can_be_run(void **state)
{
    int optimal = 0;
    double share = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct tiny_optimum least = tiny_solve(&tiny);
        struct br_clairvoyant begun = search(&built, 0, false), got = search(&built, 200, false);
        check_spans(&tiny, &begun);
        check_spans(&tiny, &got);
        assert_true(got.mean_jct_s * tiny.jobs > least.sum - 1e-9);
        assert_true(got.mean_jct_s <= begun.mean_jct_s + 1e-9);
        assert_true(got.makespan_s >= least.makespan);
        optimal += got.mean_jct_s * tiny.jobs < least.sum + 1e-9;
        share += least.sum > 0 ? got.mean_jct_s * tiny.jobs / least.sum : 1;
        br_clairvoyant_finish(&begun);
        br_clairvoyant_finish(&got);
        tiny_finish(&built);
    }
    print_message("optimal in %d of %d, %.4f of the optimum on average\n", optimal, CASES,
                  share / CASES);
    assert_true(optimal >= CASES * 93 / 100);
}

/* From the ends of a schedule at hand: never worse than that, and mostly as good by its own means,
 * without a search. Ends that nobody can reach are given back. */
static void it_begins_with_what_is_at_hand(void **state)
{
    int better = 0, own = 0, cases = 300;
    for (uint64_t seed = 1; seed <= (uint64_t)cases; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        int64_t end_ns[TINY_JOBS];
        assert_true(tiny_build(&tiny, &built));
        struct br_clairvoyant plain = search(&built, 0, false),
                              long_one = search(&built, 200, false);
        struct br_clairvoyant_options options = {.seed = 1, .begin_ns = end_ns};
        struct br_clairvoyant got;
        for (int early = 0; early < 2; early++) {
            for (uint32_t j = 0; j < built.workload->jobs; j++)
                end_ns[j] = built.workload->job[j].arrival_ns +
                            (early ? 1000000000 : (int64_t)(long_one.jct_s[j] * 1e9 + 0.5));
            assert_int_equal(br_clairvoyant_search(built.workload, built.cluster, built.true_ns,
                                                   &options, &got, NULL),
                             BR_OK);
            if (early) {
                assert_true(got.mean_jct_s == 1 || got.span);
            } else {
                assert_true(got.mean_jct_s <= long_one.mean_jct_s + 1e-9);
                better += got.mean_jct_s < plain.mean_jct_s - 1e-9;
                own += got.span != NULL;
            }
            if (got.span)
                check_spans(&tiny, &got);
            br_clairvoyant_finish(&got);
        }
        br_clairvoyant_finish(&plain);
        br_clairvoyant_finish(&long_one);
        tiny_finish(&built);
    }
    print_message("better in %d, by its own means in %d of %d\n", better, own, cases);
    assert_true(better >= 10 && own * 100 >= cases * 93);
}

static void weights_count_where_asked(void **state)
{
    int better = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct br_clairvoyant plain = search(&built, 100, false), got = search(&built, 100, true);
        struct tiny_optimum least = tiny_solve(&tiny);
        double weight = 0;
        for (int j = 0; j < tiny.jobs; j++)
            weight += tiny.weight[j];
        assert_true(got.weighted_jct_s * weight > least.weighted - 1e-9);
        better += got.weighted_jct_s < plain.weighted_jct_s - 1e-9;
        br_clairvoyant_finish(&plain);
        br_clairvoyant_finish(&got);
        tiny_finish(&built);
    }
    print_message("better in %d\n", better);
    assert_true(better >= 5);
}

static void equal_seeds_give_equal_schedules(void **state)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct tiny tiny = tiny_make(seed);
        struct tiny_workload built;
        assert_true(tiny_build(&tiny, &built));
        struct br_clairvoyant a = search(&built, 50, false), b = search(&built, 50, false);
        assert_memory_equal(a.jct_s, b.jct_s, (size_t)tiny.jobs * sizeof *a.jct_s);
        for (int t = 0; t < tiny.tasks; t++)
            assert_true(a.span[t].start_ns == b.span[t].start_ns &&
                        a.span[t].machine == b.span[t].machine);
        assert_true(a.improvements == b.improvements && a.evaluations == 50);
        br_clairvoyant_finish(&a);
        br_clairvoyant_finish(&b);
        tiny_finish(&built);
    }
}

static void a_raised_stop_ends_the_search(void **state)
{
    struct br_stop stop = {.level = 1};
    struct br_clairvoyant_options options = {.seed = 1, .evaluations = UINT64_MAX, .stop = &stop};
    struct tiny tiny = tiny_make(1);
    struct tiny_workload built;
    struct br_clairvoyant got;
    assert_true(tiny_build(&tiny, &built));
    assert_int_equal(
        br_clairvoyant_search(built.workload, built.cluster, built.true_ns, &options, &got, NULL),
        BR_OK);
    check_spans(&tiny, &got);
    br_clairvoyant_finish(&got);
    tiny_finish(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedules_can_be_run),
        cmocka_unit_test(it_begins_with_what_is_at_hand),
        cmocka_unit_test(weights_count_where_asked),
        cmocka_unit_test(equal_seeds_give_equal_schedules),
        cmocka_unit_test(a_raised_stop_ends_the_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
