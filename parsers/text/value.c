/* Numbers of files, read strictly: what is not wholly a number is refused, never cut short. */
#include "parsers/text/value.h"

#include <inttypes.h>

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

enum br_status br_value_amount(const char *text, const char *name, const char *owner,
                               char plain[BR_DECIMAL_TEXT], struct br_diag *diag)
{
    struct br_decimal value;
    switch (br_decimal_parse_suffixed(text, &value)) {
    case BR_DECIMAL_FORM:
        return br_fail(diag, BR_BAD_INPUT,
                       "write a number such as 2 or 0.5, or one with KiB, MiB, GiB, TiB, k, M or G",
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
