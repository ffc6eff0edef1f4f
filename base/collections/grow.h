/* Growing arrays, for those that are not in an arena. */
#ifndef BR_BASE_COLLECTIONS_GROW_H
#define BR_BASE_COLLECTIONS_GROW_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/collections/memory.h"

/* Gives the array whose address is given room for this many elements of `size` bytes; existing ones
 * stay. False when memory is out; the array is then unchanged. */
static inline bool br_enlarge(void *array, uint32_t room, size_t size)
{
    void *memory;
    memcpy(&memory, array, sizeof memory); /* whatever type of pointer it is */
    void *larger = br_realloc(memory, (size_t)room * size);
    if (!larger)
        return false;
    memcpy(array, &larger, sizeof larger);
    return true;
}

/* Makes room for one more element in the array whose address is given, by half of its size: `used`
 * of `*room` elements of `size` bytes are taken. False when memory is out; the array is then
 * unchanged. */
static inline bool br_grow(void *array, uint32_t used, uint32_t *room, size_t size)
{
    if (used < *room)
        return true;
    uint32_t next = *room + *room / 2 + 16;
    if (next <= *room || !br_enlarge(array, next, size))
        return false;
    *room = next;
    assert(used < *room);
    return true;
}

#endif
