/* What comes of a plan under noise, held against replays that need no enforcer: where the cluster
 * is large enough for all tasks at once, the longest path; where it runs them one by one, the sum.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/collections/arena.h"
#include "base/numbers/rng.h"
#include "planner/model/dag.h"
#include "runtime/replay/noise.h"
#include "runtime/replay/replay.h"
#include <bigrocks/bigrocks.h>

enum { STAGES = 12, RUNS = 7 };

static struct br_dag *make_job(uint64_t seed)
{
    struct br_dag *dag = br_dag_create("job");
    struct br_rng rng = br_rng_seed(seed);
    char id[8];
    for (uint32_t s = 0; s < STAGES; s++) {
        const int64_t duration_ns = 1000000 * (1 + (int64_t)br_rng_below(&rng, 5000));
        snprintf(id, sizeof id, "s%u", s);
        assert_int_equal(
            br_dag_add_stage(dag, id, 1 + (uint32_t)br_rng_below(&rng, 3), duration_ns, NULL, NULL),
            BR_OK);
        assert_int_equal(br_dag_add_demand(dag, s, "cpu", "1", NULL), BR_OK);
        if (s && br_rng_below(&rng, 4))
            assert_int_equal(
                br_dag_add_edge(dag, (uint32_t)br_rng_below(&rng, s), s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(dag, NULL), BR_OK);
    return dag;
}

/* The makespan of these durations: the longest path, or all one by one. */
static int64_t replay(const struct br_dag *dag, const int64_t *lasts_ns, bool one_by_one)
{
    int64_t end_ns[STAGES] = {0}, most_ns = 0, sum_ns = 0;
    for (uint32_t s = 0; s < STAGES; s++) { /* parents have smaller numbers */
        int64_t ready_ns = 0;
        for (uint32_t e = 0; e < dag->edges; e++)
            if (dag->edge[e].child == s && end_ns[dag->edge[e].parent] > ready_ns)
                ready_ns = end_ns[dag->edge[e].parent];
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const int64_t lasts = lasts_ns[dag->stage[s].first_task + i];
            sum_ns += lasts;
            if (ready_ns + lasts > end_ns[s])
                end_ns[s] = ready_ns + lasts;
        }
        most_ns = end_ns[s] > most_ns ? end_ns[s] : most_ns;
    }
    return one_by_one ? sum_ns : most_ns;
}

static void noise_is_replayed(void **state)
{
    static const double spread[] = {0, 0.1, 0.3};
    for (uint64_t seed = 1; seed <= 40; seed++) {
        const bool one_by_one = seed % 2;
        struct br_dag *dag = make_job(seed);
        struct br_cluster *cluster = br_cluster_create(NULL);
        struct br_plan_options options = br_plan_options_default();
        struct br_plan *plan;
        options.effort = BR_EFFORT_FAST;
        options.threads = 1;
        assert_int_equal(br_cluster_add_class(cluster, "m", 1, NULL, NULL), BR_OK);
        assert_int_equal(br_cluster_add_capacity(cluster, 0, "cpu", one_by_one ? "1" : "100", NULL),
                         BR_OK);
        assert_int_equal(br_plan_make(dag, cluster, &options, &plan, NULL), BR_OK);
        for (unsigned k = 0; k < 3; k++) {
            double sum = 0;
            int64_t mean_ns = -1, again_ns = -1;
            for (uint64_t run = 0; run < RUNS; run++) {
                struct br_arena arena = {0};
                const int64_t *lasts_ns = br_simulate_durations(
                    &arena, dag, spread[k], seed * UINT64_C(0x9e3779b97f4a7c15) + run);
                assert_non_null(lasts_ns);
                sum += (double)replay(dag, lasts_ns, one_by_one);
                br_arena_finish(&arena);
            }
            assert_int_equal(
                br_plan_under_noise(dag, cluster, plan, spread[k], RUNS, seed, &mean_ns, NULL),
                BR_OK);
            assert_int_equal(
                br_plan_under_noise(dag, cluster, plan, spread[k], RUNS, seed, &again_ns, NULL),
                BR_OK);
            assert_int_equal(mean_ns, again_ns);
            assert_true(llabs(mean_ns - (int64_t)(sum / RUNS)) <= 1);
            if (k == 0)
                assert_int_equal(mean_ns, br_plan_makespan_ns(plan));
        }
        br_plan_destroy(plan);
        br_cluster_destroy(cluster);
        br_dag_destroy(dag);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(noise_is_replayed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
