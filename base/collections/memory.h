/* The allocator of the planner's rooms: malloc and its relatives, except in a thread that has
 * entered a memory. Until it leaves, its allocations come from that memory, so a call like the
 * previous one asks the system for nothing.
 *
 * A memory keeps freed blocks, by size, and takes more from the system in chunks, each twice the
 * last. Large blocks always come from the system.
 *
 * Allocations from a memory are freed while the thread is in it, before br_memory_reset; outside
 * allocations may be freed inside. So a thread enters only if no foreign code runs before it
 * leaves: no callback, and no other thread that frees. */
#ifndef BR_BASE_COLLECTIONS_MEMORY_H
#define BR_BASE_COLLECTIONS_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

struct br_memory_block;
struct br_memory_chunk;

enum { BR_MEMORY_CLASSES = 16 }; /* blocks of 32 bytes, of twice that, and so on to 1 MiB */

/* Begins as {0}. */
struct br_memory {
    struct br_memory_chunk *first, *at; /* all chunks in their order; the one being cut up */
    struct br_memory_block *given_back[BR_MEMORY_CLASSES];
    size_t live; /* blocks in use */
    bool grown;  /* since a thread entered */
};

/* As in the C library, but freed only by br_free. */
void *br_malloc(size_t size);
void *br_calloc(size_t count, size_t size);
void *br_realloc(void *memory, size_t size);
void br_free(void *memory);

/* From now on this thread's allocations come from the memory, until it leaves. Not nested. */
void br_memory_enter(struct br_memory *memory);
/* Leaves. If the memory has grown, it grows to eight times the usage since the reset, up to 16 MiB:
 * a job that meets its bound at once takes a sixth of the memory of another of its size. Untouched
 * pages cost nothing. */
void br_memory_leave(void);
/* Starts anew with all memory there is; nothing of it may be in use any more. */
void br_memory_reset(struct br_memory *memory);
/* Gives everything back to the system; nothing of it may be in use any more. */
void br_memory_finish(struct br_memory *memory);

#endif
