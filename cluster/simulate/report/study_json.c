/* A study as "bigrocks-simulation/1": docs/schema/simulation-1.schema.json. */
#include <inttypes.h>
#include <stdlib.h>

#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "emit/write/figures.h"
#include "emit/write/write.h"

static void study_json_write_workload(FILE *out, const struct br_study *study)
{
    const struct br_workload *workload = study->workload;
    br_write_text_key(out, ",\n \"workload\": {", "name", workload->name ? workload->name : "");
    fprintf(out, ", \"jobs\": %" PRIu32 ", \"tasks\": %" PRIu64 ", \"groups\": [", workload->jobs,
            workload->tasks);
    for (uint32_t g = 0; g < workload->groups; g++) {
        br_write_text_key(out, g ? ", {" : "{", "name", workload->group[g].name);
        br_write_figure_key(out, ", ", "weight", workload->group[g].weight);
        putc('}', out);
    }
    const struct br_cluster *cluster = study->cluster;
    br_write_text_key(out, "]},\n \"cluster\": {", "name", cluster->name ? cluster->name : "");
    fprintf(out, ", \"machines\": %" PRIu32 "}", cluster->machines);
}

/* The mean over the runs of a resource's use, or of its peak. */
static double mean_use(const struct br_study *study, const struct br_study_policy *policy,
                       uint32_t resource, bool peak)
{
    double sum = 0;
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++) {
        const struct br_metrics *metrics = study->run[r].metrics;
        sum += peak ? metrics->peak_use[resource] : metrics->use[resource];
    }
    return sum / policy->runs;
}

static void study_json_write_use(FILE *out, const struct br_study *study,
                                 const struct br_study_policy *policy)
{
    const struct br_metrics *metrics = study->run[policy->first_run].metrics;
    fputs(",\n   \"use\": [", out);
    for (uint32_t k = 0; k < metrics->resources; k++) {
        br_write_text_key(out, k ? ", {" : "{", "resource", metrics->resource[k]);
        br_write_figure_key(out, ", ", "mean", mean_use(study, policy, k, false));
        br_write_figure_key(out, ", ", "peak", mean_use(study, policy, k, true));
        putc('}', out);
    }
    putc(']', out);
}

static void study_json_write_run(FILE *out, const struct br_study *study, uint32_t r)
{
    struct br_study_row row = br_study_row(study, r);
    const struct br_study_policy alone = {study, row.run->policy, r, 1};
    struct br_figures figures = br_study_figures(study);
    br_write_text_key(out, r ? ",\n  {" : "\n  {", "policy", row.run->policy);
    fprintf(out, ", \"seed\": %" PRIu64, row.run->seed);
    br_write_figures_keys(out, ", ", &figures, &row, "");
    study_json_write_use(out, study, &alone);
    fprintf(out, ", \"cut\": %s", row.run->cut ? "true" : "false");
    if (row.run->note)
        br_write_text_key(out, ", ", "note", row.run->note);
    putc('}', out);
}

static void write_summary(FILE *out, const struct br_study *study,
                          const struct br_study_policy *policy, const struct br_study_policy *first)
{
    struct br_figures means = br_study_means(study);
    br_write_text_key(out, policy == first ? "\n  {" : ",\n  {", "policy", policy->name);
    fprintf(out, ", \"seeds\": %" PRIu32, policy->runs);
    br_write_figures_keys(out, ", ", &means, policy, "");
    br_write_figure_key(out, ", ", "mean_jct_deviation", br_study_deviation(policy, "mean_jct"));
    br_write_figure_key(out, ", ", "gain", br_study_gain(policy, first));
    study_json_write_use(out, study, policy);
    putc('}', out);
}

enum br_status br_study_json(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    uint32_t policies;
    struct br_study_policy *policy = br_study_policies(study, &policies);
    if (!policy)
        return br_fail_memory(diag);
    fputs("{\"format\": \"bigrocks-simulation/1\"", out);
    study_json_write_workload(out, study);
    fputs(",\n \"results\": [", out);
    for (uint32_t r = 0; r < study->runs && !ferror(out); r++)
        study_json_write_run(out, study, r);
    fputs("],\n \"summary\": [", out);
    for (uint32_t p = 0; p < policies && !ferror(out); p++)
        write_summary(out, study, &policy[p], policy);
    fputs("]}\n", out);
    free(policy);
    return BR_OK;
}
