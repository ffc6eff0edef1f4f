#include "planner/model/cluster/amount.h"

enum br_status br_amount_read(const char *owner, const char *resource, const char *text,
                              struct br_decimal *amount, struct br_diag *diag)
{
    if (!resource || !*resource)
        return br_fail(diag, BR_BAD_INPUT, "name the resource", "%s names no resource", owner);
    switch (text ? br_decimal_parse_suffixed(text, amount) : BR_DECIMAL_FORM) {
    case BR_DECIMAL_FORM:
        return br_fail(
            diag, BR_BAD_INPUT, "write a number such as 2 or 0.59, or with a suffix, such as 4GiB",
            "%s has '%.80s' of %.80s, which is not a number", owner, text ? text : "", resource);
    case BR_DECIMAL_RANGE:
        return br_fail(diag, BR_BAD_INPUT, "choose a unit that keeps amounts within 18 digits",
                       "%s has '%.80s' of %.80s, which has too many digits", owner, text, resource);
    case BR_DECIMAL_OK:
        break;
    }
    if (amount->mantissa < 0)
        return br_fail(diag, BR_BAD_INPUT, "amounts are 0 or more",
                       "%s has %.80s of %.80s, which is negative", owner, text, resource);
    return BR_OK;
}
