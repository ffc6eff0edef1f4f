/* The cluster's machines in integers. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_CAPACITIES_H
#define BR_RUNTIME_ENFORCER_JOBS_CAPACITIES_H

#include "planner/model/cluster/cluster.h"
#include "runtime/enforcer/jobs/kinds.h"

struct br_capacities {
    struct br_scale scale;
    int64_t *capacity;       /* [class * resources], scaled */
    uint32_t *machine_class; /* by machine */
};

/* Scales every resource by as many digits as its total allows, so that later jobs may have finer
 * amounts. From the arena. BR_BAD_INPUT if the amounts of a resource do not fit one scale.
 * O(machines + classes x resources^2). */
enum br_status br_capacities_make(struct br_arena *arena, const struct br_cluster *cluster,
                                  struct br_capacities *capacities, struct br_diag *diag);
/* The cluster's cores, or its machines if it declares less than one core. */
double br_capacities_slots(const struct br_capacities *capacities,
                           const struct br_cluster *cluster);
/* The number of the resource, or UINT32_MAX. */
uint32_t br_scale_find(const struct br_scale *scale, const char *name);

enum { BR_OVERBOOK_MOST = 400 }; /* percent */
/* The number of a resource that may be overbooked up to this percentage of its capacity. BR_USAGE
 * (no such resource, memory, one that is not declared fungible, a percentage out of its range). */
enum br_status br_overbook_find(const struct br_scale *scale, const char *name, uint32_t percent,
                                uint32_t *resource, struct br_diag *diag);
/* The demand allowed beyond the capacity. */
static inline int64_t br_overbook_extra(int64_t capacity, uint32_t percent)
{
    return capacity / 100 * (percent - 100);
}

#endif
