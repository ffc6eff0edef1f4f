/* Searching for a number in an ascending array. */
#ifndef BR_BASE_COLLECTIONS_SORTED_H
#define BR_BASE_COLLECTIONS_SORTED_H

#include <assert.h>
#include <stdint.h>

/* The place of the value among the ascending, distinct numbers; UINT32_MAX: it is not there. O(log
 * count). */
static inline uint32_t br_sorted_find(const uint32_t *sorted, uint32_t count, uint32_t value)
{
    assert(count < 2 || sorted[0] < sorted[count - 1]);
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && sorted[low] == value ? low : UINT32_MAX;
}

#endif
