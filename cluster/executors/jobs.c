/* Jobs from workloads. */
#include "cluster/executors/jobs.h"

#include <assert.h>
#include <stdlib.h>

#include "cluster/executors/core.h"

static enum br_status executors_jobs_add_stage(struct br_waves *waves, const struct br_dag *dag,
                                               uint32_t s, uint32_t *ms, struct br_diag *diag)
{
    const struct br_stage *stage = &dag->stage[s];
    assert(stage->first_task + stage->tasks <= dag->tasks);
    for (uint32_t t = 0; t < stage->tasks; t++) {
        int64_t task_ms = (dag->duration_ns[stage->first_task + t] + 500000) / 1000000;
        assert(task_ms >= 0);
        ms[t] = task_ms < UINT32_MAX ? (uint32_t)task_ms : UINT32_MAX;
    }
    waves->stage[s].tasks = stage->tasks;
    return br_waves_add(waves, s,
                        &(struct br_wave_measured){.executors = 1,
                                                   .count = {stage->tasks, stage->tasks, 0},
                                                   .ms = {ms, ms, ms}},
                        diag);
}

enum br_status br_executors_waves(const struct br_dag *dag, struct br_waves **made,
                                  struct br_diag *diag)
{
    uint32_t *ms = malloc(((size_t)dag->tasks + 1) * sizeof *ms);
    *made = ms ? br_waves_create(dag->stages) : NULL;
    enum br_status status = *made ? BR_OK : br_fail_memory(diag);
    for (uint32_t s = 0; !status && s < dag->stages; s++)
        status = executors_jobs_add_stage(*made, dag, s, ms, diag);
    for (uint32_t e = 0; !status && e < dag->edges; e++)
        status = br_waves_add_edge(*made, dag->edge[e].parent, dag->edge[e].child, diag);
    free(ms);
    return status ? status : br_waves_finish(*made, diag);
}

enum br_status br_executors_jobs_make(const struct br_workload *workload, uint64_t seed,
                                      struct br_executors_jobs *jobs, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    struct br_rng rng = br_rng_seed(seed);
    uint64_t of_run = br_rng_next(&rng);
    *jobs = (struct br_executors_jobs){.jobs = workload->jobs, .made = workload->dags};
    jobs->arrival = calloc((size_t)workload->jobs + 1, sizeof *jobs->arrival);
    jobs->waves = calloc((size_t)workload->dags + 1, sizeof *jobs->waves);
    if (!jobs->arrival || !jobs->waves)
        return br_fail_memory(diag);
    for (uint32_t d = 0; d < workload->dags && !status; d++)
        if (!workload->dag[d].dag->waves)
            status = br_executors_waves(workload->dag[d].dag, &jobs->waves[d], diag);
    for (uint32_t j = 0; j < workload->jobs && !status; j++) {
        const struct br_workload_job *job = &workload->job[j];
        const struct br_waves *waves = workload->dag[job->dag].dag->waves;
        jobs->arrival[j] = (struct br_executors_arrival){
            .waves = waves ? waves : jobs->waves[job->dag],
            .arrival_ns = job->arrival_ns,
            .seed = job->seed ^ of_run,
            .deadline_ns = job->deadline_ns == BR_NEVER ? 0 : job->deadline_ns};
        assert(jobs->arrival[j].waves &&
               (j == 0 || jobs->arrival[j - 1].arrival_ns <= job->arrival_ns));
    }
    return status;
}

void br_executors_jobs_finish(struct br_executors_jobs *jobs)
{
    for (uint32_t d = 0; jobs->waves && d < jobs->made; d++)
        br_waves_destroy(jobs->waves[d]);
    free(jobs->waves);
    free(jobs->arrival);
    free(jobs->request);
    *jobs = (struct br_executors_jobs){0};
}

/* The least of the waves on the number of executors that serves `count`. */
static int64_t executors_jobs_least_of(const struct br_waves *waves, uint32_t stage, uint32_t count,
                                       const uint64_t random[2])
{
    int64_t least = INT64_MAX;
    for (int wave = 0; wave < BR_WAVES; wave++) {
        int64_t ns = br_waves_draw_ns(waves, stage, (enum br_wave)wave, count, false, random);
        if (ns < least)
            least = ns;
    }
    assert(least >= 0 && least < INT64_MAX);
    return least;
}

void br_executors_least(const struct br_executors_arrival *arrival, bool simple, int64_t *least_ns)
{
    const struct br_waves *waves = arrival->waves;
    for (uint32_t s = 0; s < waves->stages; s++)
        for (uint32_t t = 0; t < waves->stage[s].tasks; t++, least_ns++) {
            uint64_t random[2];
            if (simple) {
                *least_ns = waves->stage[s].mean_us * 1000;
                continue;
            }
            br_executors_random(arrival->seed, s, t, random);
            *least_ns = INT64_MAX;
            for (uint32_t k = 0; k < waves->counts; k++) {
                int64_t ns = executors_jobs_least_of(waves, s, waves->count[k], random);
                if (ns < *least_ns)
                    *least_ns = ns;
            }
        }
}
