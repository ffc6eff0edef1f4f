/* Sorting: many numbered items by an integer key, and anything by comparison. */
#ifndef BR_BASE_COLLECTIONS_SORT_H
#define BR_BASE_COLLECTIONS_SORT_H

#include <stddef.h>
#include <stdint.h>

/* An item has 12 bytes, since sorts of large jobs hold two for each task. */
struct __attribute__((packed, aligned(4))) br_sort_item {
    uint64_t key;
    uint32_t item;
};

/* Sorts by key, the least first; items with equal keys keep their order. `scratch` has room for as
 * many items. Time is proportional to count x the number of bits in which the keys differ. */
void br_sort(struct br_sort_item *items, struct br_sort_item *scratch, uint32_t count);

/* Sorts items of any kind by comparison, as qsort and qsort_r do, the least first; equal ones keep
 * their order. Needed since those of the C library may allocate. */
void br_sort_by(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
void br_sort_within(void *items, size_t count, size_t size,
                    int (*compare)(const void *, const void *, void *context), void *context);

/* A signed value as a key of the same order. */
static inline uint64_t br_sort_key(int64_t value)
{
    return (uint64_t)value ^ (UINT64_C(1) << 63);
}

#endif
