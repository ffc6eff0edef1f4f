/* Levels are the first bits of an amount: its exponent, and two bits behind the leading one. */
#include "cluster/simulate/policies/bitmap.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_WORDS = 1 };

/* The exponent and two bits; grows with the amount, which is above 0. */
static uint32_t magnitude(int64_t amount)
{
    assert(amount > 0);
    uint32_t exponent = 63 - (uint32_t)__builtin_clzll((uint64_t)amount);
    uint64_t digits =
        exponent > 2 ? (uint64_t)amount >> (exponent - 2) : (uint64_t)amount << (2 - exponent);
    assert(digits >= 4 && digits < 8);
    return exponent * 4 + ((uint32_t)digits & 3);
}

static uint32_t bitmap_level_of(const struct br_bitmap *bitmap, uint32_t r, int64_t amount)
{
    uint32_t above = amount > 0 ? magnitude(amount) : 0;
    above = above > bitmap->base[r] ? above - bitmap->base[r] : 0;
    return above < BR_BITMAP_LEVELS ? above : BR_BITMAP_LEVELS - 1;
}

bool br_bitmap_init(struct br_bitmap *bitmap, uint32_t width, const int64_t *most)
{
    *bitmap = (struct br_bitmap){.width = width};
    bitmap->base = calloc((size_t)width + 1, sizeof *bitmap->base);
    bitmap->row = calloc((size_t)width + 1, sizeof *bitmap->row);
    if (!bitmap->base || !bitmap->row)
        return false;
    for (uint32_t r = 0; r < width; r++) {
        uint32_t top = most[r] > 0 ? magnitude(most[r]) : 0;
        bitmap->base[r] = top >= BR_BITMAP_LEVELS ? top - (BR_BITMAP_LEVELS - 1) : 0;
    }
    return true;
}

void br_bitmap_finish(struct br_bitmap *bitmap)
{
    free(bitmap->base);
    free(bitmap->bits);
    free(bitmap->level);
    free(bitmap->row);
}

static size_t bitmap_row_of(const struct br_bitmap *bitmap, uint32_t r, uint32_t level)
{
    return ((size_t)r * BR_BITMAP_LEVELS + level) * bitmap->words;
}

static bool bitmap_grow(struct br_bitmap *bitmap, uint32_t word)
{
    struct br_bitmap larger = {.width = bitmap->width, .words = FIRST_WORDS};
    while (larger.words <= word)
        larger.words *= 2;
    assert(larger.words > bitmap->words);
    size_t rows = (size_t)bitmap->width * BR_BITMAP_LEVELS, width = bitmap->width;
    larger.bits = calloc(rows * larger.words + 1, sizeof *larger.bits);
    larger.level = malloc(64 * width * larger.words + 1);
    if (!larger.bits || !larger.level) {
        free(larger.bits);
        free(larger.level);
        return false;
    }
    memset(larger.level, BR_BITMAP_LEVELS, 64 * width * larger.words);
    for (size_t row = 0; row < rows && bitmap->words; row++)
        memcpy(larger.bits + row * larger.words, bitmap->bits + row * bitmap->words,
               bitmap->words * sizeof *larger.bits);
    if (bitmap->words)
        memcpy(larger.level, bitmap->level, 64 * width * bitmap->words);
    free(bitmap->bits);
    free(bitmap->level);
    bitmap->words = larger.words;
    bitmap->bits = larger.bits;
    bitmap->level = larger.level;
    return true;
}

bool br_bitmap_set(struct br_bitmap *bitmap, uint32_t item, const int64_t *amount)
{
    uint32_t word = item / 64;
    uint64_t bit = UINT64_C(1) << item % 64;
    if (word >= bitmap->words && !bitmap_grow(bitmap, word))
        return false;
    for (uint32_t r = 0; r < bitmap->width; r++) {
        uint8_t *level = &bitmap->level[(size_t)item * bitmap->width + r];
        uint32_t then = bitmap_level_of(bitmap, r, amount[r]);
        assert(*level <= BR_BITMAP_LEVELS && then < BR_BITMAP_LEVELS);
        for (uint32_t l = then; l < *level; l++)
            bitmap->bits[bitmap_row_of(bitmap, r, l) + word] |= bit;
        for (uint32_t l = *level; l < then; l++)
            bitmap->bits[bitmap_row_of(bitmap, r, l) + word] &= ~bit;
        *level = (uint8_t)then;
    }
    return true;
}

void br_bitmap_room(struct br_bitmap *bitmap, const int64_t *room)
{
    assert(bitmap->words || !bitmap->width);
    for (uint32_t r = 0; r < bitmap->width; r++)
        bitmap->row[r] =
            bitmap->bits + bitmap_row_of(bitmap, r, bitmap_level_of(bitmap, r, room[r]));
}

void br_bitmap_words(const struct br_bitmap *bitmap, const uint64_t *of, uint64_t *restrict may,
                     uint32_t words)
{
    assert(words <= bitmap->words);
    if (!bitmap->width) {
        memcpy(may, of, words * sizeof *may);
        return;
    }
    const uint64_t *row = bitmap->row[0];
    for (uint32_t w = 0; w < words; w++)
        may[w] = of[w] & row[w];
    for (uint32_t r = 1; r < bitmap->width; r++) {
        row = bitmap->row[r];
        for (uint32_t w = 0; w < words; w++)
            may[w] &= row[w];
    }
}

void br_bitmap_demand(struct br_bitmap *bitmap, const int64_t *demand)
{
    bitmap->rows = 0;
    for (uint32_t r = 0; r < bitmap->width; r++) {
        uint32_t level = bitmap_level_of(bitmap, r, demand[r]);
        if (level > 0) /* those of a lower level hold it not */
            bitmap->row[bitmap->rows++] = bitmap->bits + bitmap_row_of(bitmap, r, level - 1);
    }
}
