#include "base/numbers/real.h"
#include "cluster/simulate/report/study_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "emit/write/write.h"

#define METRIC(name)                                                                               \
    static double name(const struct br_study_run *run)                                             \
    {                                                                                              \
        return (double)run->metrics->name;                                                         \
    }
METRIC(jobs)
METRIC(finished)
METRIC(mean_jct_s)
METRIC(p25_jct_s)
METRIC(p50_jct_s)
METRIC(p75_jct_s)
METRIC(p90_jct_s)
METRIC(p99_jct_s)
METRIC(max_jct_s)
METRIC(weighted_jct_s)
METRIC(mean_slowdown)
METRIC(p90_slowdown)
METRIC(makespan_s)
METRIC(deadlines)
METRIC(missed)
METRIC(failures)
METRIC(wasted_share)
METRIC(lateness_s)
METRIC(token_minutes)
METRIC(above_oracle)

static double met(const struct br_study_run *run)
{
    const struct br_metrics *metrics = run->metrics;
    return metrics->deadlines ? (double)(metrics->deadlines - metrics->missed) : NAN;
}

static double jain_10(const struct br_study_run *run)
{
    return run->metrics->jain[0];
}

static double jain_60(const struct br_study_run *run)
{
    return run->metrics->jain[1];
}

static double jain_240(const struct br_study_run *run)
{
    return run->metrics->jain[2];
}

static double mean_wait_s(const struct br_study_run *run)
{
    double sum = 0;
    uint32_t waits = 0;
    for (uint32_t j = 0; j < run->metrics->jobs; j++)
        if (!isnan(run->metrics->job[j].wait_s)) {
            sum += run->metrics->job[j].wait_s;
            waits++;
        }
    return waits ? sum / waits : NAN;
}

static double mean_jct_bound_s(const struct br_study_run *run)
{
    return run->mean_jct_bound_s;
}

static double makespan_bound_s(const struct br_study_run *run)
{
    return run->makespan_bound_s;
}

static double clairvoyant_s(const struct br_study_run *run)
{
    return run->clairvoyant_mean_jct_s;
}

/* A bound over all jobs means nothing for a run in which some did not finish. */
static double study_fields_over(const struct br_study_run *run, double value, double bound)
{
    bool all = run->metrics->finished == run->metrics->jobs;
    return all && bound > 0 ? value / bound : NAN;
}

static double regret(const struct br_study_run *run)
{
    return study_fields_over(run, run->metrics->mean_jct_s, run->mean_jct_bound_s);
}

static double makespan_regret(const struct br_study_run *run)
{
    return study_fields_over(run, run->metrics->makespan_s, run->makespan_bound_s);
}

static double events(const struct br_study_run *run)
{
    return (double)run->events;
}

static double events_per_second(const struct br_study_run *run)
{
    return run->seconds > 0 ? (double)run->events / run->seconds : NAN;
}

static double study_fields_seconds(const struct br_study_run *run)
{
    return run->seconds;
}

static double planning_seconds(const struct br_study_run *run)
{
    return run->planning_seconds;
}

static double transfers(const struct br_study_run *run)
{
    return (double)run->moved.transfers;
}

static double moved_bytes(const struct br_study_run *run)
{
    return run->moved.bytes;
}

static double waited_s(const struct br_study_run *run)
{
    return run->moved.waited_s;
}

const struct br_study_field br_study_field[] = {
    {"jobs", jobs, false},
    {"finished", finished, false},
    {"mean_jct", mean_jct_s, false},
    {"p25_jct", p25_jct_s, false},
    {"p50_jct", p50_jct_s, false},
    {"p75_jct", p75_jct_s, false},
    {"p90_jct", p90_jct_s, false},
    {"p99_jct", p99_jct_s, false},
    {"max_jct", max_jct_s, false},
    {"weighted_jct", weighted_jct_s, false},
    {"mean_wait", mean_wait_s, false},
    {"mean_slowdown", mean_slowdown, false},
    {"p90_slowdown", p90_slowdown, false},
    {"makespan", makespan_s, false},
    {"jain_10s", jain_10, false},
    {"jain_60s", jain_60, false},
    {"jain_240s", jain_240, false},
    {"mean_jct_bound", mean_jct_bound_s, false},
    {"makespan_bound", makespan_bound_s, false},
    {"clairvoyant_mean_jct", clairvoyant_s, false},
    {"regret", regret, false},
    {"makespan_regret", makespan_regret, false},
    {"deadlines", deadlines, false},
    {"missed", missed, false},
    {"met", met, false},
    {"lateness", lateness_s, false},
    {"token_minutes", token_minutes, false},
    {"above_oracle", above_oracle, false},
    {"failures", failures, false},
    {"wasted_share", wasted_share, false},
    {"events", events, false},
    {"events_per_second", events_per_second, true},
    {"seconds", study_fields_seconds, true},
    {"planning_seconds", planning_seconds, true},
    {"transfers", transfers, false},
    {"moved_bytes", moved_bytes, false},
    {"waited_for_bytes", waited_s, false},
};
enum { FIELDS = sizeof br_study_field / sizeof *br_study_field, OF_NETWORKS = 3 };

uint32_t br_study_fields(const struct br_study *study)
{
    return study->network ? FIELDS : FIELDS - OF_NETWORKS;
}

double br_study_value(const struct br_study *study, const struct br_study_run *run,
                      const struct br_study_field *field)
{
    double value = field->times && !study->times ? NAN : field->of(run);
    return isfinite(value) ? value : NAN;
}

const struct br_study_field *br_study_find_field(const char *name)
{
    uint32_t k = 0;
    while (strcmp(br_study_field[k].name, name) != 0)
        k++;
    return &br_study_field[k];
}

struct br_study_policy *br_study_policies(const struct br_study *study, uint32_t *policies)
{
    struct br_study_policy *policy = malloc(((size_t)study->runs + 1) * sizeof *policy);
    *policies = 0;
    for (uint32_t r = 0; policy && r < study->runs; r++)
        if (r && strcmp(study->run[r].policy, study->run[r - 1].policy) == 0)
            policy[*policies - 1].runs++;
        else
            policy[(*policies)++] = (struct br_study_policy){study->run[r].policy, r, 1};
    return policy;
}

double br_study_mean(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_field *field)
{
    double sum = 0;
    uint32_t known = 0;
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++) {
        double value = br_study_value(study, &study->run[r], field);
        if (!isnan(value)) {
            sum += value;
            known++;
        }
    }
    return known ? sum / known : NAN;
}

double br_study_deviation(const struct br_study *study, const struct br_study_policy *policy,
                          const struct br_study_field *field)
{
    double mean = br_study_mean(study, policy, field), sum = 0;
    uint32_t known = 0;
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++) {
        double value = br_study_value(study, &study->run[r], field);
        if (!isnan(value)) {
            sum += (value - mean) * (value - mean);
            known++;
        }
    }
    return known > 1 ? sqrt(sum / (known - 1)) : NAN;
}

static bool finished_all(const struct br_study *study, const struct br_study_policy *policy)
{
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
        if (study->run[r].metrics->finished < study->run[r].metrics->jobs)
            return false;
    return true;
}

double br_study_gain(const struct br_study *study, const struct br_study_policy *policy,
                     const struct br_study_policy *other)
{
    const struct br_study_field *jct = br_study_find_field("mean_jct");
    double than = br_study_mean(study, other, jct);
    bool known = finished_all(study, policy) && finished_all(study, other) && than > 0;
    return known ? 1 - br_study_mean(study, policy, jct) / than : NAN;
}
