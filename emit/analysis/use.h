/* How much of the cluster a plan uses over time, for pictures. */
#ifndef BR_EMIT_ANALYSIS_USE_H
#define BR_EMIT_ANALYSIS_USE_H

#include "emit/write/input.h"

enum { BR_USE_PIECES = 240 };

/* A resource that tasks demand and machines have. */
struct br_use {
    const char *name;
    int64_t work_ns;             /* all demands x durations / the whole cluster's capacity */
    double milli[BR_USE_PIECES]; /* mean use of the cluster by piece, in thousandths */
};

/* The pieces are those between any two moments at which the use changes, so that it is exact. If
 * there are more than BR_USE_PIECES, the plan is cut into so many equal ones. */
struct br_use_curves {
    uint32_t count, pieces;
    int64_t from_ns[BR_USE_PIECES + 1]; /* by piece, and the end of the last */
    struct br_use *use;
};

/* Over 0 to span_ns. br_use_curves_finish after it. O((tasks + outputs) log tasks). */
enum br_status br_use_curves_measure(struct br_use_curves *uses, const struct br_emit_input *input,
                                     int64_t span_ns, struct br_diag *diag);
void br_use_curves_finish(struct br_use_curves *uses);

/* The mean over the whole plan, in thousandths; a piece counts as at most the whole cluster. */
double br_use_mean(const struct br_use_curves *uses, uint32_t use);

/* The largest share of the whole cluster that a task of the stage demands, over the resources. 1 in
 * a job without demands. A measure for pictures; not exact. O(demands of the stage x classes). */
double br_use_share(const struct br_dag *dag, const struct br_cluster *cluster, uint32_t stage);

#endif
