/* Niches: distances are the sums that they are said to be, also around the end of 16 bits and where
 * they end early, and the rival of a schedule is the one that the definition names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>

#include "base/numbers/rng.h"
#include "planner/rcpsp/niche.h"

enum { ROUNDS = 4000, TASKS = 300, SIZE = 24 };

static uint32_t below(struct br_rng *rng, uint32_t limit)
{
    return (uint32_t)br_rng_below(rng, limit);
}

/* By the definition: each difference the shorter way round the 2^16 numbers. */
static uint32_t slow_distance(uint32_t tasks, const uint16_t *one, const uint16_t *other)
{
    uint32_t sum = 0;
    for (uint32_t t = 0; t < tasks; t++) {
        int32_t apart = one[t] > other[t] ? one[t] - other[t] : other[t] - one[t];
        sum += (uint32_t)(apart > 0x8000 ? 0x10000 - apart : apart);
    }
    return sum;
}

static void draw(struct br_rng *rng, uint32_t tasks, uint32_t range, uint16_t *at)
{
    uint16_t base = (uint16_t)below(rng, 0x10000);
    for (uint32_t t = 0; t < tasks; t++)
        at[t] = (uint16_t)(base + below(rng, range));
}

static void test_distance(void **state)
{
    struct br_rng rng = br_rng_seed(1);
    unsigned ended = 0;
    for (int round = 0; round < ROUNDS; round++) {
        uint16_t one[TASKS], other[TASKS];
        uint32_t tasks = 1 + below(&rng, TASKS), range = 1 + below(&rng, 0x10000);
        draw(&rng, tasks, range, one);
        draw(&rng, tasks, range, other);
        uint32_t want = slow_distance(tasks, one, other);
        assert_int_equal(br_niche_distance(tasks, one, other, UINT32_MAX), want);
        const uint16_t *first = other, *second = one; /* either way round */
        assert_int_equal(br_niche_distance(tasks, first, second, want), want);
        uint32_t limit = below(&rng, 2 * want + 2);
        uint32_t got = br_niche_distance(tasks, one, other, limit);
        if (want <= limit)
            assert_int_equal(got, want);
        else
            assert_true(got > limit && got <= want);
        ended += got < want;
    }
    /* Within 64 tasks the sum is not looked at; beyond, it mostly ends before its end. */
    assert_true(ended > ROUNDS / 8);
    assert_int_equal(br_niche_distance(1, (uint16_t[]){0}, (uint16_t[]){0xffff}, 9), 1);
    assert_int_equal(br_niche_distance(1, (uint16_t[]){1}, (uint16_t[]){0x8001}, 9), 0x8000);
}

static void test_locate(void **state)
{
    int64_t start[] = {0, 5, 64, (int64_t)1 << 20};
    uint16_t at[4];
    br_niche_locate(BR_FORWARD, 4, start, 100, 0, at);
    assert_true(at[0] == 0 && at[1] == 5 && at[2] == 64 && at[3] == 0);
    br_niche_locate(BR_FORWARD, 4, start, 100, 6, at);
    assert_true(at[0] == 0 && at[1] == 0 && at[2] == 1 && at[3] == 1 << 14);
    br_niche_locate(BR_BACKWARD, 3, start, 100, 0, at);
    assert_true(at[0] == 100 && at[1] == 95 && at[2] == 36);
    br_niche_locate(BR_BACKWARD, 3, start, 100, 5, at);
    assert_true(at[0] == 3 && at[1] == 2 && at[2] == 1);
}

/* No more bits go than have to. */
static void test_shift(void **state)
{
    for (int64_t ticks = 0; ticks < (int64_t)1 << 40; ticks += 1 + ticks / 7) {
        unsigned shift = br_niche_shift(ticks);
        assert_true((2 * ticks) >> shift < 1 << 15);
        assert_true(shift == 0 || (2 * ticks) >> (shift - 1) >= 1 << 15);
    }
}

/* By the definition. */
static uint32_t slow_rival(const struct br_individual *side, uint32_t size, uint32_t from,
                           uint32_t window, uint32_t tasks, const uint16_t *at, uint32_t radius)
{
    uint32_t nearest = UINT32_MAX, least = UINT32_MAX, longest = from;
    for (uint32_t k = 0; k < size; k++) {
        uint32_t one = (from + k) % size, apart = slow_distance(tasks, at, side[one].at);
        if (k < window && apart <= radius && apart < least) {
            least = apart;
            nearest = one;
        }
    }
    for (uint32_t k = 0; k < size; k++)
        if (side[k].makespan > side[longest].makespan)
            longest = k;
    return nearest < UINT32_MAX ? nearest : longest;
}

static void test_rival(void **state)
{
    struct br_rng rng = br_rng_seed(2);
    unsigned near = 0, far = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct br_individual side[SIZE];
        uint16_t place[SIZE][100], at[100];
        uint32_t tasks = 1 + below(&rng, 100), size = 1 + below(&rng, SIZE);
        uint32_t window = 1 + below(&rng, 2 * SIZE), from = below(&rng, size);
        for (uint32_t k = 0; k < size; k++) {
            for (uint32_t t = 0; t < tasks; t++)
                place[k][t] = (uint16_t)(0xffff + below(&rng, 3));
            side[k] = (struct br_individual){.at = place[k], .makespan = 100 + below(&rng, 4)};
        }
        for (uint32_t t = 0; t < tasks; t++)
            at[t] = (uint16_t)(0xffff + below(&rng, 3));
        uint32_t radius = below(&rng, 2 * tasks + 1);
        uint32_t want = slow_rival(side, size, from, window, tasks, at, radius);
        assert_ptr_equal(br_niche_rival(side, size, from, window, tasks, at, radius), &side[want]);
        bool is_near = slow_distance(tasks, at, side[want].at) <= radius;
        near += is_near;
        far += !is_near;
    }
    assert_true(near > ROUNDS / 8 && far > ROUNDS / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_locate),
        cmocka_unit_test(test_shift),
        cmocka_unit_test(test_rival),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
