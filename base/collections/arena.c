/* A bump allocator over a chain of blocks, each twice the last up to a limit, so that a job may
 * have very many small arenas. Large requests get a block of their own. */
#include "base/collections/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/collections/address_sanitizer.h"
#include "base/collections/memory.h"

enum { BLOCK_SIZE_FIRST = 1 << 10, BLOCK_SIZE = 1 << 16 };

struct br_arena_block {
    struct br_arena_block *next;
    size_t size, used;
    alignas(max_align_t) unsigned char data[];
};

void *br_arena_alloc(struct br_arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t), asked = size;
    if (size > SIZE_MAX - sizeof(struct br_arena_block) - 2 * unit)
        return NULL;
    size = (size + BR_SANITIZER_GAP + unit - 1) / unit * unit; /* including a gap after each */
    if (size == 0)
        size = unit;
    struct br_arena_block *head = arena->head;
    assert(!head || head->used <= head->size);
    if (head && head->size - head->used >= size) {
        void *memory = head->data + head->used;
        head->used += size;
        ASAN_UNPOISON_MEMORY_REGION(memory, asked);
        return memory;
    }
    size_t block_size = head ? head->size * 2 : BLOCK_SIZE_FIRST;
    if (block_size > BLOCK_SIZE)
        block_size = BLOCK_SIZE;
    bool own = size > block_size / 4;
    size_t capacity = own ? size : block_size;
    assert(size >= asked && capacity >= size);
    struct br_arena_block *block = br_calloc(1, sizeof *block + capacity);
    if (!block)
        return NULL;
    ASAN_POISON_MEMORY_REGION(block->data, capacity);
    ASAN_UNPOISON_MEMORY_REGION(block->data, asked);
    block->size = capacity;
    block->used = size;
    if (own && head) { /* keep filling the current block */
        block->next = head->next;
        head->next = block;
    } else {
        block->next = head;
        arena->head = block;
    }
    assert(arena->head->used <= arena->head->size);
    return block->data;
}

void *br_arena_array(struct br_arena *arena, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return NULL;
    return br_arena_alloc(arena, count * size);
}

char *br_arena_text(struct br_arena *arena, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = br_arena_alloc(arena, size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

void br_arena_join(struct br_arena *arena, struct br_arena *from)
{
    struct br_arena_block **end = &arena->head;
    while (*end)
        end = &(*end)->next;
    *end = from->head;
    from->head = NULL;
}

void br_arena_finish(struct br_arena *arena)
{
    for (struct br_arena_block *block = arena->head; block;) {
        struct br_arena_block *next = block->next;
        br_free(block);
        block = next;
    }
    arena->head = NULL;
}
