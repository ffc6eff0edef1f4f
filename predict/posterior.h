/* What the predictor `posterior` believes of single tasks, for who plans them. */
#ifndef BR_PREDICT_POSTERIOR_H
#define BR_PREDICT_POSTERIOR_H

#include "predict/predictor.h"

/* The durations of a stage's tasks. They scatter about a mean, which is not known for certain. */
struct br_task_belief {
    bool known;             /* from history or pilots; else it is a guess */
    double mean_ns;         /* the mean: the median of its posterior */
    double low_ns, high_ns; /* the interval of the setup, of the same */
    double spread;  /* standard deviation of the logarithms of durations; 0 where none was seen */
    double task_ns; /* one task takes no longer, with the probability that was asked for */
};

/* Tells of the tasks of the job's stage that have not run; `predictor` is made by
 * br_predictor_posterior, and 0 < share < 1. The cost is that of a prediction. */
void br_posterior_tasks(void *predictor, const struct br_predict_job *job, uint32_t stage,
                        double share, struct br_task_belief *tasks);

#endif
