/* Exact decimals: amounts of resources as written in files, and seconds as nanoseconds. */
#ifndef BR_BASE_NUMBERS_DECIMAL_H
#define BR_BASE_NUMBERS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* mantissa * 10^exponent, with no trailing zero in the mantissa (zero is 0 * 10^0), so that equal
 * values are equal structs. */
struct br_decimal {
    int64_t mantissa;
    int32_t exponent;
};

enum br_decimal_fault {
    BR_DECIMAL_OK = 0,
    BR_DECIMAL_FORM,  /* not a number (also NaN and infinity) */
    BR_DECIMAL_RANGE, /* too large, or too many digits to be kept exactly */
};

/* Parses "12", "-0.5", "1.5e3", with leading and trailing blanks allowed and nothing else.
 * Up to 18 significant digits. */
enum br_decimal_fault br_decimal_parse(const char *text, struct br_decimal *value);
/* Parses with an optional suffix, the one grammar of amounts: KiB, MiB, GiB, TiB, PiB (powers of
 * 1024), kB (or KB), MB, GB, TB, k, M, G, T (powers of 1000), and B. */
enum br_decimal_fault br_decimal_parse_suffixed(const char *text, struct br_decimal *value);
/* Parses without a suffix a value that need not be exact: digits beyond the 18th are rounded away,
 * and values below 1e-18 are 0. */
enum br_decimal_fault br_decimal_parse_nearest(const char *text, struct br_decimal *value);
/* amount / rate in units of 1e-9, rounded up; false if the rate is not positive, the amount
 * negative, or the quotient does not fit. Seconds in nanoseconds, for bytes and bytes a second. */
bool br_decimal_quotient_ns(struct br_decimal amount, struct br_decimal rate, int64_t *ns);
/* Below 0, 0 or above 0 if a is less than b, equal or greater; exact. */
int br_decimal_compare(struct br_decimal a, struct br_decimal b);
/* Writes the shortest plain decimal ("2", "0.59", "1500"). Returns like snprintf. A buffer of
 * BR_DECIMAL_TEXT bytes is enough for exponents within -18 and 18. */
enum { BR_DECIMAL_TEXT = 48 };
int br_decimal_format(struct br_decimal value, char *text, size_t size);
/* value * 10^digits as an integer; false if that is not an integer or does not fit 63 bits. */
bool br_decimal_scale(struct br_decimal value, int32_t digits, int64_t *scaled);
/* The least whole number that is not less than the value >= 0; INT64_MAX if that is too large. */
int64_t br_decimal_ceil(struct br_decimal value);
/* scaled / 10^digits. */
struct br_decimal br_decimal_unscale(int64_t scaled, int32_t digits);

/* Seconds as text ("12.5", "1e-3") to nanoseconds, rounded to the nearest. Negative times parse;
 * the caller refuses them if they make no sense. */
enum br_decimal_fault br_seconds_parse(const char *text, int64_t *ns);
/* Nanoseconds as decimal seconds without loss: "12.5", "0.000000001", "3". Its length. */
enum { BR_SECONDS_TEXT = 32 };
int br_seconds_format(int64_t ns, char text[BR_SECONDS_TEXT]);
/* That text by value, for messages. */
struct br_seconds {
    char text[BR_SECONDS_TEXT];
};
static inline struct br_seconds br_seconds(int64_t ns)
{
    struct br_seconds seconds = {""};
    br_seconds_format(ns, seconds.text);
    return seconds;
}
/* A count in decimal digits. Its length. */
enum { BR_COUNT_TEXT = 21 };
int br_count_format(uint64_t count, char text[BR_COUNT_TEXT]);

#endif
