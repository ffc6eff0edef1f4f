/* Blocks by powers of two, cut from chunks one after another; returned blocks wait in a list for
 * the next request of their size. The current memory of a thread is the one variable of the library
 * that outlives a function, and it is NULL between calls: passing it on instead would take one more
 * parameter in every function of the planner that allocates or frees. */
#include "base/collections/memory.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/address_sanitizer.h"

enum { LEAST_BITS = 5, CHUNK_FIRST = 1 << 19 };
/* Memory kept for the next calls: this multiple of the usage, up to a limit. */
enum { AHEAD = 8, AHEAD_MOST = 1 << 24 };
static const size_t most = (size_t)1 << (LEAST_BITS + BR_MEMORY_CLASSES - 1);

/* The header before the memory of a block. */
struct br_memory_block {
    alignas(max_align_t) struct br_memory_block *next; /* while it waits */
    uint32_t class;
};

struct br_memory_chunk {
    struct br_memory_chunk *next;
    size_t size, used;
    alignas(max_align_t) unsigned char data[];
};

static _Thread_local struct br_memory *current;

static size_t class_size(uint32_t class)
{
    return (size_t)1 << (LEAST_BITS + class);
}

/* The smallest class that holds this many bytes. */
static uint32_t class_for(size_t size)
{
    if (size <= class_size(0))
        return 0;
    return 64 - LEAST_BITS - (uint32_t)__builtin_clzll((unsigned long long)size - 1);
}

/* With the address sanitizer only this file touches a block's header, so it also guards the end of
 * the block before it. */
static struct br_memory_block *collections_memory_open_block(void *memory)
{
    struct br_memory_block *block = (struct br_memory_block *)memory - 1;
    ASAN_UNPOISON_MEMORY_REGION(block, sizeof *block);
    return block;
}

static void *collections_memory_close_block(struct br_memory_block *block)
{
    ASAN_POISON_MEMORY_REGION(block, sizeof *block);
    return block + 1;
}

static bool is_of(const struct br_memory *memory, const void *address)
{
    for (const struct br_memory_chunk *chunk = memory->first; chunk; chunk = chunk->next)
        if ((uintptr_t)address - (uintptr_t)chunk->data < chunk->size)
            return true;
    return false;
}

/* Appends a chunk, for a block of at least this size. */
static struct br_memory_chunk *add_chunk(struct br_memory *memory, size_t least)
{
    struct br_memory_chunk **end = &memory->first;
    size_t size = CHUNK_FIRST;
    for (; *end; end = &(*end)->next)
        size = 2 * (*end)->size;
    if (size < least)
        size = least;
    struct br_memory_chunk *chunk = malloc(sizeof *chunk + size);
    if (!chunk)
        return NULL;
    *chunk = (struct br_memory_chunk){.size = size};
    ASAN_POISON_MEMORY_REGION(chunk->data, size);
    memory->grown = true;
    return *end = chunk;
}

/* A new block from the chunks, closed. */
static void *collections_memory_cut(struct br_memory *memory, uint32_t class)
{
    const size_t size = sizeof(struct br_memory_block) + class_size(class);
    struct br_memory_chunk *chunk = memory->at;
    while (chunk && chunk->size - chunk->used < size)
        chunk = chunk->next;
    if (!chunk && !(chunk = add_chunk(memory, size)))
        return NULL;
    memory->at = chunk;
    assert(chunk->size - chunk->used >= size);
    void *inside = chunk->data + chunk->used + sizeof(struct br_memory_block);
    struct br_memory_block *block = collections_memory_open_block(inside);
    chunk->used += size;
    block->class = class;
    return collections_memory_close_block(block);
}

/* A returned block, or a new one. */
static void *collections_memory_take(struct br_memory *memory, size_t size)
{
    const uint32_t class = class_for(size);
    assert(class < BR_MEMORY_CLASSES && size <= class_size(class));
    struct br_memory_block *waiting = memory->given_back[class];
    void *inside = NULL;
    if (waiting) {
        inside = waiting + 1;
        memory->given_back[class] = collections_memory_open_block(inside)->next;
        assert(waiting->class == class);
        collections_memory_close_block(waiting);
    } else if (!(inside = collections_memory_cut(memory, class))) {
        return NULL;
    }
    memory->live++;
    ASAN_UNPOISON_MEMORY_REGION(inside, size);
    return inside;
}

static void collections_memory_give_back(struct br_memory *memory, void *inside)
{
    struct br_memory_block *block = collections_memory_open_block(inside);
    assert(memory->live > 0 && block->class < BR_MEMORY_CLASSES);
    memory->live--;
    ASAN_POISON_MEMORY_REGION(inside, class_size(block->class));
    block->next = memory->given_back[block->class];
    memory->given_back[block->class] = block;
    collections_memory_close_block(block);
}

void *br_malloc(size_t size)
{
    return current && size < most ? collections_memory_take(current, size) : malloc(size);
}

void *br_calloc(size_t count, size_t size)
{
    if (!current || (size && count >= most / size))
        return calloc(count, size);
    void *memory = collections_memory_take(current, count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void *br_realloc(void *memory, size_t size)
{
    if (!memory)
        return br_malloc(size);
    if (!current || !is_of(current, memory))
        return realloc(memory, size);
    struct br_memory_block *block = collections_memory_open_block(memory);
    const uint32_t class = block->class;
    collections_memory_close_block(block);
    if (size < most && class_for(size) == class) {
        ASAN_POISON_MEMORY_REGION(memory, class_size(class));
        ASAN_UNPOISON_MEMORY_REGION(memory, size);
        return memory;
    }
    void *other = br_malloc(size);
    if (!other)
        return NULL;
    size_t kept = class_size(class) < size ? class_size(class) : size;
    ASAN_UNPOISON_MEMORY_REGION(memory, kept);
    memcpy(other, memory, kept);
    collections_memory_give_back(current, memory);
    return other;
}

void br_free(void *memory)
{
    if (memory && current && is_of(current, memory))
        collections_memory_give_back(current, memory);
    else
        free(memory);
}

void br_memory_enter(struct br_memory *memory)
{
    assert(!current);
    memory->grown = false;
    current = memory;
}

void br_memory_leave(void)
{
    struct br_memory *memory = current;
    size_t size = 0, used = 0;
    assert(memory);
    current = NULL;
    for (const struct br_memory_chunk *chunk = memory->first; chunk; chunk = chunk->next) {
        size += chunk->size;
        assert(chunk->used <= chunk->size);
        used += chunk->used;
    }
    size_t ahead = used < AHEAD_MOST / AHEAD ? used * AHEAD : AHEAD_MOST;
    if (memory->grown && size < ahead) /* a failure costs only time in the next call */
        add_chunk(memory, ahead - size);
}

void br_memory_reset(struct br_memory *memory)
{
    assert(memory != current && memory->live == 0);
    for (struct br_memory_chunk *chunk = memory->first; chunk; chunk = chunk->next) {
        ASAN_POISON_MEMORY_REGION(chunk->data, chunk->used);
        chunk->used = 0;
    }
    memset(memory->given_back, 0, sizeof memory->given_back);
    memory->at = memory->first;
}

void br_memory_finish(struct br_memory *memory)
{
    assert(memory != current && memory->live == 0);
    while (memory->first) {
        struct br_memory_chunk *chunk = memory->first;
        memory->first = chunk->next;
        free(chunk);
    }
    *memory = (struct br_memory){0};
}
