/* The beliefs of the predictor `posterior` about single tasks, for planning. */
#ifndef BR_RUNTIME_PREDICT_POSTERIOR_H
#define BR_RUNTIME_PREDICT_POSTERIOR_H

#include "runtime/predict/predictor.h"

/* The durations of a stage's tasks. They scatter around a mean, which is uncertain. */
struct br_task_belief {
    bool known;             /* from history or pilots; else a guess */
    double mean_ns;         /* the mean: the median of its posterior */
    double low_ns, high_ns; /* the setup's interval of the mean */
    double spread;  /* standard deviation of the logarithms of durations; 0 if none was seen */
    double task_ns; /* not exceeded by one task, with the requested probability */
};

/* The belief about the tasks of the job's stage that have not run; `predictor` comes from
 * br_predictor_posterior, and 0 < share < 1. The cost is that of a prediction. */
void br_posterior_tasks(void *predictor, const struct br_predict_job *job, uint32_t stage,
                        double share, struct br_task_belief *tasks);

#endif
