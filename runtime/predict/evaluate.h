/* How good is a predictor? Jobs arrive and end in the order of time; the predictor learns from
 * those that have ended and predicts those that arrive, from pilots drawn at random. */
#ifndef BR_RUNTIME_PREDICT_EVALUATE_H
#define BR_RUNTIME_PREDICT_EVALUATE_H

#include "base/process/stop.h"
#include "runtime/predict/predictor.h"

/* Queues of jobs by their work: the first up to first_ns, each further one up to `factor` times the
 * one before, and the last without a limit. */
struct br_job_queues {
    uint32_t count;
    double first_ns, factor;
};
/* Ten, from 1000 s of work on, by tens. [Jajoo22, 5.2.1] */
struct br_job_queues br_queues_default(void);
uint32_t br_queue_of(const struct br_job_queues *queues, double work_ns);

/* A job, whose stages hold the durations of all of their tasks. */
struct br_predict_case {
    struct br_predict_job job;
    int64_t arrival_ns, end_ns; /* when it is predicted, and when it becomes history */
    bool counts;                /* its prediction is judged */
};

/* The prediction of a case, and the true value. */
struct br_prediction {
    uint32_t number; /* of the case */
    uint32_t tasks, pilots;
    double work_ns; /* the truth */
    struct br_estimate estimate;
};

struct br_evaluation {
    uint32_t count;
    struct br_prediction *prediction; /* of the cases that count, in the order of arrival */
};

struct br_evaluate_options {
    const struct br_predictor_row *row;
    struct br_predict_setup setup;
    uint64_t seed;              /* of the choice of pilots */
    const struct br_stop *stop; /* may be NULL */
};

/* Cases are in the order of their arrivals. At equal times ends come before arrivals. Release by
 * br_evaluation_finish, also after a failure. BR_SYSTEM (memory). */
enum br_status br_evaluate(const struct br_predict_case *cases, uint32_t count,
                           const struct br_evaluate_options *options,
                           struct br_evaluation *evaluation, struct br_diag *diag);
void br_evaluation_finish(struct br_evaluation *evaluation);

/* Errors are |estimate - truth| / truth; jobs without work are left out. NAN if there are none. */
struct br_accuracy {
    uint32_t jobs, known;
    double mean_error, p25_error, p50_error, p75_error, p90_error, p99_error;
    double over, under;                    /* shares of jobs estimated too large, too small */
    double right_queue, too_low, too_high; /* shares of jobs; low is estimated too small */
    double inside, below, above;           /* shares of truths in, below and above the interval */
    uint32_t intervals;                    /* jobs with an interval; the shares are of these */
    double width;  /* median of the upper over the lower end; NAN: no intervals */
    double pilots; /* share of all tasks */
};
/* BR_SYSTEM (memory). O(n log n). */
enum br_status br_accuracy_of(const struct br_evaluation *evaluation,
                              const struct br_job_queues *queues, struct br_accuracy *accuracy,
                              struct br_diag *diag);

#endif
