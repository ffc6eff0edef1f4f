/* Traces of coflows made from others: filtered, scaled, skewed. */
#ifndef BR_CLUSTER_COFLOW_COFLOW_MAKE_H
#define BR_CLUSTER_COFLOW_COFLOW_MAKE_H

#include "cluster/coflow/coflows.h"

/* Keeps coflows with more flows than `width` and a skew above `skew`; 0 keeps all. BR_BAD_INPUT if
 * none is left. */
enum br_status br_coflows_filter(struct br_coflows *trace, uint64_t width, double skew,
                                 struct br_diag *diag);
/* Multiplies times between arrivals, and bytes; both above 0. */
void br_coflows_scale(struct br_coflows *trace, double time, double bytes);
/* The trace so often one after another, each repetition as long as the last arrival (and a mean
 * time between arrivals) after the one before. BR_BAD_INPUT if there are too many flows. */
enum br_status br_coflows_repeat(struct br_coflows *trace, uint32_t times, struct br_diag *diag);
/* Spreads each receiver's bytes unevenly over its senders, with weights whose logarithm is normal:
 * the coefficient of variation of what senders send is about 0.34 in the median coflow and 3.1 in
 * the ninetieth percentile, as in the traces of [Ananthanarayanan10]. What a receiver gets in all
 * stays. */
void br_coflows_mantri(struct br_coflows *trace, uint64_t seed);

#endif
