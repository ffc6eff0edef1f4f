/* The best of the arguments of this room.
 *
 * Overbooked resources. Tasks that demand more of a resource than a machine has run slower in
 * proportion, so that demand x speed, summed over the tasks there, is at most the capacity; and no
 * speed is above 1. Hence the work of a resource (demand x duration) is done at most at the rate of
 * its capacity, and a path takes at least its durations: heads, tails and energy hold as they are.
 * What does not hold is that two tasks of which each needs more than half of a machine run one
 * after the other; so rounds and measures that count whole tasks are left out (alone.c, union.c).
 */
#include "cluster/simulate/bounds/regret.h"

#include <assert.h>
#include <stdlib.h>

#include "cluster/simulate/bounds/dual.h"
#include "cluster/simulate/bounds/ends.h"
#include "cluster/simulate/bounds/latest.h"

static enum br_status bound_makespan(const struct br_workload *workload,
                                     const struct br_cluster *cluster,
                                     const int64_t *const *true_ns, bool overbooked,
                                     const struct br_load *load, const struct br_stop *stop,
                                     struct br_workload_bounds *bounds, struct br_diag *diag)
{
    struct br_latest latest, whole = {0};
    if (!br_latest_bound(load, &latest))
        return br_fail_memory(diag);
    if (!overbooked && !br_stopped(stop)) {
        enum br_status status = br_latest_of_union(workload, cluster, true_ns, &whole, diag);
        if (status)
            return status;
    }
    if (whole.makespan_s > latest.makespan_s)
        latest = whole;
    bounds->makespan_s = latest.makespan_s;
    bounds->makespan_method = latest.method;
    return BR_OK;
}

/* Sums over the jobs' own bounds. */
static void bound_alone(const struct br_load *load, struct br_workload_bounds *bounds)
{
    double sum_s = 0, weighted_s = 0, weight = 0;
    for (uint32_t j = 0; j < load->jobs; j++) {
        sum_s += bounds->job_s[j];
        weighted_s += load->job[j].weight * bounds->job_s[j];
        weight += load->job[j].weight;
    }
    assert(weight > 0);
    bounds->mean_jct_s = sum_s / load->jobs;
    bounds->weighted_jct_s = weighted_s / weight;
    bounds->mean_method = "each job alone";
}

static bool equal_weights(const struct br_load *load)
{
    uint32_t j = 1;
    while (j < load->jobs && load->job[j].weight == load->job[0].weight)
        j++;
    return j >= load->jobs;
}

static void raise_mean(struct br_workload_bounds *bounds, double sum_s, uint32_t jobs,
                       const char *method)
{
    double mean_s = sum_s / jobs * BR_LOAD_ROUNDED;
    if (mean_s > bounds->mean_jct_s) {
        bounds->mean_jct_s = mean_s;
        bounds->mean_method = method;
    }
}

static bool bound_weighted(const struct br_load *load, double *weight, const struct br_stop *stop,
                           struct br_workload_bounds *bounds)
{
    double sum_s, weights = 0;
    for (uint32_t j = 0; j < load->jobs; j++)
        weights += weight[j] = load->job[j].weight;
    assert(weights > 0);
    if (!br_dual_bound(load, weight, stop, &sum_s))
        return false;
    double mean_s = sum_s / weights * BR_LOAD_ROUNDED;
    bounds->weighted_jct_s = mean_s > bounds->weighted_jct_s ? mean_s : bounds->weighted_jct_s;
    return true;
}

static enum br_status bound_mean(const struct br_load *load, const struct br_stop *stop,
                                 struct br_workload_bounds *bounds, struct br_diag *diag)
{
    double ends_s, dual_s, *weight = malloc(load->jobs * sizeof *weight);
    bool equal = equal_weights(load), ok = weight != NULL;
    for (uint32_t j = 0; ok && j < load->jobs; j++)
        weight[j] = 1;
    bound_alone(load, bounds);
    ok = ok && br_ends_bound(load, stop, &ends_s) && br_dual_bound(load, weight, stop, &dual_s);
    if (ok) {
        raise_mean(bounds, ends_s, load->jobs, "how many jobs can have ended by when");
        raise_mean(bounds, dual_s, load->jobs, "mean busy times");
        ok = equal || bound_weighted(load, weight, stop, bounds);
    }
    if (ok && equal && bounds->weighted_jct_s < bounds->mean_jct_s)
        bounds->weighted_jct_s = bounds->mean_jct_s;
    free(weight);
    return ok ? BR_OK : br_fail_memory(diag);
}

enum br_status br_workload_bounds_make(const struct br_workload *workload,
                                       const struct br_cluster *cluster,
                                       const int64_t *const *true_ns, bool overbooked,
                                       const struct br_stop *stop,
                                       struct br_workload_bounds *bounds, struct br_diag *diag)
{
    struct br_load load;
    *bounds = (struct br_workload_bounds){0};
    enum br_status status = br_load_make(workload, cluster, true_ns, overbooked, stop, &load, diag);
    bounds->job_s = br_arena_array(&bounds->arena, workload->jobs, sizeof *bounds->job_s);
    if (!status && !bounds->job_s)
        status = br_fail_memory(diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++)
        bounds->job_s[j] = load.job[j].alone ? (double)load.job[j].alone->bound_ns / 1e9 : 0;
    if (!status)
        status = bound_makespan(workload, cluster, true_ns, overbooked, &load, stop, bounds, diag);
    if (!status)
        status = bound_mean(&load, stop, bounds, diag);
    br_load_finish(&load);
    return status;
}

void br_workload_bounds_finish(struct br_workload_bounds *bounds)
{
    br_arena_finish(&bounds->arena);
    *bounds = (struct br_workload_bounds){0};
}
