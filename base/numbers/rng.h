/* The only random source: seeded, passed in, equal on every machine. [Steele14] splitmix64. */
#ifndef BR_BASE_NUMBERS_RNG_H
#define BR_BASE_NUMBERS_RNG_H

#include <stdint.h>

#include "base/numbers/wide.h"

struct br_rng {
    uint64_t state;
};

static inline struct br_rng br_rng_seed(uint64_t seed)
{
    return (struct br_rng){seed};
}

static inline uint64_t br_rng_next(struct br_rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in 0..n-1, n >= 1; the bias of the multiply is below 2^-32 for n below 2^32. */
static inline uint64_t br_rng_below(struct br_rng *rng, uint64_t n)
{
    return (uint64_t)(((br_uwide)br_rng_next(rng) * n) >> 64);
}

/* Uniform in [0, 1). */
static inline double br_rng_unit(struct br_rng *rng)
{
    return (double)(br_rng_next(rng) >> 11) * 0x1p-53;
}

#endif
