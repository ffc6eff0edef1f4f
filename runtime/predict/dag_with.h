/* A copy of a job with other durations and demands. */
#ifndef BR_RUNTIME_PREDICT_DAG_WITH_H
#define BR_RUNTIME_PREDICT_DAG_WITH_H

#include "planner/model/dag.h"

/* The changes. Arrays are borrowed; NULL, and -1 in the last two: as in the job. */
struct br_needs {
    const int64_t *duration_ns; /* by task */
    const int64_t *cores;       /* by stage: demand for cpu */
    const int64_t *mem_bytes;   /* by stage: demand for mem */
    const bool *bare;           /* by stage: it demands nothing, and has none of its alternatives */
    /* Instead of the job's, with the same numbers: durations and demands of stages with
     * alternatives are these alone. NULL: the job's. */
    const struct br_alternatives *alternatives;
};

/* Makes a copy of the finished job, in the same order, with these needs. *result is the caller's;
 * it keeps no reference to the job. BR_SYSTEM (memory). */
enum br_status br_dag_with(const struct br_dag *dag, const struct br_needs *needs,
                           struct br_dag **result, struct br_diag *diag);

#endif
