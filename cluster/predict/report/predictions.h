/* Writing the results of `bigrocks predict`: how good predictors are on the jobs of a workload. */
#ifndef BR_CLUSTER_PREDICT_REPORT_PREDICTIONS_H
#define BR_CLUSTER_PREDICT_REPORT_PREDICTIONS_H

#include <stdio.h>

#include "base/text/named.h"
#include "runtime/predict/evaluate.h"
#include "cluster/workload/workload.h"

/* Number of true values inside intervals that should hold this share of them. */
struct br_calibration {
    double interval, inside; /* inside is NAN if there were no intervals */
};
enum { BR_CALIBRATIONS = 4 };

/* One predictor with one seed. All borrowed. */
struct br_predictions_run {
    const char *predictor; /* as the user named it, such as "slearn=0.05" */
    uint64_t seed;
    const struct br_evaluation *evaluation;
    struct br_accuracy accuracy;
    struct br_calibration calibration[BR_CALIBRATIONS];
};

struct br_predictions {
    const struct br_workload *workload; /* cases have the job numbers, from `first` on */
    uint32_t first;
    double interval;
    const struct br_job_queues *queues;
    uint32_t features;
    const char *const *feature; /* names of the features used */
    uint32_t runs;
    const struct br_predictions_run *run;
};

/* The formats. */
extern const struct br_names br_predictions_formats;

/* Writes them. BR_USAGE for an unknown format; BR_SYSTEM if writing fails or memory is out. */
enum br_status br_emit_predictions(const char *format, const struct br_predictions *predictions,
                                   FILE *out, struct br_diag *diag);

#endif
