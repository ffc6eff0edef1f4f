/* A bump allocator: many small allocations, one release. */
#ifndef BR_BASE_COLLECTIONS_ARENA_H
#define BR_BASE_COLLECTIONS_ARENA_H

#include <stddef.h>

struct br_arena_block;

struct br_arena {
    struct br_arena_block *head;
};

/* Zeroed memory of the arena, aligned for any type; NULL when memory is out. */
void *br_arena_alloc(struct br_arena *arena, size_t size);
/* Allocates an array in this way; also NULL when count * size overflows. A count of 0 gives a valid
 * pointer. */
void *br_arena_array(struct br_arena *arena, size_t count, size_t size);
/* Lets the pointer point to such an array of elements of its type; false when memory is out. */
#define BR_ARRAY(arena, count, pointer)                                                            \
    ((pointer) = br_arena_array(arena, count, sizeof *(pointer)))
/* A copy of the text; NULL when memory is out. */
char *br_arena_text(struct br_arena *arena, const char *text);
/* Moves everything of `from` over, so that it lives as long as `arena`; `from` is empty then. */
void br_arena_join(struct br_arena *arena, struct br_arena *from);
/* Releases everything; the arena may be used again. */
void br_arena_finish(struct br_arena *arena);

#endif
