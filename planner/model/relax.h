/* A job without features in which every plan of a given job has its place, so that lower bounds on
 * it hold for the given one.
 *
 * The stages of the given job come first, with their numbers. Behind them stand stages that only
 * pass time: releases and lags, which need no resource, and for each output that is read, what
 * holds it from the end of its maker for as long as its last reader lasts. What a task makes from
 * its start on adds to its demand. Left out are deadlines, the ends that streams wait for, and
 * capacities below the greatest that a machine ever has. */
#ifndef BR_PLANNER_MODEL_RELAX_H
#define BR_PLANNER_MODEL_RELAX_H

#include "planner/model/cluster.h"
#include "planner/model/dag.h"

enum br_relaxation {
    BR_RELAX_MACHINES, /* the machines, without shared resources unless there is one machine */
    BR_RELAX_POOL,     /* one machine that has all that the machines have, and what they share */
};

struct br_relaxed {
    struct br_dag *dag; /* owned, and so is the cluster */
    struct br_cluster *cluster;
    bool exact; /* nothing was left out: a plan of it is one of the given job, in its first tasks */
};

/* Fills *relaxed for the finished job; br_relaxed_finish releases it, also after a failure.
 * BR_BAD_INPUT if amounts do not add up exactly. O(tasks + edges), and for streams a look at the
 * parents of their parents. */
enum br_status br_relax(const struct br_dag *dag, const struct br_cluster *cluster,
                        enum br_relaxation relaxation, struct br_relaxed *relaxed,
                        struct br_diag *diag);
void br_relaxed_finish(struct br_relaxed *relaxed);

#endif
