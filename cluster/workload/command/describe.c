/* Describes a workload, for people and for programs. */
#include <inttypes.h>
#include <math.h>

#include "cli/terminal/say.h"
#include "cluster/workload/command/workloads.h"
#include "cluster/workload/write/statistics.h"
#include "emit/write/write.h"

static void describe_print_number(FILE *out, double value)
{
    if (isnan(value))
        fprintf(out, "%10s", "-");
    else
        fprintf(out,
                fabs(value) >= 1e6    ? " %9.3g"
                : fabs(value) >= 1000 ? " %9.0f"
                                      : " %9.4g",
                value);
}

static void print_distribution(FILE *out, const char *name, const struct br_distribution *of)
{
    const double value[] = {of->mean, of->min, of->p25, of->p50,
                            of->p75,  of->p90, of->p99, of->max};
    fprintf(out, "  %-17s", name);
    for (size_t k = 0; k < sizeof value / sizeof *value; k++)
        describe_print_number(out, value[k]);
    putc('\n', out);
}

static void print_arrivals(FILE *out, const struct br_workload_statistics *statistics)
{
    fprintf(out, "arrivals   from %.6g s to %.6g s", statistics->first_s, statistics->last_s);
    if (statistics->gap_mean_s > 0)
        fprintf(out, ", one in %.4g s on average (coefficient of variation %.3g)",
                statistics->gap_mean_s, statistics->gap_cov);
    putc('\n', out);
}

static void describe_print_work(FILE *out, const struct br_workload_statistics *statistics)
{
    const struct br_offered *offered = &statistics->offered;
    bool loads = statistics->most_loaded != UINT32_MAX;
    fprintf(out, "\n%-19s%10s%10s\n", "work", "amount x s", loads ? "load" : "");
    for (uint32_t r = 0; r < offered->resources; r++) {
        fputs("  ", out);
        cli_print_text(out, offered->resource[r]);
        int pad = 17 - (int)br_text_length(offered->resource[r]);
        fprintf(out, "%*s", pad > 0 ? pad : 1, "");
        describe_print_number(out, offered->amount_s[r]);
        if (loads)
            describe_print_number(out, statistics->load[r]);
        putc('\n', out);
    }
    if (loads) {
        fprintf(out, "load       %.4g, of ", statistics->load[statistics->most_loaded]);
        cli_print_text(out, offered->resource[statistics->most_loaded]);
        putc('\n', out);
    }
}

static void print_groups(FILE *out, const struct br_workload *workload,
                         const struct br_workload_statistics *statistics)
{
    if (workload->groups < 2)
        return;
    fprintf(out, "\n%-19s%10s%10s%10s\n", "group", "weight", "jobs", "work s");
    for (uint32_t g = 0; g < workload->groups; g++) {
        if (g == 0 && !statistics->group[0].jobs)
            continue;
        fputs("  ", out);
        cli_print_text(out, workload->group[g].name);
        int pad = 17 - (int)br_text_length(workload->group[g].name);
        fprintf(out, "%*s", pad > 0 ? pad : 1, "");
        describe_print_number(out, workload->group[g].weight);
        describe_print_number(out, statistics->group[g].jobs);
        describe_print_number(out, statistics->group[g].task_s);
        putc('\n', out);
    }
}

static void describe_print_text(FILE *out, const struct br_workload *workload,
                                const struct br_workload_statistics *statistics)
{
    if (workload->name) {
        fputs("workload   ", out);
        cli_print_text(out, workload->name);
        putc('\n', out);
    }
    fprintf(out, "jobs       %" PRIu32 " of %" PRIu32 " kinds", statistics->jobs, statistics->dags);
    if (statistics->recorded)
        fprintf(out, ", %" PRIu32 " with recorded durations", statistics->recorded);
    fprintf(out, "\ntasks      %" PRIu64 " in %" PRIu64 " stages\n", statistics->tasks,
            statistics->stages);
    print_arrivals(out, statistics);
    if (statistics->deadlines)
        fprintf(out, "deadlines  %" PRIu32 "\n", statistics->deadlines);
    fprintf(out, "\n%-19s%10s%10s%10s%10s%10s%10s%10s%10s\n", "of a job", "mean", "least", "25%",
            "50%", "75%", "90%", "99%", "most");
    print_distribution(out, "stages", &statistics->job_stages);
    print_distribution(out, "tasks", &statistics->job_tasks);
    print_distribution(out, "width, tasks", &statistics->width);
    print_distribution(out, "depth, levels", &statistics->depth);
    print_distribution(out, "critical path s", &statistics->critical_s);
    print_distribution(out, "work s", &statistics->work_s);
    if (statistics->deadlines)
        print_distribution(out, "deadline / path", &statistics->slack);
    describe_print_work(out, statistics);
    print_groups(out, workload, statistics);
}

enum br_status cli_describe_workload(const struct br_workload *workload,
                                     const struct br_cluster *cluster, bool json, FILE *out,
                                     struct br_diag *diag)
{
    struct br_workload_statistics statistics;
    enum br_status status = br_workload_measure(workload, cluster, &statistics, diag);
    if (status)
        return status;
    if (json)
        status = br_emit_workload_statistics(workload, &statistics, out, diag);
    else
        describe_print_text(out, workload, &statistics);
    br_workload_statistics_finish(&statistics);
    return status;
}
