/* By key: radix sort from the lowest digit up, over those bits alone in which some keys differ:
 * times of a job differ in some thirty bits, so that three passes do where sorting by comparison
 * takes twenty. By comparison: short runs by insertion, merged from one half of the memory to the
 * other. */
#include "base/collections/sort.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"

enum { DIGIT = 11, BUCKETS = 1 << DIGIT, FEW = 64 };

static void insertion_sort(struct br_sort_item *items, uint32_t count)
{
    for (uint32_t k = 1; k < count; k++) {
        struct br_sort_item item = items[k];
        uint32_t at = k;
        for (; at && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

void br_sort(struct br_sort_item *items, struct br_sort_item *scratch, uint32_t count)
{
    uint64_t differ = 0;
    bool sorted = true;
    for (uint32_t k = 1; k < count; k++) {
        differ |= items[k].key ^ items[0].key;
        sorted &= items[k - 1].key <= items[k].key;
    }
    if (sorted)
        return;
    if (count <= FEW) {
        insertion_sort(items, count);
        return;
    }
    struct br_sort_item *from = items, *to = scratch;
    for (uint32_t shift = 0; shift < 64 && differ >> shift; shift += DIGIT) {
        /* Bits that all keys share are skipped, from wherever the digit would begin. */
        shift += (uint32_t)__builtin_ctzll(differ >> shift);
        uint32_t first[BUCKETS] = {0}, sum = 0;
        for (uint32_t k = 0; k < count; k++)
            first[from[k].key >> shift & (BUCKETS - 1)]++;
        for (uint32_t b = 0; b < BUCKETS; b++) {
            uint32_t size = first[b];
            first[b] = sum;
            sum += size;
        }
        for (uint32_t k = 0; k < count; k++)
            to[first[from[k].key >> shift & (BUCKETS - 1)]++] = from[k];
        struct br_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)count * sizeof *items);
}

enum { RUN = 6, ON_STACK = 1024 /* bytes */ };

struct order {
    int (*compare)(const void *, const void *, void *context);
    void *context;
};

static inline int compared(const struct order *order, const void *a, const void *b)
{
    return order->compare(a, b, order->context);
}

/* Sorts runs of RUN items each. */
__attribute__((always_inline)) static inline void sort_runs(unsigned char *items,
                                                            unsigned char *item, size_t count,
                                                            size_t size, const struct order *order)
{
    for (size_t k = 1; k < count; k++) {
        size_t at = k, first = k / RUN * RUN;
        if (at == first || compared(order, items + (at - 1) * size, items + at * size) <= 0)
            continue;
        memcpy(item, items + at * size, size);
        do {
            memcpy(items + at * size, items + (at - 1) * size, size);
            at--;
        } while (at > first && compared(order, items + (at - 1) * size, item) > 0);
        memcpy(items + at * size, item, size);
    }
}

/* Merges two sorted runs, from `from` to `middle` and on to `end`. */
__attribute__((always_inline)) static inline void
merge(unsigned char *to, const unsigned char *from, const unsigned char *middle,
      const unsigned char *end, size_t size, const struct order *order)
{
    const unsigned char *a = from, *b = middle;
    if (b < end && compared(order, middle - size, middle) > 0)
        for (; a < middle && b < end; to += size) {
            const unsigned char **least = compared(order, a, b) <= 0 ? &a : &b;
            memcpy(to, *least, size);
            *least += size;
        }
    memcpy(to, a, (size_t)(middle - a));
    memcpy(to + (middle - a), b, (size_t)(end - b));
}

/* `scratch` has room for as many items. With a `size` that is known the compiler makes moves of
 * the copies. */
__attribute__((always_inline)) static inline void merge_sort(unsigned char *items,
                                                             unsigned char *scratch, size_t count,
                                                             size_t size, const struct order *order)
{
    unsigned char *from = items, *to = scratch;
    sort_runs(items, scratch, count, size, order);
    for (size_t run = RUN; run < count; run *= 2) {
        for (size_t k = 0; k < count; k += 2 * run) {
            size_t middle = k + run < count ? k + run : count;
            size_t end = k + 2 * run < count ? k + 2 * run : count;
            merge(to + k * size, from + k * size, from + middle * size, from + end * size, size,
                  order);
        }
        unsigned char *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * size);
}

void br_sort_within(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *context), void *context)
{
    _Alignas(max_align_t) unsigned char room[ON_STACK];
    const struct order order = {compare, context};
    if (count < 2)
        return;
    unsigned char *scratch = count * size <= sizeof room ? room : br_malloc(count * size);
    if (!scratch) /* memory is out; the C library's can do with none */
        qsort_r(items, count, size, compare, context);
    else if (size == 4)
        merge_sort(items, scratch, count, 4, &order);
    else if (size == 8)
        merge_sort(items, scratch, count, 8, &order);
    else if (size == 16)
        merge_sort(items, scratch, count, 16, &order);
    else
        merge_sort(items, scratch, count, size, &order);
    if (scratch != room)
        br_free(scratch);
}

typedef int plain_compare(const void *, const void *);

static int compare_plainly(const void *a, const void *b, void *context)
{
    return (*(plain_compare **)context)(a, b);
}

void br_sort_by(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    br_sort_within(items, count, size, compare_plainly, &compare);
}
