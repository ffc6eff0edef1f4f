/* A job without features in which every plan of a given job has its place, so that lower bounds on
 * it hold for the given one. If tasks may run in several ways, it is of the job of the least way
 * (least_way.h). docs/certificates.md defines it, since certificates stand on it.
 *
 * The stages of the given job come first, with their numbers, and so do its resources. Behind them
 * stand stages that only pass time: releases and lags, which need no resource, and for each output
 * what holds it from the end of its maker for as long as its last reader takes to end. What a task
 * makes from its start on adds to its demand. Streams are followed back to what their parents wait
 * for. Left out are deadlines, and capacities below the greatest that a machine ever has. */
#ifndef BR_PLANNER_INSTANCE_RELAX_H
#define BR_PLANNER_INSTANCE_RELAX_H

#include "planner/instance/certificate.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

struct br_relaxed {
    struct br_dag *dag; /* owned, and so is the cluster */
    struct br_cluster *cluster;
    bool exact; /* nothing was left out: a plan of it is one of the given job, in its first tasks */
};

/* Fills *relaxed for the finished job by BR_RELAX_MACHINES or BR_RELAX_POOL; br_relaxed_finish
 * releases it, also after a failure. BR_BAD_INPUT if amounts do not add up exactly. In jobs of up
 * to BR_WAITS_LARGE stages O(stages x edges) if there are outputs, else O(tasks + edges). */
enum br_status br_relax(const struct br_dag *dag, const struct br_cluster *cluster,
                        enum br_relaxation relaxation, struct br_relaxed *relaxed,
                        struct br_diag *diag);
/* The same by BR_RELAX_MACHINES, without the stages that pass time for outputs: half as many tasks,
 * to take an order from. Proofs are not of it. */
enum br_status br_relax_plain(const struct br_dag *dag, const struct br_cluster *cluster,
                              struct br_relaxed *relaxed, struct br_diag *diag);
/* May the pool give a bound that the machines do not? They share something, and are several. */
bool br_relax_pool_helps(const struct br_dag *dag, const struct br_cluster *cluster);
/* Its stages and resources alone, by names and numbers: they are the same on every cluster.
 * *relaxed is the caller's, also after a failure. */
enum br_status br_relax_job(const struct br_dag *dag, struct br_dag **relaxed,
                            struct br_diag *diag);
void br_relaxed_finish(struct br_relaxed *relaxed);

#endif
