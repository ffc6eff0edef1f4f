/* Lists by owner, all in one array (compressed sparse rows): the list of owner o is item[first[o]]
 * up to and without item[first[o + 1]]. Such as the parents of every stage, or the tasks of every
 * machine. Made by a counting sort, so each list is in the order in which its items were placed:
 *
 *     uint32_t *first = br_calloc(br_csr_room(owners), sizeof *first);
 *     for (uint32_t k = 0; k < items; k++)
 *         br_csr_count(first, owner[k]);
 *     br_csr_sum(first, owners);
 *     for (uint32_t k = 0; k < items; k++)
 *         item[br_csr_place(first, owner[k])] = k;
 *
 * Memory is the caller's. Counts stand two entries behind their owner's, and until an owner's list
 * is full, the entry behind its own says where its next item goes. So filling moves every entry to
 * where it belongs, and no second array is needed. After the last placement entries 0 to `owners`
 * hold as described; the last one of the room is of no use any more.
 *
 * Counts of lists are 32 bits: at most UINT32_MAX items. O(owners + items) in all. */
#ifndef BR_BASE_COLLECTIONS_CSR_H
#define BR_BASE_COLLECTIONS_CSR_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The entries of `first` while lists are made. They begin as 0. */
static inline size_t br_csr_room(uint32_t owners)
{
    return (size_t)owners + 2;
}

/* Announces one more item of the owner. */
static inline void br_csr_count(uint32_t *first, uint32_t owner)
{
    assert(first[(size_t)owner + 2] < UINT32_MAX);
    first[(size_t)owner + 2]++;
}

/* The items of the owner announced so far, before br_csr_sum. */
static inline uint32_t br_csr_counted(const uint32_t *first, uint32_t owner)
{
    return first[(size_t)owner + 2];
}

/* Lays the lists out, one behind the other. After the last count, before the first placement. */
static inline void br_csr_sum(uint32_t *first, uint32_t owners)
{
    assert(first[0] == 0 && first[1] == 0);
    for (size_t o = 0; o < owners; o++) {
        assert(first[o + 2] <= UINT32_MAX - first[o + 1]);
        first[o + 2] += first[o + 1];
    }
}

/* The place of the owner's next item. Called exactly as often as the owner was counted. */
static inline uint32_t br_csr_place(uint32_t *first, uint32_t owner)
{
    assert(first[(size_t)owner + 1] < UINT32_MAX);
    return first[(size_t)owner + 1]++;
}

#endif
