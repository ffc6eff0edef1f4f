/* Demands shared by a build's commands. */
#ifndef BR_PARSERS_READER_DEMAND_H
#define BR_PARSERS_READER_DEMAND_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* Gives the stage the capacities of the cluster's first class as demands; NULL: none. */
enum br_status br_read_demands(struct br_dag *dag, uint32_t stage, const struct br_cluster *cluster,
                               struct br_diag *diag);

/* The same for a stage that runs a command: cpu is at least what the command declares for itself
 * (parsers/reader/cores.h), and at most what the first class of `machine` has (NULL: no limit).
 * Adds 1 to *wide if that is more than is usual. */
enum br_status br_read_command_demands(struct br_dag *dag, uint32_t stage,
                                       const struct br_cluster *usual,
                                       const struct br_cluster *machine, const char *command,
                                       uint32_t *wide, struct br_diag *diag);

#endif
