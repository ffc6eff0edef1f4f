/* Open addressing with linear probing, at most half full. */
#include "base/collections/index.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

uint64_t br_hash_number(uint64_t number)
{
    uint64_t z = number + UINT64_C(0x9e3779b97f4a7c15); /* [Steele14] the mixer of splitmix64 */
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t br_hash_text(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a, then mixed */
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return br_hash_number(hash);
}

uint64_t br_hash_words(uint64_t sum, const void *bytes, uint64_t size)
{
    const char *at = bytes;
    for (uint64_t k = 0; k < size; k += 8) {
        uint64_t word = 0;
        memcpy(&word, at + k, size - k < 8 ? (size_t)(size - k) : 8);
        sum = br_hash_number(sum ^ word);
    }
    return sum;
}

uint32_t br_index_find(const struct br_index *index, const struct br_index_keys *keys,
                       const void *context, const void *key, uint64_t hash)
{
    if (index->slots == 0)
        return UINT32_MAX;
    uint32_t mask = index->slots - 1;
    assert((index->slots & mask) == 0 && index->used <= index->slots / 2);
    for (uint32_t at = (uint32_t)hash & mask; index->slot[at].number; at = (at + 1) & mask)
        if (index->slot[at].hash == (uint32_t)hash &&
            keys->equal(context, index->slot[at].number - 1, key))
            return index->slot[at].number - 1;
    return UINT32_MAX;
}

static void index_put(struct br_index *index, struct br_index_slot slot)
{
    uint32_t mask = index->slots - 1, at = slot.hash & mask;
    while (index->slot[at].number)
        at = (at + 1) & mask;
    index->slot[at] = slot;
}

static bool index_grow(struct br_index *index)
{
    if (index->slots > UINT32_MAX / 4)
        return false;
    struct br_index larger = {.slots = index->slots ? index->slots * 2 : 32, .used = index->used};
    larger.slot = br_calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot)
        return false;
    for (uint32_t at = 0; at < index->slots; at++)
        if (index->slot[at].number)
            index_put(&larger, index->slot[at]);
    assert(larger.used <= larger.slots / 4);
    br_free(index->slot);
    *index = larger;
    return true;
}

bool br_index_add(struct br_index *index, const struct br_index_keys *keys, const void *context,
                  uint32_t number)
{
    if (index->used >= index->slots / 2 && !index_grow(index))
        return false;
    assert(index->used < index->slots / 2);
    index_put(index, (struct br_index_slot){number + 1, (uint32_t)keys->hash(context, number)});
    index->used++;
    return true;
}

/* The following entries without a gap move up if their probing passes the gap, so no tombstone is
 * needed. */
void br_index_remove(struct br_index *index, const struct br_index_keys *keys, const void *context,
                     uint32_t number)
{
    uint32_t mask = index->slots - 1, gap = (uint32_t)keys->hash(context, number) & mask;
    assert(index->used > 0);
    while (index->slot[gap].number != number + 1) {
        assert(index->slot[gap].number);
        gap = (gap + 1) & mask;
    }
    for (uint32_t at = (gap + 1) & mask; index->slot[at].number; at = (at + 1) & mask) {
        uint32_t home = index->slot[at].hash & mask;
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        index->slot[gap] = index->slot[at];
        gap = at;
    }
    index->slot[gap] = (struct br_index_slot){0, 0};
    index->used--;
}

void br_index_finish(struct br_index *index)
{
    br_free(index->slot);
    *index = (struct br_index){NULL, 0, 0};
}
