/* Jain's index of fairness [Jain84] between the groups of a workload, window by window. */
#ifndef BR_CLUSTER_WORKLOAD_FAIRNESS_H
#define BR_CLUSTER_WORKLOAD_FAIRNESS_H

#include "cluster/workload/shares.h"
#include "cluster/workload/sweep.h"

/* Windows follow each other from the first arrival until the last end, which may cut the last one.
 * A group counts in a window if a job of it has arrived and not ended in some part of it. Its x is
 * the dominant share x time of all that ran of it in the window, over its weight; the index of a
 * window with n groups is (sum of x)^2 / (n x sum of x^2), and 1 if nothing ran. *index becomes the
 * mean over the windows with two groups or more, 1 if there is none.
 *
 * Time is O(moments x log groups): windows without a moment are counted, not visited. */
enum br_status br_fairness(const struct br_workload *workload, const struct br_outcome *outcome,
                           const struct br_shares *shares, struct br_sweep *sweep,
                           int64_t window_ns, double *index, struct br_diag *diag);

#endif
