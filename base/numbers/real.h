/* Functions of real numbers that give equal bits everywhere.
 *
 * The logarithm, the exponential and the power of C libraries differ in the last bit from one
 * another, and a last bit may decide which plan is found. So these functions are computed here by
 * additions, multiplications, divisions and square roots, which IEEE 754 fixes to the bit if
 * nothing is contracted (-ffp-contract=off) and nothing is kept in wider registers. Code that
 * influences a plan never calls the C library's functions.
 */
#ifndef BR_BASE_NUMBERS_REAL_H
#define BR_BASE_NUMBERS_REAL_H

#include "base/numbers/decimal.h"
#include "base/numbers/rng.h"

/* Natural logarithm of x > 0, finite and not subnormal; error at most 4e-16, absolute or relative,
 * whichever is larger. */
double br_real_log(double x);
/* e to the x, for x within -700 and 700; relative error below 1e-15. */
double br_real_exp(double x);
/* Normal, mean 0 and standard deviation 1. */
double br_real_normal(struct br_rng *rng);
/* x to the power of p, for x > 0 as for the logarithm; relative error below 1e-14 if the result is
 * within 1e-10 and 1e10. */
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
/* The number nearest to the decimal if its mantissa has at most 15 digits; else within a relative
 * error of 2e-16. */
double br_real_of(struct br_decimal value);
/* Reads the plain number at the start of *text, up to one of the characters of `ends` or the end of
 * the text, and moves *text there. False, with nothing changed, if it is no number or longer than
 * 63 characters. */
bool br_real_read(const char **text, const char *ends, double *number);
/* The shortest decimal of at most 15 digits from which br_real_of gives x again, if there is one
 * with at most 18 places; else the nearest one of 15. |x| is below 1e15. */
struct br_decimal br_real_decimal(double x);

#endif
