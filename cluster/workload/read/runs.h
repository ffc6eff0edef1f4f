/* Several runs of one job, each with its own record in sacct: it was requeued or resized. Internal
 * to sacct.c. */
#ifndef BR_CLUSTER_WORKLOAD_READ_RUNS_H
#define BR_CLUSTER_WORKLOAD_READ_RUNS_H

#include "base/collections/index.h"
#include "cluster/workload/read/record.h"

struct br_runs {
    const struct br_workload *workload; /* borrowed */
    struct br_index ids;                /* of the jobs below */
    struct br_recorded_run *run;        /* by job with another id than those before it */
    uint32_t jobs, room;
    uint32_t further; /* runs of jobs that have an earlier one */
};

void br_runs_finish(struct br_runs *runs);
/* Adds the record to the workload; the second run of job 5 is "5:2". `start` is its beginning, in
 * seconds, -1: unknown. Two records that begin at one time belong to two jobs, which the workload
 * refuses. O(1) expected, and what br_records_add takes. */
enum br_status br_runs_add(struct br_runs *runs, struct br_records *records,
                           struct br_record *record, int64_t start, struct br_diag *diag);

#endif
