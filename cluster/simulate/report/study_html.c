/* A report for a browser: cluster/simulate/report/study.html with the study in it as JSON. One
 * file, which fetches nothing. Its size is bounded: curves are thinned, and of many jobs a sample
 * is kept. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/simulate/report/study_deadlines.h"
#include "cluster/simulate/report/study_fields.h"
#include "cluster/simulate/report/study_outputs.h"
#include "cluster/simulate/report/study_sample.h"
#include "emit/write/write.h"

#include "study_html.h"

enum { JOBS_MOST = 4000 };

static const char place[] = "@DATA@";

static void study_html_write_string(FILE *out, const char *before, const char *text)
{
    fprintf(out, "%s\"", before);
    br_write_text(out, BR_QUOTE_SCRIPT, text);
    putc('"', out);
}

static void study_html_write_number(FILE *out, const char *before, double value)
{
    fputs(before, out);
    br_write_figure(out, value, "null");
}

/* Writes them with four digits, for curves. */
static void write_about(FILE *out, const char *before, double value)
{
    fputs(before, out);
    br_write_figure_about(out, value, "null");
}

/* Jobs that are kept, evenly spread over the arrivals; the k-th of them. */
static uint32_t sampled(const struct br_workload *workload)
{
    return workload->jobs < JOBS_MOST ? workload->jobs : JOBS_MOST;
}

static uint32_t sample_job(const struct br_workload *workload, uint32_t k)
{
    return (uint32_t)((uint64_t)k * workload->jobs / sampled(workload));
}

static void study_html_write_workload(FILE *out, const struct br_study *study)
{
    const struct br_workload *w = study->workload;
    study_html_write_string(out, "{\"name\": ", w->name && *w->name ? w->name : "workload");
    fprintf(out,
            ", \"jobs\": %" PRIu32 ", \"tasks\": %" PRIu64 ", \"machines\": %" PRIu32
            ",\n \"groups\": [",
            w->jobs, w->tasks, study->cluster->machines);
    for (uint32_t g = 0; g < w->groups; g++)
        study_html_write_string(out, g ? ", " : "", w->group[g].name);
    fputs("],\n \"job\": [", out);
    for (uint32_t k = 0; k < sampled(w); k++) {
        const struct br_workload_job *job = &w->job[sample_job(w, k)];
        study_html_write_string(out, k ? ",\n  [" : "[", job->id);
        fprintf(out, ", %" PRIu32 ", ", job->group);
        br_write_seconds(out, job->arrival_ns);
        putc(']', out);
    }
    fputs("],\n \"fields\": [", out);
    struct br_figures figures = br_study_figures(study);
    for (uint32_t k = 0; k < figures.names.count; k++)
        study_html_write_string(out, k ? ", " : "", br_named_name(&figures.names, k));
    putc(']', out);
}

static void write_series(FILE *out, const struct br_series *series)
{
    study_html_write_number(out, ",\n  \"series\": {\"span\": ", (double)series->span_ns / 1e9);
    fputs(", \"running\": [", out);
    for (uint32_t b = 0; b < series->bands; b++)
        for (int c = 0; c < BR_SERIES_COLUMNS; c++)
            write_about(out,
                        c   ? ","
                        : b ? "],\n   ["
                            : "[",
                        series->running[(size_t)b * BR_SERIES_COLUMNS + c]);
    fputs(series->bands ? "]],\n   \"use\": [" : "],\n   \"use\": [", out);
    for (uint32_t r = 0; r < series->resources; r++) {
        study_html_write_string(out, r ? ",\n    {\"name\": " : "{\"name\": ", series->resource[r]);
        for (int c = 0; c < BR_SERIES_COLUMNS; c++)
            write_about(out, c ? "," : ", \"share\": [",
                        series->use[(size_t)r * BR_SERIES_COLUMNS + c]);
        fputs("]}", out);
    }
    fputs("]}", out);
}

static void study_html_write_use(FILE *out, const struct br_study *study,
                                 const struct br_study_policy *policy)
{
    const struct br_metrics *first = study->run[policy->first_run].metrics;
    fputs(",\n  \"use\": [", out);
    for (uint32_t k = 0; k < first->resources; k++) {
        double mean = 0, peak = 0;
        for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++) {
            mean += study->run[r].metrics->use[k] / policy->runs;
            peak = fmax(peak, study->run[r].metrics->peak_use[k]);
        }
        study_html_write_string(out, k ? ", [" : "[", first->resource[k]);
        study_html_write_number(out, ", ", mean);
        study_html_write_number(out, ", ", peak);
        putc(']', out);
    }
    putc(']', out);
}

static void write_notes(FILE *out, const struct br_study *study,
                        const struct br_study_policy *policy)
{
    bool any = false;
    fputs(",\n  \"notes\": [", out);
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++) {
        const struct br_study_run *run = &study->run[r];
        if (!run->note && !run->cut)
            continue;
        fprintf(out, "%s[%" PRIu64, any ? ", " : "", run->seed);
        study_html_write_string(out, ", ", run->note ? run->note : "stopped before its end");
        putc(']', out);
        any = true;
    }
    putc(']', out);
}

static enum br_status write_policy(FILE *out, const struct br_study *study,
                                   const struct br_study_policy *policy, struct br_diag *diag)
{
    const struct br_study_run *first = &study->run[policy->first_run];
    struct br_sample *sample = malloc(sizeof *sample);
    if (!sample)
        return br_fail_memory(diag);
    enum br_status status = br_sample_make(study, policy, sample, diag);
    if (status) {
        free(sample);
        return status;
    }
    study_html_write_string(out, " {\"name\": ", policy->name);
    fprintf(out, ", \"seeds\": %" PRIu32 ",\n  \"figures\": ", policy->runs);
    struct br_figures means = br_study_means(study);
    for (uint32_t k = 0; k < means.names.count; k++)
        study_html_write_number(out, k ? ", " : "[", br_figure_number(&means, policy, k));
    study_html_write_number(out, "],\n  \"deviation\": ", br_study_deviation(policy, "mean_jct"));
    fputs(",\n  \"distribution\": [", out);
    for (uint32_t k = 0; k < sample->points; k++) {
        study_html_write_number(out, k ? ",[" : "[", sample->jct_s[k]);
        study_html_write_number(out, ",", sample->share[k]);
        putc(']', out);
    }
    free(sample);
    fputs("],\n  \"jct\": [", out);
    for (uint32_t k = 0; k < sampled(study->workload); k++)
        study_html_write_number(out, k ? "," : "",
                                first->metrics->job[sample_job(study->workload, k)].jct_s);
    putc(']', out);
    study_html_write_use(out, study, policy);
    write_notes(out, study, policy);
    for (uint32_t r = policy->first_run; r < policy->first_run + policy->runs; r++)
        if (study->run[r].series) {
            write_series(out, study->run[r].series);
            break;
        }
    putc('}', out);
    return BR_OK;
}

/* The picture of jobs with deadlines, as text. */
static enum br_status write_deadlines(FILE *out, const struct br_study *study, struct br_diag *diag)
{
    char *text = NULL;
    size_t size = 0;
    if (!br_study_deadlines_height(study))
        return BR_OK;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        return br_fail_memory(diag);
    br_study_deadlines_picture(study, memory);
    if (fclose(memory)) {
        free(text);
        return br_fail_memory(diag);
    }
    study_html_write_string(out, ",\n \"deadlines\": ", text);
    free(text);
    return BR_OK;
}

enum br_status br_study_html(const struct br_study *study, FILE *out, struct br_diag *diag)
{
    const char *data = strstr(study_html, place);
    uint32_t policies;
    struct br_study_policy *policy = br_study_policies(study, &policies);
    enum br_status status = policy ? BR_OK : br_fail_memory(diag);
    fwrite(study_html, 1, (size_t)(data - study_html), out);
    putc('\n', out);
    study_html_write_workload(out, study);
    if (!status)
        status = write_deadlines(out, study, diag);
    fputs(",\n \"policies\": [\n", out);
    for (uint32_t p = 0; p < policies && !status && !ferror(out); p++) {
        fputs(p ? ",\n" : "", out);
        status = write_policy(out, study, &policy[p], diag);
    }
    fputs("]}\n", out);
    fputs(data + strlen(place), out);
    free(policy);
    return status;
}
