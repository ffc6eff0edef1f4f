/* The table of names. The first name of a role is its own. */
#include "base/roles.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

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

static int64_t bytes_of(const char *unit)
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
    if (__builtin_mul_overflow(br_decimal_ceil(amount), bytes_of(unit), &bytes))
        return INT64_MAX;
    return bytes;
}
