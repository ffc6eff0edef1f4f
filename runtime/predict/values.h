/* Numbers 0, 1, 2, ... for the values of features seen at stages: a predictor keeps the data on
 * each in an array of its own. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_VALUES_H
#define BR_RUNTIME_PREDICT_VALUES_H

#include "base/collections/index.h"
#include "runtime/predict/predictor.h"

struct br_values {
    struct br_index index;
    uint64_t *key;
    uint32_t count, room;
};
#define BR_NO_VALUE UINT32_MAX

/* The key of this value of a feature at a stage; if `feature` is the number of features, the key
 * common to all jobs. */
static inline uint64_t br_value_key(uint32_t feature, uint64_t value, uint64_t stage)
{
    return br_hash_number(br_hash_number(value + feature) ^ stage);
}
/* The number of the key, or BR_NO_VALUE. O(1) expected. */
uint32_t br_values_find(const struct br_values *values, uint64_t key);
/* The number of the key, which is values->count - 1 if it is new (*fresh); BR_NO_VALUE when memory
 * is out. */
uint32_t br_values_add(struct br_values *values, uint64_t key, bool *fresh);
void br_values_finish(struct br_values *values);

#endif
