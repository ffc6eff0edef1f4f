#include "runtime/predict/mixture.h"

#include <assert.h>
#include <math.h>

#include "base/numbers/real.h"
#include "runtime/predict/quick.h"

/* 1 / sqrt(2 pi) */
#define DENSITY_AT_0 0.39894228040143268

/* Below z >= 0 lies 1/2 + density * (z + z^3/3 + z^5/15 + z^7/105 ...). [Marsaglia04] */
void br_normal_init(struct br_normal *normal)
{
    for (int k = 0; k <= BR_NORMAL_STEPS; k++) {
        double z = (double)k / BR_NORMAL_PER_UNIT, term = z, sum = z;
        for (int odd = 3; term > 1e-18 * sum; odd += 2)
            sum += term *= z * z / odd;
        normal->density[k] = DENSITY_AT_0 * br_real_exp(-z * z / 2);
        normal->below[k] = 0.5 + normal->density[k] * sum;
    }
}

static inline double normal_below(const struct br_normal *normal, double z, double *density)
{
    double place = fabs(z) * BR_NORMAL_PER_UNIT;
    if (!(place < BR_NORMAL_STEPS)) {
        *density = 0;
        return z > 0;
    }
    int k = (int)place;
    assert(k >= 0 && k < BR_NORMAL_STEPS);
    double t = place - k, rest = 1 - t;
    double a = normal->density[k], b = normal->density[k + 1];
    double rise = (normal->below[k + 1] - normal->below[k]);
    double step = 1.0 / BR_NORMAL_PER_UNIT;
    double below =
        normal->below[k] + rise * t * t * (3 - 2 * t) + step * t * rest * (a * rest - b * t);
    *density = a * rest + b * t;
    assert(below > 0.5 - 1e-6 && below < 1 + 1e-6);
    return z < 0 ? 1 - below : below;
}

double br_normal_below(const struct br_normal *normal, double z, double *density)
{
    double ignored;
    return normal_below(normal, z, density ? density : &ignored);
}

static double mixture_below(const struct br_mixture *mixture, const struct br_normal *normal,
                            double x, double *density)
{
    double sum = 0;
    *density = 0;
    for (uint32_t k = 0; k < mixture->parts; k++) {
        const struct br_mixture_part *part = &mixture->part[k];
        double there;
        sum += part->weight * normal_below(normal, (x - part->mean) * part->narrow, &there);
        *density += part->weight * part->narrow * there;
    }
    *density /= mixture->weight;
    return sum / mixture->weight;
}

/* The place of a share in a normal distribution, within 0.005: only a start.
 * [Abramowitz64, 26.2.22] */
static double mixture_place_of(double share)
{
    double tail = share < 0.5 ? share : 1 - share;
    double t = sqrt(-2 * br_quick_log(tail));
    double z = t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t));
    return share < 0.5 ? -z : z;
}

/* Newton's steps between two places known to be below and above; a step that leaves them is
 * replaced by halving. */
double br_mixture_quantile(const struct br_mixture *mixture, const struct br_normal *normal,
                           double share)
{
    double low = INFINITY, high = -INFINITY, mean = 0, square = 0;
    assert(mixture->parts > 0 && mixture->weight > 0 && share > 0 && share < 1);
    for (uint32_t k = 0; k < mixture->parts; k++) {
        const struct br_mixture_part *part = &mixture->part[k];
        low = fmin(low, part->mean - 8 * part->deviation);
        high = fmax(high, part->mean + 8 * part->deviation);
        mean += part->weight * part->mean;
        square += part->weight * (part->mean * part->mean + part->deviation * part->deviation);
    }
    mean /= mixture->weight;
    double x =
        mean + mixture_place_of(share) * sqrt(fmax(square / mixture->weight - mean * mean, 0));
    x = fmax(low, fmin(high, x));
    for (int tries = 0; tries < 80 && high - low > 1e-9; tries++) {
        double density, error = mixture_below(mixture, normal, x, &density) - share;
        if (error < 0)
            low = x;
        else
            high = x;
        double next = density > 0 ? x - error / density : high + 1;
        if (fabs(next - x) < 1e-10)
            break;
        x = next > low && next < high ? next : (low + high) / 2;
    }
    assert(x >= low && x <= high);
    return x;
}
