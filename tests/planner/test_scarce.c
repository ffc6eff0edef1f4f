/* Orders of whole stages: Johnson's is the best order of a flow shop of two machines, as trying all
 * orders shows; every order gives a schedule that the verifier accepts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/schedule/scarce.h"
#include "tests/support/judge.h"
#include "tests/support/random_job.h"

enum { CHAINS = 5, LONGEST = 12, SHOPS = 400, JOBS = 200, TASKS = 40 };

struct shop {
    int64_t first[CHAINS], second[CHAINS];
};

/* The least end of the second machine over all orders of the chains from `from` on. */
static int64_t shortest(struct shop *shop, uint32_t from, int64_t first_end, int64_t second_end)
{
    int64_t best = INT64_MAX;
    if (from == CHAINS)
        return second_end;
    for (uint32_t k = from; k < CHAINS; k++) {
        const struct shop before = *shop;
        shop->first[from] = before.first[k];
        shop->second[from] = before.second[k];
        shop->first[k] = before.first[from];
        shop->second[k] = before.second[from];
        const int64_t ready = first_end + shop->first[from];
        const int64_t begin = ready > second_end ? ready : second_end;
        const int64_t end = shortest(shop, from + 1, ready, begin + shop->second[from]);
        best = end < best ? end : best;
        *shop = before;
    }
    return best;
}

/* A shop that needs more of the second machine than of the first. */
static struct shop draw_shop(struct br_rng *rng)
{
    struct shop shop;
    int64_t more;
    do {
        more = 0;
        for (uint32_t k = 0; k < CHAINS; k++) {
            shop.first[k] = 1 + (int64_t)br_rng_below(rng, LONGEST);
            shop.second[k] = 1 + (int64_t)br_rng_below(rng, LONGEST);
            more += shop.second[k] - shop.first[k];
        }
    } while (more <= 0);
    return shop;
}

static void make_shop(const struct shop *shop, struct random_job *job)
{
    *job = (struct random_job){.dag = br_dag_create("shop"), .cluster = br_cluster_create(NULL)};
    for (uint32_t s = 0; s < 2 * CHAINS; s++) {
        char id[16];
        snprintf(id, sizeof id, "s%u", s);
        const int64_t ns = s % 2 ? shop->second[s / 2] : shop->first[s / 2];
        assert_int_equal(br_dag_add_stage(job->dag, id, 1, ns, NULL, NULL), BR_OK);
        assert_int_equal(br_dag_add_demand(job->dag, s, s % 2 ? "net" : "disk", "1", NULL), BR_OK);
        if (s % 2)
            assert_int_equal(br_dag_add_edge(job->dag, s - 1, s, BR_BARRIER, NULL), BR_OK);
    }
    assert_int_equal(br_dag_finish(job->dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job->cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job->cluster, 0, "disk", "1", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job->cluster, 0, "net", "1", NULL), BR_OK);
}

/* The makespan by the order, in ticks of a nanosecond. */
static int64_t makespan_by(const struct random_job *job, enum br_scarce_order order)
{
    struct br_instance *in;
    struct br_schedule schedule;
    const struct br_stop stop = {1};
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    struct br_scarce *scarce = br_scarce_create(in);
    assert_non_null(scarce);
    assert_true(br_schedule_init(&schedule, in));
    assert_false(br_scarce_dispatch(scarce, order, &schedule, &stop));
    assert_true(br_scarce_dispatch(scarce, order, &schedule, NULL));
    judge_schedule(job, in, &schedule);
    const int64_t makespan = schedule.makespan * in->tick_ns;
    br_schedule_finish(&schedule);
    br_scarce_destroy(scarce);
    br_instance_destroy(in);
    return makespan;
}

static void johnson_is_optimal_in_flow_shops(void **state)
{
    unsigned others_longer = 0;
    for (uint64_t seed = 0; seed < SHOPS; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct shop shop = draw_shop(&rng);
        struct random_job job;
        make_shop(&shop, &job);
        const int64_t best = shortest(&shop, 0, 0, 0);
        assert_int_equal(makespan_by(&job, BR_SCARCE_JOHNSON), best);
        for (uint32_t order = 0; order < BR_SCARCE_ORDERS; order++) {
            const int64_t makespan = makespan_by(&job, (enum br_scarce_order)order);
            assert_true(makespan >= best);
            others_longer += makespan > best;
        }
        br_dag_destroy(job.dag);
        br_cluster_destroy(job.cluster);
    }
    assert_true(others_longer > SHOPS / 10);
}

/* The orders by sets are permutations that no arc contradicts; the ratio never grows along arcs. */
static void orders_follow_the_arcs(void **state)
{
    for (uint64_t seed = 0; seed < JOBS; seed++) {
        struct random_job job;
        struct br_instance *in;
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        struct br_scarce *scarce = br_scarce_create(in);
        int64_t *key = test_malloc(in->stages * sizeof *key);
        assert_non_null(scarce);
        for (uint32_t order = 0; order < BR_SCARCE_ORDERS; order++) {
            const bool sets = order == BR_SCARCE_JOHNSON || order == BR_SCARCE_END;
            makespan_by(&job, (enum br_scarce_order)order);
            assert_true(br_scarce_keys(scarce, (enum br_scarce_order)order, key));
            for (uint32_t s = 0; s < in->stages; s++) {
                for (uint32_t u = 0; u < s; u++)
                    assert_true(!sets || key[s] != key[u]);
                for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
                    const int64_t child = key[in->child[a].stage];
                    assert_true(!sets || key[s] > child);
                    assert_true(order != BR_SCARCE_RATIO || key[s] >= child);
                }
            }
        }
        test_free(key);
        br_scarce_destroy(scarce);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(johnson_is_optimal_in_flow_shops),
                                       cmocka_unit_test(orders_follow_the_arcs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
