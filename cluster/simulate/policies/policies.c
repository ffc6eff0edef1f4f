/* The table of policies: the rows of rows.h. */
#include "cluster/simulate/policies/policies.h"

#include <math.h>
#include <string.h>

#include "base/text/options.h"
#include "cluster/simulate/rows.h"

#define ROW(name) &br_simulate_policy_##name,
static const struct br_policy_row *const rows[] = {BR_SIMULATE_POLICIES(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_names br_simulate_policies = {BR_NAMES(rows), .pointers = true};

const struct br_policy_row *br_policies_at(uint32_t k)
{
    return k < ROWS ? rows[k] : NULL;
}

enum br_status br_policies_find(const char *text, const struct br_policy_row **row, double *number,
                                struct br_diag *diag)
{
    size_t length = strcspn(text, "=");
    uint32_t k = br_named_find_part(&br_simulate_policies, text, length);
    *row = br_policies_at(k);
    *number = NAN;
    if (!*row)
        return br_fail_unnamed(diag, &br_simulate_policies, text, length, "unknown policy '%.80s'",
                               text);
    return br_policy_number((*row)->named.name, (*row)->number, text + length, number, diag);
}
