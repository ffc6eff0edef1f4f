/* Heaps in arrays of the caller's, for any type of item. With four children a node the heap is half
 * as high and the children are neighbours in memory, which pays for thousands of items. */
#ifndef BR_BASE_COLLECTIONS_HEAP_H
#define BR_BASE_COLLECTIONS_HEAP_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/* Defines, for heaps of `type` with that many children per node, whose top comes before all others:
 *   NAME_push     adds an item; the array has room for it
 *   NAME_pop      takes the top away
 *   NAME_replace  puts an item in the place of the top
 * `bool before(context_type, const type *, const type *)` orders the items; if it is a total order,
 * the results do not depend on how the heap was filled. */
#define BR_HEAP(name, type, context_type, before, children)                                        \
    __attribute__((unused)) static inline void name##_push(context_type context, type *heap,       \
                                                           uint32_t *size, type item)              \
    {                                                                                              \
        uint32_t at = (*size)++;                                                                   \
        for (; at && before(context, &item, &heap[(at - 1) / (children)]);                         \
             at = (at - 1) / (children))                                                           \
            heap[at] = heap[(at - 1) / (children)];                                                \
        heap[at] = item;                                                                           \
    }                                                                                              \
                                                                                                   \
    __attribute__((unused)) static inline void name##_replace(context_type context, type *heap,    \
                                                              uint32_t size, type item)            \
    {                                                                                              \
        assert(heap); /* it has an element, so there is memory */                                  \
        uint32_t at = 0;                                                                           \
        for (uint32_t child = 1; child < size; child = (children)*at + 1) {                        \
            uint32_t end = size - child < (children) ? size : child + (children);                  \
            if ((children) == 4 && end - child == 4) { /* as the loop, but with fewer branches */  \
                uint32_t a = child + (before(context, &heap[child + 1], &heap[child]) ? 1 : 0);    \
                uint32_t b =                                                                       \
                    child + 2 + (before(context, &heap[child + 3], &heap[child + 2]) ? 1 : 0);     \
                child = before(context, &heap[b], &heap[a]) ? b : a;                               \
            } else {                                                                               \
                for (uint32_t other = child + 1; other < end; other++)                             \
                    if (before(context, &heap[other], &heap[child]))                               \
                        child = other;                                                             \
            }                                                                                      \
            if (!before(context, &heap[child], &item))                                             \
                break;                                                                             \
            heap[at] = heap[child];                                                                \
            at = child;                                                                            \
        }                                                                                          \
        assert(!at || !before(context, &item, &heap[(at - 1) / (children)]));                      \
        heap[at] = item;                                                                           \
    }                                                                                              \
                                                                                                   \
    __attribute__((unused)) static inline type name##_pop(context_type context, type *heap,        \
                                                          uint32_t *size)                          \
    {                                                                                              \
        assert(heap &&*size > 0);                                                                  \
        type top = heap[0];                                                                        \
        --*size;                                                                                   \
        name##_replace(context, heap, *size, heap[*size]);                                         \
        return top;                                                                                \
    }

static inline int br_less(const void *none, const uint32_t *a, const uint32_t *b)
{
    (void)none;
    return *a < *b;
}

/* The least number on top; the context is NULL. */
BR_HEAP(br_numbers, uint32_t, const void *, br_less, 2)

#endif
