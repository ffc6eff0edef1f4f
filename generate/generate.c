/* The table of kinds: a new one is a builder and a row here. What the options allow, and the way
 * from a builder's graph to a finished job. */
#include "generate/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "generate/graph.h"
#include "base/invariant.h"

static const struct kind {
    struct br_named named;
    br_graph_build *build;
} kinds[] = {
    {{"cosmos", "like the jobs of a production cluster, after published statistics"},
     br_build_cosmos},
    {{"layered", "layers of stages, each behind some of the layer above"}, br_build_layered},
    {{"fork-join", "fans of parallel stages between single tasks"}, br_build_fork_join},
    {{"series-parallel", "nested sequences and parallel branches"}, br_build_series_parallel},
    {{"chain", "one stage after another"}, br_build_chain},
    {{"independent", "stages without edges"}, br_build_independent},
    {{"jockey-a", "as job A of the Jockey paper: 23 stages, durations with spread"},
     br_build_jockey},
    {{"jockey-b", "as its job B: 14 stages without barriers"}, br_build_jockey},
    {{"jockey-c", "as its job C: 16 stages of short tasks"}, br_build_jockey},
    {{"jockey-d", "as its job D: 24 stages"}, br_build_jockey},
    {{"jockey-e", "as its job E: 11 stages with long tails"}, br_build_jockey},
    {{"jockey-f", "as its job F: 26 stages"}, br_build_jockey},
    {{"jockey-g", "as its job G: 110 stages, 8,496 tasks"}, br_build_jockey},
};

const struct br_names br_generate_kinds = {BR_NAMES(kinds)};

struct br_generate_options br_generate_options_default(void)
{
    return (struct br_generate_options){
        .kind = kinds[0].named.name,
        .seed = 1,
        .extras = {.output_amount = "1GiB", .output_resource = "scratch"}};
}

static const struct kind *generate_find_kind(const char *name, struct br_diag *diag)
{
    uint32_t k = br_named_find(&br_generate_kinds, name ? name : "");
    if (k != BR_NO_ROW)
        return &kinds[k];
    br_note_unnamed(diag, &br_generate_kinds, name ? name : "", SIZE_MAX,
                    "no jobs are generated like '%s'", name ? name : "");
    return NULL;
}

static enum br_status generate_check(const struct br_generate_options *options,
                                     struct br_diag *diag)
{
    if (options->tasks > BR_MAX_TASKS || options->stages > BR_MAX_TASKS)
        return br_fail(diag, BR_USAGE, "ask for less", "a job has %u tasks at most", BR_MAX_TASKS);
    if (options->tasks > 0 && options->stages > options->tasks)
        return br_fail(diag, BR_USAGE, "a stage has at least one task",
                       "%" PRIu32 " tasks do not fill %" PRIu32 " stages", options->tasks,
                       options->stages);
    if (!(options->spread >= 0 && options->spread <= BR_GENERATE_SPREAD_MAX))
        return br_fail(diag, BR_USAGE, "0.3 is usual, 0 makes the tasks of a stage equal",
                       "the spread is not within 0 and %g", BR_GENERATE_SPREAD_MAX);
    if (!(options->rocks >= 0 && options->rocks <= 1))
        return br_fail(diag, BR_USAGE, "0.2 makes a fifth of the stages rocks",
                       "the share of rocks is not within 0 and 1");
    if (!(options->ranges >= 0 && options->ranges <= 1))
        return br_fail(diag, BR_USAGE, "0.5 makes half of the one-to-one edges ranges",
                       "the share of ranges is not within 0 and 1");
    return br_extras_check(&options->extras, diag);
}

/* The seed that repeats the job is in its name. */
static struct br_dag *generate_create(const struct br_generate_options *options)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%" PRIu64, options->kind, options->seed);
    return br_dag_create(name);
}

/* All tasks are in a stage. */
static bool generate_adds_up(const struct br_graph *graph)
{
    uint64_t sum = 0;
    for (uint32_t s = 0; s < graph->stages; s++)
        sum += graph->stage[s].tasks;
    return sum == graph->tasks;
}

enum br_status br_generate(const struct br_generate_options *options, struct br_dag **dag,
                           struct br_diag *diag)
{
    struct br_graph graph = {0};
    uint32_t *order = NULL;
    *dag = NULL;
    enum br_status status = generate_check(options, diag);
    const struct kind *kind = status ? NULL : generate_find_kind(options->kind, diag);
    if (!kind)
        return BR_USAGE;
    status = kind->build(options, &graph, diag);
    if (status)
        goto out;
    assert(graph.stages == graph.stage_room);
    if (options->ranges > 0)
        br_graph_draw_ranges(&graph, options->ranges, options->seed);
    if (options->rocks > 0 && graph.counted) {
        status = br_fail(diag, BR_USAGE, "take another kind, such as cosmos",
                         "jobs like %s have durations of their own, and no rocks", options->kind);
        goto out;
    }
    if (graph.memory_out ||
        !(graph.counted || br_graph_count_tasks(&graph, options->seed, options->tasks > 0)) ||
        !(order = br_graph_order(&graph)) || !(*dag = generate_create(options))) {
        status = br_fail_memory(diag);
        goto out;
    }
    br_costly_assert(generate_adds_up(&graph));
    status = br_graph_fill(&graph, order, options, *dag, diag);
    if (!status)
        status = br_extras_add(&options->extras, options->seed, *dag, diag);
    if (!status)
        status = br_dag_finish(*dag, diag);
out:
    if (status) {
        br_dag_destroy(*dag);
        *dag = NULL;
    }
    free(order);
    br_graph_finish(&graph);
    return status;
}
