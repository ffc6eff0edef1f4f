#include "cli/planning/least.h"

#include <string.h>

#include "cli/bounds/storage.h"
#include "cli/terminal/say.h"
#include "planner/planning/storage_curve.h"

enum br_status cli_least_read(const struct cli_settings *settings, struct cli_least *least,
                              struct br_diag *diag)
{
    static const char kind[] = "storage:";
    const char *text = settings->search.minimize;
    if (!text)
        return BR_OK;
    if (strncmp(text, kind, strlen(kind)) != 0 || !text[strlen(kind)])
        return br_fail(diag, BR_USAGE, "write such as --minimize storage:mem",
                       "'%.200s' is nothing that can be minimized", text);
    if (settings->search.store || settings->search.network || settings->search.order ||
        settings->search.objective != BR_NO_ROW)
        return br_fail(diag, BR_USAGE, "leave the other option out",
                       "--minimize does not go with --store, --network, --order and --objective");
    least->resource = text + strlen(kind);
    return BR_OK;
}

enum br_status cli_least_plan(struct cli_least *least, struct br_input *input,
                              const struct br_plan_options *options, struct br_plan **plan,
                              struct br_diag *diag)
{
    struct br_cluster *made = NULL;
    const enum br_status status = br_storage_least_plan(input->dag, input->cluster, least->resource,
                                                        options, &least->peak, &made, plan, diag);
    if (made) {
        br_cluster_destroy(input->cluster);
        input->cluster = made;
    }
    return status;
}

void cli_least_print(FILE *out, const struct cli_least *least, const struct br_dag *dag)
{
    if (!least->resource)
        return;
    fputs("least peak   ", out);
    cli_print_text(out, least->resource);
    fputs(": ", out);
    cli_print_least(out, dag, least->resource, &least->peak);
    fputc('\n', out);
}

void cli_least_finish(struct cli_least *least)
{
    br_least_peak_finish(&least->peak);
}
