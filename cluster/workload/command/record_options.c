#include "cluster/workload/command/record_options.h"

#include <string.h>

#include "cli/inputs/load.h"

struct br_workload_options cli_workload_options(const struct cli_settings *settings)
{
    const struct cli_record_settings *record = &settings->record;
    struct br_workload_options options = br_workload_options_default();
    options.job = cli_parse_options(&settings->job);
    options.parallel = (enum br_parallel)record->parallel;
    options.group_by = (enum br_grouping)record->group_by;
    options.completed_only = record->completed_only;
    options.cpu_only = record->cpu_only;
    return options;
}
