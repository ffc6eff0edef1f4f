/* The table of policies: a new one is a file and a row here. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/numbers/real.h"
#include "cluster/coflow/policies/aalo.h"
#include "cluster/coflow/policies/expected.h"
#include "cluster/coflow/policies/ordered.h"
#include "cluster/coflow/policies/philae.h"
#include "cluster/coflow/fabric/policy.h"
#include "cluster/coflow/policies/saath.h"

#define ORDERED(order)                                                                             \
    .told = true, .detail = (order), .create = br_ordered_create, .event = br_ordered_event,       \
    .decide = br_ordered_decide, .destroy = br_ordered_destroy
#define AALO(kind)                                                                                 \
    .detail = (kind), .options = &br_aalo_options, .create = br_aalo_create,                       \
    .event = br_aalo_event, .decide = br_aalo_decide, .destroy = br_aalo_destroy

#define PHILAE(rule)                                                                               \
    .true_rates = true, .detail = (rule), .options = &br_philae_options,                           \
    .create = br_philae_create, .event = br_philae_event, .decide = br_philae_decide,              \
    .destroy = br_philae_destroy

#define EXPECTED                                                                                   \
    .options = &br_expected_options, .create = br_expected_create, .event = br_expected_event,     \
    .flow = br_expected_flow, .decide = br_expected_decide, .destroy = br_expected_destroy

static const struct br_coflow_row rows[] = {
    {{"expected", "expected sizes from pilots and ends, bottleneck order, improved, without sizes"},
     EXPECTED},
    {{"expected-oracle", "the order of expected, with all sizes known"}, .told = true, EXPECTED},
    {{"philae", "sizes from pilots, least flow length times contention first (D), without sizes"},
     PHILAE(BR_PHILAE_WEIGHTED)},
    {{"philae-a", "philae, queues by estimated size"}, PHILAE(BR_PHILAE_SIZE)},
    {{"philae-b", "philae, queues by the rest of the estimated size"},
     .reports = true,
     PHILAE(BR_PHILAE_LEFT)},
    {{"philae-c", "philae, queues by the number of coflows that are met"},
     PHILAE(BR_PHILAE_CONTENTION)},
    {{"aalo", "queues by bytes sent, first in, first out, without sizes"},
     .reports = true,
     AALO(BR_AALO)},
    {{"saath", "all of a coflow or nothing, least contention first, deadlines, without sizes"},
     .reports = true,
     .options = &br_saath_options,
     .create = br_saath_create,
     .event = br_saath_event,
     .decide = br_saath_decide,
     .destroy = br_saath_destroy},
    {{"aalo-oracle", "aalo, each coflow in its last queue from the start"},
     .told = true,
     AALO(BR_AALO_ORACLE)},
    {{"varys", "smallest effective bottleneck first, MADD"}, ORDERED(BR_ORDER_BOTTLENECK)},
    {{"scf", "shortest coflow first: the least longest flow"}, ORDERED(BR_ORDER_LENGTH)},
    {{"ncf", "narrowest coflow first: the fewest senders or receivers"}, ORDERED(BR_ORDER_WIDTH)},
    {{"lcf", "lightest coflow first: the fewest bytes"}, ORDERED(BR_ORDER_SIZE)},
    {{"fifo", "first in, first out, MADD"}, ORDERED(BR_ORDER_FIFO)},
    {{"remaining-bottleneck-first", "the least bytes left at the busiest port, found anew, MADD"},
     ORDERED(BR_ORDER_BOTTLENECK_LEFT)},
    {{"sincronia", "bottleneck, select, scale, iterate over what is left, MADD"},
     ORDERED(BR_ORDER_BSSI)},
    {{"fair", "every flow its fair share, without coflows and sizes"}, .by_flow = true},
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_coflow_row *br_coflow_policy(uint32_t k)
{
    return k < ROWS ? &rows[k] : NULL;
}

const struct br_names br_coflow_policies = {BR_NAMES(rows)};

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
    setup->row = &rows[row];
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
