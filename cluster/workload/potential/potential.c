/* Measures each job alone on the cluster. */
#include "cluster/workload/potential/potential.h"

#include <math.h>
#include <stdlib.h>

#include "planner/bounds/bounds.h"

static enum br_status potential_measure(const struct br_workload *workload,
                                        const struct br_cluster *cluster, uint32_t number,
                                        struct br_job_potential *made, struct br_diag *diag)
{
    const struct br_workload_job *job = &workload->job[number];
    struct br_dag lasting = *workload->dag[job->dag].dag; /* a view, which owns nothing */
    struct br_instance *whole;
    if (job->true_ns)
        lasting.duration_ns = (int64_t *)job->true_ns; /* only read */
    enum br_status status = br_instance_create(&lasting, cluster, &whole, diag);
    if (status)
        return status;
    const struct br_bound bound[BR_POTENTIAL_MEASURES] = {
        [BR_POTENTIAL_CRITICAL] = br_bounds_critical_path(whole),
        [BR_POTENTIAL_WORK] = br_bounds_work(whole),
        [BR_POTENTIAL_BOUND] = br_bounds_sum(whole)};
    *made = (struct br_job_potential){
        .job = number, .took_ns = job->recorded_ns, .method = bound[BR_POTENTIAL_BOUND].method};
    for (int k = 0; k < BR_POTENTIAL_MEASURES; k++) {
        if (bound[k].ticks < 0)
            status = br_fail_memory(diag);
        made->least_ns[k] = bound[k].ticks * whole->tick_ns;
    }
    br_instance_destroy(whole);
    return status;
}

enum br_status br_potential_make(const struct br_workload *workload,
                                 const struct br_cluster *cluster, struct br_potential *potential,
                                 struct br_diag *diag)
{
    *potential = (struct br_potential){0};
    potential->job = malloc(((size_t)workload->jobs + 1) * sizeof *potential->job);
    if (!potential->job)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs; j++) {
        struct br_diag said = {0};
        if (workload->job[j].recorded_ns < 0) {
            potential->unrecorded++;
            continue;
        }
        enum br_status status =
            potential_measure(workload, cluster, j, &potential->job[potential->count], &said);
        if (status == BR_SYSTEM) {
            *diag = said;
            return status;
        }
        potential->count += !status;
        if (status && !potential->refused++)
            potential->refusal = said;
    }
    if (potential->count)
        return BR_OK;
    if (potential->refused) {
        *diag = potential->refusal;
        return BR_BAD_INPUT;
    }
    return br_fail(diag, BR_BAD_INPUT, "give a record: of sacct, SWF, or event logs of Spark",
                   "no job of the workload has a recorded end");
}

void br_potential_finish(struct br_potential *potential)
{
    free(potential->job);
    *potential = (struct br_potential){0};
}

double br_potential_ratio(const struct br_job_potential *job, enum br_potential_measure measure)
{
    int64_t least_ns = job->least_ns[measure];
    if (least_ns > 0)
        return (double)job->took_ns / (double)least_ns;
    return job->took_ns > 0 ? INFINITY : 1;
}

static int potential_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void br_potential_ratios(const struct br_potential *potential, enum br_potential_measure measure,
                         double *ratio)
{
    for (uint32_t k = 0; k < potential->count; k++)
        ratio[k] = br_potential_ratio(&potential->job[k], measure);
    qsort(ratio, potential->count, sizeof *ratio, potential_by_value);
}
