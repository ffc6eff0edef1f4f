/* The rest of each job, stage by stage, on each number of executors that could be tried: its work
 * and its longest path, by measured means. Internal to this room.
 *
 * A stage that has begun goes on with executors that know it; one that has not begins anew on each.
 * What was found is kept while a job does not change (br_executor_job.changed), and by job number.
 */
#ifndef BR_CLUSTER_EXECUTORS_LEFT_H
#define BR_CLUSTER_EXECUTORS_LEFT_H

#include "cluster/executors/executors.h"

/* Work and durations of a job of the run. */
struct br_left_job {
    double *work_ms, *path_ms; /* by number that is tried; owned */
    float *task_ms; /* by stage: in the first wave and in the rest, each by number that is tried */
    const float *fresh_ms; /* of a task on an executor that is new to the job, what it lasts longer
                              than another first one; by number that is tried; behind task_ms */
    bool owner;            /* of task_ms, which equal jobs share */
    uint32_t seen; /* value of `changed` for which work_ms and path_ms are; UINT32_MAX: none */
};

struct br_left {
    double running; /* of a task that runs, what is left; set by the caller, see br_left_renew */
    bool by_distance;
    uint32_t executors, tries, try_room;
    uint32_t *try; /* numbers of executors, ascending */
    uint32_t room, path_room;
    struct br_left_job *job;
    float *path_ms; /* of one job, while it is looked at: by stage and number that is tried */
};

/* All 0 is empty. */
void br_left_finish(struct br_left *left);
/* A run begins, after the simulator's reset: its jobs. False when memory is out. O(stages x numbers
 * of all jobs that are not equal). */
bool br_left_begin(struct br_left *left, const struct br_executors *sim);
/* A job has come after that, or without. False when memory is out. */
bool br_left_arrive(struct br_left *left, const struct br_executors *sim, uint32_t job);
/* Forgets what was found: `running` is another, or the simulator another copy of the run. */
void br_left_renew(struct br_left *left);
/* The rest of a job that has come. O(its stages x numbers) if the job has changed, else O(1). */
const struct br_left_job *br_left_look(struct br_left *left, const struct br_executors *sim,
                                       uint32_t job);

#endif
