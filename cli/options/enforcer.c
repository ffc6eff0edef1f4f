#include "cli/options/enforcer.h"

#include <stdlib.h>
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
    const char *list = settings->fungible;
    struct br_list_entry entry;
    enum br_status status = BR_OK;
    while (list && !status && br_list_next(BR_LIST_WORD, &list, &entry)) {
        char *name = strndup(entry.name, entry.length);
        status = name ? br_cluster_set_fungible(cluster, name, diag) : br_fail_memory(diag);
        free(name);
    }
    /* The text stands on the command line, in no file. */
    return status == BR_BAD_INPUT ? BR_USAGE : status;
}
