/* The progress of a training: its curve as a table or as a picture. */
#ifndef BR_CLUSTER_EXECUTORS_REPORT_CURVE_H
#define BR_CLUSTER_EXECUTORS_REPORT_CURVE_H

#include "base/text/named.h"
#include "cluster/executors/train/course.h"

extern const struct br_names br_learning_forms;
/* BR_USAGE for another form; BR_SYSTEM if writing fails. */
enum br_status br_emit_learning(const char *form, const struct br_course *course, FILE *out,
                                struct br_diag *diag);

#endif
