/* The table of policies: a new one is a file and a row here. */
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
    .detail = (kind), .option = br_aalo_option, .create = br_aalo_create, .event = br_aalo_event,  \
    .decide = br_aalo_decide, .destroy = br_aalo_destroy

#define PHILAE(rule)                                                                               \
    .true_rates = true, .detail = (rule), .option = br_philae_option, .create = br_philae_create,  \
    .event = br_philae_event, .decide = br_philae_decide, .destroy = br_philae_destroy

#define EXPECTED                                                                                   \
    .option = br_expected_option, .create = br_expected_create, .event = br_expected_event,        \
    .flow = br_expected_flow, .decide = br_expected_decide, .destroy = br_expected_destroy

static const struct br_coflow_row rows[] = {
    {"expected", "expected sizes from pilots and ends, bottleneck order, improved, without sizes",
     EXPECTED},
    {"expected-oracle", "the order of expected, with all sizes known", .told = true, EXPECTED},
    {"philae", "sizes from pilots, least flow length times contention first (D), without sizes",
     PHILAE(BR_PHILAE_WEIGHTED)},
    {"philae-a", "philae, queues by estimated size", PHILAE(BR_PHILAE_SIZE)},
    {"philae-b", "philae, queues by the rest of the estimated size", .reports = true,
     PHILAE(BR_PHILAE_LEFT)},
    {"philae-c", "philae, queues by the number of coflows that are met",
     PHILAE(BR_PHILAE_CONTENTION)},
    {"aalo", "queues by bytes sent, first in, first out, without sizes", .reports = true,
     AALO(BR_AALO)},
    {"saath", "all of a coflow or nothing, least contention first, deadlines, without sizes",
     .reports = true, .option = br_saath_option, .create = br_saath_create, .event = br_saath_event,
     .decide = br_saath_decide, .destroy = br_saath_destroy},
    {"aalo-oracle", "aalo, each coflow in its last queue from the start", .told = true,
     AALO(BR_AALO_ORACLE)},
    {"varys", "smallest effective bottleneck first, MADD", ORDERED(BR_ORDER_BOTTLENECK)},
    {"scf", "shortest coflow first: the least longest flow", ORDERED(BR_ORDER_LENGTH)},
    {"ncf", "narrowest coflow first: the fewest senders or receivers", ORDERED(BR_ORDER_WIDTH)},
    {"lcf", "lightest coflow first: the fewest bytes", ORDERED(BR_ORDER_SIZE)},
    {"fifo", "first in, first out, MADD", ORDERED(BR_ORDER_FIFO)},
    {"remaining-bottleneck-first", "the least bytes left at the busiest port, found anew, MADD",
     ORDERED(BR_ORDER_BOTTLENECK_LEFT)},
    {"sincronia", "bottleneck, select, scale, iterate over what is left, MADD",
     ORDERED(BR_ORDER_BSSI)},
    {"fair", "every flow its fair share, without coflows and sizes", .by_flow = true},
};
enum { ROWS = sizeof rows / sizeof *rows };

const struct br_coflow_row *br_coflow_policy(uint32_t k)
{
    return k < ROWS ? &rows[k] : NULL;
}

const char *br_coflow_policy_name(uint32_t k)
{
    return k < ROWS ? rows[k].name : NULL;
}

const char *br_coflow_policy_summary(uint32_t k)
{
    return k < ROWS ? rows[k].summary : NULL;
}

static enum br_status coflow_policies_fail_unknown(const char *text, size_t length,
                                                   struct br_diag *diag)
{
    char hint[sizeof diag->hint] = "choose from ";
    for (uint32_t k = 0; k < ROWS; k++) {
        size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s%s", k ? ", " : "", rows[k].name);
    }
    return br_fail(diag, BR_USAGE, hint, "there is no policy '%.*s' for coflows",
                   (int)(length < 60 ? length : 60), text);
}

/* "NAME=NUMBER" of that length. */
static enum br_status set_option(struct br_coflow_setup *setup, const char *text, size_t length,
                                 struct br_diag *diag)
{
    char word[80], hint[sizeof diag->hint] = "it has ";
    const struct br_coflow_option *option = setup->row->option;
    struct br_decimal value;
    snprintf(word, sizeof word, "%.*s", (int)(length < 70 ? length : 70), text);
    char *number = strchr(word, '=');
    if (number)
        *number++ = 0;
    for (uint32_t k = 0; option && option[k].name; k++) {
        if (strcmp(option[k].name, word) == 0) {
            if (!number || br_decimal_parse_nearest(number, &value) != BR_DECIMAL_OK)
                return br_fail(diag, BR_USAGE, NULL, "%s:%s needs a number", setup->row->name,
                               word);
            setup->option[k] = br_real_of(value);
            if (setup->option[k] >= option[k].least && setup->option[k] <= option[k].most)
                return BR_OK;
            return br_fail(diag, BR_USAGE, NULL, "%s:%s is %s; from %g to %g is possible",
                           setup->row->name, word, number, option[k].least, option[k].most);
        }
        size_t used = strlen(hint);
        snprintf(hint + used, sizeof hint - used, "%s%s", k ? ", " : "", option[k].name);
    }
    return br_fail(diag, BR_USAGE, option ? hint : "it has none",
                   "the policy %s has no option '%s'", setup->row->name, word);
}

enum br_status br_coflow_policy_find(const char *text, struct br_coflow_setup *setup,
                                     struct br_diag *diag)
{
    size_t length = strcspn(text, ":");
    enum br_status status = BR_OK;
    *setup = (struct br_coflow_setup){0};
    for (uint32_t k = 0; k < ROWS && !setup->row; k++)
        if (strlen(rows[k].name) == length && strncmp(rows[k].name, text, length) == 0)
            setup->row = &rows[k];
    if (!setup->row)
        return coflow_policies_fail_unknown(text, length, diag);
    for (uint32_t k = 0; setup->row->option && setup->row->option[k].name; k++)
        setup->option[k] = setup->row->option[k].usual;
    for (text += length; *text && !status; text += length) {
        text++;
        length = strcspn(text, ":");
        status = set_option(setup, text, length, diag);
    }
    return status;
}
