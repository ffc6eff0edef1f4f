/* The order of rivals: which tasks are, by the definition; and what bounds and orders say of each
 * other, against all starts of the two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "base/numbers/rng.h"
#include "planner/exact/propagate/order.h"
#include "tests/support/equal_machines.h"
#include "tests/support/precedence.h"
#include "tests/support/random_job.h"

enum { TASKS = 7, SIDES = 256 };

struct fixture {
    struct random_job job;
    struct br_instance *in;
    char *ahead; /* [ancestor * tasks + task] */
    struct br_lcg_problem *p;
    struct br_arena arena;
    struct br_lcg_trail trail;
    struct br_lcg_order order;
    struct br_lcg_literals why;
};

/* False where the job has several machines, or no schedule that is so short. */
static bool open_fixture(struct fixture *f, uint64_t seed, struct br_rng *rng)
{
    *f = (struct fixture){0};
    assert_true(random_job_make(seed, TASKS, 0, &f->job));
    assert_int_equal(br_instance_create(f->job.dag, f->job.cluster, &f->in, NULL), BR_OK);
    if (f->in->machines > 1)
        return false;
    f->ahead = precedence_closure(f->in);
    f->p = br_lcg_problem_create(f->in, 5 + (int64_t)br_rng_below(rng, 12));
    assert_non_null(f->p);
    for (uint32_t t = 0; t < f->p->tasks; t++)
        if (f->p->earliest[t] > f->p->latest[t])
            return false;
    assert_true(br_lcg_trail_init(&f->trail, f->p, &f->arena));
    assert_true(br_lcg_order_init(&f->order, f->p, &f->trail, &f->arena));
    assert_uint_in_range(f->trail.sides, 1, SIDES);
    return true;
}

static void close_fixture(struct fixture *f)
{
    free(f->why.item);
    br_lcg_trail_finish(&f->trail);
    br_arena_finish(&f->arena);
    br_lcg_problem_destroy(f->p);
    free(f->ahead);
    br_instance_destroy(f->in);
    random_job_finish(&f->job);
}

/* By the definition: neither waits for the other, both last, and there is too little for the two.
 */
static bool are_rivals(const struct fixture *f, uint32_t a, uint32_t b)
{
    const struct br_instance *in = f->in;
    for (uint32_t r = 0; r < in->resources; r++) {
        int64_t sum = in->demand[(size_t)in->task_stage[a] * in->resources + r] +
                      in->demand[(size_t)in->task_stage[b] * in->resources + r];
        if (sum > in->capacity[r])
            return in->duration[a] > 0 && in->duration[b] > 0;
    }
    return false;
}

static uint32_t check_rivals(const struct fixture *f)
{
    uint32_t found = 0;
    for (uint32_t a = 0; a < f->p->tasks; a++)
        for (uint32_t b = a + 1; b < f->p->tasks; b++) {
            if (!are_rivals(f, a, b) || f->ahead[a * f->p->tasks + b] ||
                f->ahead[b * f->p->tasks + a])
                continue;
            assert_true(found < f->p->pairs);
            assert_int_equal(f->p->rivals[found].first, a);
            assert_int_equal(f->p->rivals[found].second, b);
            found++;
        }
    assert_int_equal(f->p->pairs, found);
    return found;
}

/* What is known of the two of a pair: bounds by side, 2 and 3 those of the second, 4 and 5 the
 * order. */
struct known {
    int32_t at_least[6];
};

static uint32_t side_in_pair(const struct fixture *f, uint32_t pair, uint32_t side)
{
    const struct br_lcg_rivals *r = &f->p->rivals[pair];
    uint32_t v = side / 2, k = v == r->first ? 0 : v == r->second ? 1 : 2;
    assert_true(k < 2 || v == br_lcg_order_of(f->p, pair));
    return 2 * k + (side & 1);
}

static struct known known_of(const struct fixture *f, uint32_t pair, const int32_t *side)
{
    const struct br_lcg_rivals *r = &f->p->rivals[pair];
    uint32_t variable[3] = {r->first, r->second, br_lcg_order_of(f->p, pair)};
    struct known k;
    for (uint32_t i = 0; i < 6; i++)
        k.at_least[i] = side[2 * variable[i / 2] + i % 2];
    return k;
}

/* Over all starts that are known to be possible, one after the other in an order that is: the least
 * value of each side; INT32_MAX where there are none. */
static struct known follow(const struct fixture *f, uint32_t pair, const struct known *k)
{
    const struct br_lcg_rivals *r = &f->p->rivals[pair];
    struct known least;
    for (uint32_t i = 0; i < 6; i++)
        least.at_least[i] = INT32_MAX;
    for (int32_t a = k->at_least[0]; a <= -k->at_least[1]; a++)
        for (int32_t b = k->at_least[2]; b <= -k->at_least[3]; b++) {
            bool first = a + f->p->duration[r->first] <= b;
            int32_t order = first ? 1 : 0;
            if (!first && b + f->p->duration[r->second] > a)
                continue;
            if (order < k->at_least[4] || -order < k->at_least[5])
                continue;
            int32_t value[6] = {a, -a, b, -b, order, -order};
            for (uint32_t i = 0; i < 6; i++)
                least.at_least[i] = value[i] < least.at_least[i] ? value[i] : least.at_least[i];
        }
    return least;
}

/* Why the entry was made: literals that were true before, and from which it follows for the two. */
static void check_reason(struct fixture *f, uint32_t number)
{
    struct br_lcg_entry e = f->trail.entry[number];
    if (br_lcg_kind(e.reason) != BR_LCG_ORDER)
        return;
    uint32_t pair = br_lcg_number(e.reason) / 2 - br_lcg_order_of(f->p, 0);
    struct known k = known_of(f, pair, f->trail.root);
    f->why.count = 0;
    assert_true(br_lcg_order_explain(&f->order, (struct br_lcg_literal){e.side, e.value},
                                     br_lcg_number(e.reason), e.at, &f->why));
    for (uint32_t i = 0; i < f->why.count; i++) {
        struct br_lcg_literal l = f->why.item[i];
        assert_true(br_lcg_value_before(&f->trail, l.side, number) >= l.bound);
        int32_t *least = &k.at_least[side_in_pair(f, pair, l.side)];
        *least = l.bound > *least ? l.bound : *least;
    }
    struct known all = follow(f, pair, &k);
    assert_true(all.at_least[side_in_pair(f, pair, e.side)] >= e.value);
}

/* Some decisions at one level, about starts and orders. */
static void decide(struct fixture *f, struct br_rng *rng)
{
    struct br_lcg_trail *t = &f->trail;
    assert_true(br_lcg_trail_open_level(t));
    for (uint32_t side = 0; side < t->sides; side++) {
        int32_t width = br_lcg_upper(t, side / 2) - br_lcg_lower(t, side / 2);
        bool order = side / 2 > t->makespan;
        if (side / 2 == t->makespan || width == 0 || br_rng_below(rng, order ? 8 : 3) > 0)
            continue;
        assert_true(br_lcg_push(t, side,
                                t->now[side] + 1 + (int32_t)br_rng_below(rng, (uint64_t)width),
                                br_lcg_reason(BR_LCG_DECISION, 0), 0));
    }
}

static bool propagate(struct fixture *f)
{
    uint32_t side;
    int32_t before;
    while ((side = br_lcg_trail_next(&f->trail, &before)) != BR_LCG_NONE)
        if (!br_lcg_order_propagate(&f->order, side))
            return false;
    return true;
}

/* What was derived is explained; where there is no conflict, nothing more follows for any two,
 * and where there is one, its literal cannot be true with what is known.
 */
static void check_round(struct fixture *f, bool ok)
{
    for (uint32_t k = 0; k < f->trail.count; k++)
        check_reason(f, k);
    for (uint32_t pair = 0; ok && pair < f->p->pairs; pair++) {
        struct known k = known_of(f, pair, f->trail.now), all = follow(f, pair, &k);
        for (uint32_t i = 0; i < 6; i++)
            assert_int_equal(k.at_least[i], all.at_least[i]);
    }
    if (ok)
        return;
    struct br_lcg_conflict c = f->trail.conflict;
    uint32_t pair = br_lcg_number(c.reason) / 2 - br_lcg_order_of(f->p, 0);
    struct known k = known_of(f, pair, f->trail.now), all = follow(f, pair, &k);
    assert_int_equal(all.at_least[0], INT32_MAX);
    f->why.count = 0;
    assert_true(br_lcg_order_explain(&f->order, c.literal, br_lcg_number(c.reason), c.at, &f->why));
    for (uint32_t i = 0; i < f->why.count; i++)
        assert_true(br_lcg_true(&f->trail, f->why.item[i]));
}

static void test_orders(void **state)
{
    uint32_t pairs = 0, conflicts = 0, decided = 0, jobs = random_jobs(4000);
    for (uint64_t seed = 1; seed <= jobs; seed++) {
        struct fixture f;
        struct br_rng rng = br_rng_seed(seed);
        bool opened = open_fixture(&f, seed, &rng);
        pairs += opened ? check_rivals(&f) : 0;
        opened = opened && propagate(&f);
        for (int round = 0; opened && round < 4; round++) {
            decide(&f, &rng);
            uint32_t decisions = f.trail.count;
            bool ok = propagate(&f);
            check_round(&f, ok);
            conflicts += !ok;
            for (uint32_t k = decisions; k < f.trail.count; k++)
                decided += f.trail.entry[k].side / 2 > f.trail.makespan;
            while (f.trail.count > f.trail.level_start[1])
                br_lcg_trail_undo(&f.trail);
            br_lcg_trail_close_levels(&f.trail, 0);
        }
        close_fixture(&f);
    }
    assert_true(pairs > jobs / 4 && conflicts > jobs / 20 && decided > jobs / 4);
}

/* Tasks that stand before what they wait for are no rivals of it, nor of what that waits for. */
static void test_edges_backwards(void **state)
{
    struct br_dag *dag = br_dag_create("backwards");
    for (uint32_t s = 0; s < 4; s++) {
        char name[] = {(char)('a' + s), 0};
        assert_false(br_dag_add_stage(dag, name, 1, 1000000000, NULL, NULL));
        assert_false(br_dag_add_demand(dag, s, "cpu", "1", NULL));
    }
    for (uint32_t s = 0; s < 2; s++)
        assert_false(br_dag_add_edge(dag, s + 1, s, BR_BARRIER, NULL));
    struct br_instance *in = on_equal_machines(dag, 1, "1");
    assert_non_null(in);
    struct br_lcg_problem *p = br_lcg_problem_create(in, 4);
    assert_non_null(p);
    assert_int_equal(p->pairs, 3);
    for (uint32_t k = 0; k < p->pairs; k++) {
        assert_int_equal(p->rivals[k].first, k);
        assert_int_equal(p->rivals[k].second, 3);
    }
    br_lcg_problem_destroy(p);
    br_instance_destroy(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_edges_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
