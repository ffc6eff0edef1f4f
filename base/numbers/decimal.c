/* Exact decimals, read and written without the locale and without binary rounding. */
#include "base/numbers/decimal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/wide.h"

static bool decimal_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits beyond the limit are a fault if the value must be exact, else dropped (and remembered). */
enum limit {
    EXACT_18,   /* significant digits */
    NEAREST_18, /* likewise */
    NEAREST_63, /* bits */
};

struct scan {
    int64_t mantissa;
    int64_t exponent;
    const char *rest;
    bool dropped;      /* digits beyond the limit */
    bool dropped_half; /* the first of them was 5 or more */
};

static enum br_decimal_fault scan_number(const char *p, enum limit limit, struct scan *out)
{
    const int64_t most = 99999999999999999; /* one more digit makes 18 */
    bool negative = false, digits = false, point = false;
    int64_t m = 0, e = 0;
    *out = (struct scan){0};
    while (decimal_is_blank(*p))
        p++;
    if (*p == '+' || *p == '-')
        negative = *p++ == '-';
    for (;; p++) {
        if (*p == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(*p))
            break;
        digits = true;
        int digit = *p - '0';
        if (out->dropped || m > (limit == NEAREST_63 ? (INT64_MAX - digit) / 10 : most)) {
            if (digit && limit == EXACT_18) /* a zero only moves the exponent */
                return BR_DECIMAL_RANGE;
            if (!out->dropped)
                out->dropped_half = digit >= 5;
            out->dropped = true;
            e += !point;
        } else {
            m = m * 10 + digit;
            e -= point;
        }
    }
    if (!digits)
        return BR_DECIMAL_FORM;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        bool minus = false;
        if (*q == '+' || *q == '-')
            minus = *q++ == '-';
        if (is_digit(*q)) {
            int64_t x = 0;
            for (; is_digit(*q); q++)
                if (x < 100000)
                    x = x * 10 + (*q - '0');
            e += minus ? -x : x;
            p = q;
        }
    }
    out->mantissa = negative ? -m : m;
    out->exponent = e;
    out->rest = p;
    return BR_DECIMAL_OK;
}

static enum br_decimal_fault decimal_normalise(int64_t m, int64_t e, struct br_decimal *value)
{
    if (m == 0) {
        *value = (struct br_decimal){0, 0};
        return BR_DECIMAL_OK;
    }
    while (m % 10 == 0) {
        m /= 10;
        e++;
    }
    if (e < -18 || e > 18)
        return BR_DECIMAL_RANGE;
    *value = (struct br_decimal){m, (int32_t)e};
    return BR_DECIMAL_OK;
}

static bool only_blanks(const char *p)
{
    while (decimal_is_blank(*p))
        p++;
    return *p == 0;
}

enum br_decimal_fault br_decimal_parse(const char *text, struct br_decimal *value)
{
    struct scan s;
    enum br_decimal_fault fault = scan_number(text, EXACT_18, &s);
    if (fault)
        return fault;
    if (!only_blanks(s.rest))
        return BR_DECIMAL_FORM;
    return decimal_normalise(s.mantissa, s.exponent, value);
}

enum br_decimal_fault br_decimal_parse_suffixed(const char *text, struct br_decimal *value)
{
    static const struct {
        const char *name;
        int64_t factor;
    } suffixes[] = {
        {"KiB", INT64_C(1) << 10},
        {"MiB", INT64_C(1) << 20},
        {"GiB", INT64_C(1) << 30},
        {"TiB", INT64_C(1) << 40},
        {"PiB", INT64_C(1) << 50},
        {"B", 1},
        {"kB", 1000},
        {"KB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"TB", 1000000000000},
        {"k", 1000},
        {"M", 1000000},
        {"G", 1000000000},
        {"T", 1000000000000},
    };
    struct scan s;
    enum br_decimal_fault fault = scan_number(text, EXACT_18, &s);
    if (fault)
        return fault;
    while (decimal_is_blank(*s.rest))
        s.rest++;
    int64_t factor = 1;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        size_t n = strlen(suffixes[i].name);
        if (strncmp(s.rest, suffixes[i].name, n) == 0 && only_blanks(s.rest + n)) {
            factor = suffixes[i].factor;
            s.rest += n;
            break;
        }
    }
    if (!only_blanks(s.rest))
        return BR_DECIMAL_FORM;
    while (s.mantissa && s.mantissa % 10 == 0) {
        s.mantissa /= 10;
        s.exponent++;
    }
    if (__builtin_mul_overflow(s.mantissa, factor, &s.mantissa))
        return BR_DECIMAL_RANGE;
    return decimal_normalise(s.mantissa, s.exponent, value);
}

enum br_decimal_fault br_decimal_parse_nearest(const char *text, struct br_decimal *value)
{
    struct scan s;
    enum br_decimal_fault fault = scan_number(text, NEAREST_18, &s);
    if (fault)
        return fault;
    if (!only_blanks(s.rest))
        return BR_DECIMAL_FORM;
    if (s.dropped_half)
        s.mantissa += s.mantissa < 0 ? -1 : 1;
    int64_t last = 0; /* digit that was rounded away last */
    for (; s.mantissa && s.exponent < -18; s.exponent++) {
        last = s.mantissa % 10;
        s.mantissa /= 10;
    }
    if (s.exponent == -18)
        s.mantissa += last >= 5 ? 1 : last <= -5 ? -1 : 0;
    return decimal_normalise(s.mantissa, s.exponent, value);
}

bool br_decimal_quotient_ns(struct br_decimal amount, struct br_decimal rate, int64_t *ns)
{
    if (amount.mantissa < 0 || rate.mantissa <= 0)
        return false;
    br_uwide over = (br_uwide)amount.mantissa;
    br_uwide under = (br_uwide)rate.mantissa;
    const br_uwide most = ~(br_uwide)0 / 10;
    int64_t e = (int64_t)amount.exponent - rate.exponent + 9;
    for (; e > 0 && over; e--) {
        if (over > most)
            return false;
        over *= 10;
    }
    for (; e < 0 && over; e++) {
        if (under > most) { /* far below 1e-9, and rounded up */
            *ns = 1;
            return true;
        }
        under *= 10;
    }
    br_uwide quotient = over / under + (over % under != 0);
    if (quotient > INT64_MAX)
        return false;
    *ns = (int64_t)quotient;
    return true;
}

/* A mantissa is below 10^19, so beyond that many powers of ten the larger exponent decides. */
int br_decimal_compare(struct br_decimal a, struct br_decimal b)
{
    br_wide x = a.mantissa, y = b.mantissa;
    int64_t e = (int64_t)a.exponent - b.exponent;
    for (int k = 0; k < 19 && e != 0; k++, e -= e > 0 ? 1 : -1)
        *(e > 0 ? &x : &y) *= 10;
    return x < y ? -1 : x > y;
}

int br_decimal_format(struct br_decimal value, char *text, size_t size)
{
    const char *sign = value.mantissa < 0 ? "-" : "";
    uint64_t m = value.mantissa < 0 ? -(uint64_t)value.mantissa : (uint64_t)value.mantissa;
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", (unsigned long long)m);
    if (value.exponent >= 0)
        return snprintf(text, size, "%s%s%.*s", sign, digits, m ? (int)value.exponent : 0,
                        "000000000000000000");
    int shift = -value.exponent;
    if (n > shift)
        return snprintf(text, size, "%s%.*s.%s", sign, n - shift, digits, digits + n - shift);
    return snprintf(text, size, "%s0.%.*s%s", sign, shift - n, "000000000000000000", digits);
}

bool br_decimal_scale(struct br_decimal value, int32_t digits, int64_t *scaled)
{
    int64_t e = (int64_t)value.exponent + digits;
    int64_t m = value.mantissa;
    for (; e > 0 && m != 0; e--)
        if (__builtin_mul_overflow(m, 10, &m))
            return false;
    for (; e < 0 && m != 0; e++) {
        if (m % 10 != 0)
            return false;
        m /= 10;
    }
    *scaled = m;
    return true;
}

int64_t br_decimal_ceil(struct br_decimal value)
{
    int64_t whole;
    if (value.exponent >= 0)
        return br_decimal_scale(value, 0, &whole) ? whole : INT64_MAX;
    /* Rounding up digit by digit equals rounding up once. */
    for (; value.exponent < 0 && value.mantissa > 1; value.exponent++)
        value.mantissa = value.mantissa / 10 + (value.mantissa % 10 != 0);
    return value.mantissa;
}

struct br_decimal br_decimal_unscale(int64_t scaled, int32_t digits)
{
    struct br_decimal value = {scaled, -digits};
    while (value.mantissa != 0 && value.mantissa % 10 == 0) {
        value.mantissa /= 10;
        value.exponent++;
    }
    return scaled ? value : (struct br_decimal){0};
}

enum br_decimal_fault br_seconds_parse(const char *text, int64_t *ns)
{
    struct scan s;
    enum br_decimal_fault fault = scan_number(text, NEAREST_63, &s);
    if (fault)
        return fault;
    if (!only_blanks(s.rest))
        return BR_DECIMAL_FORM;
    int64_t m = s.mantissa, e = s.exponent + 9;
    int round = s.dropped_half ? 5 : 0; /* the digit after the last one kept */
    if (s.dropped && e > 0) /* it would have fitted without the dropped digit, but is too large */
        return BR_DECIMAL_RANGE;
    for (; e > 0 && m != 0; e--) {
        if (__builtin_mul_overflow(m, 10, &m))
            return BR_DECIMAL_RANGE;
        round = 0;
    }
    for (; e < 0 && m != 0; e++) {
        round = (int)(m % 10 < 0 ? -(m % 10) : m % 10);
        m /= 10;
    }
    if (e < 0) /* more places to drop than there were digits */
        round = 0;
    if (round >= 5 && __builtin_add_overflow(m, s.mantissa < 0 ? -1 : 1, &m))
        return BR_DECIMAL_RANGE;
    *ns = m;
    return BR_DECIMAL_OK;
}

/* Writes the digits so that they end before `end`; returns their start. */
static char *put_digits(char *end, uint64_t value)
{
    do
        *--end = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    return end;
}

int br_count_format(uint64_t count, char text[BR_COUNT_TEXT])
{
    char digits[BR_COUNT_TEXT], *end = digits + sizeof digits, *begin = put_digits(end, count);
    assert(begin > digits);
    memcpy(text, begin, (size_t)(end - begin));
    text[end - begin] = '\0';
    return (int)(end - begin);
}

/* Plans contain many times, so this avoids printf. */
int br_seconds_format(int64_t ns, char text[BR_SECONDS_TEXT])
{
    uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    uint32_t fraction = (uint32_t)(v % 1000000000u);
    char *at = text;
    if (ns < 0)
        *at++ = '-';
    at += br_count_format(v / 1000000000u, at);
    if (fraction > 0) {
        char *first = at + 1, *last = at + 9;
        *at = '.';
        for (char *digit = last; digit >= first; digit--, fraction /= 10)
            *digit = (char)('0' + fraction % 10);
        assert(fraction == 0);
        while (*last == '0')
            last--;
        assert(last >= first);
        at = last + 1;
        *at = '\0';
        assert(at - text < BR_SECONDS_TEXT);
    }
    return (int)(at - text);
}
