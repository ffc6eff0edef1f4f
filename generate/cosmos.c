/* Jobs like those of a large production cluster, after the statistics that [Grandl16, 2] and what
 * goes with it publish: depth, stages and tasks; trees and cycles; few barriers; parts between
 * cuts; several inputs and outputs.
 *
 * A spine of one stage per level gives the job its depth. Ears, short paths of further stages, hang
 * on it and on one another without making it deeper: an ear that begins anew and joins (a W if it
 * feeds two joins), one that branches off to an output of its own (an inverted V), or one that
 * branches off and joins again (a cycle). Cuts are planted between levels of the spine: no ear
 * crosses them; below the first, ears cannot begin anew, and above the last they cannot end for
 * themselves, for then there would be tasks that do not wait for all that is above.
 *
 * Where the published jobs have an edge that is no barrier, tasks of the child wait for some tasks
 * of the parent. Here they are one-to-one edges, so that all stages that they join have equal
 * counts, and counts fall from the input to the output only across barriers. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/diag.h"
#include "generate/generate.h"
#include "generate/graph.h"
#include "base/numbers/real.h"
#include "generate/sample.h"

/* Lognormal: median and sigma. From the 75th percentile of the depth, 10, sigma is ln 2 over the
 * normal quantile 0.6745; from the 95th of the stages, 100, it is ln 5 over 1.6449. */
#define DEPTH_MEDIAN 5.0
#define DEPTH_SIGMA 1.0276
#define STAGES_MEDIAN 20.0
#define STAGES_SIGMA 0.9785
#define TASKS_PER_STAGE_MEDIAN 100.0
#define TASKS_PER_STAGE_SIGMA 1.2
/* Between the normals behind stages and depth: then few jobs are deeper than they have stages. */
#define DEPTH_CORRELATION 0.8
/* Beyond so many standard deviations of what was published, more stages mean width, not depth. */
#define DEPTH_REACH 2.5
#define STAGES_MOST 100000u /* that are drawn; more have to be asked for */

#define BARRIER_SHARE 0.15
#define CUTS_MOST 12u
#define COUNT_TAIL 1.5
#define COUNT_SHRINK 2.5

/* Ears: how often each sort is tried, how often another stage follows in the ear, how often an
 * input feeds a second stage. */
#define INPUT_SHARE 0.45
#define OUTPUT_SHARE 0.20
#define EAR_GROWS 0.4
#define INPUT_SHARED 0.3
/* An edge that leads an input into the job is so many times likelier a barrier than others. */
#define JOIN_SHUFFLES 4.0

struct size {
    uint32_t stages, tasks, depth;
};

static double logarithmic_z(double value, double median, double sigma)
{
    return (br_real_log(value) - br_real_log(median)) / sigma;
}

/* Three normals, whatever is asked for, so that asking for one size leaves the others' luck. */
static struct size draw_size(const struct br_generate_options *options)
{
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_SIZE);
    double z_stages = br_real_normal(&rng), z_tasks = br_real_normal(&rng);
    double z_depth = br_real_normal(&rng);
    struct size size = {.stages = options->stages, .tasks = options->tasks};
    if (!size.stages && !size.tasks) {
        size.stages =
            br_sample_round(STAGES_MEDIAN * br_real_exp(STAGES_SIGMA * z_stages), 1, STAGES_MOST);
    } else if (!size.stages) {
        /* The stages of jobs with so many tasks: the conditional of the two lognormals. */
        double share =
            STAGES_SIGMA * STAGES_SIGMA /
            (STAGES_SIGMA * STAGES_SIGMA + TASKS_PER_STAGE_SIGMA * TASKS_PER_STAGE_SIGMA);
        double median =
            STAGES_MEDIAN *
            br_real_exp(share *
                        logarithmic_z(size.tasks, STAGES_MEDIAN * TASKS_PER_STAGE_MEDIAN, 1));
        size.stages =
            br_sample_round(median * br_real_exp(STAGES_SIGMA * sqrt(1 - share) * z_stages), 1,
                            size.tasks < STAGES_MOST ? size.tasks : STAGES_MOST);
    }
    if (!size.tasks)
        size.tasks = br_sample_round(size.stages * TASKS_PER_STAGE_MEDIAN *
                                         br_real_exp(TASKS_PER_STAGE_SIGMA * z_tasks),
                                     size.stages, BR_MAX_TASKS);
    double z = logarithmic_z(size.stages, STAGES_MEDIAN, STAGES_SIGMA);
    z = z < -DEPTH_REACH ? -DEPTH_REACH : z > DEPTH_REACH ? DEPTH_REACH : z;
    z = DEPTH_CORRELATION * z + sqrt(1 - DEPTH_CORRELATION * DEPTH_CORRELATION) * z_depth;
    size.depth = size.stages == 1 ? 0
                                  : br_sample_round(DEPTH_MEDIAN * br_real_exp(DEPTH_SIGMA * z), 1,
                                                    size.stages - 1);
    assert(size.stages > 0 && size.stages <= size.tasks && size.depth < size.stages);
    return size;
}

/* The state of the ears while they grow. */
struct growth {
    struct br_graph *graph;
    struct br_rng rng;
    uint32_t levels; /* the spine is the stages 0 .. levels - 1, by level */
    /* By level: the first and the last level of the band between two cuts that it is in. */
    uint32_t *band_first, *band_last;
};

/* Plants cuts below levels 1 .. levels - 2, so that the first two levels stay together and can
 * take whatever ear fits nowhere else. */
static void plant_cuts(struct growth *growth)
{
    uint32_t levels = growth->levels, sites = levels > 2 ? levels - 2 : 0;
    assert(levels > 0);
    uint32_t most = (levels - 1) / 2;
    double barriers = BARRIER_SHARE * growth->graph->stage_room;
    if (barriers + 1 < most)
        most = (uint32_t)(barriers + 1);
    if (most > CUTS_MOST)
        most = CUTS_MOST;
    uint32_t cuts = (uint32_t)br_rng_below(&growth->rng, (uint64_t)most + 1);
    uint32_t first = 0;
    for (uint32_t l = 0; l < levels; l++) {
        growth->band_first[l] = first;
        /* Each site with the chance that leaves every choice of sites equally likely. */
        bool site = l >= 1 && l + 1 < levels;
        if (site && br_rng_below(&growth->rng, sites--) < cuts) {
            cuts--;
            first = l + 1;
        }
    }
    assert(cuts == 0);
    uint32_t last = levels - 1;
    for (uint32_t l = levels; l-- > 0;) {
        growth->band_last[l] = last;
        assert(l <= last && growth->band_first[l] <= l);
        if (l > 0 && growth->band_first[l] == l)
            last = l - 1;
    }
}

static void grow_spine(struct growth *growth)
{
    for (uint32_t l = 0; l < growth->levels; l++) {
        br_graph_add_stage(growth->graph, l);
        assert(growth->graph->stages == l + 1);
        if (l > 0)
            br_graph_add_edge(growth->graph, l - 1, l,
                              growth->band_first[l] == l ? BR_BARRIER : BR_ONE_TO_ONE);
    }
}

/* A path of `length` stages from the level on, behind `from` and ahead of `to` (NOBODY: open). */
#define NOBODY UINT32_MAX
static uint32_t grow_path(struct growth *growth, uint32_t from, uint32_t to, uint32_t level,
                          uint32_t length)
{
    assert(length > 0);
    for (uint32_t k = 0; k < length; k++) {
        uint32_t stage = br_graph_add_stage(growth->graph, level + k);
        if (from != NOBODY)
            br_graph_add_edge(growth->graph, from, stage, BR_ONE_TO_ONE);
        from = stage;
    }
    if (to != NOBODY)
        br_graph_add_edge(growth->graph, from, to, BR_ONE_TO_ONE);
    return from;
}

/* A length for an ear that has room for `room` >= 1 levels. */
static uint32_t ear_length(struct growth *growth, uint32_t room)
{
    uint32_t left = growth->graph->stage_room - growth->graph->stages;
    assert(room > 0 && left > 0);
    uint32_t most = room < left ? room : left, length = 1;
    while (length < most && br_sample_chance(&growth->rng, EAR_GROWS))
        length++;
    return length;
}

static uint32_t cosmos_random_stage(struct growth *growth)
{
    return (uint32_t)br_rng_below(&growth->rng, growth->graph->stages);
}

/* An input that joins at `to`, and sometimes feeds a second stage too. False: no room. */
static bool grow_input(struct growth *growth, uint32_t to)
{
    const struct br_graph *graph = growth->graph;
    uint32_t level = graph->stage[to].level;
    if (level == 0 || growth->band_first[level] > 0)
        return false;
    uint32_t length = ear_length(growth, level);
    assert(length <= level);
    uint32_t other = cosmos_random_stage(growth);
    uint32_t end = grow_path(growth, NOBODY, to, level - length, length);
    uint32_t other_level = graph->stage[other].level;
    if (other != to && other_level >= level && growth->band_first[other_level] == 0 &&
        br_sample_chance(&growth->rng, INPUT_SHARED))
        br_graph_add_edge(growth->graph, end, other, BR_ONE_TO_ONE);
    return true;
}

static bool grow_output(struct growth *growth, uint32_t from)
{
    uint32_t level = growth->graph->stage[from].level, last = growth->band_last[level];
    if (last != growth->levels - 1 || level == last)
        return false;
    grow_path(growth, from, NOBODY, level + 1, ear_length(growth, last - level));
    return true;
}

/* Branches off from `from` and joins again at `to`. False: they are too near. */
static bool grow_cycle(struct growth *growth, uint32_t from, uint32_t to)
{
    uint32_t above = growth->graph->stage[from].level, below = growth->graph->stage[to].level;
    if (above + 2 > below)
        return false;
    grow_path(growth, from, to, above + 1, ear_length(growth, below - above - 1));
    return true;
}

/* From some stage of the band, or else from its first, to this one. */
static bool grow_cycle_to(struct growth *growth, uint32_t to)
{
    const struct br_graph *graph = growth->graph;
    uint32_t first = growth->band_first[graph->stage[to].level];
    for (int attempt = 0; attempt < 4; attempt++) {
        uint32_t from = cosmos_random_stage(growth);
        if (growth->band_first[graph->stage[from].level] == first && grow_cycle(growth, from, to))
            return true;
    }
    return grow_cycle(growth, first, to);
}

/* If the band has no place for open ends, an ear that wants one gets the band's first or last stage
 * instead. */
static bool grow_ear(struct growth *growth)
{
    uint32_t stage = cosmos_random_stage(growth), level = growth->graph->stage[stage].level;
    double sort = br_rng_unit(&growth->rng);
    if (sort < INPUT_SHARE)
        return growth->band_first[level] == 0
                   ? grow_input(growth, stage)
                   : grow_cycle(growth, growth->band_first[level], stage);
    if (sort < INPUT_SHARE + OUTPUT_SHARE)
        return growth->band_last[level] == growth->levels - 1
                   ? grow_output(growth, stage)
                   : grow_cycle(growth, stage, growth->band_last[level]);
    return grow_cycle_to(growth, stage);
}

static void grow_ears(struct growth *growth)
{
    while (growth->graph->stages < growth->graph->stage_room) {
        bool grown = false;
        for (int attempt = 0; attempt < 8 && !grown; attempt++)
            grown = grow_ear(growth);
        /* There is always room for an input at level 0: see plant_cuts. */
        if (!grown)
            grow_input(growth, 1);
    }
}

/* ---- Which edges are barriers ---- */

struct candidate {
    double key;
    uint32_t edge;
};

static int cosmos_by_key(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->edge < y->edge ? -1 : x->edge > y->edge;
}

/* The planted cuts are barriers already; draws the others up to the share. */
static enum br_status draw_barriers(struct br_graph *graph, uint64_t seed, struct br_diag *diag)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_BARRIER);
    uint32_t quota = (uint32_t)(BARRIER_SHARE * graph->edges + br_rng_unit(&rng));
    uint32_t candidates = 0;
    bool *fed = calloc(graph->stages, sizeof *fed);
    struct candidate *candidate = malloc(((size_t)graph->edges + 1) * sizeof *candidate);
    enum br_status status = fed && candidate ? BR_OK : br_fail_memory(diag);
    if (status)
        goto out;
    for (uint32_t e = 0; e < graph->edges; e++)
        fed[graph->edge[e].child] = true;
    for (uint32_t e = 0; e < graph->edges; e++) {
        if (graph->edge[e].type == BR_BARRIER) {
            quota -= quota > 0;
            continue;
        }
        double weight = fed[graph->edge[e].parent] ? 1 : JOIN_SHUFFLES;
        candidate[candidates++] = (struct candidate){br_rng_unit(&rng) / weight, e};
    }
    qsort(candidate, candidates, sizeof *candidate, cosmos_by_key);
    for (uint32_t k = 0; k < candidates && k < quota; k++)
        graph->edge[candidate[k].edge].type = BR_BARRIER;
out:
    free(fed);
    free(candidate);
    return status;
}

enum br_status br_build_cosmos(const struct br_generate_options *options, struct br_graph *graph,
                               struct br_diag *diag)
{
    struct size size = draw_size(options);
    enum br_status status = br_graph_init(graph, size.stages, size.tasks, diag);
    if (status)
        return status;
    graph->tail = COUNT_TAIL;
    graph->shrink = COUNT_SHRINK;
    struct growth growth = {.graph = graph,
                            .rng = br_sample_stream(options->seed, BR_STREAM_GRAPH),
                            .levels = size.depth + 1};
    growth.band_first = calloc(growth.levels, sizeof *growth.band_first);
    growth.band_last = calloc(growth.levels, sizeof *growth.band_last);
    if (growth.band_first && growth.band_last) {
        plant_cuts(&growth);
        grow_spine(&growth);
        grow_ears(&growth);
        status = draw_barriers(graph, options->seed, diag);
    } else {
        status = br_fail_memory(diag);
    }
    free(growth.band_first);
    free(growth.band_last);
    return status;
}
