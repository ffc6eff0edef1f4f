#include "cli/options/enforcer.h"

#include <stdio.h>
#include <string.h>

#include "base/text/diag.h"

static const struct br_named fairness[] = {
    [BR_FAIR_SLOTS] = {"slots", "one slot; a cluster has as many as processors"},
    [BR_FAIR_DOMINANT] = {"dominant", "its largest share of the cluster in any resource"},
};
const struct br_names cli_fairness = {BR_NAMES(fairness)};

struct br_runtime_options cli_enforcer_options(const struct cli_enforcer_settings *settings)
{
    struct br_runtime_options options = br_runtime_options_default();
    options.policy = settings->policy;
    options.bundle = (uint32_t)settings->bundle;
    options.fairness = (enum br_fairness)settings->fairness;
    br_option_take(settings->eta, &options.eta_factor);
    br_option_take(settings->remote_penalty, &options.remote_penalty);
    br_option_take(settings->kappa, &options.kappa);
    return options;
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
