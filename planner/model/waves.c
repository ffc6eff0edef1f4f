/* Durations by wave and number of executors, as Decima's simulator takes them. [Mao19, 6.2]
 *
 * Gaps are filled, so that every draw has something to draw from:
 *   first  without those that are also fresh; if none is left, that of the next smaller number
 *          of executors; else what is fresh
 *   fresh  if none was measured, first and a warm-up of BR_WAVES_WARM_UP_MS
 *   rest   if none was measured, first */
#include "planner/model/waves.h"

#include <assert.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"

struct edge {
    uint32_t parent, child;
};

struct br_waves_build {
    struct edge *edge;
    uint32_t edges, room;
};

struct br_waves *br_waves_create(uint32_t stages)
{
    struct br_waves *waves = br_calloc(1, sizeof *waves);
    assert(stages);
    if (!waves)
        return NULL;
    waves->stages = stages;
    waves->factor = 1;
    waves->stage = br_arena_array(&waves->arena, stages, sizeof *waves->stage);
    waves->build = br_calloc(1, sizeof *waves->build);
    for (uint32_t s = 0; waves->stage && s < stages; s++)
        if (!(waves->stage[s].point =
                  br_arena_array(&waves->arena, BR_WAVE_COUNTS, sizeof *waves->stage[s].point)))
            waves->stage = NULL;
    if (waves->stage && waves->build)
        return waves;
    br_waves_destroy(waves);
    return NULL;
}

static void destroy_build(struct br_waves *waves)
{
    if (waves->build)
        br_free(waves->build->edge);
    br_free(waves->build);
    waves->build = NULL;
}

void br_waves_destroy(struct br_waves *waves)
{
    if (!waves)
        return;
    destroy_build(waves);
    br_arena_finish(&waves->arena);
    br_free(waves);
}

enum br_status br_waves_add_edge(struct br_waves *waves, uint32_t parent, uint32_t child,
                                 struct br_diag *diag)
{
    struct br_waves_build *build = waves->build;
    assert(parent < waves->stages && child < waves->stages && parent != child);
    for (uint32_t k = 0; k < build->edges; k++)
        if (build->edge[k].parent == parent && build->edge[k].child == child)
            return BR_OK;
    if (!br_grow(&build->edge, build->edges, &build->room, sizeof *build->edge))
        return br_fail_memory(diag);
    build->edge[build->edges++] = (struct edge){parent, child};
    return BR_OK;
}

/* ---- Durations ---- */

static int waves_compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* A sorted copy. */
static enum br_status waves_copy(struct br_waves *waves, const uint32_t *ms, uint32_t count,
                                 struct br_wave_sample *sample, struct br_diag *diag)
{
    uint32_t *own = br_arena_array(&waves->arena, count, sizeof *own);
    if (!own)
        return br_fail_memory(diag);
    if (count) {
        memcpy(own, ms, count * sizeof *own);
        br_sort_by(own, count, sizeof *own, waves_compare);
    }
    *sample = (struct br_wave_sample){own, count, 0};
    return BR_OK;
}

enum br_status br_waves_add(struct br_waves *waves, uint32_t stage,
                            const struct br_wave_measured *measured, struct br_diag *diag)
{
    struct br_wave_stage *at = &waves->stage[stage];
    uint32_t k = at->points;
    while (k && at->point[k - 1].executors >= measured->executors)
        k--;
    bool there = k < at->points && at->point[k].executors == measured->executors;
    if (!there && at->points == BR_WAVE_COUNTS)
        return br_fail(diag, BR_BAD_INPUT, NULL, "stage %u: more than %d numbers of executors",
                       stage, BR_WAVE_COUNTS);
    if (!there) {
        memmove(&at->point[k + 1], &at->point[k], (at->points - k) * sizeof *at->point);
        at->points++;
    }
    at->point[k] = (struct br_wave_point){.executors = measured->executors};
    enum br_status status = BR_OK;
    for (int wave = 0; wave < BR_WAVES && !status; wave++)
        status = waves_copy(waves, measured->ms[wave], measured->count[wave],
                            &at->point[k].sample[wave], diag);
    return status;
}

/* The mean of all tasks: `fresh` is part of `first` here. */
static int64_t mean_us(const struct br_wave_stage *stage)
{
    uint64_t sum = 0, count = 0;
    for (uint32_t k = 0; k < stage->points; k++)
        for (int wave = BR_WAVE_FIRST; wave < BR_WAVES; wave++) {
            const struct br_wave_sample *sample = &stage->point[k].sample[wave];
            for (uint32_t i = 0; i < sample->count; i++)
                sum += sample->ms[i];
            count += sample->count;
        }
    return count ? (int64_t)((sum * 1000 + count / 2) / count) : 0;
}

/* Removes the durations of `fresh` from `first`. Both ascend. */
static void waves_take_out(struct br_wave_sample *first, const struct br_wave_sample *fresh,
                           uint32_t *kept)
{
    uint32_t left = 0, f = 0;
    for (uint32_t i = 0; i < first->count; i++) {
        while (f < fresh->count && fresh->ms[f] < first->ms[i])
            f++;
        if (f < fresh->count && fresh->ms[f] == first->ms[i])
            f++;
        else
            kept[left++] = first->ms[i];
    }
    *first = (struct br_wave_sample){kept, left, 0};
}

static enum br_status waves_fill(struct br_waves *waves, uint32_t stage, struct br_diag *diag)
{
    struct br_wave_stage *at = &waves->stage[stage];
    struct br_wave_sample smaller = {0};
    for (uint32_t k = 0; k < at->points; k++) {
        struct br_wave_sample *sample = at->point[k].sample, *fresh = &sample[BR_WAVE_FRESH],
                              *first = &sample[BR_WAVE_FIRST], *rest = &sample[BR_WAVE_REST];
        uint32_t *kept = br_arena_array(&waves->arena, first->count, sizeof *kept);
        if (!kept)
            return br_fail_memory(diag);
        waves_take_out(first, fresh, kept);
        if (first->count == 0)
            *first = smaller;
        smaller = *first;
        if (first->count == 0)
            *first = fresh->count ? *fresh : *rest;
        if (first->count == 0)
            return br_fail(diag, BR_BAD_INPUT, "give a duration of one task at least",
                           "stage %u: no duration on %u executors", stage, at->point[k].executors);
        if (fresh->count == 0) {
            *fresh = *first;
            fresh->extra_ms = BR_WAVES_WARM_UP_MS;
        }
        if (rest->count == 0)
            *rest = *first;
    }
    return BR_OK;
}

/* ---- Which number of executors stands for which ---- */

static bool has_count(const struct br_waves *waves, uint32_t executors)
{
    for (uint32_t k = 0; k < waves->counts; k++)
        if (waves->count[k] == executors)
            return true;
    return false;
}

/* All numbers of executors from `least` up at which some stage was measured. */
static enum br_status collect_counts(struct br_waves *waves, uint32_t least, struct br_diag *diag)
{
    for (uint32_t s = 0; s < waves->stages; s++)
        for (uint32_t k = 0; k < waves->stage[s].points; k++) {
            uint32_t executors = waves->stage[s].point[k].executors;
            if (executors < least || has_count(waves, executors))
                continue;
            if (waves->counts == BR_WAVE_COUNTS)
                return br_fail(diag, BR_BAD_INPUT, NULL, "more than %d numbers of executors",
                               BR_WAVE_COUNTS);
            waves->count[waves->counts++] = executors;
        }
    br_sort_by(waves->count, waves->counts, sizeof *waves->count, waves_compare);
    return BR_OK;
}

/* The largest number measured stands for every number at which the stage was not measured. */
static void assign_points(struct br_waves *waves)
{
    for (uint32_t s = 0; s < waves->stages; s++) {
        struct br_wave_stage *stage = &waves->stage[s];
        for (uint32_t c = 0; c < waves->counts; c++) {
            uint32_t k = stage->points - 1;
            for (uint32_t p = 0; p < stage->points; p++)
                if (stage->point[p].executors == waves->count[c])
                    k = p;
            stage->at[c] = (uint8_t)k;
        }
    }
}

/* ---- The graph ---- */

static enum br_status waves_link_stages(struct br_waves *waves, struct br_diag *diag)
{
    struct br_waves_build *build = waves->build;
    uint32_t *child = br_arena_array(&waves->arena, build->edges, sizeof *child), total = 0;
    if (!child)
        return br_fail_memory(diag);
    for (uint32_t k = 0; k < build->edges; k++) {
        waves->stage[build->edge[k].parent].children++;
        waves->stage[build->edge[k].child].parents++;
    }
    for (uint32_t s = 0; s < waves->stages; s++) {
        waves->stage[s].first_child = total;
        total += waves->stage[s].children;
        waves->stage[s].children = 0;
    }
    for (uint32_t k = 0; k < build->edges; k++) {
        struct br_wave_stage *parent = &waves->stage[build->edge[k].parent];
        child[parent->first_child + parent->children++] = build->edge[k].child;
    }
    waves->child = child;
    return BR_OK;
}

static enum br_status waves_order_stages(struct br_waves *waves, struct br_diag *diag)
{
    uint32_t *order = br_arena_array(&waves->arena, waves->stages, sizeof *order), ordered = 0;
    uint32_t *heap = br_malloc(2 * (size_t)waves->stages * sizeof *heap), size = 0;
    if (!order || !heap) {
        br_free(heap);
        return br_fail_memory(diag);
    }
    uint32_t *open = heap + waves->stages;
    for (uint32_t s = 0; s < waves->stages; s++)
        if ((open[s] = waves->stage[s].parents) == 0)
            br_numbers_push(NULL, heap, &size, s);
    while (size) {
        uint32_t s = br_numbers_pop(NULL, heap, &size);
        order[ordered++] = s;
        for (uint32_t k = 0; k < waves->stage[s].children; k++) {
            uint32_t child = waves->child[waves->stage[s].first_child + k];
            if (--open[child] == 0)
                br_numbers_push(NULL, heap, &size, child);
        }
    }
    uint32_t stuck = 0;
    while (stuck < waves->stages && open[stuck] == 0)
        stuck++;
    br_free(heap);
    waves->topological = order;
    return ordered == waves->stages
               ? BR_OK
               : br_fail(diag, BR_BAD_INPUT, NULL, "stage %u waits for itself, by a cycle", stuck);
}

/* Paths to the end of the job, and the work that follows each stage. */
static enum br_status look_down(struct br_waves *waves, struct br_diag *diag)
{
    uint32_t *seen = br_calloc(2 * (size_t)waves->stages, sizeof *seen);
    if (!seen)
        return br_fail_memory(diag);
    uint32_t *stack = seen + waves->stages;
    for (uint32_t k = waves->stages; k-- > 0;) {
        uint32_t s = waves->topological[k], size = 0;
        struct br_wave_stage *stage = &waves->stage[s];
        stack[size++] = s;
        seen[s] = k + 1;
        while (size) {
            const struct br_wave_stage *at = &waves->stage[stack[--size]];
            stage->below_us += (int64_t)at->tasks * at->mean_us;
            for (uint32_t c = 0; c < at->children; c++) {
                uint32_t child = waves->child[at->first_child + c];
                if (at == stage && waves->stage[child].path_us > stage->path_us)
                    stage->path_us = waves->stage[child].path_us;
                if (seen[child] == k + 1)
                    continue;
                seen[child] = k + 1;
                stack[size++] = child;
            }
        }
        stage->path_us += stage->mean_us;
    }
    br_free(seen);
    return BR_OK;
}

enum br_status br_waves_finish(struct br_waves *waves, struct br_diag *diag)
{
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < waves->stages && !status; s++) {
        struct br_wave_stage *stage = &waves->stage[s];
        if (stage->tasks == 0 || stage->points == 0)
            return br_fail(diag, BR_BAD_INPUT, NULL, "stage %u has no %s", s,
                           stage->tasks ? "durations" : "tasks");
        stage->mean_us = mean_us(stage);
        waves->tasks += stage->tasks;
        waves->work_us += (int64_t)stage->tasks * stage->mean_us;
        status = waves_fill(waves, s, diag);
    }
    if (!status)
        status = collect_counts(waves, BR_WAVES_LEAST, diag);
    if (!status && waves->counts == 0)
        status = collect_counts(waves, 0, diag);
    if (status)
        return status;
    assign_points(waves);
    status = waves_link_stages(waves, diag);
    if (!status)
        status = waves_order_stages(waves, diag);
    if (!status)
        status = look_down(waves, diag);
    destroy_build(waves);
    return status;
}

static int64_t waves_scaled(int64_t us, double factor)
{
    return (int64_t)((double)us * factor + 0.5);
}

void br_waves_scale(struct br_waves *waves, double factor)
{
    waves->factor *= factor;
    waves->work_us = 0;
    for (uint32_t s = 0; s < waves->stages; s++) {
        struct br_wave_stage *stage = &waves->stage[s];
        stage->mean_us = waves_scaled(stage->mean_us, factor);
        stage->path_us = waves_scaled(stage->path_us, factor);
        stage->below_us = waves_scaled(stage->below_us, factor);
        waves->work_us += (int64_t)stage->tasks * stage->mean_us;
    }
}

/* ---- Draws ---- */

static uint32_t waves_below(uint64_t random, uint32_t n)
{
    return (uint32_t)(((br_uwide)random * n) >> 64);
}

/* The measured durations to draw from, on one of the numbers of executors measured beside
 * `executors`; the random bits choose which. */
static const struct br_wave_sample *choose_sample(const struct br_waves *waves, uint32_t stage,
                                                  enum br_wave wave, uint32_t executors,
                                                  bool by_distance, uint64_t random)
{
    const struct br_wave_stage *at = &waves->stage[stage];
    uint32_t right = 0;
    while (right + 1 < waves->counts && waves->count[right] < executors)
        right++;
    if (right && waves->count[right] > executors) {
        uint32_t left = waves->count[right - 1],
                 u = waves_below(random, waves->count[right] - left);
        bool near = u < executors - left;
        if (near != by_distance)
            right--;
    }
    return &at->point[at->at[right]].sample[wave];
}

static int64_t nth_ns(const struct br_waves *waves, const struct br_wave_sample *sample, uint32_t n)
{
    uint32_t ms = sample->ms[n] + sample->extra_ms;
    return waves->factor == 1 ? ms * INT64_C(1000000) : (int64_t)(ms * 1e6 * waves->factor + 0.5);
}

int64_t br_waves_draw_ns(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                         uint32_t executors, bool by_distance, const uint64_t random[2])
{
    const struct br_wave_sample *sample =
        choose_sample(waves, stage, wave, executors, by_distance, random[0]);
    return nth_ns(waves, sample, waves_below(random[1], sample->count));
}

int64_t br_waves_draw_longer_ns(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                                uint32_t executors, bool by_distance, const uint64_t random[2],
                                int64_t least_ns)
{
    const struct br_wave_sample *sample =
        choose_sample(waves, stage, wave, executors, by_distance, random[0]);
    uint32_t first = 0, end = sample->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (nth_ns(waves, sample, middle) > least_ns)
            end = middle;
        else
            first = middle + 1;
    }
    if (first == sample->count)
        return least_ns + least_ns / 10 + 1;
    return nth_ns(waves, sample, first + waves_below(random[1], sample->count - first));
}

double br_waves_mean_ms(const struct br_waves *waves, uint32_t stage, enum br_wave wave,
                        uint32_t executors)
{
    const struct br_wave_stage *at = &waves->stage[stage];
    uint32_t k = 0;
    uint64_t sum = 0;
    while (k + 1 < waves->counts && waves->count[k] < executors)
        k++;
    const struct br_wave_sample *sample = &at->point[at->at[k]].sample[wave];
    for (uint32_t i = 0; i < sample->count; i++)
        sum += sample->ms[i];
    return ((double)sum / sample->count + sample->extra_ms) * waves->factor;
}
