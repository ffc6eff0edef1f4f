/* The progress of a training: its curve as a table or as a picture. */
#ifndef BR_CLUSTER_EXECUTORS_REPORT_CURVE_H
#define BR_CLUSTER_EXECUTORS_REPORT_CURVE_H

#include "cluster/executors/train/course.h"

/* The forms: csv, svg; NULL past the end. */
const char *br_learning_form(uint32_t k);
/* BR_USAGE for another form; BR_SYSTEM if writing fails. */
enum br_status br_emit_learning(const char *form, const struct br_course *course, FILE *out,
                                struct br_diag *diag);

#endif
