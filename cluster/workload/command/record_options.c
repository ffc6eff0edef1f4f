#include "cluster/workload/command/record_options.h"

#include <string.h>

#include "cli/common/load.h"

struct br_workload_options cli_workload_options(const struct cli_settings *settings)
{
    const struct cli_record_settings *record = &settings->record;
    struct br_workload_options options = br_workload_options_default();
    options.job = cli_parse_options(&settings->job);
    options.parallel = strcmp(record->parallel, "tasks") == 0   ? BR_PARALLEL_TASKS
                       : strcmp(record->parallel, "nodes") == 0 ? BR_PARALLEL_NODES
                                                                : BR_PARALLEL_POOL;
    options.group_by = strcmp(record->group_by, "account") == 0   ? BR_GROUP_BY_ACCOUNT
                       : strcmp(record->group_by, "queue") == 0   ? BR_GROUP_BY_QUEUE
                       : strcmp(record->group_by, "nothing") == 0 ? BR_GROUP_BY_NOTHING
                                                                  : BR_GROUP_BY_USER;
    options.completed_only = record->completed_only;
    options.cpu_only = record->cpu_only;
    return options;
}
