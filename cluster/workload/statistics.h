/* Statistics of a workload: sizes, shapes, arrivals, work and load, groups, deadlines. */
#ifndef BR_CLUSTER_WORKLOAD_STATISTICS_H
#define BR_CLUSTER_WORKLOAD_STATISTICS_H

#include "cluster/workload/offered.h"

/* Percentiles as br_percentile has them; all NAN if there is nothing. */
struct br_distribution {
    double mean, min, p25, p50, p75, p90, p99, max;
};

struct br_group_statistics {
    uint32_t jobs;
    double task_s; /* seconds of all tasks, true ones if recorded */
};

struct br_workload_statistics {
    uint32_t jobs;
    uint32_t dags;     /* that jobs are instances of */
    uint32_t recorded; /* jobs whose true durations are recorded */
    uint64_t stages, tasks;
    /* Over the jobs. Width: most tasks in one level of the job; depth: number of levels; critical:
     * length of the critical path as declared; work: seconds of all its tasks. */
    struct br_distribution job_stages, job_tasks, width, depth, critical_s, work_s;
    double first_s, last_s; /* arrivals */
    double gap_mean_s;      /* between arrivals; NAN below two jobs */
    double gap_cov;         /* standard deviation of those over their mean; NAN if that is 0 */
    struct br_offered offered;
    double *load; /* by resource of offered, as offered.h has it; NAN: no cluster, one job */
    uint32_t most_loaded;              /* resource; UINT32_MAX if no load is known */
    uint32_t deadlines;                /* jobs that have one */
    struct br_distribution slack;      /* of these: time until it, over the critical path */
    struct br_group_statistics *group; /* by group of the workload */
    struct br_arena arena;
};

/* Measures a finished workload. The cluster may be NULL. Names are borrowed from the workload.
 * BR_SYSTEM (memory). O(jobs log jobs + what the shapes of the dags cost). */
enum br_status br_workload_measure(const struct br_workload *workload,
                                   const struct br_cluster *cluster,
                                   struct br_workload_statistics *statistics, struct br_diag *diag);
void br_workload_statistics_finish(struct br_workload_statistics *statistics);

#endif
