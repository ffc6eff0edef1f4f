/* Beliefs about the durations of a job's tasks, stage by stage: from the history of runs, and from
 * measurements of the running job. Uses the posterior of the predictor of that name.
 *
 * Stages are known by the job's name and their id, tasks with alternatives also by that which they
 * ran by; those that ran on machines of several classes in one run count as so many runs. Runs of
 * other jobs show only how much runs differ. Not for several threads at once. */
#ifndef BR_RUNTIME_PREDICT_BELIEFS_H
#define BR_RUNTIME_PREDICT_BELIEFS_H

#include "planner/model/dag.h"
#include "store/history/history.h"
#include "runtime/predict/posterior.h"

/* Intervals hold the truth with this probability. */
#define BR_BELIEF_INTERVAL 0.8

struct br_beliefs;

/* Learns the last runs in the history, of its job and of others; NULL: there is none. The beliefs
 * are the caller's. BR_SYSTEM, BR_BAD_INPUT (as of the history). */
enum br_status br_beliefs_create(struct br_history *history, struct br_beliefs **beliefs,
                                 struct br_diag *diag);
void br_beliefs_destroy(struct br_beliefs *beliefs); /* NULL is fine */

/* The belief about the tasks of the stage that run by the alternative (NULL: of none with a name),
 * of which `measured` have been measured in this run, in any order; 0 < share < 1 is that of
 * task_ns. Durations are those on machines of speed 1. */
void br_beliefs_of(struct br_beliefs *beliefs, const char *job, const struct br_stage *stage,
                   const char *alternative, const int64_t *duration_ns, uint32_t measured,
                   double share, struct br_task_belief *belief);

/* A task whose duration the job itself gives, lognormal with this spread: the duration exceeded
 * with the probability 1 - share. */
double br_belief_declared(double mean_ns, double spread, double share);

#endif
