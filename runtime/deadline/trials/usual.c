#include "runtime/deadline/trials/usual.h"

#include <assert.h>
#include <stdlib.h>

/* Sums of a stage over all runs: times in seconds, and begin and end over the length of the run. */
struct usual {
    double work_s, wait_s, longest_s, begin, end;
};

static double usual_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

static void usual_add_run(const struct br_runner_job *job, const struct br_runner_stage *seen,
                          int64_t end_ns, struct usual *usual)
{
    double length = end_ns > 0 ? (double)end_ns : 1;
    for (uint32_t s = 0; s < job->stages; s++) {
        usual[s].work_s += usual_seconds(seen[s].work_ns);
        usual[s].wait_s += usual_seconds(seen[s].wait_ns);
        usual[s].longest_s += usual_seconds(seen[s].longest_ns);
        usual[s].begin += (double)seen[s].begin_ns / length;
        usual[s].end += (double)seen[s].end_ns / length;
    }
}

static bool watch_runs(const struct br_runner_job *job, uint32_t allocation,
                       const int64_t *duration_ns, const uint64_t *seed, uint32_t runs,
                       struct usual *usual)
{
    struct br_runner *runner = br_runner_create(job);
    struct br_runner_stage *seen = calloc(job->stages, sizeof *seen);
    const struct br_runner_watch watch = {.stage = seen};
    for (uint32_t k = 0; runner && seen && k < runs; k++) {
        for (uint32_t s = 0; s < job->stages; s++)
            seen[s] = (struct br_runner_stage){.begin_ns = -1};
        int64_t end_ns = br_runner_run(runner, allocation, false,
                                       duration_ns + (size_t)k * job->tasks, seed[k], &watch);
        usual_add_run(job, seen, end_ns, usual);
    }
    bool good = runner && seen;
    br_runner_destroy(runner);
    free(seen);
    for (uint32_t s = 0; s < job->stages; s++) {
        usual[s].work_s /= runs;
        usual[s].wait_s /= runs;
        usual[s].longest_s /= runs;
        usual[s].begin /= runs;
        usual[s].end /= runs;
    }
    return good;
}

/* Parts that sum up to 1; if all is 0, each stage's share of the tasks. */
static void weigh_sum(const struct br_runner_job *job, enum br_indicator indicator,
                      const struct usual *usual, struct br_progress_weight *weight)
{
    double total = 0;
    for (uint32_t s = 0; s < job->stages; s++) {
        double part = job->count[s];
        if (indicator == BR_TOTALWORK)
            part = usual[s].work_s;
        else if (indicator == BR_TOTALWORK_Q)
            part = usual[s].work_s + usual[s].wait_s;
        weight[s] = (struct br_progress_weight){.span = part};
        total += part;
    }
    for (uint32_t s = 0; s < job->stages; s++)
        weight[s].span =
            total > 0 ? weight[s].span / total : (double)job->count[s] / (double)job->tasks;
}

static double clipped(double x)
{
    return x > 0 ? x < 1 ? x : 1 : 0;
}

static void weigh_times(const struct br_runner_job *job, const struct usual *usual,
                        struct br_progress_weight *weight)
{
    for (uint32_t s = 0; s < job->stages; s++) {
        double begin = clipped(usual[s].begin);
        weight[s] = (struct br_progress_weight){begin, clipped(usual[s].end - begin)};
    }
}

static void weigh_paths(const struct br_runner_job *job, const struct br_table_stage *stage,
                        struct br_progress_weight *weight)
{
    double longest_s = 0;
    for (uint32_t s = 0; s < job->stages; s++)
        if (stage[s].longest_s + stage[s].behind_s > longest_s)
            longest_s = stage[s].longest_s + stage[s].behind_s;
    for (uint32_t s = 0; s < job->stages; s++) {
        double whole = longest_s > 0 ? longest_s : 1;
        weight[s] = (struct br_progress_weight){clipped(stage[s].behind_s / whole),
                                                clipped(stage[s].longest_s / whole)};
    }
}

/* The percents of the cluster that a task of the stage takes of the resource that it needs most of;
 * a token. */
static double dominant(const struct br_runner_job *job, uint32_t s)
{
    double most = 0;
    for (uint32_t r = 0; r < job->resources; r++) {
        assert(job->total[r] > 0);
        double share = (double)job->demand[s * job->resources + r] / (double)job->total[r] * 100;
        most = share > most ? share : most;
    }
    return job->resources ? most : 1;
}

static void fill_stages(const struct br_runner_job *job, const struct usual *usual,
                        struct br_table_stage *stage)
{
    const uint32_t *order = job->dag->topological;
    for (uint32_t k = job->stages; k-- > 0;) {
        uint32_t s = order[k];
        stage[s] = (struct br_table_stage){
            .longest_s = usual[s].longest_s,
            .work_s = usual[s].work_s * dominant(job, s),
        };
        for (uint32_t e = job->child_first[s]; e < job->child_first[s + 1]; e++) {
            const struct br_table_stage *child = &stage[job->child[e]];
            if (child->longest_s + child->behind_s > stage[s].behind_s)
                stage[s].behind_s = child->longest_s + child->behind_s;
        }
    }
}

bool br_usual_measure(const struct br_runner_job *job, enum br_indicator indicator,
                      uint32_t allocation, const int64_t *duration_ns, const uint64_t *seed,
                      uint32_t runs, struct br_table_stage *stage,
                      struct br_progress_weight *weight)
{
    struct usual *usual = calloc(job->stages, sizeof *usual);
    bool good = usual && watch_runs(job, allocation, duration_ns, seed, runs, usual);
    if (good)
        fill_stages(job, usual, stage);
    if (good && indicator == BR_MINSTAGE_INF) {
        for (uint32_t s = 0; s < job->stages; s++)
            usual[s] = (struct usual){0};
        good = watch_runs(job, BR_UNLIMITED, duration_ns, seed, runs, usual);
    }
    if (good && (indicator == BR_MINSTAGE || indicator == BR_MINSTAGE_INF))
        weigh_times(job, usual, weight);
    else if (good && indicator == BR_CP)
        weigh_paths(job, stage, weight);
    else if (good)
        weigh_sum(job, indicator, usual, weight);
    free(usual);
    return good;
}
