/* Spans of time in which tasks have too much to do: found where the definition says so, never where
 * tasks can be placed, and explained by bounds that leave no room either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/numbers/rng.h"
#include "planner/exact/propagate/energy.h"
#include "planner/exact/propagate/unary.h"
#include "tests/support/equal_machines.h"
#include "tests/support/random_job.h"

enum { TASKS = 7, TICKS = 14 };

/* Bounds of starts; edges between tasks are of no concern here. */
struct bounds {
    int32_t least[TASKS], most[TASKS];
};

static struct bounds bounds_now(const struct br_lcg_trail *trail)
{
    struct bounds b;
    for (uint32_t t = 0; t < trail->tasks; t++) {
        b.least[t] = br_lcg_lower(trail, t);
        b.most[t] = br_lcg_upper(trail, t);
    }
    return b;
}

/* Of the ticks from .. to - 1, how many the task runs when it starts at the time. */
static int32_t runs(int32_t start, int32_t duration, int32_t from, int32_t to)
{
    int32_t count = 0;
    for (int32_t at = from; at < to; at++)
        count += start <= at && at < start + duration;
    return count;
}

/* By the definition: the fewest ticks over all starts. */
static int32_t fewest(const struct br_lcg_problem *p, const struct bounds *b, uint32_t task,
                      int32_t from, int32_t to)
{
    int32_t least = INT32_MAX;
    for (int32_t start = b->least[task]; start <= b->most[task]; start++) {
        int32_t ticks = runs(start, p->duration[task], from, to);
        least = ticks < least ? ticks : least;
    }
    return least;
}

static bool too_much(const struct br_lcg_problem *p, const struct bounds *b, uint32_t r,
                     int32_t from, int32_t to)
{
    int64_t work = 0;
    for (uint32_t t = 0; t < p->tasks; t++)
        work += br_lcg_demand(p, t, r) * fewest(p, b, t, from, to);
    return work > p->capacity[r] * (to - from);
}

/* Whether there is such a span that begins where some task starts first. */
static bool any_span(const struct br_lcg_problem *p, const struct bounds *b)
{
    for (uint32_t k = 0; k < p->holdings; k++)
        for (int32_t to = b->least[p->holding[k]] + 1; to <= p->horizon; to++)
            for (uint32_t r = 0; r < p->resources; r++)
                if (too_much(p, b, r, b->least[p->holding[k]], to))
                    return true;
    return false;
}

/* Whether the tasks from this one on can be placed; held: [tick * resources + resource]. */
static bool placed(const struct br_lcg_problem *p, const struct bounds *b, uint32_t task,
                   int64_t *held)
{
    if (task == p->tasks || task == TASKS)
        return true;
    for (int32_t start = b->least[task]; start <= b->most[task]; start++) {
        bool fits = true, done = false;
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int32_t at = start; at < start + p->duration[task]; at++)
                for (uint32_t r = 0; r < p->resources; r++) {
                    int64_t *h = &held[(uint32_t)at * p->resources + r];
                    *h += sign * br_lcg_demand(p, task, r);
                    fits &= sign < 0 || *h <= p->capacity[r];
                }
            done |= sign > 0 && fits && placed(p, b, task + 1, held);
        }
        if (done)
            return true;
    }
    return false;
}

static bool can_be_placed(const struct br_lcg_problem *p, const struct bounds *b)
{
    int64_t *held = calloc((size_t)p->horizon * p->resources + 1, sizeof *held);
    bool can = placed(p, b, 0, held);
    free(held);
    return can;
}

/* The bounds at the root with no more than the explanation's, all of which hold now; whether the
 * span that the conflict names has too much to do by them. */
static bool explained(const struct br_lcg_problem *p, const struct br_lcg_trail *trail,
                      const struct br_lcg_literals *why, struct bounds *b)
{
    struct br_lcg_conflict c = trail->conflict;
    struct br_lcg_span span = br_lcg_energy_span(c.reason, c.at);
    for (uint32_t t = 0; t < p->tasks; t++) {
        b->least[t] = trail->root[2 * t];
        b->most[t] = -trail->root[2 * t + 1];
    }
    for (uint32_t k = 0; k < why->count; k++) {
        struct br_lcg_literal l = why->item[k];
        uint32_t task = l.side / 2;
        assert_true(task < p->tasks && br_lcg_true(trail, l));
        if (l.side & 1)
            b->most[task] = -l.bound < b->most[task] ? -l.bound : b->most[task];
        else
            b->least[task] = l.bound > b->least[task] ? l.bound : b->least[task];
    }
    for (uint32_t r = 0; r < p->resources; r++)
        if (too_much(p, b, r, span.from, span.to))
            return true;
    return false;
}

/* Some decisions, as if at one level. */
static void decide(struct br_lcg_trail *trail, struct br_rng *rng)
{
    assert_true(br_lcg_trail_open_level(trail));
    for (uint32_t t = 0; t < trail->tasks; t++)
        for (uint32_t side = 2 * t; side < 2 * t + 2; side++) {
            int32_t width = br_lcg_upper(trail, t) - br_lcg_lower(trail, t);
            if (br_rng_below(rng, 3) > 0 && width > 0)
                assert_true(br_lcg_push(
                    trail, side, trail->now[side] + (int32_t)br_rng_below(rng, (uint64_t)width + 1),
                    br_lcg_reason(BR_LCG_DECISION, 0), 0));
        }
    trail->head = trail->count;
}

struct found {
    uint32_t conflicts, none, shorter;
};

/* The propagator that the problem is for, on the trail. */
struct looks {
    struct br_lcg_energy energy;
    struct br_lcg_unary unary;
};

static void looks_init(struct looks *looks, const struct br_lcg_problem *p,
                       struct br_lcg_trail *trail, struct br_arena *arena)
{
    assert_true(br_lcg_trail_init(trail, p, arena));
    assert_true(br_lcg_energy_init(&looks->energy, p, trail, arena));
    assert_true(br_lcg_unary_init(&looks->unary, p, trail, arena));
}

static bool looks_propagate(struct looks *looks, const struct br_lcg_problem *p)
{
    looks->energy.wait = 0; /* one look leaves nothing to the next */
    for (uint32_t t = 0; t < p->tasks && p->shop; t++)
        br_lcg_unary_note(&looks->unary, t);
    return p->shop ? br_lcg_unary_propagate(&looks->unary)
                   : br_lcg_energy_propagate(&looks->energy);
}

/* Decides at random, and holds what is found against the definition. */
static void look_at_spans(const struct br_lcg_problem *p, struct br_rng *rng, struct found *found)
{
    struct br_arena arena = {0};
    struct br_lcg_trail trail;
    struct looks looks;
    struct br_lcg_literals why = {0};
    looks_init(&looks, p, &trail, &arena);
    for (int round = 0; round < 4; round++) {
        decide(&trail, rng);
        struct bounds b = bounds_now(&trail);
        bool ok = looks_propagate(&looks, p);
        assert_int_equal(!ok, any_span(p, &b));
        found->none += ok;
        found->conflicts += !ok;
        if (!ok) {
            assert_false(can_be_placed(p, &b));
            why.count = 0;
            assert_true(br_lcg_energy_explain(&looks.energy, trail.conflict.reason,
                                              trail.conflict.at, &why));
            assert_true(explained(p, &trail, &why, &b));
            assert_false(can_be_placed(p, &b));
            struct bounds now = bounds_now(&trail);
            for (uint32_t t = 0; t < p->tasks; t++)
                found->shorter += b.least[t] < now.least[t] || b.most[t] > now.most[t];
        }
        while (trail.count > trail.level_start[1])
            br_lcg_trail_undo(&trail);
        br_lcg_trail_close_levels(&trail, 0);
    }
    free(why.item);
    br_lcg_trail_finish(&trail);
    br_arena_finish(&arena);
}

static void look_at_job(const struct br_instance *in, int64_t upper, struct br_rng *rng,
                        struct found found[2])
{
    struct br_lcg_problem *p = in->machines == 1 ? br_lcg_problem_create(in, upper) : NULL;
    bool starts = p != NULL;
    for (uint32_t t = 0; starts && t < p->tasks; t++)
        starts = p->earliest[t] <= p->latest[t];
    if (starts)
        look_at_spans(p, rng, &found[p->shop]);
    br_lcg_problem_destroy(p);
}

static void check_found(const struct found *found, uint32_t jobs)
{
    assert_true(found->conflicts > jobs / 40 && found->none > jobs / 40);
    assert_true(found->shorter > found->conflicts); /* not all that is known is needed */
}

static void test_spans(void **state)
{
    struct found found[2] = {{0}};
    for (uint64_t seed = 1; seed <= random_jobs(4000); seed++) {
        struct random_job job;
        struct br_instance *in;
        struct br_rng rng = br_rng_seed(seed);
        assert_true(random_job_make(seed, TASKS, 0, &job));
        assert_int_equal(br_instance_create(job.dag, job.cluster, &in, NULL), BR_OK);
        look_at_job(in, 5 + (int64_t)br_rng_below(&rng, 10), &rng, found);
        br_instance_destroy(in);
        random_job_finish(&job);
    }
    check_found(&found[false], random_jobs(4000));
}

/* Tasks that each hold one of two resources, or both, alone. */
static void test_unary(void **state)
{
    struct found found[2] = {{0}};
    for (uint64_t seed = 1; seed <= random_jobs(4000); seed++) {
        struct br_rng rng = br_rng_seed(seed);
        struct br_dag *dag = br_dag_create("shop");
        uint32_t stage;
        for (uint32_t t = 0; t < TASKS; t++) {
            const uint64_t holds = br_rng_below(&rng, 8);
            assert_false(br_dag_add_stage(dag, (char[]){(char)('a' + (int)t), 0}, 1,
                                          (int64_t)br_rng_below(&rng, 5) * 1000000000, &stage,
                                          NULL));
            if (holds != 1)
                assert_false(br_dag_add_demand(dag, stage, "cpu", "0.6", NULL));
            if (holds < 4)
                assert_false(br_dag_add_demand(dag, stage, "mem", "0.75", NULL));
        }
        struct br_instance *in = on_equal_machines(dag, 1, "1");
        assert_non_null(in);
        look_at_job(in, 5 + (int64_t)br_rng_below(&rng, 10), &rng, found);
        br_instance_destroy(in);
    }
    assert_true(found[false].none < found[true].none / 10); /* if no resource can run short */
    check_found(&found[true], random_jobs(4000));
}

/* A look that finds nothing makes later ones rare, one that finds something makes them frequent. */
static void test_pauses(void **state)
{
    struct br_dag *dag = br_dag_create("pair");
    struct br_arena arena = {0};
    struct br_lcg_trail trail;
    struct br_lcg_energy energy;
    uint32_t stage, rounds = 0;
    assert_false(br_dag_add_stage(dag, "s", 2, 2000000000, &stage, NULL));
    assert_false(br_dag_add_stage(dag, "t", 1, 3000000000, &stage, NULL));
    assert_false(br_dag_add_stage(dag, "u", 1, 1000000000, &stage, NULL));
    for (stage = 0; stage < 3; stage++) /* the last one makes it no shop */
        assert_false(br_dag_add_demand(dag, stage, "cpu", stage < 2 ? "1" : "0.5", NULL));
    struct br_instance *in = on_equal_machines(dag, 1, "1");
    assert_non_null(in);
    struct br_lcg_problem *p = br_lcg_problem_create(in, 8);
    assert_true(p && br_lcg_trail_init(&trail, p, &arena));
    assert_true(br_lcg_energy_init(&energy, p, &trail, &arena));
    for (int k = 0; k < 1000; k++) {
        rounds += energy.wait == 0;
        assert_true(br_lcg_energy_propagate(&energy));
    }
    assert_uint_in_range(rounds, 100, 250);
    for (uint32_t t = 0; t < 3; t++) /* seven ticks of work from 2 to 8 */
        br_lcg_push(&trail, 2 * t, 2, br_lcg_reason(BR_LCG_ROOT, 0), 0);
    rounds = 0;
    for (int k = 0; k < 100; k++)
        rounds += !br_lcg_energy_propagate(&energy);
    assert_uint_in_range(rounds, 60, 100);
    br_lcg_trail_finish(&trail);
    br_arena_finish(&arena);
    br_lcg_problem_destroy(p);
    br_instance_destroy(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_unary),
        cmocka_unit_test(test_pauses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
