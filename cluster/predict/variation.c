/* Measures variations. For each feature the cases are sorted by its value and, within it, by the
 * time of their ends; then the similar jobs of a window are neighbours. */
#include "cluster/predict/variation.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/workload/metrics.h"

/* A case under a value of a feature. */
struct variation_entry {
    uint64_t value;
    int64_t end_ns;
    double mean_ns; /* of its tasks */
};

static double variation_sum_of(const struct br_predict_stage *stage)
{
    double sum = 0;
    for (uint32_t t = 0; t < stage->tasks; t++)
        sum += (double)stage->duration_ns[t];
    return sum;
}

static double variation_mean_of(const struct br_predict_job *job, uint32_t *tasks)
{
    double sum = 0;
    *tasks = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        sum += variation_sum_of(&job->stage[s]);
        *tasks += job->stage[s].tasks;
    }
    return sum / *tasks;
}

static double variation_over_space(const struct br_predict_job *job, double mean_ns, uint32_t tasks)
{
    double squares = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_predict_stage *stage = &job->stage[s];
        double mean = variation_sum_of(stage) / stage->tasks;
        for (uint32_t t = 0; t < stage->tasks; t++) {
            double off = (double)stage->duration_ns[t] - mean;
            squares += off * off;
        }
    }
    return tasks > 1 && mean_ns > 0 ? sqrt(squares / tasks) / mean_ns : NAN;
}

static int variation_compare(const void *a, const void *b)
{
    const struct variation_entry *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    if (x->end_ns != y->end_ns)
        return x->end_ns < y->end_ns ? -1 : 1;
    return (x->mean_ns > y->mean_ns) - (x->mean_ns < y->mean_ns);
}

static uint32_t variation_sort_feature(const struct br_cases *cases, uint32_t feature,
                                       struct variation_entry *entry)
{
    uint32_t count = 0, tasks;
    for (uint32_t k = 0; k < cases->count; k++) {
        const struct br_predict_case *one = &cases->item[k];
        if (one->job.feature[feature] != BR_NO_FEATURE)
            entry[count++] = (struct variation_entry){one->job.feature[feature], one->end_ns,
                                                      variation_mean_of(&one->job, &tasks)};
    }
    qsort(entry, count, sizeof *entry, variation_compare);
    return count;
}

/* The first entry of that value which ended at that time or later. */
static uint32_t variation_first(const struct variation_entry *entry, uint32_t count, uint64_t value,
                                int64_t end_ns)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct variation_entry *at = &entry[middle];
        if (at->value < value || (at->value == value && at->end_ns < end_ns))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Of the entries of that value that ended from..to. */
static double variation_over_time(const struct variation_entry *entry, uint32_t count,
                                  uint64_t value, int64_t from_ns, int64_t to_ns)
{
    uint32_t first = variation_first(entry, count, value, from_ns), jobs = 0;
    double sum = 0, squares = 0;
    for (uint32_t k = first; k < count && entry[k].value == value && entry[k].end_ns <= to_ns;
         k++) {
        sum += entry[k].mean_ns;
        jobs++;
    }
    if (jobs < 2 || !(sum > 0))
        return NAN;
    for (uint32_t k = first; k < first + jobs; k++)
        squares += (entry[k].mean_ns - sum / jobs) * (entry[k].mean_ns - sum / jobs);
    return sqrt(squares / jobs) / (sum / jobs);
}

static int64_t variation_window_start(int64_t arrival_ns, double window_s)
{
    double start = (double)arrival_ns - window_s * 1e9;
    return start > 0 ? arrival_ns - (int64_t)(window_s * 1e9) : INT64_MIN;
}

enum br_status br_variation_make(const struct br_cases *cases, double window_s,
                                 struct br_variation *variation, struct br_diag *diag)
{
    struct variation_entry *entry = malloc(((size_t)cases->count + 1) * sizeof *entry);
    *variation = (struct br_variation){.window_s = window_s};
    variation->job = malloc(((size_t)cases->count + 1) * sizeof *variation->job);
    if (!entry || !variation->job) {
        free(entry);
        return br_fail_memory(diag);
    }
    for (uint32_t k = 0; k < cases->count; k++) {
        const struct br_predict_case *one = &cases->item[k];
        if (!one->counts)
            continue;
        struct br_job_variation *made = &variation->job[variation->count++];
        *made = (struct br_job_variation){.number = one->job.number, .time = NAN};
        double mean_ns = variation_mean_of(&one->job, &made->tasks);
        made->space = variation_over_space(&one->job, mean_ns, made->tasks);
        made->sampled = made->space / sqrt(0.03 * made->tasks);
    }
    for (uint32_t f = 0; f < cases->features; f++) {
        uint32_t count = variation_sort_feature(cases, f, entry);
        for (uint32_t k = 0, j = 0; k < cases->count; k++) {
            const struct br_predict_case *one = &cases->item[k];
            if (!one->counts)
                continue;
            struct br_job_variation *made = &variation->job[j++];
            if (one->job.feature[f] != BR_NO_FEATURE)
                made->time =
                    fmin(made->time,
                         variation_over_time(entry, count, one->job.feature[f],
                                             variation_window_start(one->arrival_ns, window_s),
                                             one->arrival_ns));
        }
    }
    free(entry);
    return BR_OK;
}

void br_variation_finish(struct br_variation *variation)
{
    free(variation->job);
    *variation = (struct br_variation){0};
}

/* ---- Over the jobs ---- */

enum { SPACE, SAMPLED, TIME, RATIO, MEASURES };

static double variation_measure(const struct br_job_variation *job, int measure)
{
    switch (measure) {
    case SPACE:
        return job->space;
    case SAMPLED:
        return job->sampled;
    case TIME:
        return job->time;
    default: /* a job whose tasks do not vary at all has no ratio, unless both are 0 */
        return job->sampled > 0                  ? job->time / job->sampled
               : job->time > 0                   ? INFINITY
               : isnan(job->time + job->sampled) ? NAN
                                                 : 1;
    }
}

static int variation_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The known values, sorted. */
static uint32_t variation_sort(const struct br_variation *variation, int measure, double *value)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < variation->count; k++) {
        double of = variation_measure(&variation->job[k], measure);
        if (!isnan(of))
            value[count++] = of;
    }
    qsort(value, count, sizeof *value, variation_by_value);
    return count;
}

enum br_status br_variation_sum(const struct br_variation *variation,
                                struct br_variation_summary *summary, struct br_diag *diag)
{
    double *value = malloc(((size_t)variation->count + 1) * sizeof *value);
    if (!value)
        return br_fail_memory(diag);
    *summary = (struct br_variation_summary){0};
    summary->space_jobs = variation_sort(variation, SPACE, value);
    summary->space_p50 = br_percentile(value, summary->space_jobs, 0.5);
    summary->space_p90 = br_percentile(value, summary->space_jobs, 0.9);
    uint32_t count = variation_sort(variation, SAMPLED, value);
    summary->sampled_p50 = br_percentile(value, count, 0.5);
    summary->sampled_p90 = br_percentile(value, count, 0.9);
    summary->time_jobs = variation_sort(variation, TIME, value);
    summary->time_p50 = br_percentile(value, summary->time_jobs, 0.5);
    summary->time_p90 = br_percentile(value, summary->time_jobs, 0.9);
    summary->both_jobs = variation_sort(variation, RATIO, value);
    uint32_t above = 0;
    for (uint32_t k = 0; k < summary->both_jobs; k++)
        above += value[k] > 1;
    summary->above = summary->both_jobs ? (double)above / summary->both_jobs : NAN;
    summary->ratio_p70 = summary->both_jobs ? value[(uint32_t)(0.7 * summary->both_jobs)] : NAN;
    free(value);
    return BR_OK;
}
