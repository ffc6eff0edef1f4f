/* Numbers are read as decimals, so that their ranges are exact, and become the nearest double by
 * one division of exact numbers. */
#include "cli/common/enforcer.h"

#include <stdio.h>
#include <string.h>

#include "base/numbers/decimal.h"
#include "base/numbers/real.h"
#include "base/text/diag.h"

static const struct br_named fairness[] = {
    [BR_FAIR_SLOTS] = {"slots", "one slot; a cluster has as many as processors"},
    [BR_FAIR_DOMINANT] = {"dominant", "its largest share of the cluster in any resource"},
};
const struct br_names cli_fairness = {BR_NAMES(fairness)};

struct range {
    const char *option, *hint;
    int64_t most;
    bool zero; /* may it be 0? */
};

/* Leaves *value unchanged if no text is given. */
static enum br_status enforcer_read_number(const struct range *range, const char *text,
                                           double *value, struct br_diag *diag)
{
    struct br_decimal number = {0};
    if (!text)
        return BR_OK;
    enum br_decimal_fault fault = br_decimal_parse_nearest(text, &number);
    if (fault || number.mantissa < 0 || (!number.mantissa && !range->zero) ||
        br_decimal_compare(number, (struct br_decimal){range->most, 0}) > 0)
        return br_fail(diag, BR_USAGE, range->hint, "option '--%s': '%.40s' is out of range",
                       range->option, text);
    *value = br_real_of(number);
    return BR_OK;
}

enum br_status cli_enforcer_options(const struct cli_enforcer_settings *settings,
                                    struct br_runtime_options *options, struct br_diag *diag)
{
    static const struct range eta = {"eta", "give a number from 0 to 1000, such as 1", 1000, true};
    static const struct range remote = {"remote-penalty", "give a number from 0 to 1, such as 0.8",
                                        1, true};
    static const struct range kappa = {"kappa", "give a number above 0, to 1000, such as 0.1", 1000,
                                       false};
    *options = br_runtime_options_default();
    options->policy = settings->policy;
    options->bundle = (uint32_t)settings->bundle;
    options->fairness = (enum br_fairness)br_named_find(&cli_fairness, settings->fairness);
    enum br_status status = enforcer_read_number(&eta, settings->eta, &options->eta_factor, diag);
    if (!status)
        status =
            enforcer_read_number(&remote, settings->remote_penalty, &options->remote_penalty, diag);
    if (!status)
        status = enforcer_read_number(&kappa, settings->kappa, &options->kappa, diag);
    return status;
}

enum br_status cli_declare_fungible(const struct cli_enforcer_settings *settings,
                                    struct br_cluster *cluster, struct br_diag *diag)
{
    for (const char *text = settings->fungible; text && *text;) {
        size_t length = strcspn(text, ",");
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)length, text);
        enum br_status status = br_cluster_set_fungible(cluster, name, diag);
        /* The text stands on the command line, in no file. */
        if (status)
            return status == BR_BAD_INPUT ? BR_USAGE : status;
        text += length + (text[length] == ',');
    }
    return BR_OK;
}
