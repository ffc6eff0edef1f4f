#include "runtime/predict/values.h"

#include <stdlib.h>

#include "base/collections/grow.h"

static uint64_t values_hash(const void *context, uint32_t number)
{
    return ((const struct br_values *)context)->key[number];
}

static bool equal(const void *context, uint32_t number, const void *key)
{
    return ((const struct br_values *)context)->key[number] == *(const uint64_t *)key;
}

static const struct br_index_keys keys = {values_hash, equal};

uint32_t br_values_find(const struct br_values *values, uint64_t key)
{
    return br_index_find(&values->index, &keys, values, &key, key);
}

uint32_t br_values_add(struct br_values *values, uint64_t key, bool *fresh)
{
    uint32_t number = br_values_find(values, key);
    *fresh = number == BR_NO_VALUE;
    if (!*fresh)
        return number;
    if (!br_grow(&values->key, values->count, &values->room, sizeof *values->key))
        return BR_NO_VALUE;
    values->key[values->count] = key;
    if (!br_index_add(&values->index, &keys, values, values->count))
        return BR_NO_VALUE;
    return values->count++;
}

void br_values_finish(struct br_values *values)
{
    br_index_finish(&values->index);
    free(values->key);
    *values = (struct br_values){0};
}
