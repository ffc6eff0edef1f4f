#include "cluster/workload/sweep.h"

#include <assert.h>
#include <stdlib.h>

static int64_t key_time(uint64_t key)
{
    return (int64_t)(key ^ (UINT64_C(1) << 63));
}

static int64_t sweep_job_end(const struct br_sweep *sweep, const struct br_outcome *outcome,
                             uint32_t job)
{
    return outcome->end_ns[job] >= 0 ? outcome->end_ns[job] : sweep->last_ns;
}

static void find_ends(struct br_sweep *sweep, const struct br_workload *workload,
                      const struct br_outcome *outcome)
{
    sweep->first_ns = workload->jobs ? workload->job[0].arrival_ns : 0;
    for (uint32_t j = 1; j < workload->jobs; j++)
        if (workload->job[j].arrival_ns < sweep->first_ns)
            sweep->first_ns = workload->job[j].arrival_ns;
    sweep->last_ns = sweep->first_ns;
    for (uint32_t j = 0; j < workload->jobs; j++)
        if (outcome->end_ns[j] > sweep->last_ns)
            sweep->last_ns = outcome->end_ns[j];
    for (uint64_t s = 0; s < outcome->spans; s++)
        if (outcome->span[s].end_ns > sweep->last_ns)
            sweep->last_ns = outcome->span[s].end_ns;
}

static void list_spans(struct br_sweep *sweep, const struct br_outcome *outcome)
{
    uint32_t spans = (uint32_t)outcome->spans;
    for (uint32_t s = 0; s < spans; s++) {
        const struct br_span *span = &outcome->span[s];
        assert(span->start_ns <= span->end_ns);
        sweep->list[BR_SPAN_STARTS][s] = (struct br_sort_item){br_sort_key(span->start_ns), s};
        sweep->list[BR_SPAN_ENDS][s] = (struct br_sort_item){br_sort_key(span->end_ns), s};
    }
    sweep->count[BR_SPAN_STARTS] = sweep->count[BR_SPAN_ENDS] = spans;
}

static void list_jobs(struct br_sweep *sweep, const struct br_workload *workload,
                      const struct br_outcome *outcome)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < workload->jobs; j++) {
        int64_t arrival_ns = workload->job[j].arrival_ns, end_ns = sweep_job_end(sweep, outcome, j);
        if (end_ns <= arrival_ns)
            continue;
        sweep->list[BR_JOB_ARRIVES][n] = (struct br_sort_item){br_sort_key(arrival_ns), j};
        sweep->list[BR_JOB_ENDS][n++] = (struct br_sort_item){br_sort_key(end_ns), j};
    }
    assert(n <= workload->jobs);
    sweep->count[BR_JOB_ARRIVES] = sweep->count[BR_JOB_ENDS] = n;
}

enum br_status br_sweep_init(struct br_sweep *sweep, const struct br_workload *workload,
                             const struct br_outcome *outcome, struct br_diag *diag)
{
    *sweep = (struct br_sweep){0};
    if (outcome->spans > INT32_MAX)
        return br_fail(diag, BR_SYSTEM, "simulate less of the workload at a time",
                       "more spans than can be measured");
    size_t most = outcome->spans > workload->jobs ? outcome->spans : workload->jobs;
    struct br_sort_item *scratch = malloc((most + 1) * sizeof *scratch);
    bool ok = scratch != NULL;
    for (int k = 0; k < BR_MOMENT_KINDS; k++) {
        bool of_spans = k == BR_SPAN_ENDS || k == BR_SPAN_STARTS;
        size_t count = of_spans ? outcome->spans : workload->jobs;
        sweep->list[k] = malloc((count + 1) * sizeof *sweep->list[k]);
        ok &= sweep->list[k] != NULL;
    }
    if (!ok) {
        free(scratch);
        return br_fail_memory(diag);
    }
    find_ends(sweep, workload, outcome);
    list_spans(sweep, outcome);
    list_jobs(sweep, workload, outcome);
    for (int k = 0; k < BR_MOMENT_KINDS; k++)
        br_sort(sweep->list[k], scratch, sweep->count[k]);
    free(scratch);
    return BR_OK;
}

void br_sweep_finish(struct br_sweep *sweep)
{
    for (int k = 0; k < BR_MOMENT_KINDS; k++)
        free(sweep->list[k]);
    *sweep = (struct br_sweep){0};
}

void br_sweep_rewind(struct br_sweep *sweep)
{
    for (int k = 0; k < BR_MOMENT_KINDS; k++)
        sweep->at[k] = 0;
}

bool br_sweep_peek(const struct br_sweep *sweep, struct br_moment *moment)
{
    bool any = false;
    uint64_t least = 0;
    for (int k = 0; k < BR_MOMENT_KINDS; k++) {
        assert(sweep->at[k] <= sweep->count[k]);
        if (sweep->at[k] == sweep->count[k])
            continue;
        const struct br_sort_item *next = &sweep->list[k][sweep->at[k]];
        if (any && next->key >= least)
            continue;
        any = true;
        least = next->key;
        *moment = (struct br_moment){key_time(next->key), (enum br_moment_kind)k, next->item};
    }
    return any;
}
