#include "emit/write/slack.h"

#include <stdlib.h>

#include "base/text/diag.h"

enum br_status br_emit_slack(const struct br_emit_input *input, struct br_task_slack **slack,
                             struct br_diag *diag)
{
    *slack = malloc(((size_t)input->plan->tasks + 1) * sizeof **slack);
    if (!*slack)
        return br_fail_memory(diag);
    struct br_diag unsuited = {0};
    enum br_status status =
        br_plan_slack(input->plan, input->dag, input->cluster, *slack, &unsuited);
    if (!status)
        return BR_OK;
    free(*slack);
    *slack = NULL;
    return status == BR_SYSTEM ? br_fail_memory(diag) : BR_OK;
}
