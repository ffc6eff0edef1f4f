/* Logarithm and exponential by range reduction and series; normals by the polar method
 * [Marsaglia64], which needs nothing else. */
#include "base/numbers/real.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ln 2 in two pieces: the high one ends in zero bits, so that small multiples of it are exact. */
#define LN2_HIGH 0x1.62e42fee00000p-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* x = m * 2^e with m within sqrt(1/2) and sqrt(2), and ln m = 2 atanh((m - 1) / (m + 1)). */
double br_real_log(double x)
{
    assert(x > 0 && isfinite(x));
    int e;
    double m = frexp(x, &e); /* exact, as ldexp is */
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    assert(m >= 0x1.6a09e667f3bcdp-1 && m <= 0x1.6a09e667f3bcdp+0);
    double s = (m - 1) / (m + 1), square = s * s, sum = 0;
    for (int k = 23; k >= 1; k -= 2)
        sum = sum * square + 1.0 / k;
    return e * LN2_HIGH + (e * LN2_LOW + 2 * s * sum);
}

/* x = k ln 2 + r with r within half of ln 2 about 0, and the power series of e^r. */
double br_real_exp(double x)
{
    double units = x * 0x1.71547652b82fep+0; /* of ln 2 */
    int k = (int)(units < 0 ? units - 0.5 : units + 0.5);
    double r = (x - k * LN2_HIGH) - k * LN2_LOW, sum = 1;
    assert(fabs(r) < 0.35);
    for (int n = 15; n >= 1; n--)
        sum = 1 + sum * r / n;
    return ldexp(sum, k);
}

/* A point of the square that falls into the unit disc. Its second coordinate would give a second
 * normal; leaving it out keeps the generator the only state. */
double br_real_normal(struct br_rng *rng)
{
    double u, square;
    do {
        u = 2 * br_rng_unit(rng) - 1;
        double v = 2 * br_rng_unit(rng) - 1;
        square = u * u + v * v;
    } while (square >= 1 || square == 0);
    return u * sqrt(-2 * br_real_log(square) / square);
}

double br_real_pow(double x, double p)
{
    return br_real_exp(p * br_real_log(x));
}

double br_real_ten(int n)
{
    assert(n >= 0 && n <= 308);
    double ten = 1;
    for (; n > 0; n--)
        ten *= 10;
    return ten;
}

double br_real_of(struct br_decimal value)
{
    double mantissa = (double)value.mantissa, power = br_real_ten(abs(value.exponent));
    return value.exponent < 0 ? mantissa / power : mantissa * power;
}

bool br_real_read(const char **text, const char *ends, double *number)
{
    char word[64];
    struct br_decimal value;
    size_t length = strcspn(*text, ends);
    if (length >= sizeof word)
        return false;
    memcpy(word, *text, length);
    word[length] = '\0';
    if (br_decimal_parse_nearest(word, &value) != BR_DECIMAL_OK)
        return false;
    *number = br_real_of(value);
    *text += length;
    return true;
}

struct br_decimal br_real_decimal(double x)
{
    struct br_decimal nearest = {0, 0};
    for (int digits = 0; digits <= 18; digits++) {
        double scaled = x * br_real_ten(digits);
        if (!(fabs(scaled) < 1e15) && digits)
            break;
        nearest = br_decimal_unscale((int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5)), digits);
        if (br_real_of(nearest) == x)
            break;
    }
    return nearest;
}
