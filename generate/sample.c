/* Random numbers, on what base/numbers/real.h computes to the bit. */
#include "generate/sample.h"

#include "base/numbers/real.h"

#include <assert.h>

double br_sample_lognormal(struct br_rng *rng, double median, double sigma)
{
    return median * br_real_exp(sigma * br_real_normal(rng));
}

bool br_sample_chance(struct br_rng *rng, double p)
{
    assert(p >= 0 && p <= 1);
    return br_rng_unit(rng) < p;
}

uint32_t br_sample_round(double x, uint32_t least, uint32_t most)
{
    assert(least <= most);
    if (x <= least)
        return least;
    if (x >= most)
        return most;
    return (uint32_t)(x + 0.5);
}

struct br_rng br_sample_stream(uint64_t seed, enum br_stream stream)
{
    struct br_rng master = br_rng_seed(seed);
    for (unsigned k = 0; k < (unsigned)stream; k++)
        br_rng_next(&master);
    return br_rng_seed(br_rng_next(&master));
}
