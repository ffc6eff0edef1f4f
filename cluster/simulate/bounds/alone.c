/* Heads, tails and lengths of the stages by the planner's windows, part by part between cuts.
 *
 * Let a stage have tasks of durations d that sum to W, its last task ending at e, and let at most K
 * of them run at once. Its mean busy time is the mean of the tasks' own, weighted by d. A task that
 * ends at x is half done d / 2 before x at the latest, so the mean busy time is at most e less the
 * sum of d x d / 2 over W. And work is done at rate K at most, so at least half of W / K lies
 * between its mean and e. Both hold if tasks slow down, K then counting them by their speed. */
#include "cluster/simulate/bounds/alone.h"

#include <assert.h>
#include <stdlib.h>

#include "planner/bounds/bounds.h"
#include "planner/bounds/closure.h"
#include "planner/bounds/window.h"
#include "planner/instance/part.h"

struct draft {
    struct br_alone *alone;
    const struct br_instance *whole;
    bool overbooked;
};

static double alone_seconds(const struct draft *draft, double ticks)
{
    return ticks * (double)draft->whole->tick_ns / 1e9;
}

/* The least time of a part. Without whole tasks in machines: the longest path, and work between
 * heads and tails by the longest path, in plain resources. */
static int64_t bound_part(const struct draft *draft, const struct br_instance *part,
                          const char **method)
{
    struct br_bound bound =
        draft->overbooked ? br_bounds_energy(part) : br_bounds_best(part, INT64_MAX);
    *method = bound.method;
    return bound.ticks;
}

/* Tasks of the stage at once, counted by their speed. */
static double widest(const struct draft *draft, const struct br_instance *part, uint32_t s)
{
    double tasks = part->stage_first[s + 1] - part->stage_first[s];
    if (!draft->overbooked)
        return (double)br_stage_slots(part, s, (uint64_t)tasks);
    for (uint32_t r = 0; r < part->resources; r++) {
        int64_t demand = part->demand[(size_t)s * part->resources + r];
        double most = demand ? (double)part->total[r] / (double)demand : tasks;
        tasks = most < tasks ? most : tasks;
    }
    assert(tasks > 0);
    return tasks;
}

/* before, after: the bounds of the parts ahead of this one and behind it, in ticks. */
static void describe_stage(const struct draft *draft, const struct br_instance *part,
                           const struct br_windows *windows, uint32_t s, int64_t before,
                           int64_t after)
{
    uint32_t first = part->stage_first[s], end = part->stage_first[s + 1];
    assert(first < end && windows->stage_head[s] >= 0 && windows->stage_tail[s] >= 0);
    double work = 0, behind = 0;
    for (uint32_t t = first; t < end; t++) {
        double d = (double)part->duration[t];
        work += d;
        behind += d * (d / 2 + (double)windows->tail[t]);
    }
    double rise = work / widest(draft, part, s), tail = (double)windows->stage_tail[s];
    double by_task = work > 0 ? behind / work : tail, by_rate = rise / 2 + tail;
    uint32_t stage = draft->whole->task_stage[part->task_origin[first]];
    struct br_alone *alone = draft->alone;
    assert(stage < alone->stages);
    alone->stage[stage] = (struct br_alone_stage){
        .head_s = alone_seconds(draft, (double)(before + windows->stage_head[s])),
        .rise_s = alone_seconds(draft, rise),
        .back_s = alone_seconds(draft, (double)after + (by_task > by_rate ? by_task : by_rate)),
        .tail_s = alone_seconds(draft, (double)after + tail),
    };
    for (uint32_t r = 0; r < part->resources; r++)
        if (part->total[r] > 0)
            alone->share_s[(size_t)stage * part->resources + r] =
                alone_seconds(draft, work) * (double)part->demand[(size_t)s * part->resources + r] /
                (double)part->total[r];
}

static bool describe_part(const struct draft *draft, const struct br_instance *part, int64_t before,
                          int64_t after)
{
    assert(before >= 0 && after >= 0);
    struct br_measures measures;
    struct br_windows windows;
    enum br_length length = draft->overbooked ? BR_LENGTH_LONGEST : BR_LENGTH_WAVES;
    if (!br_measures_init(&measures, part, draft->overbooked))
        return false;
    bool ok = br_windows_init(&windows, part, length, &measures);
    for (uint32_t s = 0; ok && s < part->stages; s++)
        describe_stage(draft, part, &windows, s, before, after);
    if (ok)
        br_windows_finish(&windows);
    br_measures_finish(&measures);
    return ok;
}

static bool describe_parts(const struct draft *draft, const struct br_parts *parts)
{
    int64_t *bound = malloc(parts->count * sizeof *bound), sum = 0, before = 0;
    bool ok = bound != NULL;
    const char *method = NULL;
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        bound[k] = bound_part(draft, parts->part[k], &method);
        ok = bound[k] >= 0;
        sum += bound[k];
    }
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        ok = describe_part(draft, parts->part[k], before, sum - before - bound[k]);
        before += bound[k];
    }
    assert(!ok || before == sum);
    struct br_bound best = {sum, method};
    if (ok && parts->count > 1) { /* parts may miss a measure that the whole has */
        best.method = "sum over the parts between cuts";
        int64_t ticks = 0;
        if (draft->whole->stages <= BR_CLOSURE_STAGES)
            ticks = bound_part(draft, draft->whole, &method);
        if (ticks > sum)
            best = (struct br_bound){ticks, method};
        ok = ticks >= 0;
    }
    draft->alone->bound_ns = best.ticks * draft->whole->tick_ns;
    draft->alone->method = best.method;
    free(bound);
    return ok;
}

/* Counts in ns: ends of tasks that are slowed are no whole ticks, so rounding up to one would not
 * be safe. */
static void count_in_ns(struct br_instance *in)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        in->duration[t] *= in->tick_ns;
    for (uint32_t s = 0; s < in->stages; s++)
        in->stage_longest[s] *= in->tick_ns;
    in->tick_ns = 1;
}

/* Windows round up to a whole ns, once a stage at most on each way through the job. */
static void allow_for_rounding(struct br_alone *alone)
{
    double most_s = (double)alone->stages / 1e9;
    alone->bound_ns -= alone->bound_ns < alone->stages ? alone->bound_ns : alone->stages;
    assert(alone->bound_ns >= 0);
    for (uint32_t s = 0; s < alone->stages; s++) {
        struct br_alone_stage *stage = &alone->stage[s];
        stage->head_s = stage->head_s > most_s ? stage->head_s - most_s : 0;
        stage->back_s = stage->back_s > most_s ? stage->back_s - most_s : 0;
        stage->tail_s = stage->tail_s > most_s ? stage->tail_s - most_s : 0;
    }
}

enum br_status br_alone_make(const struct br_dag *dag, const int64_t *duration_ns,
                             const struct br_cluster *cluster, bool overbooked,
                             struct br_arena *arena, struct br_alone *alone, struct br_diag *diag)
{
    struct br_dag lasting = *dag; /* a view, which owns nothing */
    struct br_instance *whole;
    struct br_parts parts = {0};
    *alone = (struct br_alone){.stages = dag->stages};
    lasting.duration_ns = (int64_t *)duration_ns; /* only read */
    enum br_status status = br_instance_create(&lasting, cluster, &whole, diag);
    if (status)
        return status;
    if (overbooked)
        count_in_ns(whole);
    alone->resources = whole->resources;
    alone->stage = br_arena_array(arena, whole->stages, sizeof *alone->stage);
    alone->resource = br_arena_array(arena, whole->resources, sizeof *alone->resource);
    alone->share_s =
        br_arena_array(arena, (size_t)whole->stages * whole->resources, sizeof *alone->share_s);
    struct draft draft = {.alone = alone, .whole = whole, .overbooked = overbooked};
    if (!alone->stage || !alone->resource || !alone->share_s ||
        br_parts_create(whole, &parts, NULL) || !describe_parts(&draft, &parts))
        status = br_fail_memory(diag);
    for (uint32_t r = 0; r < whole->resources && !status; r++)
        alone->resource[r] = dag->resource[whole->resource_origin[r]].name;
    if (!status && overbooked)
        allow_for_rounding(alone);
    br_parts_finish(&parts);
    br_instance_destroy(whole);
    return status;
}
