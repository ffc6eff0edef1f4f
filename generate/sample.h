/* Random numbers of the shapes that the models need, bit for bit the same everywhere
 * (base/numbers/real.h). The numbers drawn are then rounded to milliseconds and whole units. */
#ifndef BR_GENERATE_SAMPLE_H
#define BR_GENERATE_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/rng.h"

/* Lognormal: median * e^(sigma * normal). */
double br_sample_lognormal(struct br_rng *rng, double median, double sigma);
/* True with probability p. */
bool br_sample_chance(struct br_rng *rng, double p);
/* The nearest whole number within least..most. */
uint32_t br_sample_round(double x, uint32_t least, uint32_t most);

/* Generators of their own for the aspects of a job, so that one option leaves alone what it does
 * not speak of: the same seed with another spread has the same graph. */
enum br_stream {
    BR_STREAM_SIZE,
    BR_STREAM_GRAPH,
    BR_STREAM_BARRIER,
    BR_STREAM_COUNT,
    BR_STREAM_DURATION,
    BR_STREAM_DEMAND,
    BR_STREAM_SPREAD,
    BR_STREAM_OUTPUT,
    BR_STREAM_LICENCE,
    BR_STREAM_LAG,
    BR_STREAM_STREAM,
    BR_STREAM_RELEASE,
    BR_STREAM_DEADLINE,
    BR_STREAM_WAY,
    BR_STREAM_ROCK,
    BR_STREAM_ROCK_DEMAND,
    BR_STREAM_RANGE,
};
struct br_rng br_sample_stream(uint64_t seed, enum br_stream stream);

#endif
