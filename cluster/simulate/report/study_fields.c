#include "cluster/simulate/report/study_fields.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double study_fields_mean_wait(const struct br_metrics *metrics)
{
    double sum = 0;
    uint32_t waits = 0;
    for (uint32_t j = 0; j < metrics->jobs; j++)
        if (!isnan(metrics->job[j].wait_s)) {
            sum += metrics->job[j].wait_s;
            waits++;
        }
    return waits ? sum / waits : NAN;
}

/* A bound over all jobs means nothing for a run in which some did not finish. */
static double study_fields_over(const struct br_study_row *row, double value, double bound)
{
    return row->m->finished == row->m->jobs && bound > 0 ? value / bound : NAN;
}

static double study_fields_events_per_second(const struct br_study_row *row)
{
    bool known = row->study->times && row->run->seconds > 0;
    return known ? (double)row->run->events / row->run->seconds : NAN;
}

/* The last ones are OF_NETWORKS. */
#define STUDY_FIGURES(FIGURE, LINE)                                                                \
    FIGURE(jobs, row->m->jobs)                                                                     \
    FIGURE(finished, row->m->finished)                                                             \
    FIGURE(mean_jct, row->m->mean_jct_s)                                                           \
    FIGURE(p25_jct, row->m->p25_jct_s)                                                             \
    FIGURE(p50_jct, row->m->p50_jct_s)                                                             \
    LINE(p75_jct, row->m->p75_jct_s)                                                               \
    FIGURE(p90_jct, row->m->p90_jct_s)                                                             \
    FIGURE(p99_jct, row->m->p99_jct_s)                                                             \
    FIGURE(max_jct, row->m->max_jct_s)                                                             \
    FIGURE(weighted_jct, row->m->weighted_jct_s)                                                   \
    FIGURE(mean_wait, study_fields_mean_wait(row->m))                                              \
    LINE(mean_slowdown, row->m->mean_slowdown)                                                     \
    FIGURE(p90_slowdown, row->m->p90_slowdown)                                                     \
    FIGURE(makespan, row->m->makespan_s)                                                           \
    FIGURE(jain_10s, row->m->jain[0])                                                              \
    FIGURE(jain_60s, row->m->jain[1])                                                              \
    FIGURE(jain_240s, row->m->jain[2])                                                             \
    LINE(mean_jct_bound, row->run->mean_jct_bound_s)                                               \
    FIGURE(makespan_bound, row->run->makespan_bound_s)                                             \
    FIGURE(clairvoyant_mean_jct, row->run->clairvoyant_mean_jct_s)                                 \
    FIGURE(regret, study_fields_over(row, row->m->mean_jct_s, row->run->mean_jct_bound_s))         \
    FIGURE(makespan_regret,                                                                        \
           study_fields_over(row, row->m->makespan_s, row->run->makespan_bound_s))                 \
    FIGURE(deadlines, row->m->deadlines)                                                           \
    LINE(missed, row->m->missed)                                                                   \
    FIGURE(met, row->m->deadlines ? (double)(row->m->deadlines - row->m->missed) : NAN)            \
    FIGURE(lateness, row->m->lateness_s)                                                           \
    FIGURE(token_minutes, row->m->token_minutes)                                                   \
    FIGURE(above_oracle, row->m->above_oracle)                                                     \
    FIGURE(failures, row->m->failures)                                                             \
    LINE(wasted_share, row->m->wasted_share)                                                       \
    FIGURE(events, row->run->events)                                                               \
    FIGURE(events_per_second, study_fields_events_per_second(row))                                 \
    FIGURE(seconds, row->study->times ? row->run->seconds : NAN)                                   \
    FIGURE(planning_seconds, row->study->times ? row->run->planning_seconds : NAN)                 \
    FIGURE(transfers, row->run->moved.transfers)                                                   \
    LINE(moved_bytes, row->run->moved.bytes)                                                       \
    FIGURE(waited_for_bytes, row->run->moved.waited_s)
BR_FIGURES(study_figures, struct br_study_row, STUDY_FIGURES);
enum { OF_NETWORKS = 3 };

struct br_figures br_study_figures(const struct br_study *study)
{
    struct br_figures figures = study_figures;
    figures.names.count -= study->network ? 0 : OF_NETWORKS;
    return figures;
}

struct br_study_row br_study_row(const struct br_study *study, uint32_t run)
{
    return (struct br_study_row){study, &study->run[run], study->run[run].metrics};
}

struct br_study_policy *br_study_policies(const struct br_study *study, uint32_t *policies)
{
    struct br_study_policy *policy = malloc(((size_t)study->runs + 1) * sizeof *policy);
    *policies = 0;
    for (uint32_t r = 0; policy && r < study->runs; r++)
        if (r && strcmp(study->run[r].policy, study->run[r - 1].policy) == 0)
            policy[*policies - 1].runs++;
        else
            policy[(*policies)++] = (struct br_study_policy){study, study->run[r].policy, r, 1};
    return policy;
}

/* ---- Over the seeds of a policy ---- */

static double study_fields_run_value(const struct br_study_policy *policy, uint32_t r, uint32_t k)
{
    struct br_study_row row = br_study_row(policy->study, policy->first_run + r);
    return br_figure_number(&study_figures, &row, k);
}

static double study_fields_mean(const struct br_study_policy *policy, uint32_t k)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t r = 0; r < policy->runs; r++) {
        double value = study_fields_run_value(policy, r, k);
        if (!isnan(value)) {
            sum += value;
            known++;
        }
    }
    return known ? sum / known : NAN;
}

static struct br_figure_value study_fields_mean_value(const void *policy, uint32_t k)
{
    return br_figure_real(study_fields_mean(policy, k));
}

struct br_figures br_study_means(const struct br_study *study)
{
    return (struct br_figures){br_study_figures(study).names, study_fields_mean_value};
}

double br_study_mean(const struct br_study_policy *policy, const char *figure)
{
    uint32_t k = figure ? br_named_find(&study_figures.names, figure) : BR_NO_ROW;
    assert(!figure || k != BR_NO_ROW);
    return figure ? study_fields_mean(policy, k) : NAN;
}

double br_study_deviation(const struct br_study_policy *policy, const char *figure)
{
    uint32_t k = br_named_find(&study_figures.names, figure), known = 0;
    double mean = br_study_mean(policy, figure), sum = 0;
    for (uint32_t r = 0; r < policy->runs; r++) {
        double value = study_fields_run_value(policy, r, k);
        if (!isnan(value)) {
            sum += (value - mean) * (value - mean);
            known++;
        }
    }
    return known > 1 ? sqrt(sum / (known - 1)) : NAN;
}

static bool finished_all(const struct br_study_policy *policy)
{
    const struct br_study_run *run = policy->study->run + policy->first_run;
    for (uint32_t r = 0; r < policy->runs; r++)
        if (run[r].metrics->finished < run[r].metrics->jobs)
            return false;
    return true;
}

double br_study_gain(const struct br_study_policy *policy, const struct br_study_policy *other)
{
    double than = br_study_mean(other, "mean_jct");
    bool known = finished_all(policy) && finished_all(other) && than > 0;
    return known ? 1 - br_study_mean(policy, "mean_jct") / than : NAN;
}
