/* The predictors, in the order in which help lists them: ROW(NAME) for br_predictor_NAME, which
 * stands in the file of its family. A new one is its row there and its name here. Internal to this
 * room. */
#ifndef BR_RUNTIME_PREDICT_ROWS_H
#define BR_RUNTIME_PREDICT_ROWS_H

#include "runtime/predict/predictor.h"

#define BR_PREDICTORS(ROW)                                                                         \
    ROW(point)                                                                                     \
    ROW(3sigma)                                                                                    \
    ROW(3sigma_tl)                                                                                 \
    ROW(slearn)                                                                                    \
    ROW(slearn_adaptive)                                                                           \
    ROW(slearn_dag)                                                                                \
    ROW(posterior)                                                                                 \
    ROW(oracle)

#define BR_PREDICTOR_DECLARE(name) extern const struct br_predictor_row br_predictor_##name;
BR_PREDICTORS(BR_PREDICTOR_DECLARE)

#endif
