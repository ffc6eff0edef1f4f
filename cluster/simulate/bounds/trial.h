/* Runs a workload with known durations, its stages in a given order: the schedule that a search
 * over orders judges. A task starts as soon as a machine holds it; if several could, those of the
 * first stage in the order go first. A job may be held until another arrives, so that its room is
 * free for that one. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_TRIAL_H
#define BR_CLUSTER_SIMULATE_BOUNDS_TRIAL_H

#include "cluster/simulate/bounds/trial_model.h"

/* The machine and the times of a task, on a clock that begins with the first arrival. */
struct br_trial_span {
    int64_t start_ns;
    uint32_t machine;
};

/* The order. A stage goes with a job, usually its own: stages go first whose jobs have the smaller
 * place, then those whose own job has, then those of the smaller rank. */
struct br_trial_order {
    uint32_t *place; /* by job, no two equal */
    uint32_t *with;  /* by stage: the job that it goes with */
    uint32_t *until; /* by job: itself, or a later one, before whose arrival it starts nothing */
};

struct br_trial;

/* A place to run the model, which must outlive it. NULL when memory is out. */
struct br_trial *br_trial_create(const struct br_trial_model *model);
void br_trial_destroy(struct br_trial *trial);

/* Runs the jobs from `first` on, on an empty cluster, until at an arrival nothing runs or waits,
 * and returns the number of the job that arrives then (the count of jobs at the end). order: NULL:
 * always the job with the least work left to start. end_ns: by job, filled for those that ran.
 * O(tasks x (log tasks + open stages x resources + machines)). */
uint32_t br_trial_run(struct br_trial *trial, const struct br_trial_order *order, uint32_t first,
                      int64_t *end_ns);
/* By task, of the last runs. */
const struct br_trial_span *br_trial_spans(const struct br_trial *trial);

#endif
