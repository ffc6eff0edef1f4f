/* The table of names. The first name of a role is its own. */
#include "base/roles.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/numbers/wide.h"

static const struct {
    const char *name;
    enum br_role role;
} roles[] = {
    {"cpu", BR_ROLE_CPU},       {"cores", BR_ROLE_CPU},  {"mem", BR_ROLE_MEMORY},
    {"memory", BR_ROLE_MEMORY}, {"ram", BR_ROLE_MEMORY}, {"rss", BR_ROLE_MEMORY},
    {"swap", BR_ROLE_SWAP},
};
enum { ROLES = sizeof roles / sizeof roles[0] };

enum br_role br_role_of(const char *resource)
{
    for (size_t k = 0; k < ROLES; k++)
        if (strcasecmp(resource, roles[k].name) == 0)
            return roles[k].role;
    return BR_ROLE_NONE;
}

const char *br_role_name(enum br_role role)
{
    for (size_t k = 0; k < ROLES; k++)
        if (roles[k].role == role)
            return roles[k].name;
    return "";
}

bool br_role_is_own_name(enum br_role role, const char *resource)
{
    return role != BR_ROLE_NONE && strcmp(resource, br_role_name(role)) == 0;
}

static int64_t roles_bytes_of(const char *unit)
{
    static const struct {
        const char *name;
        int64_t bytes;
    } units[] = {
        {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", INT64_C(1) << 40},
        {"kB", 1000},     {"KB", 1000},     {"MB", 1000000},  {"GB", 1000000000},
    };
    for (size_t k = 0; unit && k < sizeof units / sizeof units[0]; k++)
        if (strcmp(unit, units[k].name) == 0)
            return units[k].bytes;
    return 1;
}

int64_t br_role_bytes(struct br_decimal amount, const char *unit)
{
    int64_t bytes;
    if (__builtin_mul_overflow(br_decimal_ceil(amount), roles_bytes_of(unit), &bytes))
        return INT64_MAX;
    return bytes;
}

/* bytes / 1024^k with enough decimals for four digits, rounded. */
static int64_t roles_scaled(int64_t bytes, uint32_t k, int64_t *one)
{
    int64_t unit = INT64_C(1) << 10 * k;
    *one = 1;
    for (int64_t whole = bytes / unit;
         k > 0 && whole < 1000 && *one<1000; whole = whole> 0 ? whole * 10 : 10)
        *one *= 10;
    return (int64_t)(((br_wide)bytes * *one + unit / 2) / unit);
}

void br_role_bytes_text(int64_t bytes, char text[BR_ROLE_AMOUNT_TEXT])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    uint32_t k = 0;
    while (k + 1 < sizeof units / sizeof *units && bytes >> 10 * (k + 1) > 0)
        k++;
    int64_t one, value = roles_scaled(bytes, k, &one);
    assert(value >= 0);
    if (value >= 1024 * one && k + 1 < sizeof units / sizeof *units) /* rounded up to the next */
        value = roles_scaled(bytes, ++k, &one);
    for (; one > 1 && value % 10 == 0; one /= 10)
        value /= 10;
    assert(one == 1 || one == 10 || one == 100 || one == 1000);
    int digits = one == 1 ? 0 : one == 10 ? 1 : one == 100 ? 2 : 3;
    if (digits == 0)
        snprintf(text, BR_ROLE_AMOUNT_TEXT, "%" PRId64 " %s", value, units[k]);
    else
        snprintf(text, BR_ROLE_AMOUNT_TEXT, "%" PRId64 ".%0*" PRId64 " %s", value / one, digits,
                 value % one, units[k]);
}

bool br_role_is_in_bytes(const char *amount)
{
    size_t length = strlen(amount);
    while (length && amount[length - 1] == ' ')
        length--;
    return length && amount[length - 1] == 'B';
}

bool br_role_is_multiple(const char *unit)
{
    size_t prefix = unit ? strspn(unit, "kKMGTPi") : 0;
    return prefix && unit[prefix] == 'B';
}

bool br_role_counts_bytes(const char *resource, const char *unit)
{
    if (unit && *unit)
        return strcasecmp(unit, "bytes") == 0 || strcmp(unit, "B") == 0;
    return br_role_of(resource) == BR_ROLE_MEMORY;
}

void br_role_amount(struct br_decimal amount, const char *resource, const char *unit,
                    char text[BR_ROLE_AMOUNT_TEXT])
{
    int64_t whole;
    if (br_role_counts_bytes(resource, unit) && br_decimal_scale(amount, 0, &whole) && whole >= 0)
        br_role_bytes_text(whole, text);
    else
        br_decimal_format(amount, text, BR_ROLE_AMOUNT_TEXT);
}
