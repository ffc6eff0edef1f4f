/* The jobs of a workload as the simulator of executors takes them. */
#ifndef BR_CLUSTER_EXECUTORS_JOBS_H
#define BR_CLUSTER_EXECUTORS_JOBS_H

#include "cluster/executors/executors.h"
#include "cluster/workload/workload.h"

struct br_executors_jobs {
    uint32_t jobs;
    struct br_executors_arrival *arrival; /* in the order of the workload */
    uint32_t made;
    struct br_waves **waves; /* made for dags that were not measured by executor count */
    struct br_executor_request *request; /* of all stages, by job; NULL: nothing is asked for */
};

/* The stages of a dag, of which every task lasts what it is declared to last, on any number of
 * executors. *made is the caller's, also after a failure; NULL: none. BR_SYSTEM (memory). */
enum br_status br_executors_waves(const struct br_dag *dag, struct br_waves **made,
                                  struct br_diag *diag);

/* Tasks of a dag without waves last what its stage's tasks are declared to last, whatever their
 * executor did before. Release by br_executors_jobs_finish, also after a failure; the workload is
 * borrowed until then. BR_SYSTEM (memory). */
enum br_status br_executors_jobs_make(const struct br_workload *workload, uint64_t seed,
                                      struct br_executors_jobs *jobs, struct br_diag *diag);
void br_executors_jobs_finish(struct br_executors_jobs *jobs);

/* The least that each task of the job can last, whatever is decided: by task, in the order of the
 * stages. What no schedule can be below follows from these. `simple`: as in the options. O(tasks x
 * counts). */
void br_executors_least(const struct br_executors_arrival *arrival, bool simple, int64_t *least_ns);

#endif
