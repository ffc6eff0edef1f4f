/* From a graph to a job: what its stages are called, how long they take and what they demand.
 *
 * The work of a stage follows from its place, as in a data-parallel query: a stage without parents
 * maps over a data set from disk; one with several parents joins; one behind a barrier reduces what
 * was shuffled to it over the network; any other processes what its parent hands on.
 *
 * The mean duration of a stage is lognormal with median 5 s and sigma 1.3. Demands are lognormal
 * about a mean by role, weakly correlated through one factor that they share (a stage that is heavy
 * in one resource is a little likelier to be heavy in another). */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/diag.h"
#include "base/numbers/real.h"
#include "generate/generate.h"
#include "generate/graph.h"
#include "generate/sample.h"
#include "planner/model/dag.h"

#define DURATION_MEDIAN_MS 5000.0
#define DURATION_SIGMA 1.3
/* Longest mean duration, and the longest of one task: 10 hours and 100 hours. */
#define DURATION_MAX_MS 36000000u
#define TASK_MAX_MS 360000000u
/* Share of the factor in the variance of the logarithm of a demand. */
#define DEMAND_SHARED 0.1

/* Rocks take so many times longer. Parts of a machine that one of their tasks demands: of the heavy
 * resource, and of each other one; and what a task that leads up to one demands of cores or memory.
 * Rocks that are heavy in different resources fit together; a task that leads up to a rock does not
 * fit beside most of them. */
#define ROCK_LONGER 3
struct part {
    double least, most;
};
static const struct part rock_heavy = {0.5, 0.95}, rock_light = {0.02, 0.1},
                         leads_heavy = {0.6, 0.9};

enum role { MAP, JOIN, REDUCE, PROCESS, ROLES };
static const char *const role_name[ROLES] = {"map", "join", "reduce", "process"};

enum { CPU, MEM, NET, DISK, RESOURCES };

/* Demands are whole numbers of a step, so that they read well and sums fill machines exactly. */
static const struct {
    const char *name, *unit;
    double step;        /* in the unit of `mean` */
    uint32_t most;      /* steps: a machine's worth */
    double sigma;       /* of the logarithm, inside a role */
    double mean[ROLES]; /* cores, MiB, MB/s */
} resource[RESOURCES] = {
    [CPU] = {"cpu", "cores", 0.25, 4 * BR_GENERATE_CPU, 0.55, {1, 1.5, 1, 2.5}},
    [MEM] = {"mem", "bytes", 128, BR_GENERATE_MEM_MIB / 128, 0.65, {2560, 4608, 3584, 4096}},
    [NET] = {"net", "MB/s", 5, BR_GENERATE_MB_PER_SEC / 5, 0.5, {30, 130, 130, 50}},
    [DISK] = {"disk", "MB/s", 5, BR_GENERATE_MB_PER_SEC / 5, 0.5, {130, 35, 40, 50}},
};

static void fill_write_amount(char *text, size_t size, int r, uint32_t steps)
{
    assert(steps >= 1 && steps <= resource[r].most);
    switch (r) {
    case CPU:
        snprintf(text, size, "%" PRIu32 ".%02" PRIu32, steps / 4, steps % 4 * 25);
        break;
    case MEM:
        snprintf(text, size, "%" PRIu64, (uint64_t)steps * (UINT64_C(128) << 20));
        break;
    default:
        snprintf(text, size, "%" PRIu32, steps * 5);
    }
}

/* Lognormal about the stage's mean duration, which stays the mean. */
static enum br_status spread_durations(struct br_dag *dag, uint32_t stage, uint32_t tasks,
                                       uint32_t mean_ms, double sigma, struct br_rng *rng,
                                       struct br_diag *diag)
{
    double median_ms = mean_ms * br_real_exp(-sigma * sigma / 2);
    for (uint32_t i = 0; i < tasks; i++) {
        uint32_t ms = br_sample_round(br_sample_lognormal(rng, median_ms, sigma), 1, TASK_MAX_MS);
        if (ms == mean_ms)
            continue;
        enum br_status status = br_dag_set_duration(dag, stage, i, ms * INT64_C(1000000), diag);
        if (status)
            return status;
    }
    return BR_OK;
}

/* A stage while the job is filled. */
struct place {
    uint32_t number; /* in the job */
    uint32_t parents;
    bool shuffled;    /* behind a barrier */
    bool rock, leads; /* leads: no rock, but a parent of one */
};

static enum role role_of(const struct place *place)
{
    if (place->parents == 0)
        return MAP;
    if (place->parents > 1)
        return JOIN;
    return place->shuffled ? REDUCE : PROCESS;
}

/* The generators of the three aspects. */
struct streams {
    struct br_rng durations, demands, spreads, rocks;
    uint32_t heavy; /* rocks so far, which are heavy in the resources in turn */
};

/* Whole steps of a part of a machine. */
static uint32_t steps_of_part(const struct part *part, int r, struct br_rng *rng)
{
    double share = part->least + (part->most - part->least) * br_rng_unit(rng);
    return br_sample_round(share * resource[r].most, 1, resource[r].most);
}

/* The steps that a rock, or what leads up to one, demands in place of those drawn by role. */
static uint32_t rock_steps(const struct place *place, int r, int heavy, uint32_t steps,
                           struct br_rng *rng)
{
    if (place->rock)
        return steps_of_part(r == heavy ? &rock_heavy : &rock_light, r, rng);
    if (place->leads && r == heavy)
        return steps_of_part(&leads_heavy, r, rng);
    return steps;
}

static enum br_status fill_add_demands(struct br_dag *dag, uint32_t stage, enum role role,
                                       const struct place *place, struct streams *streams,
                                       struct br_diag *diag)
{
    struct br_rng *rng = &streams->demands;
    double shared = br_real_normal(rng) * sqrt(DEMAND_SHARED);
    int heavy = place->rock ? (int)(streams->heavy++ % RESOURCES) : CPU;
    if (place->leads)
        heavy = br_rng_below(&streams->rocks, 2) ? MEM : CPU;
    for (int r = 0; r < RESOURCES; r++) {
        double own = br_real_normal(rng) * sqrt(1 - DEMAND_SHARED), sigma = resource[r].sigma;
        double amount =
            resource[r].mean[role] * br_real_exp(sigma * (shared + own) - sigma * sigma / 2);
        uint32_t steps = br_sample_round(amount / resource[r].step, 1, resource[r].most);
        char text[32];
        fill_write_amount(text, sizeof text, r,
                          rock_steps(place, r, heavy, steps, &streams->rocks));
        enum br_status status = br_dag_add_demand(dag, stage, resource[r].name, text, diag);
        if (status)
            return status;
    }
    return BR_OK;
}

/* If the builder knows the durations, a task is one token: a core. */
static enum br_status fill_stage(struct br_dag *dag, uint32_t stage,
                                 const struct br_graph_stage *from, const struct place *place,
                                 uint32_t ms, double spread, struct streams *streams,
                                 struct br_diag *diag)
{
    assert(from->tasks > 0 && ms > 0);
    enum br_status status;
    if (!from->mean_ms)
        status = fill_add_demands(dag, stage, role_of(place), place, streams, diag);
    else
        status = br_dag_add_demand(dag, stage, resource[CPU].name, "1", diag);
    if (status)
        return status;
    if (spread > 0)
        return spread_durations(dag, stage, from->tasks, ms, spread, &streams->spreads, diag);
    if (from->mean_ms)
        br_dag_set_stage_spread(dag, stage, (struct br_decimal){from->spread_milli, -3},
                                from->longest_ms * INT64_C(1000000));
    return BR_OK;
}

static enum br_status fill_add_stages(const struct br_graph *graph, const uint32_t *order,
                                      const struct br_generate_options *options,
                                      struct place *place, struct br_dag *dag, struct br_diag *diag)
{
    uint64_t seed = options->seed;
    struct streams streams = {.durations = br_sample_stream(seed, BR_STREAM_DURATION),
                              .demands = br_sample_stream(seed, BR_STREAM_DEMAND),
                              .spreads = br_sample_stream(seed, BR_STREAM_SPREAD),
                              .rocks = br_sample_stream(seed, BR_STREAM_ROCK_DEMAND)};
    for (uint32_t k = 0; k < graph->stages; k++) {
        const struct br_graph_stage *from = &graph->stage[order[k]];
        assert(k == 0 || graph->stage[order[k - 1]].level <= from->level);
        uint32_t *number = &place[order[k]].number;
        enum role role = role_of(&place[order[k]]);
        uint32_t ms = from->mean_ms;
        if (!ms)
            ms = br_sample_round(
                br_sample_lognormal(&streams.durations, DURATION_MEDIAN_MS, DURATION_SIGMA), 1,
                DURATION_MAX_MS);
        if (place[order[k]].rock)
            ms = br_sample_round((double)ms * ROCK_LONGER, 1, DURATION_MAX_MS);
        char id[32];
        snprintf(id, sizeof id, "%s%" PRIu32, role_name[role], k);
        enum br_status status =
            br_dag_add_stage(dag, id, from->tasks, ms * INT64_C(1000000), number, diag);
        if (!status)
            status = fill_stage(dag, *number, from, &place[order[k]], ms, options->spread, &streams,
                                diag);
        if (status)
            return status;
    }
    return BR_OK;
}

/* Which stages are rocks, by a draw for each, and which lead up to one. */
static void choose_rocks(const struct br_graph *graph, const uint32_t *order,
                         const struct br_generate_options *options, struct place *place)
{
    struct br_rng rng = br_sample_stream(options->seed, BR_STREAM_ROCK);
    for (uint32_t k = 0; k < graph->stages; k++)
        place[order[k]].rock = br_rng_unit(&rng) < options->rocks;
    for (uint32_t e = 0; e < graph->edges; e++)
        if (place[graph->edge[e].child].rock && !place[graph->edge[e].parent].rock)
            place[graph->edge[e].parent].leads = true;
}

enum br_status br_graph_fill(const struct br_graph *graph, const uint32_t *order,
                             const struct br_generate_options *options, struct br_dag *dag,
                             struct br_diag *diag)
{
    struct place *place = calloc(graph->stages, sizeof *place);
    if (!place)
        return br_fail_memory(diag);
    for (uint32_t e = 0; e < graph->edges; e++) {
        place[graph->edge[e].child].parents++;
        if (graph->edge[e].type == BR_BARRIER)
            place[graph->edge[e].child].shuffled = true;
    }
    if (options->rocks > 0)
        choose_rocks(graph, order, options, place);
    enum br_status status = BR_OK;
    for (int r = 0; r < (graph->counted ? 1 : RESOURCES) && !status; r++)
        status = br_dag_add_resource(dag, resource[r].name, resource[r].unit, diag);
    if (!status)
        status = fill_add_stages(graph, order, options, place, dag, diag);
    for (uint32_t e = 0; e < graph->edges && !status; e++) {
        const struct br_graph_edge *edge = &graph->edge[e];
        const uint32_t parent = place[edge->parent].number, child = place[edge->child].number;
        status = br_dag_add_edge(dag, parent, child, edge->type, diag);
        if (!status && edge->type == BR_RANGE && graph->counted)
            status = br_dag_set_edge_overlap(dag, parent, child, 1, diag);
    }
    free(place);
    return status;
}
