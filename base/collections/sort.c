/* By key: radix sort from the lowest digit up, over only the bits in which some keys differ. Times
 * of a job differ in some thirty bits, so three passes do the work of twenty in a sort by
 * comparison. By comparison: short runs by insertion, merged from one half of the memory to the
 * other. */
#include "base/collections/sort.h"

#include <assert.h>
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
    assert(scratch && scratch != items);
    struct br_sort_item *from = items, *to = scratch;
    for (uint32_t shift = 0; shift < 64 && differ >> shift; shift += DIGIT) {
        /* Bits that all keys share are skipped, from wherever the digit would begin. */
        shift += (uint32_t)__builtin_ctzll(differ >> shift);
        assert(shift < 64);
        uint32_t first[BUCKETS] = {0}, sum = 0;
        for (uint32_t k = 0; k < count; k++)
            first[from[k].key >> shift & (BUCKETS - 1)]++;
        for (uint32_t b = 0; b < BUCKETS; b++) {
            uint32_t size = first[b];
            first[b] = sum;
            sum += size;
        }
        assert(sum == count);
        for (uint32_t k = 0; k < count; k++)
            to[first[from[k].key >> shift & (BUCKETS - 1)]++] = from[k];
        struct br_sort_item *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)count * sizeof *items);
}

enum { RUN = 6, ON_STACK = 512 /* bytes */ };

/* One of the two comparisons is set. */
struct order {
    size_t size; /* of an item */
    int (*plain)(const void *, const void *);
    int (*within)(const void *, const void *, void *context);
    void *context;
};

static inline bool sort_follows(const struct order *order, const void *a, const void *b)
{
    return (order->plain ? order->plain(a, b) : order->within(a, b, order->context)) > 0;
}

/* By insertion; `item` is room for one. */
static inline void sort_run(unsigned char *items, unsigned char *item, size_t count, size_t size,
                            const struct order *order)
{
    for (size_t k = 1; k < count; k++) {
        unsigned char *at = items + k * size;
        if (!sort_follows(order, at - size, at))
            continue;
        memcpy(item, at, size);
        do {
            memcpy(at, at - size, size);
            at -= size;
        } while (at > items && sort_follows(order, at - size, item));
        memcpy(at, item, size);
    }
}

/* Merges the items from before `middle`, now in `front`, with those from there on. */
static inline void sort_merge(unsigned char *items, const unsigned char *front,
                              const unsigned char *middle, const unsigned char *end, size_t size,
                              const struct order *order)
{
    const unsigned char *front_end = front + (middle - items);
    while (front < front_end && middle < end) {
        const unsigned char **least = sort_follows(order, front, middle) ? &middle : &front;
        memcpy(items, *least, size);
        *least += size;
        items += size;
    }
    assert(items + (front_end - front) == middle);
    memcpy(items, front, (size_t)(front_end - front));
}

/* `scratch` has room for half of the items, and for one. */
static void merge_sort(unsigned char *items, unsigned char *scratch, size_t count,
                       const struct order *order)
{
    const size_t size = order->size, half = count / 2;
    unsigned char *middle = items + half * size, *end = items + count * size;
    if (count > RUN) {
        merge_sort(items, scratch, half, order);
        merge_sort(middle, scratch, count - half, order);
        if (!sort_follows(order, middle - size, middle))
            return;
        memcpy(scratch, items, half * size);
    }
    /* With a constant size the compiler turns the copies into moves. */
#define OF_SIZE(known)                                                                             \
    (count > RUN ? sort_merge(items, scratch, middle, end, known, order)                           \
                 : sort_run(items, scratch, count, known, order))
    switch (size) {
    case 4:
        OF_SIZE(4);
        break;
    case 8:
        OF_SIZE(8);
        break;
    case 16:
        OF_SIZE(16);
        break;
    case 24:
        OF_SIZE(24);
        break;
    default:
        OF_SIZE(size);
    }
#undef OF_SIZE
}

static void collections_sort(void *items, size_t count, const struct order *order)
{
    assert(order->size > 0 && !order->plain != !order->within);
    if (count < 2) /* there may be no array at all */
        return;
    _Alignas(max_align_t) unsigned char room[ON_STACK];
    const size_t needed = (count / 2 + 1) * order->size;
    unsigned char *scratch = needed <= sizeof room ? room : br_malloc(needed);
    if (scratch)
        merge_sort(items, scratch, count, order);
    else if (order->plain) /* memory is out; the C library's sort can work without */
        qsort(items, count, order->size, order->plain);
    else
        qsort_r(items, count, order->size, order->within, order->context);
    if (scratch != room)
        br_free(scratch);
}

void br_sort_by(void *items, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    collections_sort(items, count, &(struct order){.size = size, .plain = compare});
}

void br_sort_within(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *context), void *context)
{
    collections_sort(items, count,
                     &(struct order){.size = size, .within = compare, .context = context});
}
