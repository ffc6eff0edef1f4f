/* Sums are of integers until the last step, so that they do not depend on the order of spans. */
#include "cluster/workload/metrics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/numbers/wide.h"
#include "cluster/workload/fairness.h"
#include "cluster/workload/shares.h"
#include "cluster/workload/sweep.h"

const double br_jain_window_s[BR_JAIN_WINDOWS] = {10, 60, 240};

static double metrics_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

double br_percentile(const double *sorted, uint32_t count, double share)
{
    if (count == 0)
        return NAN;
    assert(share >= 0 && share <= 1);
    double at = share * (count - 1);
    uint32_t low = (uint32_t)at;
    if (low + 1 >= count)
        return sorted[count - 1];
    assert(sorted[low] <= sorted[low + 1]);
    return sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}

static int metrics_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += values[k];
    return count ? sum / count : NAN;
}

/* Measures each job, except its work. */
static void metrics_measure_jobs(const struct br_workload *workload,
                                 const struct br_outcome *outcome, const double *bound_s,
                                 int64_t last_ns, struct br_metrics *metrics)
{
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_workload_job *job = &workload->job[j];
        struct br_job_metrics *m = &metrics->job[j];
        int64_t deadline_ns = m->allotted.deadline_ns;
        bool finished = outcome->end_ns[j] >= 0, dated = deadline_ns != BR_NEVER;
        m->jct_s = m->slowdown = m->tardiness_s = m->lateness_s = NAN;
        metrics->deadlines += dated;
        if (!finished) {
            metrics->missed += dated && (deadline_ns <= last_ns || !outcome->cut);
            continue;
        }
        metrics->finished++;
        assert(outcome->end_ns[j] >= job->arrival_ns);
        m->jct_s = metrics_seconds(outcome->end_ns[j] - job->arrival_ns);
        if (bound_s && bound_s[j] > 0)
            m->slowdown = m->jct_s / bound_s[j];
        if (dated) {
            bool late = outcome->end_ns[j] > deadline_ns;
            m->lateness_s = metrics_seconds(outcome->end_ns[j] - deadline_ns);
            m->tardiness_s = late ? m->lateness_s : 0;
            metrics->missed += late;
        }
    }
    assert(metrics->missed <= metrics->deadlines);
}

/* The allotments of the control loops. Comes before all that asks for deadlines, which may have
 * moved.
 */
static enum br_status measure_allotments(const struct br_workload *workload,
                                         const struct br_outcome *outcome,
                                         struct br_metrics *metrics, struct br_diag *diag)
{
    struct br_allotted *allotted = malloc(((size_t)workload->jobs + 1) * sizeof *allotted);
    double tokens = 0, above = 0;
    if (!allotted || !br_allotted_make(workload, outcome, allotted)) {
        free(allotted);
        return br_fail_memory(diag);
    }
    for (uint32_t j = 0; j < workload->jobs; j++) {
        metrics->job[j].allotted = allotted[j];
        if (isnan(allotted[j].token_minutes))
            continue;
        tokens += allotted[j].token_minutes;
        above += allotted[j].token_minutes * allotted[j].above;
    }
    metrics->token_minutes = outcome->allotments.rows ? tokens : NAN;
    metrics->above_oracle = tokens > 0 ? above / tokens : NAN;
    free(allotted);
    return BR_OK;
}

static double mean_lateness(const struct br_metrics *metrics)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t j = 0; j < metrics->jobs; j++)
        if (!isnan(metrics->job[j].lateness_s)) {
            sum += metrics->job[j].lateness_s;
            known++;
        }
    return known ? sum / known : NAN;
}

static enum br_status summarise_jobs(const struct br_workload *workload, struct br_metrics *metrics,
                                     struct br_diag *diag)
{
    double weighted = 0, weights = 0;
    double *jct = malloc(((size_t)workload->jobs + 1) * sizeof *jct);
    double *slowdown = malloc(((size_t)workload->jobs + 1) * sizeof *slowdown);
    uint32_t jcts = 0, slowdowns = 0;
    if (!jct || !slowdown) {
        free(jct);
        free(slowdown);
        return br_fail_memory(diag);
    }
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_job_metrics *m = &metrics->job[j];
        if (!isnan(m->jct_s)) {
            jct[jcts++] = m->jct_s;
            weighted += workload->job[j].weight * m->jct_s;
            weights += workload->job[j].weight;
        }
        if (!isnan(m->slowdown))
            slowdown[slowdowns++] = m->slowdown;
    }
    assert(jcts == metrics->finished);
    metrics->mean_jct_s = mean(jct, jcts);
    metrics->lateness_s = mean_lateness(metrics);
    metrics->mean_slowdown = mean(slowdown, slowdowns);
    qsort(jct, jcts, sizeof *jct, metrics_by_value);
    qsort(slowdown, slowdowns, sizeof *slowdown, metrics_by_value);
    metrics->p25_jct_s = br_percentile(jct, jcts, 0.25);
    metrics->p50_jct_s = br_percentile(jct, jcts, 0.5);
    metrics->p75_jct_s = br_percentile(jct, jcts, 0.75);
    metrics->p90_jct_s = br_percentile(jct, jcts, 0.9);
    metrics->p99_jct_s = br_percentile(jct, jcts, 0.99);
    metrics->max_jct_s = br_percentile(jct, jcts, 1);
    metrics->p90_slowdown = br_percentile(slowdown, slowdowns, 0.9);
    metrics->weighted_jct_s = weights > 0 ? weighted / weights : NAN;
    free(jct);
    free(slowdown);
    return BR_OK;
}

static bool came_to_nothing(const struct br_span *span)
{
    return span->end == BR_SPAN_FAILED || span->end == BR_SPAN_EVICTED || span->end == BR_SPAN_LOST;
}

/* Dominant share x ns. */
struct work {
    br_wide all, wasted;
};

static double share_seconds(br_wide work)
{
    return (double)work / (double)BR_SHARE_ALL / 1e9;
}

/* Waits, work and waste. */
static enum br_status measure_work(const struct br_workload *workload,
                                   const struct br_outcome *outcome, const struct br_shares *shares,
                                   struct br_metrics *metrics, struct br_diag *diag)
{
    struct work *work = calloc((size_t)workload->jobs + 1, sizeof *work), sum = {0};
    int64_t *start_ns = malloc(((size_t)workload->jobs + 1) * sizeof *start_ns);
    if (!work || !start_ns) {
        free(work);
        free(start_ns);
        return br_fail_memory(diag);
    }
    for (uint32_t j = 0; j < workload->jobs; j++)
        start_ns[j] = INT64_MAX;
    for (uint64_t s = 0; s < outcome->spans; s++) {
        const struct br_span *span = &outcome->span[s];
        uint32_t dag = workload->job[span->job].dag;
        uint32_t stage = br_dag_task_stage(workload->dag[dag].dag, span->task);
        br_wide held = (br_wide)shares->dag[dag].dominant[stage] * (span->end_ns - span->start_ns);
        assert(span->start_ns <= span->end_ns);
        work[span->job].all += held;
        if (came_to_nothing(span)) {
            work[span->job].wasted += held;
            metrics->job[span->job].failures++;
            metrics->failures++;
        }
        if (span->start_ns < start_ns[span->job])
            start_ns[span->job] = span->start_ns;
    }
    for (uint32_t j = 0; j < workload->jobs; j++) {
        struct br_job_metrics *m = &metrics->job[j];
        bool began = start_ns[j] != INT64_MAX;
        m->wait_s = began ? metrics_seconds(start_ns[j] - workload->job[j].arrival_ns) : NAN;
        m->work_s = outcome->spans ? share_seconds(work[j].all) : NAN;
        m->wasted_s = outcome->spans ? share_seconds(work[j].wasted) : NAN;
        sum.all += work[j].all;
        sum.wasted += work[j].wasted;
    }
    assert(sum.wasted <= sum.all);
    metrics->wasted_share = sum.all > 0      ? (double)sum.wasted / (double)sum.all
                            : outcome->spans ? 0
                                             : NAN;
    free(work);
    free(start_ns);
    return BR_OK;
}

/* Adds what a span holds (or takes it away) to what is held by resource. */
static void metrics_hold(const struct br_workload *workload, const struct br_shares *shares,
                         const struct br_span *span, int64_t sign, br_wide *held)
{
    uint32_t number = workload->job[span->job].dag;
    const struct br_dag *dag = workload->dag[number].dag;
    const struct br_dag_shares *of = &shares->dag[number];
    const struct br_stage *stage = &dag->stage[br_dag_task_stage(dag, span->task)];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (of->resource[d] != BR_NO_RESOURCE)
            held[of->resource[d]] += (br_wide)sign * of->amount[d];
}

/* Use and its peak by resource. */
static enum br_status metrics_measure_use(const struct br_workload *workload,
                                          const struct br_outcome *outcome,
                                          const struct br_shares *shares, struct br_sweep *sweep,
                                          struct br_metrics *metrics, struct br_diag *diag)
{
    size_t resources = shares->resources;
    br_wide *held = calloc(3 * resources + 1, sizeof *held);
    if (!held)
        return br_fail_memory(diag);
    br_wide *sum = held + resources, *peak = sum + resources;
    for (uint64_t s = 0; s < outcome->spans; s++) {
        const struct br_span *span = &outcome->span[s];
        metrics_hold(workload, shares, span, span->end_ns - span->start_ns, sum);
    }
    struct br_moment moment;
    br_sweep_rewind(sweep);
    for (; br_sweep_peek(sweep, &moment); br_sweep_step(sweep, &moment)) {
        if (moment.kind != BR_SPAN_STARTS && moment.kind != BR_SPAN_ENDS)
            continue;
        metrics_hold(workload, shares, &outcome->span[moment.item],
                     moment.kind == BR_SPAN_STARTS ? 1 : -1, held);
        for (size_t r = 0; r < resources; r++)
            if (held[r] > peak[r])
                peak[r] = held[r];
    }
    double span_ns = (double)(sweep->last_ns - sweep->first_ns);
    for (size_t r = 0; r < resources; r++) {
        double capacity = (double)shares->capacity[r];
        assert(held[r] == 0);
        bool known = outcome->spans > 0;
        metrics->use[r] = !known ? NAN : span_ns > 0 ? (double)sum[r] / (capacity * span_ns) : 0;
        metrics->peak_use[r] = known ? (double)peak[r] / capacity : NAN;
    }
    free(held);
    return BR_OK;
}

static bool metrics_make_arrays(struct br_metrics *metrics, const struct br_shares *shares)
{
    metrics->resources = shares->resources;
    metrics->job = br_arena_array(&metrics->arena, metrics->jobs, sizeof *metrics->job);
    metrics->resource =
        br_arena_array(&metrics->arena, shares->resources, sizeof *metrics->resource);
    metrics->use = br_arena_array(&metrics->arena, shares->resources, sizeof *metrics->use);
    metrics->peak_use =
        br_arena_array(&metrics->arena, shares->resources, sizeof *metrics->peak_use);
    if (!metrics->job || !metrics->resource || !metrics->use || !metrics->peak_use)
        return false;
    for (uint32_t r = 0; r < shares->resources; r++)
        metrics->resource[r] = shares->resource[r];
    return true;
}

static enum br_status measure_fairness(const struct br_workload *workload,
                                       const struct br_outcome *outcome,
                                       const struct br_shares *shares, struct br_sweep *sweep,
                                       struct br_metrics *metrics, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (int k = 0; k < BR_JAIN_WINDOWS && !status; k++) {
        metrics->jain[k] = NAN;
        if (outcome->spans)
            status = br_fairness(workload, outcome, shares, sweep,
                                 (int64_t)(br_jain_window_s[k] * 1e9), &metrics->jain[k], diag);
    }
    return status;
}

enum br_status br_metrics_make(const struct br_workload *workload, const struct br_cluster *cluster,
                               const struct br_outcome *outcome, const double *bound_s,
                               struct br_metrics *metrics, struct br_diag *diag)
{
    struct br_shares shares;
    struct br_sweep sweep = {0};
    *metrics = (struct br_metrics){.jobs = workload->jobs};
    enum br_status status = br_shares_make(workload, cluster, &shares, diag);
    if (!status && !metrics_make_arrays(metrics, &shares))
        status = br_fail_memory(diag);
    if (!status)
        status = br_sweep_init(&sweep, workload, outcome, diag);
    if (!status)
        status = measure_allotments(workload, outcome, metrics, diag);
    if (!status) {
        metrics->makespan_s = metrics_seconds(sweep.last_ns - sweep.first_ns);
        metrics_measure_jobs(workload, outcome, bound_s, sweep.last_ns, metrics);
        status = summarise_jobs(workload, metrics, diag);
    }
    if (!status)
        status = measure_work(workload, outcome, &shares, metrics, diag);
    if (!status)
        status = metrics_measure_use(workload, outcome, &shares, &sweep, metrics, diag);
    if (!status)
        status = measure_fairness(workload, outcome, &shares, &sweep, metrics, diag);
    br_sweep_finish(&sweep);
    br_shares_finish(&shares);
    return status;
}

void br_metrics_finish(struct br_metrics *metrics)
{
    br_arena_finish(&metrics->arena);
    *metrics = (struct br_metrics){0};
}
