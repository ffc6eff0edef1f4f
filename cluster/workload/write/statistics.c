/* Statistics of a workload as JSON: docs/schema/workload-statistics-1.schema.json. */
#include "cluster/workload/write/statistics.h"

#include <inttypes.h>
#include <math.h>

#include "emit/write/figures.h"
#include "emit/write/write.h"

static void write_distribution(FILE *out, const char *key, const struct br_distribution *of)
{
    fprintf(out, ",\n \"%s\": {", key);
    br_write_figure_key(out, "", "mean", of->mean);
    br_write_figure_key(out, ", ", "min", of->min);
    br_write_figure_key(out, ", ", "p25", of->p25);
    br_write_figure_key(out, ", ", "p50", of->p50);
    br_write_figure_key(out, ", ", "p75", of->p75);
    br_write_figure_key(out, ", ", "p90", of->p90);
    br_write_figure_key(out, ", ", "p99", of->p99);
    br_write_figure_key(out, ", ", "max", of->max);
    putc('}', out);
}

static void workloads_statistics_write_resources(FILE *out,
                                                 const struct br_workload_statistics *statistics)
{
    const struct br_offered *offered = &statistics->offered;
    bool known = statistics->most_loaded != UINT32_MAX;
    br_write_figure_key(out, ",\n ", "load",
                        known ? statistics->load[statistics->most_loaded] : NAN);
    if (known)
        br_write_text_key(out, ",\n ", "most_loaded", offered->resource[statistics->most_loaded]);
    else
        fputs(",\n \"most_loaded\": null", out);
    fputs(",\n \"resources\": [", out);
    for (uint32_t r = 0; r < offered->resources; r++) {
        br_write_text_key(out, r ? ",\n  {" : "\n  {", "name", offered->resource[r]);
        if (offered->unit[r])
            br_write_text_key(out, ", ", "unit", offered->unit[r]);
        br_write_figure_key(out, ", ", "work", offered->amount_s[r]);
        br_write_figure_key(out, ", ", "load", statistics->load[r]);
        putc('}', out);
    }
    putc(']', out);
}

static void write_groups(FILE *out, const struct br_workload *workload,
                         const struct br_workload_statistics *statistics)
{
    fputs(",\n \"groups\": [", out);
    for (uint32_t g = 0; g < workload->groups; g++) {
        br_write_text_key(out, g ? ",\n  {" : "\n  {", "name", workload->group[g].name);
        br_write_figure_key(out, ", ", "weight", workload->group[g].weight);
        fprintf(out, ", \"jobs\": %" PRIu32, statistics->group[g].jobs);
        br_write_figure_key(out, ", ", "work_s", statistics->group[g].task_s);
        putc('}', out);
    }
    putc(']', out);
}

enum br_status br_emit_workload_statistics(const struct br_workload *workload,
                                           const struct br_workload_statistics *statistics,
                                           FILE *out, struct br_diag *diag)
{
    fputs("{\"format\": \"bigrocks-workload-statistics/1\"", out);
    if (workload->name)
        br_write_text_key(out, ",\n ", "name", workload->name);
    fprintf(out,
            ",\n \"jobs\": %" PRIu32 ", \"kinds\": %" PRIu32 ", \"recorded\": %" PRIu32
            ", \"stages\": %" PRIu64 ", \"tasks\": %" PRIu64,
            statistics->jobs, statistics->dags, statistics->recorded, statistics->stages,
            statistics->tasks);
    br_write_figure_key(out, ",\n \"arrivals\": {", "first_s", statistics->first_s);
    br_write_figure_key(out, ", ", "last_s", statistics->last_s);
    br_write_figure_key(out, ", ", "mean_gap_s", statistics->gap_mean_s);
    br_write_figure_key(out, ", ", "cov", statistics->gap_cov);
    putc('}', out);
    write_distribution(out, "job_stages", &statistics->job_stages);
    write_distribution(out, "job_tasks", &statistics->job_tasks);
    write_distribution(out, "width", &statistics->width);
    write_distribution(out, "depth", &statistics->depth);
    write_distribution(out, "critical_path_s", &statistics->critical_s);
    write_distribution(out, "work_s", &statistics->work_s);
    fprintf(out, ",\n \"deadlines\": %" PRIu32, statistics->deadlines);
    write_distribution(out, "slack", &statistics->slack);
    workloads_statistics_write_resources(out, statistics);
    write_groups(out, workload, statistics);
    fputs("}\n", out);
    return br_write_finish(out, diag);
}
