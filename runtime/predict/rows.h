/* The rows of the table of predictors, each in a file of its family. Internal to this room. */
#ifndef BR_RUNTIME_PREDICT_ROWS_H
#define BR_RUNTIME_PREDICT_ROWS_H

#include "runtime/predict/predictor.h"

extern const struct br_predictor_row br_predictor_point, br_predictor_3sigma,
    br_predictor_3sigma_tl, br_predictor_slearn, br_predictor_slearn_adaptive,
    br_predictor_slearn_dag, br_predictor_posterior, br_predictor_oracle;

#endif
