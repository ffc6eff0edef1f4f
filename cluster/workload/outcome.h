/* The outcome of a workload: a span for every attempt at a task. All metrics of a simulation are
 * computed from it, the workload and the cluster (metrics.h). */
#ifndef BR_CLUSTER_WORKLOAD_OUTCOME_H
#define BR_CLUSTER_WORKLOAD_OUTCOME_H

#include "cluster/workload/allotments.h"
#include "cluster/workload/workload.h"

enum br_span_end {
    BR_SPAN_DONE,
    BR_SPAN_FAILED,  /* by itself */
    BR_SPAN_EVICTED, /* its machine left, or the policy took it back */
    BR_SPAN_CUT,     /* it ran when the simulation was stopped */
    BR_SPAN_LOST,    /* it was done, but its output was lost and had to be made again */
};

struct br_span {
    int64_t start_ns, end_ns;
    uint32_t job, task, machine;
    enum br_span_end end;
};

/* Transfers between machines, each counted whole when it begins; all 0: there were none. */
struct br_moved_sums {
    uint64_t transfers;
    double bytes;
    double waited_s; /* of tasks on their machines, for their inputs, added up */
};

struct br_outcome {
    const char *policy; /* borrowed */
    uint64_t seed;
    uint32_t jobs;
    uint32_t finished; /* jobs */
    int64_t *end_ns;   /* by job; -1: not finished */
    uint64_t spans;    /* in the order of their ends; what ends at one time, as it was told */
    struct br_span *span;
    int64_t *work_ns; /* by span: when its inputs were there, -1: never; NULL: at its start */
    struct br_moved_sums moved;
    struct br_allotments allotments; /* of policies that control jobs with deadlines */
    uint64_t events;                 /* arrivals, ends, failures, machines that leave and return */
    int64_t end_of_all_ns;
    bool cut;         /* stopped before the end */
    const char *note; /* why jobs are not finished; NULL if all are. Static storage */
    /* Times of the computer that simulated, which differ from run to run: */
    double seconds;          /* in all */
    double planning_seconds; /* of that, in planning jobs */
};

void br_outcome_finish(struct br_outcome *outcome);

#endif
