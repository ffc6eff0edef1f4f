/* Numbers in files, read strictly: a text that is not wholly a number is refused, never cut short.
 */
#include "parsers/text/value.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void br_value_place(struct br_diag *diag, struct br_pos pos)
{
    if (!diag)
        return;
    diag->line = pos.line;
    diag->column = pos.column;
}

enum br_status br_value_count(const char *text, const char *name, const char *owner,
                              uint32_t *value, struct br_diag *diag)
{
    uint64_t count = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (count <= UINT32_MAX)
            count = count * 10 + (uint64_t)(*p - '0');
    if (p == text || *p)
        return br_fail(diag, BR_BAD_INPUT, "write digits only, such as 12",
                       "%s '%.80s' of %s is not a whole number of 0 or more", name, text, owner);
    if (count > UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, "write a smaller number",
                       "%s '%.80s' of %s is too large", name, text, owner);
    *value = (uint32_t)count;
    return BR_OK;
}

enum br_status br_value_seconds(const char *text, const char *name, const char *owner, int64_t *ns,
                                struct br_diag *diag)
{
    switch (br_seconds_parse(text, ns)) {
    case BR_DECIMAL_FORM:
        return br_fail(diag, BR_BAD_INPUT, "write seconds such as 12.5",
                       "%s '%.80s' of %s is not a number", name, text, owner);
    case BR_DECIMAL_RANGE:
        return br_fail(diag, BR_BAD_INPUT, "durations go up to 292 years",
                       "%s '%.80s' of %s is too large", name, text, owner);
    case BR_DECIMAL_OK:
        break;
    }
    if (*ns < 0)
        return br_fail(diag, BR_BAD_INPUT, "durations are 0 or more",
                       "%s '%.80s' of %s is negative", name, text, owner);
    return BR_OK;
}

enum br_status br_value_choice(const char *text, const char *name, const char *owner,
                               const char *first, const char *second, bool *is_first,
                               struct br_diag *diag)
{
    char hint[120];
    *is_first = strcmp(text, first) == 0;
    if (*is_first || strcmp(text, second) == 0)
        return BR_OK;
    snprintf(hint, sizeof hint, "write %.20s=\"%.20s\" or %.20s=\"%.20s\"", name, first, name,
             second);
    return br_fail(diag, BR_BAD_INPUT, hint, "%s '%.80s' of %s is neither %s nor %s", name, text,
                   owner, first, second);
}

enum br_status br_value_amount(const char *text, const char *name, const char *owner,
                               char plain[BR_DECIMAL_TEXT], struct br_diag *diag)
{
    struct br_decimal value;
    switch (br_decimal_parse_suffixed(text, &value)) {
    case BR_DECIMAL_FORM:
        return br_fail(diag, BR_BAD_INPUT,
                       "write a number such as 2 or 0.5, or with a suffix, such as 4GiB or 20k",
                       "%s '%.80s' of %s is not a number", name, text, owner);
    case BR_DECIMAL_RANGE:
        return br_fail(diag, BR_BAD_INPUT, "choose a unit that keeps amounts within 18 digits",
                       "%s '%.80s' of %s has too many digits", name, text, owner);
    case BR_DECIMAL_OK:
        break;
    }
    if (value.mantissa < 0)
        return br_fail(diag, BR_BAD_INPUT, "amounts are 0 or more", "%s '%.80s' of %s is negative",
                       name, text, owner);
    br_decimal_format(value, plain, BR_DECIMAL_TEXT);
    return BR_OK;
}

/* The decimal as a whole number; false if it is not whole, or too large. */
static bool value_whole(struct br_decimal value, int64_t *number)
{
    return value.mantissa == 0 ? (*number = 0, true) : br_decimal_scale(value, 0, number);
}

enum br_status br_value_bytes(const char *text, const char *owner, int64_t *bytes,
                              struct br_diag *diag)
{
    char plain[BR_DECIMAL_TEXT];
    struct br_decimal value;
    enum br_status status = br_value_amount(text, "bytes", owner, plain, diag);
    if (status)
        return status;
    if (br_decimal_parse_suffixed(text, &value) != BR_DECIMAL_OK || !value_whole(value, bytes))
        return br_fail(diag, BR_BAD_INPUT, "write a whole number of bytes, such as 1048576 or 1MiB",
                       "bytes '%.80s' of %s is not a whole number, or too large", text, owner);
    return BR_OK;
}

/* Splits "10Gbit" into the number and the power of ten of its unit; false if the unit is not one of
 * bits. */
static bool split_bits(const char *text, char number[BR_DECIMAL_TEXT], int32_t *digits)
{
    static const char letters[] = "kMGT";
    const char *bit = strstr(text, "bit");
    if (!bit || bit == text || bit[3] || bit - text >= BR_DECIMAL_TEXT)
        return false;
    const char *letter = strchr(letters, bit[-1]);
    *digits = letter ? 3 * ((int32_t)(letter - letters) + 1) : 0;
    size_t length = (size_t)(bit - text) - (letter ? 1 : 0);
    assert(length < BR_DECIMAL_TEXT);
    memcpy(number, text, length);
    number[length] = 0;
    return true;
}

enum br_status br_value_rate(const char *text, const char *name, const char *owner, int64_t *rate,
                             struct br_diag *diag)
{
    char number[BR_DECIMAL_TEXT];
    struct br_decimal value;
    int32_t digits;
    bool is_rate;
    if (split_bits(text, number, &digits)) {
        is_rate = br_decimal_parse(number, &value) == BR_DECIMAL_OK && value.mantissa > 0 &&
                  br_decimal_scale(value, digits, rate) && *rate % 8 == 0;
        *rate = is_rate ? *rate / 8 : 0;
    } else {
        is_rate = br_decimal_parse_suffixed(text, &value) == BR_DECIMAL_OK && value.mantissa > 0 &&
                  br_decimal_scale(value, 0, rate);
    }
    if (!is_rate)
        return br_fail(diag, BR_BAD_INPUT,
                       "write whole bytes a second, such as 125000000 or 100MiB, or bits: 10Gbit",
                       "%s '%.80s' of %s is not a rate above 0", name, text, owner);
    return BR_OK;
}
