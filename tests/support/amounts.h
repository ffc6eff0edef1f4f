/* Demands and capacities as integers, for judges: in millionths, which random workloads divide. */
#ifndef BR_TESTS_SUPPORT_AMOUNTS_H
#define BR_TESTS_SUPPORT_AMOUNTS_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

enum { AMOUNTS_RESOURCES = 8 };

struct amounts {
    const struct br_cluster *cluster;
    uint32_t resources; /* at most AMOUNTS_RESOURCES */
    const char *resource[AMOUNTS_RESOURCES];
};

/* The resources of the cluster. Fails the test where they are too many. */
struct amounts amounts_of(const struct br_cluster *cluster);
int64_t amounts_capacity(const struct amounts *amounts, uint32_t machine, uint32_t resource);
int64_t amounts_demand(const struct amounts *amounts, const struct br_dag *dag, uint32_t stage,
                       uint32_t resource);

#endif
