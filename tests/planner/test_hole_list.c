/* The list of holes against a plain array of them: added, changed and dropped in any order, so many
 * that blocks are halved, joined and emptied. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "base/numbers/rng.h"
#include "planner/space/hole_list.h"

enum { MOST = 600, CASES = 40, STEPS = 2500, SPAN = 500 };

struct plain {
    int64_t begin, end;
    double slack;
    uint32_t machine;
    uint32_t id;
};

struct model {
    struct plain hole[MOST];
    uint32_t count;
};

static bool comes_before(const struct plain *a, const struct plain *b)
{
    if (a->begin != b->begin)
        return a->begin < b->begin;
    return a->slack != b->slack ? a->slack < b->slack : a->machine < b->machine;
}

static uint32_t first(const struct model *model, int64_t from, int64_t length)
{
    const struct plain *best = NULL;
    for (uint32_t i = 0; i < model->count; i++) {
        const struct plain *hole = &model->hole[i];
        if (hole->begin >= from && hole->end - hole->begin >= length &&
            (!best || comes_before(hole, best)))
            best = hole;
    }
    return best ? best->id : BR_NO_HOLE;
}

/* Whether the list finds all holes that begin before and end after, and each once. */
static void check_over(const struct model *model, const struct br_hole_list *list, int64_t begin,
                       int64_t until)
{
    uint32_t found[MOST], count = br_hole_list_over(list, begin, until, found), want = 0;
    bool seen[MOST] = {false};
    for (uint32_t i = 0; i < count; i++) {
        assert_true(found[i] < MOST);
        assert_false(seen[found[i]]);
        seen[found[i]] = true;
    }
    for (uint32_t i = 0; i < model->count; i++) {
        const struct plain *hole = &model->hole[i];
        bool over = hole->begin < begin && hole->end >= until;
        assert_int_equal(seen[hole->id], over);
        want += over;
    }
    assert_int_equal(count, want);
}

/* Some hole; machines differ, so that no two are equal. Few beginnings and slacks are many ties. */
static struct plain draw(struct br_rng *rng, uint32_t machine)
{
    struct plain hole = {.machine = machine};
    hole.begin = (int64_t)br_rng_below(rng, br_rng_below(rng, 2) ? 6 : SPAN) - SPAN / 2;
    hole.end = hole.begin + 1 + (int64_t)br_rng_below(rng, br_rng_below(rng, 8) ? 20 : SPAN);
    hole.slack = (double)br_rng_below(rng, 4) - 1;
    return hole;
}

static void step(struct model *model, struct br_hole_list *list, struct br_rng *rng, bool growing,
                 uint32_t machine)
{
    uint64_t what = br_rng_below(rng, 10);
    if (model->count == 0 || (what < (growing ? 5 : 1) && model->count < MOST)) {
        struct plain hole = draw(rng, machine);
        hole.id = br_hole_list_add(list, hole.machine, hole.begin, hole.end, hole.slack);
        assert_true(hole.id < MOST);
        model->hole[model->count++] = hole;
        return;
    }
    struct plain *hole = &model->hole[br_rng_below(rng, model->count)];
    if (what < (growing ? 6 : 5)) {
        br_hole_list_drop(list, hole->id);
        *hole = model->hole[--model->count];
        return;
    }
    struct plain new = draw(rng, hole->machine);
    if (br_rng_below(rng, 2)) { /* close to where it was */
        new.begin = hole->begin + (int64_t)br_rng_below(rng, 3) - 1;
        new.end = br_rng_below(rng, 2) && hole->end > new.begin ? hole->end : new.begin + 5;
    }
    new.id = hole->id;
    assert_true(br_hole_list_change(list, new.id, new.begin, new.end, new.slack));
    *hole = new;
}

static void test_against_array(void **state)
{
    struct model *model = malloc(sizeof *model);
    struct br_hole_list list = {0};
    uint32_t largest = 0;
    for (uint64_t seed = 0; seed < CASES; seed++) {
        struct br_rng rng = br_rng_seed(seed);
        model->count = 0;
        br_hole_list_clear(&list); /* the memory of one serves the next */
        for (uint32_t k = 0; k < STEPS; k++) {
            step(model, &list, &rng, k / 700 % 2 == 0, k);
            largest = model->count > largest ? model->count : largest;
            int64_t from = (int64_t)br_rng_below(&rng, SPAN) - SPAN / 2;
            int64_t length = 1 + (int64_t)br_rng_below(&rng, br_rng_below(&rng, 2) ? 25 : SPAN);
            if (br_rng_below(&rng, 4) == 0)
                from = -SPAN;
            assert_int_equal(br_hole_list_first(&list, from, length), first(model, from, length));
            if (k % 7 == 0)
                check_over(model, &list, from, from + length);
        }
        for (uint32_t i = 0; i < model->count; i++) {
            const struct br_hole *hole = &list.hole[model->hole[i].id];
            assert_true(hole->begin == model->hole[i].begin && hole->end == model->hole[i].end &&
                        hole->machine == model->hole[i].machine);
        }
    }
    assert_true(largest > 200); /* many blocks */
    br_hole_list_finish(&list);
    free(model);
}

/* Holes that come in order fill their blocks: as few blocks as can be. */
static void test_in_order(void **state)
{
    struct br_hole_list list = {0};
    br_hole_list_clear(&list);
    for (uint32_t k = 0; k < 1024; k++)
        assert_int_equal(br_hole_list_add(&list, k, 7, 100, -1), k);
    assert_int_equal(list.lines, 1024 / 32);
    for (uint32_t k = 0; k < 1024; k++) {
        assert_int_equal(br_hole_list_first(&list, 7, 93), k);
        br_hole_list_drop(&list, k);
    }
    assert_int_equal(br_hole_list_first(&list, 7, 93), BR_NO_HOLE);
    assert_int_equal(list.lines, 0);
    br_hole_list_finish(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_array),
        cmocka_unit_test(test_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
