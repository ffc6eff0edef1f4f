/* The features of a job and its cluster beyond tasks that hold what they demand while they run.
 * Code that does not know one of them refuses the job, so that none is silently left out. */
#ifndef BR_PLANNER_ELIGIBILITY_FEATURES_H
#define BR_PLANNER_ELIGIBILITY_FEATURES_H

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

enum br_feature {
    BR_FEATURE_OUTPUTS = 1,        /* demands that outlive their task */
    BR_FEATURE_RELEASES = 2,       /* tasks that start no earlier */
    BR_FEATURE_DEADLINES = 4,      /* tasks that end no later */
    BR_FEATURE_LAGS = 8,           /* children that start some time after their parent */
    BR_FEATURE_STREAMS = 16,       /* children that run beside their parent */
    BR_FEATURE_SHARED = 32,        /* resources that tasks on all machines draw from */
    BR_FEATURE_CALENDAR = 64,      /* machines that are away, amounts that change */
    BR_FEATURE_ALTERNATIVES = 128, /* stages whose tasks run in one of several ways */
    BR_FEATURE_CLASSES = 256,      /* tasks that run only on machines of some classes */
    BR_FEATURE_CONSUMED = 512,     /* resources that tasks take for good */
    BR_FEATURE_SPEED = 1024,       /* machines on which tasks last longer, or less long */
    BR_FEATURES_OF_JOB = 31 | 128 | 256 | 512,
    BR_FEATURES_MODES = 128 | 256 | 512 | 1024, /* those that say how and where tasks run */
    BR_FEATURES_ALL = 2047,
};

/* Those that the job has; of the cluster (NULL: none) those that matter to the job. O(outputs +
 * resources). */
unsigned br_features(const struct br_dag *dag, const struct br_cluster *cluster);
/* BR_BAD_INPUT if the job, or the cluster for this job, has a feature that is not in `known`. `who`
 * does not know it: "simulate", "the format dask". */
enum br_status br_features_refuse(const struct br_dag *dag, const struct br_cluster *cluster,
                                  unsigned known, const char *who, struct br_diag *diag);
/* The same for a cluster before its jobs are known: shared resources count if it has any. */
enum br_status br_features_refuse_cluster(const struct br_cluster *cluster, unsigned known,
                                          const char *who, struct br_diag *diag);

#endif
