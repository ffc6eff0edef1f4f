/* The options of a reader of workloads. */
#ifndef BR_CLUSTER_WORKLOAD_READ_OPTIONS_H
#define BR_CLUSTER_WORKLOAD_READ_OPTIONS_H

#include <stdbool.h>

#include "base/text/named.h"
#include "parsers/reader/input.h"

/* The form of a recorded job of n processors. No form is a gang of n tasks that start together on
 * several machines: the model has no such thing. */
enum br_parallel {
    BR_PARALLEL_POOL,  /* one task that demands n cpu of one machine, the pool of all processors */
    BR_PARALLEL_TASKS, /* a stage of n tasks of one cpu each, which may start apart */
    BR_PARALLEL_NODES, /* a stage with a task for each of its nodes; SWF does not record nodes */
};

extern const struct br_names br_parallels; /* by the enum */

/* The meaning of groups in a recorded workload. */
enum br_grouping {
    BR_GROUP_BY_USER,
    BR_GROUP_BY_ACCOUNT, /* SWF: the group number */
    BR_GROUP_BY_QUEUE,   /* Slurm: the partition */
    BR_GROUP_BY_NOTHING, /* all jobs belong to the group "default" */
};
extern const struct br_names br_groupings; /* by the enum */

struct br_workload_options {
    const char *from; /* format's name; NULL: recognise it */
    enum br_parallel parallel;
    enum br_grouping group_by;
    bool completed_only; /* recorded jobs that failed or were cancelled are skipped */
    bool cpu_only;       /* recorded jobs demand only cpu */
    bool ways; /* jobs may have alternatives and name classes: the caller knows what to do */
    struct br_parse_options job;           /* for the job files that a workload names */
    const struct br_workload_table *table; /* br_parse_workload fills it in */
};
struct br_workload_options br_workload_options_default(void);

#endif
