/* Simulations in which one allocation fails, each in turn: they end with BR_SYSTEM, or as if
 * nothing had failed, and leave nothing behind. The linker puts these allocators before the
 * library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/simulate/engine.h"
#include "cluster/simulate/policies/plans.h"
#include "cluster/simulate/policies/policies.h"
#include "tests/support/random_workload.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void __wrap_free(void *memory);

static long calls, fails_at, live; /* fails_at: 0 none */
static bool counting;

static bool fails(void)
{
    return counting && ++calls == fails_at;
}

static void *given(void *memory)
{
    live += counting && memory;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : given(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : given(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    if (fails())
        return NULL;
    void *larger = __real_realloc(memory, size);
    return memory ? larger : given(larger);
}

void __wrap_free(void *memory)
{
    live -= counting && memory;
    __real_free(memory);
}

/* Runs once with the n-th allocation failing; how many there were. */
static long run(const struct random_workload *random, struct br_simulate_options *options, long n,
                const struct br_outcome *whole, struct br_outcome *outcome)
{
    struct br_diag diag = {0};
    calls = live = 0;
    fails_at = n;
    counting = true;
    enum br_status status =
        br_simulate_workload(random->workload, random->cluster, options, outcome, &diag);
    if (n) {
        bool same = status == BR_OK && outcome->spans == whole->spans &&
                    !memcmp(outcome->span, whole->span, whole->spans * sizeof *whole->span);
        br_outcome_finish(outcome);
        counting = false;
        assert_true(same || status == BR_SYSTEM);
        assert_true(same || strstr(diag.what, "memory"));
        assert_int_equal(live, 0);
    }
    counting = false;
    return calls;
}

/* All edges of all jobs carry bytes, and machines have ports. */
static void add_bytes(struct random_workload *random)
{
    for (uint32_t d = 0; d < random->workload->dags; d++) {
        struct br_dag *dag = random->workload->dag[d].dag;
        for (uint32_t e = 0; e < dag->edges; e++)
            dag->bytes += dag->edge[e].bytes = 100000000 + 1000 * e;
    }
    for (uint32_t c = 0; c < random->cluster->classes; c++)
        assert_int_equal(br_cluster_set_network(random->cluster, c, 100000000, 100000000, NULL),
                         BR_OK);
}

static void sweep(const char *policy, uint32_t world, bool overbooked, uint32_t network)
{
    static const struct br_overbook more[] = {{"cpu", 150}};
    struct random_workload random;
    struct br_plans plans;
    struct br_outcome whole, outcome;
    struct br_plan_options planning = br_plan_options_default();
    struct br_simulate_options options = {.setup = {.enforcer = br_runtime_options_default(),
                                                    .plan = br_plans_get,
                                                    .network_plan = br_plans_get_network,
                                                    .plan_context = &plans,
                                                    .overbook = more,
                                                    .overbooked = overbooked,
                                                    .number = NAN}};
    double number;
    planning.effort = BR_EFFORT_FAST;
    planning.method = "cp";
    planning.threads = 1;
    assert_true(random_workload_make(7, 90, 30, &random));
    assert_int_equal(br_plans_init(&plans, random.workload, random.cluster, &planning, NULL),
                     BR_OK);
    assert_int_equal(br_policies_find(policy, &options.row, &number, NULL), BR_OK);
    options.world = random_world(world, 1, random.step_ns);
    options.setup.number = random_number(options.row);
    if (network)
        add_bytes(&random);
    options.network = network ? br_transit_policy(network - 1) : NULL;
    run(&random, &options, 0, NULL, &whole); /* makes the plans, too */
    br_outcome_finish(&whole);
    long count = run(&random, &options, 0, NULL, &whole);
    assert_true(count > 150);
    assert_true(!network || whole.moved.transfers > 20);
    for (long n = 1; n <= count; n++)
        run(&random, &options, n, &whole, &outcome);
    br_outcome_finish(&whole);
    br_plans_finish(&plans);
    random_workload_finish(&random);
}

static void test_lists(void **state)
{
    sweep("fifo", 0, false, 0);
    sweep("cp", RANDOM_WORLDS - 1, false, 0);
    sweep("capacity-plan", 4, false, 0);
    sweep("random", 2, true, 0);
}

static void test_network(void **state)
{
    sweep("fifo", 0, false, 1);
    sweep("fair", RANDOM_WORLDS - 1, true, 3);
    sweep("placed-network", 0, false, 1);
    sweep("placed", RANDOM_WORLDS - 1, false, 2);
}

static void test_enforced(void **state)
{
    sweep("graphene", 0, false, 0);
    sweep("tetris", RANDOM_WORLDS - 1, true, 0);
}

static void test_joint(void **state)
{
    sweep("joint", 0, false, 0);
    sweep("joint", RANDOM_WORLDS - 1, false, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists), cmocka_unit_test(test_enforced),
        cmocka_unit_test(test_network), cmocka_unit_test(test_joint)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
