#include "cluster/workload/read/options.h"

const char *br_parallel_name(uint32_t k)
{
    static const char *const name[] = {
        [BR_PARALLEL_POOL] = "pool", [BR_PARALLEL_TASKS] = "tasks", [BR_PARALLEL_NODES] = "nodes"};
    return k < sizeof name / sizeof *name ? name[k] : NULL;
}

struct br_workload_options br_workload_options_default(void)
{
    return (struct br_workload_options){
        .parallel = BR_PARALLEL_POOL,
        .group_by = BR_GROUP_BY_USER,
        .job = br_parse_options_default(),
    };
}
