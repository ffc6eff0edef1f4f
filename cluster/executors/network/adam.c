#include "cluster/executors/network/adam.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* As printed. */
#define DECAY_MEAN 0.9
#define DECAY_SQUARE 0.999
#define TINY 1e-8

bool br_adam_init(struct br_adam *adam, uint32_t parameters, double rate)
{
    *adam = (struct br_adam){.rate = rate, .parameters = parameters};
    adam->mean = calloc(parameters, sizeof *adam->mean);
    adam->square = calloc(parameters, sizeof *adam->square);
    return adam->mean && adam->square;
}

void br_adam_finish(struct br_adam *adam)
{
    free(adam->mean);
    free(adam->square);
    *adam = (struct br_adam){0};
}

/* By squaring, so that it is exact in its steps and costs little. */
static double power(double x, uint64_t n)
{
    double result = 1;
    while (n) {
        result = n % 2 ? result * x : result;
        x *= x;
        n /= 2;
    }
    return result;
}

bool br_adam_step(struct br_adam *adam, const double *gradient, double longest,
                  br_weight *parameter)
{
    double length = 0;
    for (uint32_t k = 0; k < adam->parameters; k++)
        length += gradient[k] * gradient[k];
    length = sqrt(length);
    if (!isfinite(length))
        return false;
    double shorten = longest > 0 && length > longest ? longest / length : 1;
    adam->steps++;
    double mean_share = 1 - power(DECAY_MEAN, adam->steps);
    double square_share = 1 - power(DECAY_SQUARE, adam->steps);
    assert(mean_share > 0 && square_share > 0);
    for (uint32_t k = 0; k < adam->parameters; k++) {
        double g = gradient[k] * shorten;
        adam->mean[k] = DECAY_MEAN * adam->mean[k] + (1 - DECAY_MEAN) * g;
        adam->square[k] = DECAY_SQUARE * adam->square[k] + (1 - DECAY_SQUARE) * g * g;
        double step = adam->rate * (adam->mean[k] / mean_share) /
                      (sqrt(adam->square[k] / square_share) + TINY);
        parameter[k] = (br_weight)((double)parameter[k] - step);
    }
    return true;
}
