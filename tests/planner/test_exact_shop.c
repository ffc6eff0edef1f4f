/* Jobs whose resources are unary: the exact solver against the oracle that tries everything, in
 * both directions, and its proofs against the checker, changed ones too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/numbers/rng.h"
#include "planner/check/proofs/clauses.h"
#include "planner/exact/exact.h"
#include "tests/support/equal_machines.h"
#include "tests/support/oracle.h"
#include "tests/support/random_job.h"

enum { JOBS = 10000, TICK = 1000000000 };

static const char *const resource[] = {"cpu", "mem", "net", "gpu", "disk"};

/* `chains` chains of tasks, each of which holds one of the resources alone, now and then two or
 * none; some wait for a task of another chain. The amounts differ from what there is. */
static struct br_instance *random_shop(struct br_rng *rng, uint32_t chains, uint32_t tasks,
                                       uint32_t resources, uint32_t longest)
{
    struct br_dag *dag = br_dag_create("shop");
    for (uint32_t t = 0; t < tasks; t++) {
        const char id[] = {(char)('a' + (int)(t % 26)), (char)('0' + (int)(t / 26)), 0};
        assert_false(br_dag_add_stage(
            dag, id, 1, TICK * (int64_t)br_rng_below(rng, (uint64_t)longest + 1), NULL, NULL));
        const uint32_t r = (uint32_t)br_rng_below(rng, resources),
                       also = (r + 1) % resources; /* itself if there is one */
        if (br_rng_below(rng, 12) > 0)
            assert_false(br_dag_add_demand(dag, t, resource[r], "0.6", NULL));
        if (also != r && br_rng_below(rng, 12) == 0)
            assert_false(br_dag_add_demand(dag, t, resource[also], "0.6", NULL));
        if (t >= chains)
            assert_false(br_dag_add_edge(dag, t - chains, t, BR_BARRIER, NULL));
        if (t > chains && br_rng_below(rng, 12) == 0)
            assert_false(br_dag_add_edge(dag, t - chains - 1, t, BR_BARRIER, NULL));
    }
    struct br_instance *in = on_equal_machines(dag, 1, "1");
    assert_non_null(in);
    return in;
}

static int64_t work(const struct br_instance *in)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        sum += in->duration[t];
    return sum;
}

/* way: 0 down, 1 up, 2 in turns of few conflicts. */
static void solve(struct br_exact *x, int way)
{
    enum br_exact_result result = BR_EXACT_OPEN;
    for (int turn = 0; result != BR_EXACT_OPTIMAL; turn++) {
        const bool down = way == 0 || (way == 2 && turn % 2);
        result =
            br_exact_solve(x, down ? BR_EXACT_SHORTER : BR_EXACT_BOUND, way == 2 ? 5 : 1000, NULL);
        assert_true(turn < 100000 && result != BR_EXACT_MEMORY && result != BR_EXACT_LOST);
    }
}

static bool proves(const struct br_instance *in, int64_t bound, const struct br_proof *proof)
{
    uint32_t where;
    return br_clauses_check(in, bound, proof->clause, proof->clauses, &where) == BR_CLAUSES_PROVE;
}

/* One change to a clause, so that the proof is another one. */
static void forge(struct br_rng *rng, struct br_proof *proof)
{
    struct br_proof_clause *c = &proof->clause[br_rng_below(rng, proof->clauses)];
    const uint64_t kind = br_rng_below(rng, 4);
    if (kind == 0 && c->literals > 0) {
        const uint32_t gone = (uint32_t)br_rng_below(rng, c->literals--);
        c->literal[gone] = c->literal[c->literals];
    } else if (kind == 1 && c->literals > 0)
        c->literal[br_rng_below(rng, c->literals)].time += 1 - 2 * (int)br_rng_below(rng, 2);
    else if (kind == 2 && c->spans > 0)
        c->span[br_rng_below(rng, c->spans)].from++;
    else
        *c = proof->clause[--proof->clauses];
}

/* Solves the job that way; its bound has a proof, and one that is higher has none. Returns the
 * clauses of the proof; those of forged ones that are refused are counted. */
static uint32_t try_way(const struct br_instance *in, int way, int64_t optimum, struct br_rng *rng,
                        uint32_t *refused)
{
    struct br_exact *x = br_exact_create(in, work(in), 1, true);
    struct br_arena arena = {0};
    struct br_proof proof;
    assert_non_null(x);
    solve(x, way);
    assert_true(optimum < 0 || br_exact_upper(x) == optimum);
    optimum = br_exact_upper(x);
    assert_int_equal(br_exact_proven(x), optimum);
    assert_true(br_exact_proof(x, &arena, &proof));
    assert_true(proves(in, optimum, &proof));
    assert_false(proves(in, optimum + 1, &proof));
    const uint32_t clauses = proof.clauses;
    for (int k = 0; k < 4 && proof.clauses > 1; k++) {
        forge(rng, &proof);
        *refused += !proves(in, optimum, &proof);
        assert_false(proves(in, optimum + 1, &proof));
    }
    br_arena_finish(&arena);
    br_exact_destroy(x);
    return clauses;
}

static void test_small_shops(void **state)
{
    uint32_t refused = 0, several = 0;
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_instance *in = random_shop(&rng, 1 + (uint32_t)br_rng_below(&rng, 4),
                                             ORACLE_TASKS, 1 + (uint32_t)br_rng_below(&rng, 3), 6);
        const int64_t optimum = oracle_optimum(in);
        for (int way = 0; way < 3; way++)
            several += try_way(in, way, optimum, &rng, &refused) > 1;
        br_instance_destroy(in);
    }
    assert_true(several > random_jobs(JOBS) / 20 && refused > random_jobs(JOBS) / 20);
}

/* Too large for the oracle: all ways come to the same, each with a proof of many clauses. */
static void test_larger_shops(void **state)
{
    uint32_t refused = 0, most = 0;
    for (uint64_t seed = 1; seed <= random_jobs(60); seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_instance *in = random_shop(&rng, 5, 35, 5, 40);
        struct br_exact *x = br_exact_create(in, work(in), 1, false);
        solve(x, 0);
        const int64_t optimum = br_exact_upper(x);
        br_exact_destroy(x);
        for (int way = 0; way < 3; way++) {
            const uint32_t clauses = try_way(in, way, optimum, &rng, &refused);
            most = clauses > most ? clauses : most;
        }
        br_instance_destroy(in);
    }
    assert_true(most > 20 && refused > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_shops),
        cmocka_unit_test(test_larger_shops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
