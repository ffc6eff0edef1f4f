/* The outputs of predictions in files of their own. Internal to this room. */
#ifndef BR_CLUSTER_PREDICT_REPORT_PREDICTIONS_OUTPUTS_H
#define BR_CLUSTER_PREDICT_REPORT_PREDICTIONS_OUTPUTS_H

#include <stdio.h>

#include "base/text/diag.h"

struct br_predictions;
enum br_status br_predictions_svg(const struct br_predictions *predictions, FILE *out,
                                  struct br_diag *diag);

#endif
