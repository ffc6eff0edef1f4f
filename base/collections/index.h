/* The hash table of this program: an index from keys to numbers 0, 1, 2, ... of items that hold
 * their keys themselves. It takes 16 to 32 bytes per item, while a table of nodes needs eighty. */
#ifndef BR_BASE_COLLECTIONS_INDEX_H
#define BR_BASE_COLLECTIONS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct br_index_slot {
    uint32_t number; /* + 1; 0 is free */
    uint32_t hash;   /* its lower half: keys are compared only if it matches */
};

struct br_index {
    struct br_index_slot *slot;
    uint32_t slots; /* a power of two, or 0 */
    uint32_t used;
};

/* The calls by which the index reads keys; context is that of the items. */
struct br_index_keys {
    uint64_t (*hash)(const void *context, uint32_t number);
    bool (*equal)(const void *context, uint32_t number, const void *key);
};

/* The number of the item with this key and its hash, or UINT32_MAX. O(1) expected. */
uint32_t br_index_find(const struct br_index *index, const struct br_index_keys *keys,
                       const void *context, const void *key, uint64_t hash);
/* Adds an item whose key is new; false when memory is out. */
bool br_index_add(struct br_index *index, const struct br_index_keys *keys, const void *context,
                  uint32_t number);
/* Removes an item that is there, and still holds its key. O(1) expected. */
void br_index_remove(struct br_index *index, const struct br_index_keys *keys, const void *context,
                     uint32_t number);
void br_index_finish(struct br_index *index);

/* Hashes for keys: of a text, and of a number. */
uint64_t br_hash_text(const char *text);
uint64_t br_hash_number(uint64_t number);
/* A checksum of bytes, added to an earlier one: by words of 8 in this machine's byte order, the
 * last one padded with zeros. O(size). */
uint64_t br_hash_words(uint64_t sum, const void *bytes, uint64_t size);

#endif
