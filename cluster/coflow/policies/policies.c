/* The table of policies, of the rows that rows.h names, and their options. */
#include "cluster/coflow/fabric/policy.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/real.h"
#include "cluster/coflow/policies/rows.h"

/* The clocks know how: it has no functions. */
const struct br_coflow_row br_coflow_policy_fair = {
    .named = {"fair", "every flow its fair share, without coflows and sizes"}, .by_flow = true};

#define ROW(name) &br_coflow_policy_##name,
static const struct br_coflow_row *const rows[] = {BR_COFLOW_POLICIES(ROW)};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_coflow_row *br_coflow_policy(uint32_t k)
{
    return k < ROWS ? rows[k] : NULL;
}

const struct br_names br_coflow_policies = {BR_NAMES(rows), .pointers = true};

static const struct br_coflow_option *coflow_option(const struct br_coflow_row *row, uint32_t k)
{
    return row->options ? (const struct br_coflow_option *)br_named_at(row->options, k) : NULL;
}

/* "NAME=NUMBER" of that length. */
static enum br_status set_option(struct br_coflow_setup *setup, const char *text, size_t length,
                                 struct br_diag *diag)
{
    char word[80];
    struct br_decimal value;
    const struct br_coflow_row *row = setup->row;
    snprintf(word, sizeof word, "%.*s", (int)(length < 70 ? length : 70), text);
    char *number = strchr(word, '=');
    if (number)
        *number++ = 0;
    uint32_t k = row->options ? br_named_find(row->options, word) : BR_NO_ROW;
    if (!row->options)
        return br_fail(diag, BR_USAGE, "it has none", "the policy %s has no option '%s'",
                       row->named.name, word);
    if (k == BR_NO_ROW)
        return br_fail_unnamed(diag, row->options, word, SIZE_MAX,
                               "the policy %s has no option '%s'", row->named.name, word);
    if (!number || br_decimal_parse_nearest(number, &value) != BR_DECIMAL_OK)
        return br_fail(diag, BR_USAGE, NULL, "%s:%s needs a number", row->named.name, word);
    const struct br_coflow_option *option = coflow_option(row, k);
    assert(option);
    setup->option[k] = br_real_of(value);
    if (setup->option[k] >= option->least && setup->option[k] <= option->most)
        return BR_OK;
    return br_fail(diag, BR_USAGE, NULL, "%s:%s is %s; from %g to %g is possible", row->named.name,
                   word, number, option->least, option->most);
}

enum br_status br_coflow_policy_find(const char *text, struct br_coflow_setup *setup,
                                     struct br_diag *diag)
{
    size_t length = strcspn(text, ":");
    enum br_status status = BR_OK;
    *setup = (struct br_coflow_setup){0};
    uint32_t row = br_named_find_part(&br_coflow_policies, text, length);
    if (row == BR_NO_ROW)
        return br_fail_unnamed(diag, &br_coflow_policies, text, length,
                               "there is no policy '%.*s' for coflows",
                               (int)(length < 60 ? length : 60), text);
    setup->row = rows[row];
    const struct br_coflow_option *option;
    for (uint32_t k = 0; (option = coflow_option(setup->row, k)); k++)
        setup->option[k] = option->usual;
    for (text += length; *text && !status; text += length) {
        text++;
        length = strcspn(text, ":");
        status = set_option(setup, text, length, diag);
    }
    return status;
}
