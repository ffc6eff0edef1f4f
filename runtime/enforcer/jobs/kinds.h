/* Stages of equal demands form one kind: their tasks compete by rank alone. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_KINDS_H
#define BR_RUNTIME_ENFORCER_JOBS_KINDS_H

#include <bigrocks/dag.h>
#include <stdbool.h>

#include "base/collections/arena.h"

/* The cluster's resources, to which all jobs are scaled. */
struct br_scale {
    uint32_t resources;
    const char *const *name;
    const int32_t *digits; /* amounts are multiplied by 10^digits */
    const double *total;   /* over all machines, scaled */
    const bool *fungible;  /* may be overbooked */
    const bool *in_bytes;  /* some machine's capacity has a suffix of bytes, such as "64GiB" */
    const bool *unseen;    /* demands of it count as none; NULL: all count */
    uint32_t shareds;      /* resources of the whole cluster, which are not counted here */
    const char *const *shared;
};

struct br_kinds {
    uint32_t count;
    int64_t *demand; /* [kind * resources], scaled; near kinds are alike */
    double *work;    /* by kind: demand as a share of the cluster, summed over resources */
    double *share;   /* by kind: the largest of these shares */
};

/* Finds the kinds of the job's stages; stage_kind[stage] receives them. From the arena. Errors: a
 * resource that the cluster lacks, an amount that does not scale. O(stages log stages). */
enum br_status br_kinds_find(struct br_arena *arena, const struct br_dag *dag,
                             const struct br_scale *scale, uint32_t *stage_kind,
                             struct br_kinds *kinds, struct br_diag *diag);

#endif
