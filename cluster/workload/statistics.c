/* Each dag is measured once, however many jobs are instances of it. */
#include "cluster/workload/statistics.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "planner/model/shape.h"
#include "cluster/workload/make.h"
#include "cluster/workload/metrics.h"

/* Measures of a dag. */
struct measured {
    bool used;
    double stages, tasks, width, depth, critical_s, work_s;
};

struct pass {
    const struct br_workload *workload;
    struct br_workload_statistics *statistics;
    struct measured *dag;
    double *work_s; /* by job */
    double *value;  /* room for a value a job */
};

static double workload_statistics_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static double task_seconds(const int64_t *duration_ns, uint32_t tasks)
{
    double sum = 0;
    for (uint32_t t = 0; t < tasks; t++)
        sum += workload_statistics_seconds(duration_ns[t]);
    return sum;
}

static enum br_status measure_dags(struct pass *pass, struct br_diag *diag)
{
    const struct br_workload *workload = pass->workload;
    for (uint32_t j = 0; j < workload->jobs; j++)
        pass->dag[workload->job[j].dag].used = true;
    for (uint32_t d = 0; d < workload->dags; d++) {
        const struct br_dag *dag = workload->dag[d].dag;
        struct measured *measured = &pass->dag[d];
        struct br_shape shape;
        if (!measured->used)
            continue;
        enum br_status status = br_shape_measure(dag, &shape, diag);
        if (status)
            return status;
        pass->statistics->dags++;
        measured->stages = dag->stages;
        measured->tasks = dag->tasks;
        measured->width = shape.width;
        measured->depth = shape.depth;
        measured->critical_s = workload_statistics_seconds(shape.critical_ns);
        measured->work_s = task_seconds(dag->duration_ns, dag->tasks);
        br_shape_finish(&shape);
    }
    return BR_OK;
}

static int workload_statistics_by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

/* Sorts the values. */
static struct br_distribution workload_statistics_distribution(double *value, uint32_t count)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++)
        sum += value[k];
    qsort(value, count, sizeof *value, workload_statistics_by_value);
    return (struct br_distribution){
        .mean = count ? sum / count : NAN,
        .min = br_percentile(value, count, 0),
        .p25 = br_percentile(value, count, 0.25),
        .p50 = br_percentile(value, count, 0.5),
        .p75 = br_percentile(value, count, 0.75),
        .p90 = br_percentile(value, count, 0.9),
        .p99 = br_percentile(value, count, 0.99),
        .max = br_percentile(value, count, 1),
    };
}

/* The distribution over the jobs of one measure of their dags; `member` is its offset. */
static struct br_distribution over_jobs(struct pass *pass, size_t member)
{
    for (uint32_t j = 0; j < pass->workload->jobs; j++) {
        const char *of = (const char *)&pass->dag[pass->workload->job[j].dag];
        memcpy(&pass->value[j], of + member, sizeof pass->value[j]);
    }
    return workload_statistics_distribution(pass->value, pass->workload->jobs);
}

static void workload_statistics_measure_jobs(struct pass *pass)
{
    const struct br_workload *workload = pass->workload;
    struct br_workload_statistics *statistics = pass->statistics;
    uint32_t deadlines = 0;
    statistics->jobs = workload->jobs;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_workload_job *job = &workload->job[j];
        const struct br_dag *dag = workload->dag[job->dag].dag;
        statistics->stages += dag->stages;
        statistics->tasks += dag->tasks;
        statistics->recorded += job->true_ns != NULL;
        pass->work_s[j] =
            job->true_ns ? task_seconds(job->true_ns, dag->tasks) : pass->dag[job->dag].work_s;
        statistics->group[job->group].jobs++;
        statistics->group[job->group].task_s += pass->work_s[j];
    }
    statistics->job_stages = over_jobs(pass, offsetof(struct measured, stages));
    statistics->job_tasks = over_jobs(pass, offsetof(struct measured, tasks));
    statistics->width = over_jobs(pass, offsetof(struct measured, width));
    statistics->depth = over_jobs(pass, offsetof(struct measured, depth));
    statistics->critical_s = over_jobs(pass, offsetof(struct measured, critical_s));
    statistics->work_s = workload_statistics_distribution(pass->work_s, workload->jobs);
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_workload_job *job = &workload->job[j];
        double critical_s = pass->dag[job->dag].critical_s;
        if (job->deadline_ns == BR_NEVER)
            continue;
        statistics->deadlines++;
        if (critical_s > 0)
            pass->value[deadlines++] =
                workload_statistics_seconds(job->deadline_ns - job->arrival_ns) / critical_s;
    }
    assert(deadlines <= statistics->deadlines);
    statistics->slack = workload_statistics_distribution(pass->value, deadlines);
}

/* The jobs are in the order of their arrivals. */
static void measure_arrivals(struct pass *pass)
{
    const struct br_workload *workload = pass->workload;
    struct br_workload_statistics *statistics = pass->statistics;
    uint32_t jobs = workload->jobs;
    double squares = 0;
    statistics->first_s = workload_statistics_seconds(workload->job[0].arrival_ns);
    statistics->last_s = workload_statistics_seconds(workload->job[jobs - 1].arrival_ns);
    statistics->gap_mean_s = br_workload_mean_gap(workload);
    for (uint32_t j = 1; j < jobs; j++) {
        double gap_s = workload_statistics_seconds(workload->job[j].arrival_ns -
                                                   workload->job[j - 1].arrival_ns);
        assert(gap_s >= 0);
        squares += (gap_s - statistics->gap_mean_s) * (gap_s - statistics->gap_mean_s);
    }
    statistics->gap_cov =
        statistics->gap_mean_s > 0 ? sqrt(squares / (jobs - 1)) / statistics->gap_mean_s : NAN;
}

static enum br_status measure_load(struct pass *pass, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    struct br_workload_statistics *statistics = pass->statistics;
    const struct br_offered *offered = &statistics->offered;
    enum br_status status = br_offered_make(pass->workload, &statistics->offered, diag);
    if (status)
        return status;
    statistics->load =
        br_arena_array(&statistics->arena, offered->resources, sizeof *statistics->load);
    if (!statistics->load)
        return br_fail_memory(diag);
    statistics->most_loaded = UINT32_MAX;
    for (uint32_t r = 0; r < offered->resources; r++) {
        statistics->load[r] = NAN;
        if (!cluster || !(statistics->gap_mean_s > 0))
            continue;
        statistics->load[r] =
            br_offered_seconds(offered, r, cluster) / statistics->jobs / statistics->gap_mean_s;
        if (statistics->most_loaded == UINT32_MAX ||
            statistics->load[r] > statistics->load[statistics->most_loaded])
            statistics->most_loaded = r;
    }
    return BR_OK;
}

enum br_status br_workload_measure(const struct br_workload *workload,
                                   const struct br_cluster *cluster,
                                   struct br_workload_statistics *statistics, struct br_diag *diag)
{
    struct br_arena scratch = {0};
    *statistics = (struct br_workload_statistics){0};
    struct pass pass = {.workload = workload, .statistics = statistics};
    pass.dag = br_arena_array(&scratch, workload->dags, sizeof *pass.dag);
    pass.work_s = br_arena_array(&scratch, workload->jobs, sizeof *pass.work_s);
    pass.value = br_arena_array(&scratch, workload->jobs, sizeof *pass.value);
    statistics->group =
        br_arena_array(&statistics->arena, workload->groups, sizeof *statistics->group);
    enum br_status status =
        pass.dag && pass.work_s && pass.value && statistics->group ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = measure_dags(&pass, diag);
    if (!status) {
        workload_statistics_measure_jobs(&pass);
        measure_arrivals(&pass);
        status = measure_load(&pass, cluster, diag);
    }
    br_arena_finish(&scratch);
    if (status)
        br_workload_statistics_finish(statistics);
    return status;
}

void br_workload_statistics_finish(struct br_workload_statistics *statistics)
{
    br_offered_finish(&statistics->offered);
    br_arena_finish(&statistics->arena);
    *statistics = (struct br_workload_statistics){0};
}
