/* Groups of jobs: their weights, and the group of each job. */
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "cli/running/jobs/jobs.h"
#include "cli/terminal/say.h"

const char *cli_run_own_group(const struct br_dag *dag)
{
    for (uint32_t a = 0; a < dag->attributes; a++)
        if (dag->attribute[a].owner == BR_OWNER_JOB &&
            strcmp(dag->attribute[a].name, "group") == 0 && *dag->attribute[a].value)
            return dag->attribute[a].value;
    return NULL;
}

static enum br_status groups_read_weights(const char *text, struct cli_run_groups *groups,
                                          struct br_diag *diag)
{
    groups->group = calloc(br_list_count(text), sizeof *groups->group);
    if (!groups->group)
        return br_fail_memory(diag);
    struct br_list_entry entry;
    while (br_list_next(BR_LIST_NAME_NUMBER, &text, &entry)) {
        struct br_run_group *group = &groups->group[groups->count];
        *group =
            (struct br_run_group){.name = strndup(entry.name, entry.length), .weight = entry.value};
        if (!group->name)
            return br_fail_memory(diag);
        groups->count++;
        for (uint32_t k = 0; k + 1 < groups->count; k++)
            if (strcmp(groups->group[k].name, group->name) == 0)
                return br_fail(diag, BR_USAGE, "give every group one weight",
                               "option '--group' has '%.100s' twice", group->name);
    }
    return BR_OK;
}

static enum br_status read_names(const char *text, struct cli_run_groups *groups,
                                 struct br_diag *diag)
{
    groups->of = calloc(br_list_count(text), sizeof *groups->of);
    if (!groups->of)
        return br_fail_memory(diag);
    struct br_list_entry entry;
    while (br_list_next(BR_LIST_WORD, &text, &entry)) {
        if (!(groups->of[groups->ofs] = strndup(entry.name, entry.length)))
            return br_fail_memory(diag);
        groups->ofs++;
    }
    return BR_OK;
}

enum br_status cli_run_groups_read(const struct cli_run_settings *settings,
                                   struct cli_run_groups *groups, struct br_diag *diag)
{
    *groups = (struct cli_run_groups){0};
    enum br_status status = BR_OK;
    if (settings->group)
        status = groups_read_weights(settings->group, groups, diag);
    if (!status && settings->group_of)
        status = read_names(settings->group_of, groups, diag);
    return status;
}

void cli_run_groups_finish(struct cli_run_groups *groups)
{
    for (uint32_t k = 0; k < groups->count; k++)
        free((char *)groups->group[k].name);
    for (uint32_t k = 0; k < groups->ofs; k++)
        free(groups->of[k]);
    free(groups->group);
    free(groups->of);
    *groups = (struct cli_run_groups){0};
}
