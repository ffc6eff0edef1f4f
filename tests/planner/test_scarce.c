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

/* A stage of the small job below: how much it holds of a hundred, for a hundred nanoseconds. */
static void add_stage(struct br_dag *dag, const char *id, uint32_t tasks, const char *net,
                      const char *disk)
{
    uint32_t stage = dag->stages;
    assert_int_equal(br_dag_add_stage(dag, id, tasks, 100, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "net", net, NULL), BR_OK);
    assert_int_equal(br_dag_add_demand(dag, stage, "disk", disk, NULL), BR_OK);
}

/* The keys of the stages, and of one more, of a nanosecond, which makes that the tick. */
static void keys_of(struct random_job *job, enum br_scarce_order order, int64_t *key)
{
    struct br_instance *in;
    assert_int_equal(br_dag_add_stage(job->dag, "unit", 1, 1, NULL, NULL), BR_OK);
    assert_int_equal(br_dag_finish(job->dag, NULL), BR_OK);
    assert_int_equal(br_cluster_add_class(job->cluster, "m", 1, NULL, NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job->cluster, 0, "disk", "100", NULL), BR_OK);
    assert_int_equal(br_cluster_add_capacity(job->cluster, 0, "net", "100", NULL), BR_OK);
    assert_int_equal(br_instance_create(job->dag, job->cluster, &in, NULL), BR_OK);
    struct br_scarce *scarce = br_scarce_create(in);
    assert_non_null(scarce);
    assert_true(br_scarce_keys(scarce, order, key));
    br_scarce_destroy(scarce);
    br_instance_destroy(in);
    random_job_finish(job);
}

/* Two stages wait for p. Once it is taken with the first of them, the second is worth more than z,
 * which was worth more than both together. */
static void what_is_taken_counts_no_more(void **state)
{
    enum { P, X, Y, Z, STAGES };
    int64_t key[STAGES + 1];
    struct random_job job = {br_dag_create("sets"), br_cluster_create(NULL)};
    add_stage(job.dag, "p", 1, "0", "10");
    add_stage(job.dag, "x", 1, "30", "1");
    add_stage(job.dag, "y", 1, "30", "3");
    add_stage(job.dag, "z", 1, "30", "12");
    assert_int_equal(br_dag_add_edge(job.dag, P, X, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, P, Y, BR_BARRIER, NULL), BR_OK);
    keys_of(&job, BR_SCARCE_JOHNSON, key);
    assert_true(key[P] > key[X] && key[X] > key[Y] && key[Y] > key[Z]);
}

/* The same for sets that need more of the other resource, of which those that need most of the
 * scarce one come first; q makes that one scarce. */
static void nor_of_the_scarce_resource(void **state)
{
    enum { P, X, Y, Z, Q, STAGES };
    int64_t key[STAGES + 1];
    struct random_job job = {br_dag_create("sets"), br_cluster_create(NULL)};
    add_stage(job.dag, "p", 1, "10", "30");
    add_stage(job.dag, "x", 1, "5", "30");
    add_stage(job.dag, "y", 1, "3", "30");
    add_stage(job.dag, "z", 1, "12", "30");
    add_stage(job.dag, "q", 2, "100", "0");
    assert_int_equal(br_dag_add_edge(job.dag, P, X, BR_BARRIER, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, P, Y, BR_BARRIER, NULL), BR_OK);
    keys_of(&job, BR_SCARCE_JOHNSON, key);
    assert_true(key[Q] > key[P] && key[P] > key[X] && key[X] > key[Z] && key[Z] > key[Y]);
}

/* Behind a one-to-one edge a stage may begin before the other ends: only barriers add to the way.
 */
static void only_barriers_lengthen_the_way(void **state)
{
    enum { A, B, C, STAGES };
    int64_t key[STAGES + 1];
    struct random_job job = {br_dag_create("way"), br_cluster_create(NULL)};
    add_stage(job.dag, "a", 2, "1", "1");
    add_stage(job.dag, "b", 2, "1", "1");
    add_stage(job.dag, "c", 1, "1", "1");
    assert_int_equal(br_dag_add_edge(job.dag, A, B, BR_ONE_TO_ONE, NULL), BR_OK);
    assert_int_equal(br_dag_add_edge(job.dag, B, C, BR_BARRIER, NULL), BR_OK);
    keys_of(&job, BR_SCARCE_TAIL, key);
    assert_true(key[C] == 100 && key[B] == 200 && key[A] == 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_taken_counts_no_more),
                                       cmocka_unit_test(nor_of_the_scarce_resource),
                                       cmocka_unit_test(only_barriers_lengthen_the_way),
                                       cmocka_unit_test(johnson_is_optimal_in_flow_shops),
                                       cmocka_unit_test(orders_follow_the_arcs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
