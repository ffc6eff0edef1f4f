/* Lists by owner, against lists that are picked out one owner after another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/collections/csr.h"
#include "base/numbers/rng.h"

enum { OWNERS = 40, ITEMS = 200 };

static void csr_make(const uint32_t *owner, uint32_t items, uint32_t owners, uint32_t *first,
                     uint32_t *item)
{
    for (uint32_t k = 0; k < items; k++)
        br_csr_count(first, owner[k]);
    br_csr_sum(first, owners);
    for (uint32_t k = 0; k < items; k++)
        item[br_csr_place(first, owner[k])] = k;
}

static void csr_check(const uint32_t *owner, uint32_t items, uint32_t owners, const uint32_t *first,
                      const uint32_t *item)
{
    uint32_t at = 0;
    for (uint32_t o = 0; o < owners; o++) {
        assert_int_equal(first[o], at);
        for (uint32_t k = 0; k < items; k++)
            if (owner[k] == o)
                assert_int_equal(item[at++], k);
    }
    assert_int_equal(first[owners], at);
    assert_int_equal(at, items);
}

static void nothing(void **state)
{
    (void)state;
    uint32_t none[2] = {0}, empty[5] = {0};
    csr_make(NULL, 0, 0, none, NULL);
    assert_int_equal(none[0], 0);
    csr_make(NULL, 0, 3, empty, NULL);
    csr_check(NULL, 0, 3, empty, NULL);
}

/* Empty lists in front, between and behind; items keep their order in each list. */
static void one_by_one(void **state)
{
    (void)state;
    static const uint32_t owner[] = {4, 1, 4, 2, 1, 4}, lists[] = {1, 4, 3, 0, 2, 5},
                          begins[] = {0, 0, 2, 3, 3, 6, 6};
    uint32_t first[8] = {0}, item[6];
    csr_make(owner, 6, 6, first, item);
    assert_memory_equal(first, begins, sizeof begins);
    assert_memory_equal(item, lists, sizeof lists);
}

static void random_lists(void **state)
{
    (void)state;
    struct br_rng rng = br_rng_seed(7);
    for (uint32_t round = 0; round < 2000; round++) {
        uint32_t owner[ITEMS], item[ITEMS], owners = 1 + (uint32_t)br_rng_below(&rng, OWNERS),
                                            items = (uint32_t)br_rng_below(&rng, ITEMS + 1),
                                            in_use = 1 + (uint32_t)br_rng_below(&rng, owners);
        for (uint32_t k = 0; k < items; k++)
            owner[k] =
                (uint32_t)br_rng_below(&rng, in_use); /* owners behind these have empty lists */
        /* The exact room, so that a sanitizer notices an access beyond it. */
        uint32_t *first = calloc(br_csr_room(owners), sizeof *first);
        assert_non_null(first);
        csr_make(owner, items, owners, first, item);
        csr_check(owner, items, owners, first, item);
        free(first);
    }
}

/* Sums of 32 bits would wrap around to 0 and 1. */
static void rooms(void **state)
{
    (void)state;
    assert_true(br_csr_room(UINT32_MAX - 1) == (size_t)UINT32_MAX + 1);
    assert_true(br_csr_room(UINT32_MAX) == (size_t)UINT32_MAX + 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing),
        cmocka_unit_test(one_by_one),
        cmocka_unit_test(random_lists),
        cmocka_unit_test(rooms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
