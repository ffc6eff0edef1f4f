/* Which of many demands may fit into a room? A range-encoded bitmap index [Chan98]: amounts fall
 * into levels, and for every resource and level a bit an item tells whether its demand is at most
 * of that level. So the items that may fit are the bitwise and of one row a resource: 64 items take
 * as many operations as there are resources. A demand that fits always has its bit; whether one
 * with its bit fits, the caller has to compare. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_BITMAP_H
#define BR_CLUSTER_SIMULATE_POLICIES_BITMAP_H

#include <stdbool.h>
#include <stdint.h>

/* Four levels from an amount to its double, so they reach to the 256th part of the largest. */
#define BR_BITMAP_LEVELS 32

struct br_bitmap {
    uint32_t width;       /* resources */
    uint32_t words;       /* of 64 items each */
    uint32_t *base;       /* by resource: where its levels begin */
    uint64_t *bits;       /* [(resource * levels + level) * words + word] */
    uint8_t *level;       /* [item * width]; BR_BITMAP_LEVELS: never set */
    const uint64_t **row; /* of what was told last: by resource, or those of them that matter */
    uint32_t rows;
};

/* No items. `most`, by resource: the largest amount that a room has. False when memory is out. */
bool br_bitmap_init(struct br_bitmap *bitmap, uint32_t width, const int64_t *most);
void br_bitmap_finish(struct br_bitmap *bitmap);

/* Sets the amounts of the item, whatever they were before. False when memory is out, which cannot
 * be if the item, or one after it, was set before. O(levels between before and now). */
bool br_bitmap_set(struct br_bitmap *bitmap, uint32_t item, const int64_t *amount);
/* Tells the room that br_bitmap_words is about from now on. O(width). */
void br_bitmap_room(struct br_bitmap *bitmap, const int64_t *room);

/* Sets in `may`, the least bit first, the items of the first `words` words that are in `of` and may
 * fit. All items of `of` have been set. O(width x words), several words at once. */
void br_bitmap_words(const struct br_bitmap *bitmap, const uint64_t *of, uint64_t *may,
                     uint32_t words);

/* The other way round: items are rooms, and a demand is told, with what of them may hold it. */
void br_bitmap_demand(struct br_bitmap *bitmap, const int64_t *demand);
static inline uint64_t br_bitmap_holds(const struct br_bitmap *bitmap, uint32_t word)
{
    uint64_t less = 0;
    for (uint32_t k = 0; k < bitmap->rows; k++)
        less |= bitmap->row[k][word];
    return ~less;
}

#endif
