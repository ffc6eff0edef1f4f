/* Jobs that recur, like those of three clusters [Jajoo22]: each is a run of a program of a user,
 * with the durations of its single tasks. What a program's runs have in common, how much they
 * differ, and how much the tasks of a run differ, are drawn so that the published moments come out.
 */
#ifndef BR_CLUSTER_WORKLOAD_TRACES_H
#define BR_CLUSTER_WORKLOAD_TRACES_H

#include <stdint.h>

#include "base/text/named.h"

enum { BR_TRACE_STAGES = 5, BR_TRACE_WIDEST = 150 };

struct br_trace_job {
    uint32_t app, user; /* numbers, from 0 */
    uint32_t stages;    /* that follow one another */
    uint32_t tasks[BR_TRACE_STAGES];
    int64_t
        duration_ns[BR_TRACE_STAGES * BR_TRACE_WIDEST]; /* of the first stage, then of the next */
};

/* The traces. */
extern const struct br_names br_traces;

struct br_trace;
/* Begins the trace of that name. BR_USAGE for an unknown one; BR_SYSTEM (memory). Release with
 * br_trace_destroy. */
enum br_status br_trace_create(const char *name, uint64_t seed, struct br_trace **trace,
                               struct br_diag *diag);
void br_trace_destroy(struct br_trace *trace);
/* Draws the next job. BR_SYSTEM (memory). O(tasks) expected. */
enum br_status br_trace_next(struct br_trace *trace, struct br_trace_job *job,
                             struct br_diag *diag);

#endif
