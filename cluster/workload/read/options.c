#include "cluster/workload/read/options.h"

static const struct br_named parallels[] = {
    [BR_PARALLEL_POOL] = {"pool", "one task that takes all processors of the job"},
    [BR_PARALLEL_TASKS] = {"tasks", "a task for every processor, which may start apart"},
    [BR_PARALLEL_NODES] = {"nodes", "a task for every node that the job ran on"},
};
const struct br_names br_parallels = {BR_NAMES(parallels)};

static const struct br_named groupings[] = {
    [BR_GROUP_BY_USER] = {"user", "users"},
    [BR_GROUP_BY_ACCOUNT] = {"account", "accounts; of SWF its groups"},
    [BR_GROUP_BY_QUEUE] = {"queue", "queues; of Slurm its partitions"},
    [BR_GROUP_BY_NOTHING] = {"nothing", "all jobs are of one group"},
};
const struct br_names br_groupings = {BR_NAMES(groupings)};

struct br_workload_options br_workload_options_default(void)
{
    return (struct br_workload_options){
        .parallel = BR_PARALLEL_POOL,
        .group_by = BR_GROUP_BY_USER,
        .job = br_parse_options_default(),
    };
}
