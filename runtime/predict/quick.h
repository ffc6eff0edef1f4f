/* Logarithm and exponential as in base/numbers/real.h, three times as fast and to 13 digits: they
 * only decide predictions, of which there are many. Additions, multiplications and one division, so
 * the same everywhere. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_QUICK_H
#define BR_RUNTIME_PREDICT_QUICK_H

#include <math.h>
#include <stdint.h>
#include <string.h>

/* e to the x, for x within -700 and 700. */
static inline double br_quick_exp(double x)
{
    double units = x * 0x1.71547652b82fep+0; /* of ln 2 */
    int64_t k = (int64_t)(units < 0 ? units - 0.5 : units + 0.5);
    double r = (x - (double)k * 0x1.62e42fee00000p-1) - (double)k * 0x1.a39ef35793c76p-33;
    double square = r * r, power;
    double even =
        1 +
        square * (1.0 / 2 +
                  square * (1.0 / 24 + square * (1.0 / 720 + square * (1.0 / 40320 +
                                                                       square * (1.0 / 3628800)))));
    double odd =
        1 + square * (1.0 / 6 +
                      square * (1.0 / 120 +
                                square * (1.0 / 5040 +
                                          square * (1.0 / 362880 + square * (1.0 / 39916800)))));
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return (even + r * odd) * power;
}

/* Natural logarithm of x > 0, finite and not subnormal. */
static inline double br_quick_log(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t e = (int64_t)(bits >> 52) - 1022;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(1022) << 52;
    double m;
    memcpy(&m, &bits, sizeof m); /* within 1/2 and 1 */
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        e--;
    }
    double s = (m - 1) / (m + 1), square = s * s, fourth = square * square;
    double a = 1.0 / 3 + fourth * (1.0 / 7 + fourth * (1.0 / 11 + fourth * (1.0 / 15)));
    double b = 1.0 / 5 + fourth * (1.0 / 9 + fourth * (1.0 / 13 + fourth * (1.0 / 17)));
    double sum = 1 + square * (a + square * b);
    return (double)e * 0x1.62e42fefa39efp-1 + 2 * s * sum;
}

#endif
