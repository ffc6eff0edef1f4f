/* Demands shared by a build's commands. */
#ifndef BR_PARSERS_READER_DEMAND_H
#define BR_PARSERS_READER_DEMAND_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Gives the stage the capacities of the cluster's first class as demands; NULL: none. */
enum br_status br_read_demands(struct br_dag *dag, uint32_t stage, const struct br_cluster *cluster,
                               struct br_diag *diag);

#endif
