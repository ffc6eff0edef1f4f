/* Jobs with deadlines over time, as in the paper's figures 6 and 7 [Ferguson12]: the allocation of
 * each beside its use, and the forecasts of its end. */
#ifndef BR_CLUSTER_SIMULATE_REPORT_STUDY_DEADLINES_H
#define BR_CLUSTER_SIMULATE_REPORT_STUDY_DEADLINES_H

#include "cluster/simulate/report/study.h"

/* The height of the drawing, in hundredths of a pixel; 0: no run has allotments. */
int64_t br_study_deadlines_height(const struct br_study *study);
/* Draws it, from `top` on, into an open picture: a row for each policy and each of its first jobs,
 * of the first seed. */
void br_study_deadlines_draw(const struct br_study *study, FILE *out, int64_t top);
/* Draws it as a picture of its own. */
void br_study_deadlines_picture(const struct br_study *study, FILE *out);

#endif
