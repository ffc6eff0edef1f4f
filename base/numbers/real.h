/* Functions of real numbers that are the same everywhere, bit for bit.
 *
 * The logarithm, the exponential and the power of C libraries differ in the last bit from one
 * another, and a last bit may decide which plan is found. What is needed of them is computed here
 * by additions, multiplications, divisions and square roots, which IEEE 754 fixes to the bit where
 * nothing is contracted (-ffp-contract=off) and nothing is kept in wider registers. Nothing that
 * influences a plan calls the C library's.
 */
#ifndef BR_BASE_NUMBERS_REAL_H
#define BR_BASE_NUMBERS_REAL_H

#include "base/numbers/decimal.h"
#include "base/numbers/rng.h"

/* Natural logarithm of x > 0, finite and not subnormal; within 4e-16 of it, absolutely or by ratio,
 * whichever is larger. */
double br_real_log(double x);
/* e to the x, for x within -700 and 700; relative error below 1e-15. */
double br_real_exp(double x);
/* Normal, mean 0 and standard deviation 1. */
double br_real_normal(struct br_rng *rng);
/* x to the power of p, for x > 0 as for the logarithm; relative error below 1e-14 where the result
 * is within 1e-10 and 1e10. */
double br_real_pow(double x, double p);
/* The nearest whole number, halves away from 0; for x within -2^62 and 2^62. */
static inline int64_t br_real_whole(double x)
{
    int64_t whole = (int64_t)x;
    double rest = x - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}
/* 10 to the n, for n within 0 and 22: exact. */
double br_real_ten(int n);
/* The number that is nearest to the decimal, where its mantissa has 15 digits at most; else within
 * 2e-16 of it, by ratio. */
double br_real_of(struct br_decimal value);
/* Reads the plain number at the start of *text, which goes on to one of the characters of `ends` or
 * to the end of the text, and moves *text there. False, and nothing is changed, where it is none or
 * has more than 63 characters. */
bool br_real_read(const char **text, const char *ends, double *number);
/* The shortest decimal of at most 15 digits from which br_real_of gives x again, where there is one
 * with at most 18 places; else the nearest one of 15. |x| is below 1e15. */
struct br_decimal br_real_decimal(double x);

#endif
