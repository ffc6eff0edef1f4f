/* Sharing the tasks of a job out among its stages.
 *
 * Stages that are joined by one-to-one edges have equally many tasks, so that whole groups of
 * stages get a count: each a heavy-tailed weight that falls from level to level, in proportion to
 * which what is left after one task a stage is shared out. */
#include <assert.h>
#include <stdlib.h>

#include "generate/generate.h"
#include "generate/graph.h"
#include "base/numbers/real.h"
#include "generate/sample.h"

void br_graph_plain_size(const struct br_generate_options *options, uint32_t *stages,
                         uint32_t *tasks)
{
    enum { STAGES = 20, TASKS_PER_STAGE = 50 };
    *stages = options->stages ? options->stages : STAGES;
    if (!options->stages && options->tasks && options->tasks < *stages)
        *stages = options->tasks;
    *tasks = options->tasks                                       ? options->tasks
             : *stages > BR_MAX_TASKS / (uint32_t)TASKS_PER_STAGE ? BR_MAX_TASKS
                                                                  : *stages * TASKS_PER_STAGE;
}

struct group {
    double weight;
    uint32_t stages;
    uint32_t tasks; /* of each of its stages */
};

/* The first stage of the group: a union-find with paths halved. */
static uint32_t counts_find(uint32_t *first, uint32_t s)
{
    while (first[s] != s)
        s = first[s] = first[first[s]];
    return s;
}

/* Groups are known by their first stage, which is also the one of the lowest level. */
static void join_groups(const struct br_graph *graph, uint32_t *first)
{
    for (uint32_t s = 0; s < graph->stages; s++)
        first[s] = s;
    for (uint32_t e = 0; e < graph->edges; e++) {
        if (graph->edge[e].type != BR_ONE_TO_ONE)
            continue;
        uint32_t a = counts_find(first, graph->edge[e].parent),
                 b = counts_find(first, graph->edge[e].child);
        uint32_t la = graph->stage[a].level, lb = graph->stage[b].level;
        if (la < lb || (la == lb && a < b))
            first[b] = a;
        else
            first[a] = b;
    }
}

static void weigh_groups(const struct br_graph *graph, uint32_t *first, uint64_t seed,
                         struct group *group)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_COUNT);
    uint32_t deepest = 1;
    for (uint32_t s = 0; s < graph->stages; s++)
        if (graph->stage[s].level > deepest)
            deepest = graph->stage[s].level;
    for (uint32_t s = 0; s < graph->stages; s++) {
        group[counts_find(first, s)].stages++;
        if (first[s] != s || graph->stage[s].weight == 0)
            continue;
        double fall = graph->shrink * graph->stage[s].level / deepest;
        group[s].weight =
            graph->stage[s].weight * br_sample_lognormal(&rng, br_real_exp(-fall), graph->tail);
    }
}

/* Gives every stage its share of `spare` tasks on top of one; returns what is left of them. */
static uint32_t counts_share_out(struct group *group, uint32_t stages, uint32_t spare)
{
    double whole = 0;
    for (uint32_t g = 0; g < stages; g++)
        whole += group[g].weight * group[g].stages;
    uint32_t left = spare;
    for (uint32_t g = 0; g < stages; g++) {
        if (group[g].weight <= 0)
            continue;
        assert(group[g].stages > 0);
        double share = spare * (group[g].weight / whole);
        uint32_t most = left / group[g].stages;
        uint32_t tasks = share < most ? (uint32_t)share : most;
        group[g].tasks += tasks;
        left -= tasks * group[g].stages;
    }
    /* The rest of rounding down is less than one task a stage. */
    assert(left <= spare);
    for (uint32_t g = 0; g < stages && left > 0; g++)
        if (group[g].weight > 0 && group[g].stages <= left) {
            group[g].tasks++;
            left -= group[g].stages;
        }
    assert(left <= spare);
    return left;
}

/* The stage with the fewest one-to-one edges, so that few of them break. */
static bool loosest_stage(const struct br_graph *graph, uint32_t *stage)
{
    uint32_t *degree = calloc(graph->stages, sizeof *degree);
    if (!degree)
        return false;
    for (uint32_t e = 0; e < graph->edges; e++)
        if (graph->edge[e].type == BR_ONE_TO_ONE) {
            degree[graph->edge[e].parent]++;
            degree[graph->edge[e].child]++;
        }
    *stage = 0;
    for (uint32_t s = 1; s < graph->stages; s++)
        if (degree[s] < degree[*stage])
            *stage = s;
    free(degree);
    return true;
}

void br_graph_draw_ranges(struct br_graph *graph, double share, uint64_t seed)
{
    struct br_rng rng = br_sample_stream(seed, BR_STREAM_RANGE);
    for (uint32_t e = 0; e < graph->edges; e++)
        if (br_sample_chance(&rng, share) && graph->edge[e].type == BR_ONE_TO_ONE)
            graph->edge[e].type = BR_RANGE;
}

bool br_graph_count_tasks(struct br_graph *graph, uint64_t seed, bool exact)
{
    bool done = false;
    uint32_t *first = malloc(graph->stages * sizeof *first);
    struct group *group = calloc(graph->stages, sizeof *group);
    if (!first || !group)
        goto out;
    join_groups(graph, first);
    weigh_groups(graph, first, seed, group);
    assert(graph->stages <= graph->tasks);
    uint32_t left = counts_share_out(group, graph->stages, graph->tasks - graph->stages);
    for (uint32_t s = 0; s < graph->stages; s++)
        graph->stage[s].tasks = 1 + group[counts_find(first, s)].tasks;
    if (left > 0 && exact) {
        uint32_t s;
        if (!loosest_stage(graph, &s))
            goto out;
        graph->stage[s].tasks += left;
        for (uint32_t e = 0; e < graph->edges; e++) {
            struct br_graph_edge *edge = &graph->edge[e];
            if (edge->type == BR_ONE_TO_ONE &&
                graph->stage[edge->parent].tasks != graph->stage[edge->child].tasks)
                edge->type = BR_BARRIER;
        }
    } else {
        graph->tasks -= left;
    }
    done = true;
out:
    free(first);
    free(group);
    return done;
}
