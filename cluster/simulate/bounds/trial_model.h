/* All jobs of a workload as one graph of stages and tasks, scaled to a cluster's integers. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_TRIAL_MODEL_H
#define BR_CLUSTER_SIMULATE_BOUNDS_TRIAL_MODEL_H

#include "runtime/enforcer/jobs/capacities.h"
#include "cluster/workload/workload.h"

/* Stages and tasks are numbered through all jobs, in their order in the workload. */
struct br_trial_stage {
    uint32_t job, first, tasks;     /* its tasks are first .. first + tasks - 1 */
    uint32_t barriers;              /* edges that lead here from whole stages */
    uint32_t pairs;                 /* edges that lead here from task to task */
    uint32_t first_child, children; /* run in br_trial_model.arc */
    uint32_t rank;                  /* among the stages of its job: 0 has the longest way to go */
    const int64_t *demand;          /* of a task, by resource */
    double share;                   /* the largest of its shares of the cluster */
};
struct br_trial_arc {
    uint32_t stage;
    bool one_to_one;
};
struct br_trial_job {
    int64_t arrival_ns;
    uint32_t first_stage, stages, tasks;
    double work; /* sum over its tasks of share x duration in ns */
};

struct br_trial_model {
    struct br_arena arena;
    uint32_t jobs, stages, tasks, machines, resources;
    struct br_capacities capacities;
    struct br_trial_job *job;
    struct br_trial_stage *stage;
    struct br_trial_arc *arc;
    int64_t *duration_ns; /* by task */
    uint32_t *task_stage;
    uint32_t *longest; /* the tasks of each stage, the longest first */
};

/* true_ns: as br_workload_bounds_make. Release by br_trial_model_finish, also after a failure.
 * BR_BAD_INPUT (a job that no machine holds, more than 2^32 tasks), BR_SYSTEM. */
enum br_status br_trial_model_make(const struct br_workload *workload,
                                   const struct br_cluster *cluster, const int64_t *const *true_ns,
                                   struct br_trial_model *model, struct br_diag *diag);
void br_trial_model_finish(struct br_trial_model *model);

#endif
