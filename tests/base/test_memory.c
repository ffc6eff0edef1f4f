/* Memory that a thread enters, against a plain model of blocks; and sorts by comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/address_sanitizer.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "tests/support/takings.h"

enum { SLOTS = 200, STEPS = 6000, SORTS = 3000 };

struct slot {
    unsigned char *memory;
    size_t size;
    unsigned char fill;
};

static void assert_filled(const struct slot *slot, size_t size)
{
    for (size_t k = 0; k < size; k++)
        assert_int_equal(slot->memory[k], slot->fill);
}

/* Mostly small, sometimes of about a power of two, rarely large. */
static size_t draw_size(struct br_rng *rng)
{
    size_t power = (size_t)1 << br_rng_below(rng, br_rng_below(rng, 30) ? 12 : 22);
    return br_rng_below(rng, 2) ? br_rng_below(rng, power) : power - 1 + br_rng_below(rng, 3);
}

/* Allocates, resizes and frees at random; nobody writes into what another holds. */
static void churn(struct slot *slots, uint64_t seed, uint32_t steps)
{
    struct br_rng rng = br_rng_seed(seed);
    for (uint32_t step = 0; step < steps; step++) {
        struct slot *slot = &slots[br_rng_below(&rng, SLOTS)];
        size_t size = draw_size(&rng), kept = slot->size < size ? slot->size : size;
        if (slot->memory)
            assert_filled(slot, slot->size);
        switch (br_rng_below(&rng, 4)) {
        case 0:
            br_free(slot->memory);
            *slot = (struct slot){.memory = br_malloc(size), .size = size};
            break;
        case 1:
            br_free(slot->memory);
            *slot = (struct slot){.memory = br_calloc(size, 1), .size = size};
            assert_non_null(slot->memory);
            assert_filled(slot, size);
            break;
        case 2:
            slot->memory = br_realloc(slot->memory, size + 1);
            assert_non_null(slot->memory);
            slot->size = size + 1;
            assert_filled(slot, kept);
            break;
        default:
            br_free(slot->memory);
            *slot = (struct slot){0};
            continue;
        }
        assert_non_null(slot->memory);
        assert_int_equal((uintptr_t)slot->memory % alignof(max_align_t), 0);
        slot->fill = (unsigned char)br_rng_below(&rng, 256);
        memset(slot->memory, slot->fill, slot->size);
    }
}

static void free_slots(struct slot *slots)
{
    for (uint32_t k = 0; k < SLOTS; k++)
        br_free(slots[k].memory);
    memset(slots, 0, SLOTS * sizeof *slots);
}

static void test_blocks(void **state)
{
    struct br_memory memory = {0};
    static struct slot slots[SLOTS], outside[SLOTS];
    for (uint64_t seed = 0; seed < 4; seed++) {
        churn(slots, seed, STEPS);
        memcpy(outside, slots, sizeof slots); /* from outside, freed inside */
        memset(slots, 0, sizeof slots);
        br_memory_enter(&memory);
        free_slots(outside);
        assert_int_equal(memory.live, 0);
        churn(slots, seed + 100, STEPS);
        assert_true(memory.live > SLOTS / 4);
        br_memory_leave();
        br_free(br_malloc(100)); /* outside all is as ever */
        br_memory_enter(&memory);
        free_slots(slots);
        br_memory_leave();
        assert_int_equal(memory.live, 0);
        br_memory_reset(&memory);
    }
    br_memory_finish(&memory);
    assert_null(memory.first);
}

/* The same again takes nothing from the system, nor does eight times as much of what is small. */
static void test_again(void **state)
{
    enum { BLOCKS = 1000 };
    struct br_memory memory = {0};
    void *block[8 * BLOCKS];
    for (uint32_t round = 0; round < 4; round++) {
        const uint32_t blocks = round < 2 ? BLOCKS : 7 * BLOCKS, before = taken;
        br_memory_enter(&memory);
        for (uint32_t k = 0; k < blocks; k++)
            assert_non_null(block[k] = br_malloc(k % 500));
        br_memory_leave();
        assert_int_equal(taken > before, round == 0);
        br_memory_enter(&memory);
        for (uint32_t k = 0; k < blocks; k++)
            br_free(block[k]);
        br_memory_leave();
        br_memory_reset(&memory);
    }
    br_memory_finish(&memory);
}

/* What has been given back serves the next of about its size, within a call. */
static void test_given_back(void **state)
{
    struct br_memory memory = {0};
    br_memory_enter(&memory);
    char *first = br_malloc(1000);
    char *second = br_malloc(1000);
    assert_ptr_not_equal(first, second);
    br_free(first);
    assert_ptr_equal(br_malloc(900), first);
    br_free(second);
    char *third = br_malloc(100), *none = br_calloc(5, 0);
    assert_non_null(none); /* as malloc's */
    br_free(none);
    assert_ptr_not_equal(second, third);
    assert_ptr_equal(br_calloc(1, 950), second);
    for (uint32_t k = 0; k < 950; k++)
        assert_int_equal(second[k], 0);
    assert_ptr_equal(br_realloc(first, 1000), first);
    br_free(first);
    br_free(second);
    br_free(third);
    br_memory_leave();
    br_memory_finish(&memory);
}

/* After a reset what served small blocks serves large ones. */
static void test_reset(void **state)
{
    struct br_memory memory = {0};
    void *block[4000];
    uint32_t before = 0;
    for (uint32_t round = 0; round < 4; round++) {
        const uint32_t blocks = round % 2 ? 4 : 4000;
        const size_t size = round % 2 ? 60000 : 64;
        br_memory_enter(&memory);
        for (uint32_t k = 0; k < blocks; k++)
            assert_non_null(block[k] = br_malloc(size));
        for (uint32_t k = 0; k < blocks; k++)
            br_free(block[k]);
        br_memory_leave();
        br_memory_reset(&memory);
        before = round == 0 ? taken : before;
    }
    assert_int_equal(taken, before);
    for (uint32_t round = 0; round < 100; round++) { /* more than there is without it */
        br_memory_enter(&memory);
        for (uint32_t k = 0; k < 4; k++)
            assert_non_null(block[k] = br_malloc((size_t)1000 << round % 8));
        for (uint32_t k = 0; k < 4; k++)
            br_free(block[k]);
        br_memory_leave();
        br_memory_reset(&memory);
    }
    assert_int_equal(taken, before);
    br_memory_finish(&memory);
}

static void test_memory_out(void **state)
{
    struct br_memory memory = {0};
    br_memory_enter(&memory);
    taken = 0;
    refuse = 0;
    assert_null(br_malloc(10));
    assert_null(memory.first);
    char *block = br_malloc(40);
    assert_non_null(block);
    memset(block, 7, 40);
    refuse = taken;
    assert_null(br_realloc(block, 900000));
    assert_int_equal(block[39], 7);
    refuse = taken;
    assert_null(br_malloc((size_t)1 << 25)); /* which no memory holds */
    refuse = UINT32_MAX;
#ifndef BR_ADDRESS_SANITIZER /* which ends the program at such sizes */
    assert_null(br_calloc(SIZE_MAX / 4, 8));
    assert_null(br_malloc(SIZE_MAX - 8));
#endif
    char *larger = br_realloc(block, (size_t)1 << 25);
    assert_non_null(larger);
    assert_int_equal(larger[39], 7);
    assert_int_equal(memory.live, 0);
    br_free(larger);
    br_memory_leave();
    br_memory_finish(&memory);
}

static void *outside(void *context)
{
    uint32_t before = taken;
    void *memory = br_malloc(10);
    *(bool *)context = taken == before + 1;
    br_free(memory);
    return NULL;
}

/* Another thread is not in the memory. */
static void test_threads(void **state)
{
    struct br_memory memory = {0};
    pthread_t thread;
    bool plain = false;
    br_memory_enter(&memory);
    br_free(br_malloc(10));
    assert_int_equal(pthread_create(&thread, NULL, outside, &plain), 0);
    pthread_join(thread, NULL);
    br_memory_leave();
    assert_true(plain);
    br_memory_finish(&memory);
}

/* The address sanitizer sees what is behind a block, before it, and what has been given back. */
static void test_watched(void **state)
{
#ifdef BR_ADDRESS_SANITIZER
    struct br_memory memory = {0};
    br_memory_enter(&memory);
    for (size_t size = 1; size < 5000; size = size * 3 / 2 + 1) {
        char *a = br_malloc(size), *b = br_malloc(size);
        assert_false(__asan_region_is_poisoned(a, size));
        assert_true(__asan_address_is_poisoned(a + size));
        assert_true(__asan_address_is_poisoned(a - 1));
        a = br_realloc(a, size + 1);
        assert_false(__asan_region_is_poisoned(a, size + 1));
        assert_true(__asan_address_is_poisoned(a + size + 1));
        br_free(b);
        assert_true(__asan_address_is_poisoned(b));
        br_free(a);
    }
    br_memory_leave();
    br_memory_finish(&memory);
#else
    skip();
#endif
}

struct item {
    uint32_t key, place;
    unsigned char rest[32];
};

static int by_key(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_key_downwards(const void *a, const void *b, void *context)
{
    ++*(uint64_t *)context;
    return by_key(b, a);
}

/* Keys as expected, and equal ones in the order in which they were: `place` says which. */
static void assert_sorted(const unsigned char *items, size_t count, size_t size, bool downwards)
{
    for (size_t k = 1; k < count; k++) {
        struct item a = {0}, b = {0};
        memcpy(&a, items + (k - 1) * size, size);
        memcpy(&b, items + k * size, size);
        assert_true(downwards ? a.key >= b.key : a.key <= b.key);
        if (size >= 8 && a.key == b.key)
            assert_true(a.place < b.place);
    }
}

static void test_sorts(void **state)
{
    static const size_t sizes[] = {4, 8, 12, 16, 24, 40};
    static unsigned char items[3000 * sizeof(struct item)];
    struct br_rng rng = br_rng_seed(5);
    for (uint32_t n = 0; n < SORTS; n++) {
        const size_t size = sizes[n % 6], count = br_rng_below(&rng, n % 50 ? 60 : 3000);
        const uint32_t keys = n % 3 ? 10 : UINT32_MAX;
        const bool downwards = n % 4 == 3;
        uint64_t sum = 0, compared = 0;
        for (size_t k = 0; k < count; k++) {
            struct item item = {(uint32_t)br_rng_below(&rng, keys), (uint32_t)k, {0}};
            memset(item.rest, (int)(item.key ^ item.place) & 255, sizeof item.rest);
            memcpy(items + k * size, &item, size);
            sum += item.key;
        }
        if (downwards)
            br_sort_within(items, count, size, by_key_downwards, &compared);
        else
            br_sort_by(items, count, size, by_key);
        assert_true(compared <= count * 20);
        assert_sorted(items, count, size, downwards);
        for (size_t k = 0; k < count; k++) { /* whole items have moved, and none is lost */
            struct item item = {0};
            memcpy(&item, items + k * size, size);
            sum -= item.key;
            for (size_t i = 8; i < size; i++)
                assert_int_equal(item.rest[i - 8], (item.key ^ item.place) & 255);
        }
        assert_int_equal(sum, 0);
    }
}

/* Where memory is out, the order is the C library's. */
static void test_sort_without_memory(void **state)
{
    static uint32_t items[5000];
    for (uint32_t k = 0; k < 5000; k++)
        items[k] = (k * 7919) % 5000;
    taken = 0;
    refuse = 0;
    br_sort_by(items, 5000, sizeof *items, by_key);
    assert_int_equal(taken, 1);
    refuse = UINT32_MAX;
    for (uint32_t k = 0; k < 5000; k++)
        assert_int_equal(items[k], k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_given_back),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_memory_out),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_watched),
        cmocka_unit_test(test_sorts),
        cmocka_unit_test(test_sort_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
