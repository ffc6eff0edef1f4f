/* Radix sort from the lowest digit up, over those bits alone in which some keys differ: times of a
 * job differ in some thirty bits, so that three passes do where sorting by comparison takes twenty.
 */
#include "base/collections/sort.h"

#include <stdbool.h>
#include <string.h>

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
