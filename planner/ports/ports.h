/* The ports of a cluster's machines as plain numbers. */
#ifndef BR_PLANNER_PORTS_PORTS_H
#define BR_PLANNER_PORTS_PORTS_H

#include "planner/model/cluster/cluster.h"

/* Fills `up` and `down` (by machine): bytes a second. BR_BAD_INPUT if a port has no rate though
 * something may have to move between machines (`carries`). O(machines). */
enum br_status br_ports_take(const struct br_cluster *cluster, bool carries, int64_t *up,
                             int64_t *down, struct br_diag *diag);

#endif
