/* What recorded jobs could gain: how long each took beside what no schedule of it can beat. */
#ifndef BR_CLUSTER_WORKLOAD_POTENTIAL_POTENTIAL_H
#define BR_CLUSTER_WORKLOAD_POTENTIAL_POTENTIAL_H

#include "cluster/workload/workload.h"

/* Measures that the time of a job is set beside; [Grandl16] has all three. */
enum br_potential_measure {
    BR_POTENTIAL_CRITICAL, /* its longest path: machines without number (CPLength) */
    BR_POTENTIAL_WORK,     /* its work over the whole cluster, on the scarcest resource: no
                            * dependencies,     perfect packing (TWork) */
    BR_POTENTIAL_BOUND,    /* the best lower bound, which `bound` certifies (NewLB) */
    BR_POTENTIAL_MEASURES
};

struct br_job_potential {
    uint32_t job;    /* number in the workload */
    int64_t took_ns; /* from its arrival to its end, as recorded */
    int64_t least_ns[BR_POTENTIAL_MEASURES];
    const char *method; /* of the bound; static storage */
};

struct br_potential {
    uint32_t count, unrecorded,
        refused;                  /* jobs; without a recorded end; that do not fit the cluster */
    struct br_job_potential *job; /* the measured ones, by arrival */
    struct br_diag refusal;       /* why the first of the refused ones is */
};

/* Measures the recorded jobs of a finished workload as if each had the whole cluster, with the
 * durations that its tasks really took. Release by br_potential_finish, also after a failure.
 * BR_BAD_INPUT if no job is left; BR_SYSTEM (memory). Cost: as br_bounds_sum for each job. */
enum br_status br_potential_make(const struct br_workload *workload,
                                 const struct br_cluster *cluster, struct br_potential *potential,
                                 struct br_diag *diag);
void br_potential_finish(struct br_potential *potential);

/* took_ns over a measure; INFINITY if only the measure is 0, 1 if both are. */
double br_potential_ratio(const struct br_job_potential *job, enum br_potential_measure measure);
/* These of all jobs, sorted, in an array of `count`. */
void br_potential_ratios(const struct br_potential *potential, enum br_potential_measure measure,
                         double *ratio);

#endif
