/* The allocator of the planner's rooms: malloc and its kin, but for a thread that has entered a
 * memory. From then on until it leaves, what it allocates comes from there, so that a call which is
 * like the one before asks the system for nothing.
 *
 * A memory keeps what is given back to it, by size, and takes more from the system in chunks, each
 * twice the last. Large blocks come from the system as ever.
 *
 * What comes from a memory is freed while the thread is in it, before br_memory_reset; what was
 * allocated outside may be freed inside. So a thread enters only where nobody else's code runs
 * before it leaves: no callback, and no other thread that frees. */
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
    size_t live; /* blocks that are in use */
    bool grown;  /* since a thread entered */
};

/* As those of the C library, and freed by br_free alone. */
void *br_malloc(size_t size);
void *br_calloc(size_t count, size_t size);
void *br_realloc(void *memory, size_t size);
void br_free(void *memory);

/* What this thread allocates is the memory's from now on, until it leaves. Not nested. */
void br_memory_enter(struct br_memory *memory);
/* Leaves. Where the memory has grown, it grows to eight times what has been used since the reset,
 * up to 16 MiB: a job that meets its bound at once takes a sixth of what another of its size takes.
 * Pages that nobody has touched cost nothing. */
void br_memory_leave(void);
/* Starts anew with all that the memory has; nothing of it is in use any more. */
void br_memory_reset(struct br_memory *memory);
/* Gives everything back to the system; nothing of it is in use any more. */
void br_memory_finish(struct br_memory *memory);

#endif
