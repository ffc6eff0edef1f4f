/* Mixtures of log-normal distributions, and their quantiles. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_MIXTURE_H
#define BR_RUNTIME_PREDICT_MIXTURE_H

#include <stdint.h>

/* The normal distribution from 0 to 8, tabulated: cubics with the right slopes between its places,
 * within 1e-8. Without it a quantile would cost some hundred exponentials. */
enum { BR_NORMAL_STEPS = 256, BR_NORMAL_PER_UNIT = 32 };
struct br_normal {
    double below[BR_NORMAL_STEPS + 1], density[BR_NORMAL_STEPS + 1];
};
void br_normal_init(struct br_normal *normal);
/* The probability below z, and the density there (may be NULL). */
double br_normal_below(const struct br_normal *normal, double z, double *density);

/* One part: its weight, and mean and deviation (> 0) of the logarithm; narrow is 1 / deviation. */
struct br_mixture_part {
    double weight, mean, deviation, narrow;
};
enum { BR_MIXTURE_MOST = 1024 };
struct br_mixture {
    uint32_t parts;
    struct br_mixture_part part[BR_MIXTURE_MOST];
    double weight; /* of all; > 0 */
};

/* The logarithm of the value below which this share (0 < share < 1) of the mixture lies, within
 * 1e-9. O(parts x 10). */
double br_mixture_quantile(const struct br_mixture *mixture, const struct br_normal *normal,
                           double share);

#endif
