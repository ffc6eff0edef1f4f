/* Readers of what clusters record of their jobs. */
#include <stdlib.h>
#include <string.h>

#include "cluster/coflow/read/coflow_trace.h"
#include "cluster/workload/read/workloads.h"
#include "cluster/coflow/clocks/engine.h"
#include "tests/fuzz/fuzz.h"

/* As many tasks as a line says could take all memory. */
static bool has_long_number(const uint8_t *data, size_t size)
{
    size_t digits = 0;
    for (size_t k = 0; k < size && digits < 6; k++)
        digits = data[k] >= '0' && data[k] <= '9' ? digits + 1 : 0;
    return digits >= 6;
}

static void check_workload(const struct br_workload *workload)
{
    uint64_t tasks = 0;
    if (!workload->finished || workload->jobs == 0)
        fuzz_fail(NULL, "a workload that is not finished, or empty");
    for (uint32_t j = 0; j < workload->jobs; j++) {
        const struct br_workload_job *job = &workload->job[j];
        const struct br_dag *dag = workload->dag[job->dag].dag;
        if (!dag->finished || !job->true_ns || job->group >= workload->groups || !job->pos.line)
            fuzz_fail(NULL, "a job that is not whole");
        if (job->arrival_ns < (j ? workload->job[j - 1].arrival_ns : 0))
            fuzz_fail(NULL, "jobs out of order");
        for (uint32_t t = 0; t < dag->tasks; t++)
            if (job->true_ns[t] < 0 || dag->duration_ns[t] < 0)
                fuzz_fail(NULL, "a time below 0");
        tasks += dag->tasks;
    }
    if (tasks != workload->tasks)
        fuzz_fail(NULL, "a wrong number of tasks");
}

static void read_records(const char *format, const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_workload *workload;
    struct br_workload_options options = br_workload_options_default();
    options.from = format;
    options.parallel = has_long_number(data, size) ? BR_PARALLEL_POOL : size % 3;
    options.group_by = size / 3 % 4;
    options.completed_only = size % 5 == 0;
    options.cpu_only = size % 7 == 0;
    enum br_status status = br_parse_workload(fuzz_file(0, data, size), &options, &workload, &diag);
    fuzz_said(status, &diag);
    if (status && workload)
        fuzz_fail(&diag, "a failure that leaves a workload");
    if (!status)
        check_workload(workload);
    br_workload_destroy(workload);
}

/* Whatever is read runs to its end under both clocks, and moves all its bytes. */
void fuzz_coflow(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_coflows *trace;
    enum br_status status = br_parse_coflows(fuzz_file(0, data, size), &trace, &diag);
    fuzz_said(status, &diag);
    if (status && trace)
        fuzz_fail(&diag, "a failure that leaves a trace");
    for (int clock = 0; !status && trace->flows < 200 && trace->ports < 100 && clock < 2; clock++) {
        struct br_coflow_outcome outcome;
        struct br_coflow_options options = {.clock = (enum br_coflow_clock)clock};
        br_coflow_policy_find(size % 2 ? "expected" : "varys", &options.policy, &diag);
        if (br_coflow_simulate(trace, &options, &outcome, &diag))
            fuzz_fail(&diag, "a trace that cannot be simulated");
        if (outcome.finished != trace->coflows)
            fuzz_fail(NULL, "a coflow that does not end");
        br_coflow_outcome_finish(&outcome);
    }
    br_coflows_destroy(trace);
}

void fuzz_swf(const uint8_t *data, size_t size)
{
    read_records("swf", data, size);
}

void fuzz_sacct(const uint8_t *data, size_t size)
{
    read_records("sacct", data, size);
}

/* As a workload, and the whole application as a job. */
void fuzz_spark(const uint8_t *data, size_t size)
{
    struct br_diag diag = {0};
    struct br_input input = {0};
    struct br_parse_options options = br_parse_options_default();
    read_records("spark", data, size);
    options.from = "spark";
    enum br_status status = br_parse_job(fuzz_file(1, data, size), &options, &input, &diag);
    fuzz_said(status, &diag);
    if (status && (input.dag || input.cluster))
        fuzz_fail(&diag, "a failure that leaves a job");
    if (!status)
        fuzz_job(&input);
    br_input_finish(&input);
}
