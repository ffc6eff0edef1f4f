#include "parsers/workloads/options.h"

struct br_workload_options br_workload_options_default(void)
{
    return (struct br_workload_options){
        .parallel = BR_PARALLEL_POOL,
        .group_by = BR_GROUP_BY_USER,
        .job = br_parse_options_default(),
    };
}
