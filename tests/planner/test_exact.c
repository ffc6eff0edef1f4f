/* The exact solver against the oracle that tries everything: whole jobs in both directions and with
 * small budgets, and the proofs of bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/check/proofs/clauses.h"
#include "planner/exact/exact.h"
#include "tests/support/equal_machines.h"
#include "tests/support/oracle.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { JOBS = 2000 };

struct fixture {
    struct random_job job;
    struct br_instance *in;
    char *before; /* [parent * tasks + child] */
};

static void open_fixture(struct fixture *f, uint64_t seed, uint32_t tasks)
{
    *f = (struct fixture){0};
    assert_true(random_job_make(seed, tasks, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    const struct br_instance *in = f->in;
    f->before = precedence_edges(in);
}

static void close_fixture(struct fixture *f)
{
    free(f->before);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

/* By the definition, over pairs of tasks and the starts, where amounts can only grow. */
static int is_schedule(const struct fixture *f, const int64_t *start, const uint32_t *machine)
{
    const struct br_instance *in = f->in;
    for (uint32_t t = 0; t < in->tasks; t++) {
        if (start[t] < 0)
            return 0;
        for (uint32_t u = 0; u < in->tasks; u++)
            if (f->before[t * in->tasks + u] && start[t] + in->duration[t] > start[u])
                return 0;
        if (machine[t] >= in->machines)
            return 0;
        uint32_t class = br_instance_machine_class(in, machine[t]);
        for (uint32_t r = 0; r < in->resources; r++) {
            int64_t sum = 0;
            for (uint32_t u = 0; u < in->tasks; u++)
                if (start[u] <= start[t] && start[t] < start[u] + in->duration[u] &&
                    machine[u] == machine[t])
                    sum += in->demand[in->task_stage[u] * in->resources + r];
            if (sum > in->capacity[class * in->resources + r])
                return 0;
        }
    }
    return 1;
}

static int64_t makespan_of(const struct br_instance *in, const int64_t *start)
{
    int64_t makespan = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        if (start[t] + in->duration[t] > makespan)
            makespan = start[t] + in->duration[t];
    return makespan;
}

static int64_t work(const struct br_instance *in)
{
    int64_t sum = 0;
    for (uint32_t t = 0; t < in->tasks; t++)
        sum += in->duration[t];
    return sum;
}

/* way: 0 down, 1 up, 2 in turns of few conflicts. */
static void solve(const struct fixture *f, struct br_exact *x, int way, int64_t optimum)
{
    int64_t *start = calloc(f->in->tasks, sizeof *start);
    uint32_t *machine = calloc(f->in->tasks, sizeof *machine);
    enum br_exact_result result = BR_EXACT_OPEN;
    for (uint64_t turn = 0; result != BR_EXACT_OPTIMAL; turn++) {
        enum br_exact_goal goal =
            way == 0 || (way == 2 && turn % 2) ? BR_EXACT_SHORTER : BR_EXACT_BOUND;
        result = br_exact_solve(x, goal, way == 2 ? 3 : 100000, NULL);
        assert_int_not_equal(result, BR_EXACT_MEMORY);
        assert_true(way == 2 || result != BR_EXACT_OPEN);
        assert_true(br_exact_lower(x) <= optimum && optimum <= br_exact_upper(x));
        if (result == BR_EXACT_FOUND) {
            assert_true(br_exact_schedule(x, start, machine));
            assert_true(is_schedule(f, start, machine));
            assert_int_equal(makespan_of(f->in, start), br_exact_upper(x));
        }
        assert_true(turn < 100000);
    }
    assert_int_equal(br_exact_lower(x), optimum);
    assert_int_equal(br_exact_upper(x), optimum);
    assert_int_equal(br_exact_proven(x), optimum);
    if (br_exact_schedule(x, start, machine)) {
        assert_true(is_schedule(f, start, machine));
        assert_int_equal(makespan_of(f->in, start), optimum);
    }
    free(start);
    free(machine);
}

static void test_jobs(void **state)
{
    uint32_t pools = 0, several = 0;
    for (uint64_t seed = 1; seed <= random_jobs(JOBS); seed++) {
        struct fixture f;
        open_fixture(&f, seed, ORACLE_TASKS);
        int64_t optimum = oracle_optimum(f.in), upper = work(f.in);
        for (int way = 0; way < 3; way++) {
            struct br_exact *x = br_exact_create(f.in, upper, 1, false);
            assert_non_null(x);
            assert_true(br_exact_lower(x) <= optimum);
            solve(&f, x, way, optimum);
            br_exact_destroy(x);
        }
        *(f.in->machines == 1 ? &pools : &several) += 1;
        close_fixture(&f);
    }
    assert_true(pools > random_jobs(JOBS) / 4 && several > random_jobs(JOBS) / 4);
}

/* Schedules that others found, and bounds that they proved, are taken over. */
static void test_told(void **state)
{
    for (uint64_t seed = 1; seed <= random_jobs(JOBS / 8); seed++) {
        struct fixture f;
        open_fixture(&f, seed, ORACLE_TASKS);
        int64_t optimum = oracle_optimum(f.in), upper = work(f.in);
        struct br_exact *x = br_exact_create(f.in, upper, 1, false);
        assert_non_null(x);
        br_exact_set_upper(x, optimum);
        assert_int_equal(br_exact_upper(x), optimum);
        while (br_exact_solve(x, BR_EXACT_SHORTER, 5, NULL) != BR_EXACT_OPTIMAL)
            assert_true(br_exact_counts(x).conflicts < 100000);
        assert_int_equal(br_exact_proven(x), optimum);
        br_exact_destroy(x);
        x = br_exact_create(f.in, upper, 1, false);
        assert_non_null(x);
        br_exact_set_lower(x, optimum);
        assert_int_equal(br_exact_lower(x), optimum);
        while (br_exact_solve(x, BR_EXACT_BOUND, 5, NULL) != BR_EXACT_OPTIMAL)
            assert_true(br_exact_counts(x).conflicts < 100000);
        assert_int_equal(br_exact_upper(x), optimum);
        br_exact_destroy(x);
        close_fixture(&f);
    }
}

/* The same again gives the same, and a set flag ends the search at once. */
static void test_determinism(void **state)
{
    struct fixture f;
    uint64_t seed = 1;
    for (int found = 0; found < 20; seed++) {
        open_fixture(&f, seed, 40);
        if (f.in->tasks > 25) {
            struct br_exact_counts counts[2];
            int64_t *start[2];
            int told = 0;
            uint32_t machine[40] = {0};
            for (int k = 0; k < 2; k++) {
                struct br_exact *x = br_exact_create(f.in, work(f.in), 1, false);
                assert_non_null(x);
                struct br_stop stop = {1};
                br_exact_solve(x, BR_EXACT_SHORTER, 1000, &stop);
                assert_true(br_exact_counts(x).conflicts <= 1);
                for (int turn = 0; turn < 20; turn++)
                    br_exact_solve(x, turn % 2 ? BR_EXACT_SHORTER : BR_EXACT_BOUND, 300, NULL);
                counts[k] = br_exact_counts(x);
                start[k] = calloc(f.in->tasks, sizeof *start[k]);
                told = br_exact_schedule(x, start[k], machine);
                assert_true(!told || is_schedule(&f, start[k], machine));
                br_exact_destroy(x);
            }
            assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
            assert_memory_equal(start[0], start[1], f.in->tasks * sizeof *start[0]);
            free(start[0]);
            free(start[1]);
            found++;
        }
        close_fixture(&f);
    }
}

/* --- proofs ---------------------------------------------------------------------------------- */

static enum br_clauses_answer check(const struct fixture *f, int64_t bound,
                                    const struct br_proof_clause *clause, uint32_t clauses)
{
    uint32_t where;
    return br_clauses_check(f->in, bound, clause, clauses, &where);
}

/* What literals may be about: starts, the end, and on several machines tasks on machines. */
static uint32_t variables(const struct br_instance *in)
{
    return in->tasks + 1 + (in->machines > 1 ? in->tasks * in->machines : 0);
}

/* One change that makes the proof another one. */
static void corrupt(struct br_rng *rng, struct br_proof_clause *clause, uint32_t *clauses,
                    uint32_t variables)
{
    struct br_proof_clause *c = &clause[br_rng_below(rng, *clauses)];
    switch (br_rng_below(rng, 6)) {
    case 0: /* one less */
        *c = clause[--*clauses];
        break;
    case 1: /* says more than it may */
        if (c->literals > 0)
            c->literals--;
        break;
    case 2:
        if (c->literals > 0)
            c->literal[br_rng_below(rng, c->literals)].time += 1 - 2 * (int)br_rng_below(rng, 2);
        break;
    case 3:
        if (c->literals > 0)
            c->literal[br_rng_below(rng, c->literals)].task =
                (uint32_t)br_rng_below(rng, variables + 1);
        break;
    case 4:
        if (c->spans > 0)
            c->span[0].to++;
        break;
    default:
        if (c->hints > 0)
            c->hint[br_rng_below(rng, c->hints)] = (uint32_t)br_rng_below(rng, *clauses + 1);
    }
}

static void test_proofs(void **state)
{
    uint32_t long_proofs = 0, refused = 0, tried = 0;
    for (uint64_t seed = 1; seed <= random_jobs(2 * JOBS); seed++) {
        struct fixture f;
        open_fixture(&f, seed, ORACLE_TASKS);
        struct br_rng rng = br_rng_seed(seed);
        int64_t optimum = oracle_optimum(f.in), upper = work(f.in);
        struct br_exact *x = br_exact_create(f.in, upper, 1, true);
        assert_non_null(x);
        solve(&f, x, (int)br_rng_below(&rng, 3), optimum);
        struct br_arena arena = {0};
        struct br_proof proof;
        assert_true(br_exact_proof(x, &arena, &proof));
        struct br_proof_clause *clause = proof.clause;
        uint32_t clauses = proof.clauses;
        assert_int_equal(check(&f, optimum, clause, clauses), BR_CLAUSES_PROVE);
        assert_int_not_equal(check(&f, optimum + 1, clause, clauses), BR_CLAUSES_PROVE);
        long_proofs += clauses > 1;
        for (int k = 0; k < 4 && clauses > 1; k++) {
            corrupt(&rng, clause, &clauses, variables(f.in));
            refused += check(&f, optimum, clause, clauses) != BR_CLAUSES_PROVE;
            tried++;
            assert_int_not_equal(check(&f, optimum + 1, clause, clauses), BR_CLAUSES_PROVE);
        }
        br_arena_finish(&arena);
        br_exact_destroy(x);
        close_fixture(&f);
    }
    assert_true(long_proofs > random_jobs(JOBS) / 40);
    assert_true(refused > tried / 3); /* others were left with a proof, only a longer one */
}

/* Larger jobs need clauses from clauses, restarts and forgetting; the bound has to come out the
 * same from a proof taken halfway. */
static void test_long_proofs(void **state)
{
    uint32_t most[2] = {0}; /* clauses, on one machine and on several */
    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct fixture f;
        open_fixture(&f, seed, 40);
        if (f.in->tasks >= 20) {
            struct br_exact *x = br_exact_create(f.in, work(f.in), 1, true);
            assert_non_null(x);
            for (int turn = 0; turn < 30; turn++) {
                enum br_exact_result result =
                    br_exact_solve(x, turn % 3 ? BR_EXACT_BOUND : BR_EXACT_SHORTER, 300, NULL);
                if (turn % 10 != 0 && result != BR_EXACT_OPTIMAL)
                    continue;
                struct br_arena arena = {0};
                struct br_proof proof;
                assert_true(br_exact_proof(x, &arena, &proof));
                const uint32_t clauses = proof.clauses;
                assert_int_equal(check(&f, br_exact_proven(x), proof.clause, clauses),
                                 BR_CLAUSES_PROVE);
                uint32_t *longest = &most[f.in->machines > 1];
                *longest = clauses > *longest ? clauses : *longest;
                br_arena_finish(&arena);
                if (result == BR_EXACT_OPTIMAL)
                    break;
            }
            br_exact_destroy(x);
        }
        close_fixture(&f);
    }
    assert_true(most[0] > 100 && most[1] > 100);
}

/* Tasks that last long, in ticks, and pack badly: clauses hold for longer than a tick each, so that
 * few of them prove what is shortest. */
static void test_long_tasks(void **state)
{
    for (uint64_t seed = 0; seed < 10; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_dag *dag = br_dag_create("long");
        for (uint32_t t = 0; t < 8; t++) {
            char text[16];
            snprintf(text, sizeof text, "s%u", t);
            int64_t ns = 1 + (int64_t)br_rng_below(&rng, 100000);
            assert_false(br_dag_add_stage(dag, text, 1, ns, NULL, NULL));
            for (uint32_t r = 0; r < 2; r++) {
                snprintf(text, sizeof text, "%u", 10 + (unsigned)br_rng_below(&rng, 50));
                assert_false(br_dag_add_demand(dag, t, r ? "mem" : "cpu", text, NULL));
            }
        }
        struct br_instance *in = on_equal_machines(dag, 1, "100");
        assert_non_null(in);
        struct br_exact *x = br_exact_create(in, work(in), 1, false);
        assert_non_null(x);
        enum br_exact_result result = BR_EXACT_FOUND;
        while (result == BR_EXACT_FOUND && br_exact_counts(x).conflicts < 5000)
            result = br_exact_solve(x, BR_EXACT_SHORTER, 5000 - br_exact_counts(x).conflicts, NULL);
        assert_int_equal(result, BR_EXACT_OPTIMAL);
        br_exact_destroy(x);
        br_instance_destroy(in);
    }
}

/* A job of equal tasks on equal machines. */
static struct br_exact *solver_of(uint32_t tasks, uint32_t machines)
{
    struct br_dag *dag = br_dag_create("equal");
    uint32_t stage;
    assert_false(br_dag_add_stage(dag, "s", tasks, 1000000000, &stage, NULL));
    assert_false(br_dag_add_demand(dag, stage, "cpu", "1", NULL));
    struct br_instance *in = on_equal_machines(dag, machines, "1");
    assert_non_null(in);
    struct br_exact *x = br_exact_create(in, tasks, 1, false);
    assert_true((machines == 1 || br_clauses_suit(in)) == (x != NULL));
    br_instance_destroy(in);
    return x;
}

/* Decisions that are spent end the search, also without any conflict; more of them let it go on. */
static void test_decisions(void **state)
{
    int ended = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct fixture f;
        open_fixture(&f, seed, 40);
        struct br_exact *x = br_exact_create(f.in, work(f.in) + 1, 1, false);
        assert_non_null(x);
        br_exact_limit_decisions(x, 5);
        enum br_exact_result result = br_exact_solve(x, BR_EXACT_SHORTER, 1000, NULL);
        assert_true(br_exact_counts(x).decisions <= 5);
        if (result == BR_EXACT_OPEN) {
            assert_int_equal(br_exact_counts(x).decisions, 5);
            assert_int_equal(br_exact_solve(x, BR_EXACT_SHORTER, 1000, NULL), BR_EXACT_OPEN);
            assert_int_equal(br_exact_counts(x).decisions, 5);
            br_exact_limit_decisions(x, UINT64_MAX);
            assert_int_not_equal(br_exact_solve(x, BR_EXACT_SHORTER, 1000, NULL), BR_EXACT_OPEN);
            assert_true(br_exact_counts(x).decisions > 5);
            ended++;
        }
        br_exact_destroy(x);
        close_fixture(&f);
    }
    assert_true(ended > 50);
}

/* What is too long, and on several machines what is too large, is somebody else's; the checker of
 * clauses draws the same line. */
static void test_not_suited(void **state)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct fixture f;
        open_fixture(&f, seed, ORACLE_TASKS);
        assert_null(br_exact_create(f.in, INT64_C(1) << 40, 1, false));
        close_fixture(&f);
    }
    static const struct {
        uint32_t tasks, machines;
        bool suits;
    } size[] = {{64, 16, true}, {65, 2, false}, {64, 17, false}, {2, 17, false}, {65, 1, true}};
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        struct br_exact *x = solver_of(size[k].tasks, size[k].machines);
        assert_int_equal(x != NULL, size[k].suits);
        br_exact_destroy(x);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jobs),        cmocka_unit_test(test_told),
        cmocka_unit_test(test_determinism), cmocka_unit_test(test_not_suited),
        cmocka_unit_test(test_proofs),      cmocka_unit_test(test_long_proofs),
        cmocka_unit_test(test_decisions),   cmocka_unit_test(test_long_tasks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
