/* Workloads of generated jobs that recur: with features, and true durations of single tasks. */
#include "cluster/workload/traces.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/workload/command/workloads.h"

bool cli_is_trace(const char *name)
{
    return br_named_find(&br_traces, name) != BR_NO_ROW;
}

/* Durations are not declared: a second each. */
static enum br_status workloads_traces_make_dag(const struct br_trace_job *job, struct br_dag **dag,
                                                struct br_diag *diag)
{
    char name[96] = "";
    for (uint32_t s = 0; s < job->stages; s++) {
        size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "%s%" PRIu32, s ? "+" : "", job->tasks[s]);
    }
    snprintf(name + strlen(name), sizeof name - strlen(name), " tasks");
    *dag = br_dag_create(name);
    enum br_status status = *dag ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; s < job->stages && !status; s++) {
        char id[16];
        snprintf(id, sizeof id, "%" PRIu32, s + 1);
        status = br_dag_add_stage(*dag, id, job->tasks[s], INT64_C(1000000000), NULL, diag);
        if (!status)
            status = br_dag_add_demand(*dag, s, "cpu", "1", diag);
        if (!status && s > 0)
            status = br_dag_add_edge(*dag, s - 1, s, BR_BARRIER, diag);
    }
    return status ? status : br_dag_finish(*dag, diag);
}

static enum br_status workloads_traces_add_job(struct br_workload *workload,
                                               const struct br_trace_job *made, uint32_t number,
                                               struct br_diag *diag)
{
    struct br_workload_job job = br_workload_job_default();
    struct br_dag *dag;
    char id[16], user[16], app[16];
    const char *const feature[] = {user, app};
    enum br_status status = workloads_traces_make_dag(made, &dag, diag);
    if (status) {
        br_dag_destroy(dag);
        return status;
    }
    status = br_workload_add_dag(workload, dag, NULL, NULL, &job.dag, diag);
    snprintf(id, sizeof id, "%" PRIu32, number + 1);
    snprintf(user, sizeof user, "u%" PRIu32, made->user);
    snprintf(app, sizeof app, "a%" PRIu32, made->app);
    job.id = id;
    job.seed = (uint64_t)number + 1;
    job.true_ns = made->duration_ns;
    job.feature = feature;
    return status ? status : br_workload_add_job(workload, &job, diag);
}

enum br_status cli_make_trace(const char *name, uint32_t count, uint64_t seed,
                              struct br_workload *workload, struct br_diag *diag)
{
    struct br_trace_job *job = malloc(sizeof *job);
    struct br_trace *trace = NULL;
    uint32_t feature;
    enum br_status status = job ? br_trace_create(name, seed, &trace, diag) : br_fail_memory(diag);
    if (!status)
        status = br_workload_add_feature(workload, "user", &feature, diag);
    if (!status)
        status = br_workload_add_feature(workload, "app", &feature, diag);
    for (uint32_t k = 0; k < count && !status; k++) {
        status = br_trace_next(trace, job, diag);
        if (!status)
            status = workloads_traces_add_job(workload, job, k, diag);
    }
    br_trace_destroy(trace);
    free(job);
    return status;
}
