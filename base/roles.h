/* Roles of resources: processors and memory.
 *
 * To the planner a resource is a name with amounts. Code that passes a job to other programs,
 * limits its tasks or measures them needs more, and asks here. */
#ifndef BR_BASE_ROLES_H
#define BR_BASE_ROLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/decimal.h"

enum br_role {
    BR_ROLE_NONE, /* a resource of its own */
    BR_ROLE_CPU,
    BR_ROLE_MEMORY,
    BR_ROLE_SWAP, /* memory in that a task cannot use less; no program takes it as a limit */
};

/* The role of the name, in any of its usual forms and in any case. */
enum br_role br_role_of(const char *resource);

/* The role's own name, in static storage: "cpu" counts cores, "mem" bytes. Readers of other formats
 * write demands under these names; drivers take limits from them and predictions write them. A
 * demand under another usual name sets no limit. */
const char *br_role_name(enum br_role role);
bool br_role_is_own_name(enum br_role role, const char *resource);

/* An amount >= 0 of memory in bytes, rounded up to whole units; INT64_MAX if it does not fit. The
 * unit is the job's, such as "MiB" or "GB"; any other unit, and NULL, means bytes. */
int64_t br_role_bytes(struct br_decimal amount, const char *unit);

/* Is the amount written in bytes, with a suffix that ends in B, such as "64GiB"? */
bool br_role_is_in_bytes(const char *amount);
/* Is the unit a multiple of bytes, such as "MiB" or "MB/s"? An amount in bytes does not fit it, so
 * code that reads both refuses the pair (ask for "a number without a suffix"). */
bool br_role_is_multiple(const char *unit);

/* Does an amount of the resource count bytes? Its unit is B or bytes, or it is memory without a
 * unit. */
bool br_role_counts_bytes(const char *resource, const char *unit);
/* The amount of the resource for people, with at least four significant digits: bytes as "1.172
 * GiB", others unchanged. Two different amounts may look equal; to compare them, use
 * br_decimal_format. */
enum { BR_ROLE_AMOUNT_TEXT = 64 };
void br_role_amount(struct br_decimal amount, const char *resource, const char *unit,
                    char text[BR_ROLE_AMOUNT_TEXT]);
/* Bytes >= 0 in this form. */
void br_role_bytes_text(int64_t bytes, char text[BR_ROLE_AMOUNT_TEXT]);

#endif
