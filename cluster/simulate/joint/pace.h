/* The pace of jobs: measured over declared durations, from ended tasks. Durations are often off by
 * a factor that a whole job (its input is larger) or a stage has in common. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_PACE_H
#define BR_CLUSTER_SIMULATE_JOINT_PACE_H

#include "cluster/simulate/joint/job.h"

/* A task of the job starts, is ready again, or has ended after so long. */
void br_pace_start(struct br_joint_job *job, uint32_t task);
void br_pace_again(struct br_joint_job *job, uint32_t task);
void br_pace_end(struct br_joint_job *job, uint32_t task, int64_t lasted_ns);

/* Sets the paces of the job's stages to what its ended tasks tell, and adds what that changes to
 * `work` and `total_work`, both of tasks that have not started. If tasks have lasted as declared,
 * it changes nothing. O(stages), O(1) if no task has ended since the last call. */
void br_pace_settle(struct br_joint_job *job, double *work, double *total_work);

/* The least time of an ended job alone on the cluster: its longest path or its work, at the pace of
 * all its tasks. In ns; O(stages). */
double br_pace_alone(const struct br_joint_job *job);

#endif
