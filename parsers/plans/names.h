/* The tasks and machines that texts of a plan name: a member of a group with several has an index,
 * as in "map[12]". */
#ifndef BR_PARSERS_PLANS_NAMES_H
#define BR_PARSERS_PLANS_NAMES_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* The classes of a cluster, which is borrowed, by name. */
struct br_class_names {
    const struct br_cluster *cluster;
    uint32_t *by_name;
};
/* False when memory is out; finish is fine then. */
bool br_class_names_init(struct br_class_names *names, const struct br_cluster *cluster);
void br_class_names_finish(struct br_class_names *names);

/* UINT32_MAX if there is none. The name is as before after the call. O(1) expected, and
 * O(log classes). */
uint32_t br_find_task_named(const struct br_dag *dag, char *name);
uint32_t br_find_machine_named(const struct br_class_names *names, char *name);

#endif
