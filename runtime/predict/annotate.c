/* Writes a history's figures into a job. Memory takes the largest figure, durations the middle of
 * the belief: a task that comes late costs some time, one that does not fit into memory costs the
 * run. */
#include "runtime/predict/annotate.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/numbers/real.h"
#include "base/roles.h"
#include "planner/eligibility/features.h"
#include "runtime/predict/annotate_ways.h"
#include "runtime/predict/dag_with.h"
#include "store/history/way.h"

/* The job's own durations of the stage: its mean is certain, and its tasks may scatter. */
static void predict_annotate_declare(struct annotating *annotating, uint32_t s)
{
    const struct br_stage *stage = &annotating->dag->stage[s];
    double mean_ns = (double)stage->duration_ns, spread = br_real_of(stage->spread), factor = 1;
    if (annotating->quantile > 0)
        factor = br_belief_declared(1, spread, annotating->quantile);
    annotating->belief[s] = (struct br_task_belief){
        false,   mean_ns, mean_ns,
        mean_ns, spread,  br_annotating_asked(annotating, mean_ns, mean_ns * factor)};
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++) {
        int64_t own_ns = annotating->dag->duration_ns[t];
        int64_t scaled_ns = factor == 1 ? own_ns : br_whole_ns((double)own_ns * factor);
        bool cut = stage->longest_ns > 0 && scaled_ns > stage->longest_ns && scaled_ns > own_ns;
        annotating->duration_ns[t] = !cut                         ? scaled_ns
                                     : stage->longest_ns > own_ns ? stage->longest_ns
                                                                  : own_ns;
    }
}

/* The history's durations of the stage. Durations of single tasks stay. */
static void predict_annotate_believe(struct annotating *annotating, uint32_t s)
{
    const struct br_stage *stage = &annotating->dag->stage[s];
    struct br_task_belief *belief = &annotating->belief[s];
    double share = annotating->quantile > 0 ? annotating->quantile : 0.5;
    br_beliefs_of(annotating->beliefs, br_history_job(annotating->history), stage, NULL, NULL, 0,
                  share, belief);
    int64_t ns = br_whole_ns(br_annotating_asked(annotating, belief->mean_ns, belief->task_ns));
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        if (annotating->dag->duration_ns[t] == stage->duration_ns)
            annotating->duration_ns[t] = ns;
}

/* May the stage demand what was measured? If its tasks do not run on all machines, only what it
 * demands already. */
static bool may_demand(const struct annotating *annotating, uint32_t s, enum br_role role)
{
    const struct br_dag *dag = annotating->dag;
    const struct br_stage *stage = &dag->stage[s];
    if (!annotating->ways)
        return role == BR_ROLE_CPU ? annotating->cpu : annotating->mem;
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (br_role_is_own_name(role, dag->resource[dag->demand[d].resource].name))
            return true;
    return false;
}

static enum br_status annotate_stage(struct annotating *annotating, uint32_t s,
                                     struct br_annotate_report *report)
{
    struct br_history_estimate estimate = {.cpu_milli = -1, .mem_bytes = -1};
    enum br_status status = BR_OK;
    predict_annotate_declare(annotating, s);
    if (annotating->dag->stage[s].alternatives)
        return br_annotate_ways(annotating, s, &report->known);
    if (annotating->history)
        status = br_history_estimate_ways(annotating->history, annotating->dag->stage[s].id, NULL,
                                          &estimate, annotating->diag);
    if (status)
        return status;
    if (may_demand(annotating, s, BR_ROLE_CPU))
        annotating->cores[s] = br_history_cores(&estimate);
    if (may_demand(annotating, s, BR_ROLE_MEMORY))
        annotating->mem_bytes[s] = br_history_mem(&estimate);
    if (!estimate.samples || annotating->dag->stage[s].by_hand)
        return BR_OK;
    predict_annotate_believe(annotating, s);
    report->known++;
    return BR_OK;
}

static bool predict_annotate_allocate(struct annotating *annotating,
                                      struct br_annotate_report *report)
{
    struct br_arena *arena = &annotating->arena;
    const struct br_dag *dag = annotating->dag;
    annotating->duration_ns = br_arena_array(arena, dag->tasks, sizeof *annotating->duration_ns);
    annotating->cores = br_arena_array(arena, dag->stages, sizeof *annotating->cores);
    annotating->mem_bytes = br_arena_array(arena, dag->stages, sizeof *annotating->mem_bytes);
    annotating->belief = br_arena_array(&report->arena, dag->stages, sizeof *annotating->belief);
    report->belief = annotating->belief;
    if (!annotating->duration_ns || !annotating->cores || !annotating->mem_bytes ||
        !annotating->belief)
        return false;
    for (uint32_t s = 0; s < dag->stages; s++)
        annotating->cores[s] = annotating->mem_bytes[s] = -1;
    return !dag->alternatives ||
           br_annotate_ways_begin(annotating, &report->arena, &report->way_belief);
}

/* The possible error of the mean of a stage of median certainty, as a ratio. */
static enum br_status find_factor(struct annotating *annotating, struct br_annotate_report *report)
{
    struct br_sort_item *item =
        br_arena_array(&annotating->arena, 2 * (size_t)report->known + 1, sizeof *item);
    uint32_t known = 0;
    if (!item)
        return br_fail_memory(annotating->diag);
    for (uint32_t s = 0; s < report->stages; s++) {
        const struct br_task_belief *belief = &report->belief[s];
        if (!belief->known)
            continue;
        double factor = fmax(belief->high_ns / belief->mean_ns, belief->mean_ns / belief->low_ns);
        assert(known < report->known);
        item[known] = (struct br_sort_item){(uint64_t)br_whole_ns(1000 * factor), known};
        known++;
    }
    br_sort(item, item + known, known);
    uint32_t middle = known ? (known - 1) / 2 : 0;
    report->factor = known ? (double)item[middle].key / 1000 : 1;
    return BR_OK;
}

enum br_status br_history_annotate(struct br_history *history, const struct br_dag *dag,
                                   const struct br_cluster *cluster, double quantile,
                                   struct br_dag **result, struct br_annotate_report *report,
                                   struct br_diag *diag)
{
    struct annotating annotating = {
        .history = history,
        .dag = dag,
        .cpu = !cluster || br_cluster_capacity(cluster, 0, br_role_name(BR_ROLE_CPU)).mantissa > 0,
        .mem =
            !cluster || br_cluster_capacity(cluster, 0, br_role_name(BR_ROLE_MEMORY)).mantissa > 0,
        .ways = br_features(dag, cluster) & BR_FEATURES_MODES,
        .quantile = quantile,
        .diag = diag,
    };
    *result = NULL;
    *report = (struct br_annotate_report){.stages = dag->stages};
    enum br_status status =
        predict_annotate_allocate(&annotating, report) ? BR_OK : br_fail_memory(diag);
    if (!status)
        status = br_beliefs_create(history, &annotating.beliefs, diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = annotate_stage(&annotating, s, report);
    if (!status)
        status = find_factor(&annotating, report);
    const struct br_needs needs = {.duration_ns = annotating.duration_ns,
                                   .cores = annotating.cores,
                                   .mem_bytes = annotating.mem_bytes,
                                   .alternatives =
                                       dag->alternatives ? &annotating.alternatives : NULL};
    if (!status)
        status = br_dag_with(dag, &needs, result, diag);
    br_beliefs_destroy(annotating.beliefs);
    br_arena_finish(&annotating.arena);
    return status;
}

void br_annotate_report_finish(struct br_annotate_report *report)
{
    br_arena_finish(&report->arena);
    *report = (struct br_annotate_report){0};
}

/* ---- Jobs under other names ---- */

struct finding {
    const struct br_dag *dag;
    uint32_t *counted;      /* by stage of it: the number of the job that has counted it */
    uint32_t jobs;          /* that have been begun */
    char *job;              /* whose stages are being counted */
    char *best;             /* the first that matches */
    uint32_t shared, other; /* stages of it that this job has, and has not */
    bool known, failed;     /* the job's own name is there; memory is out */
};

/* The job under count is complete. */
static void predict_annotate_judge(struct finding *f)
{
    if (f->job && !f->best && !f->other && 2 * (uint64_t)f->shared >= f->dag->stages) {
        f->best = f->job;
        f->job = NULL;
    }
    free(f->job);
    f->job = NULL;
    f->shared = f->other = 0;
}

static void count_stage(void *context, const struct br_history_job *row)
{
    struct finding *f = context;
    if (!f->job || strcmp(f->job, row->name) != 0) {
        predict_annotate_judge(f);
        f->known |= strcmp(row->name, f->dag->name) == 0;
        f->job = strdup(row->name);
        f->failed |= !f->job;
        f->jobs++;
    }
    struct br_history_way way;
    f->failed |= !br_history_way_read(row->stage, &way);
    const uint32_t stage = f->failed ? UINT32_MAX : br_dag_find_stage(f->dag, way.stage);
    free(way.text);
    if (stage == UINT32_MAX) {
        f->other++;
    } else if (f->counted[stage] != f->jobs) {
        f->counted[stage] = f->jobs;
        f->shared++;
    }
}

enum br_status br_history_find(struct br_history *history, const struct br_dag *dag, char **alike,
                               struct br_diag *diag)
{
    struct finding f = {.dag = dag, .counted = calloc((size_t)dag->stages + 1, sizeof *f.counted)};
    *alike = NULL;
    if (!f.counted)
        return br_fail_memory(diag);
    enum br_status status = br_history_stages(history, count_stage, &f, diag);
    predict_annotate_judge(&f);
    free(f.counted);
    if (!status && f.failed)
        status = br_fail_memory(diag);
    if (!status && !f.known && f.best)
        status = br_history_use(history, f.best, diag);
    if (status || f.known) {
        free(f.best);
        f.best = NULL;
    }
    *alike = f.best;
    return status;
}
