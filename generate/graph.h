/* The graph that a model draws: stages at levels, and edges. Everything else about the job (counts
 * of tasks, durations, demands) is filled in from it by what all kinds share. */
#ifndef BR_GENERATE_GRAPH_H
#define BR_GENERATE_GRAPH_H

#include <stdbool.h>

#include <bigrocks/dag.h>

struct br_generate_options;

struct br_graph_stage {
    uint32_t level; /* above that of all its parents */
    uint32_t tasks; /* set by br_graph_count_tasks */
    double weight;  /* share of the tasks relative to others; 0: one task if possible */
    /* If the builder knows them (mean_ms above 0): the mean duration, the standard deviation of its
     * logarithm in thousandths, and the longest. Else they are drawn. */
    uint32_t mean_ms, spread_milli, longest_ms;
};

struct br_graph_edge {
    uint32_t parent, child;
    enum br_edge_type type;
};

struct br_graph {
    uint32_t tasks; /* in all stages together; br_graph_count_tasks may take it down a little */
    uint32_t stages, edges;
    struct br_graph_stage *stage; /* stage_room of them */
    struct br_graph_edge *edge;
    uint32_t stage_room, edge_room;
    bool memory_out; /* an edge is missing */
    bool counted;    /* the builder has set the stages' tasks */
    /* How tasks are shared out among the stages: sigma of a stage's lognormal weight, and by how
     * much its logarithm falls from the first to the last level. */
    double tail, shrink;
};

/* A kind's builder: calls br_graph_init, adds as many stages as it announced, and edges. */
typedef enum br_status br_graph_build(const struct br_generate_options *options,
                                      struct br_graph *graph, struct br_diag *diag);
br_graph_build br_build_cosmos, br_build_layered, br_build_fork_join, br_build_series_parallel,
    br_build_chain, br_build_independent, br_build_jockey;

/* Room for that many stages; the graph was zeroed or finished. */
enum br_status br_graph_init(struct br_graph *graph, uint32_t stages, uint32_t tasks,
                             struct br_diag *diag);
void br_graph_finish(struct br_graph *graph);

/* Adds a stage of weight 1; there has to be room. Returns its number. */
uint32_t br_graph_add_stage(struct br_graph *graph, uint32_t level);
/* Adds an edge downwards, which is not there yet. */
void br_graph_add_edge(struct br_graph *graph, uint32_t parent, uint32_t child,
                       enum br_edge_type type);

/* Stages and tasks for kinds that have no opinion: 20 stages of 50 tasks on average. */
void br_graph_plain_size(const struct br_generate_options *options, uint32_t *stages,
                         uint32_t *tasks);

/* Makes this share of the one-to-one edges ranges. Before tasks are shared out, so that the counts
 * at their ends differ. */
void br_graph_draw_ranges(struct br_graph *graph, double share, uint64_t seed);

/* Shares the tasks out: at least one a stage, equal counts across one-to-one edges, the rest by
 * weight. With `exact` there are graph->tasks in the end, even if some one-to-one edges have to
 * become barriers for it; else what cannot be shared out evenly is left out. False: memory. */
bool br_graph_count_tasks(struct br_graph *graph, uint64_t seed, bool exact);

/* The stages by level, ties by number: an array of graph->stages, the caller's to free. NULL when
 * memory is out. */
uint32_t *br_graph_order(const struct br_graph *graph);

/* Adds the stages in this order, with ids, durations and demands, and the edges. Of the options
 * the seed, the spread and the rocks count. */
enum br_status br_graph_fill(const struct br_graph *graph, const uint32_t *order,
                             const struct br_generate_options *options, struct br_dag *dag,
                             struct br_diag *diag);

#endif
