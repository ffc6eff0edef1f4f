/* The moments of an outcome in the order of time: jobs that arrive and end, spans that start and
 * end. */
#ifndef BR_CLUSTER_WORKLOAD_SWEEP_H
#define BR_CLUSTER_WORKLOAD_SWEEP_H

#include <stdbool.h>

#include "base/collections/sort.h"
#include "cluster/workload/outcome.h"

/* Moments at one time are sorted by kind in this order, so that ends make room first. */
enum br_moment_kind { BR_SPAN_ENDS, BR_JOB_ENDS, BR_JOB_ARRIVES, BR_SPAN_STARTS };
enum { BR_MOMENT_KINDS = 4 };

struct br_moment {
    int64_t ns;
    enum br_moment_kind kind;
    uint32_t item; /* span or job */
};

struct br_sweep {
    int64_t first_ns; /* the first arrival */
    int64_t last_ns;  /* the last end; at least the first arrival */
    uint32_t count[BR_MOMENT_KINDS], at[BR_MOMENT_KINDS];
    struct br_sort_item *list[BR_MOMENT_KINDS]; /* by time, ties by number */
};

/* Jobs that did not finish end with the last span; jobs without duration are left out. Release by
 * br_sweep_finish, also after a failure. BR_SYSTEM (memory, 2^31 spans or more). O(spans + jobs)
 * words, and the time of sorting them. */
enum br_status br_sweep_init(struct br_sweep *sweep, const struct br_workload *workload,
                             const struct br_outcome *outcome, struct br_diag *diag);
void br_sweep_finish(struct br_sweep *sweep);

/* Back to the first moment. */
void br_sweep_rewind(struct br_sweep *sweep);
/* The next moment without going on to it; false past the last. */
bool br_sweep_peek(const struct br_sweep *sweep, struct br_moment *moment);
/* Goes on to the moment that br_sweep_peek told. */
static inline void br_sweep_step(struct br_sweep *sweep, const struct br_moment *moment)
{
    sweep->at[moment->kind]++;
}

#endif
