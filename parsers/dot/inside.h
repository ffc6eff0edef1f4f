/* Clusters that are the inside of one node, which no arrow enters: what a task spawns, the graph
 * that a node calls. They begin after that node, and what waits for it waits for them.
 *
 * Taskflow draws such a cluster as `cluster_ID` of the node `ID`, with an arrow from its first node
 * back to that one (`ltail`); CUDA's graphs, and Taskflow's modules, have the cluster's label as a
 * line or a field of the node's. */
#ifndef BR_PARSERS_DOT_INSIDE_H
#define BR_PARSERS_DOT_INSIDE_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdint.h>

#include "parsers/dot/clusters.h"

struct br_dot_inside {
    Agraph_t *cluster;
    const char *label;
    Agnode_t *node; /* of the whole graph */
    uint32_t named; /* so many nodes name it */
    bool joins;     /* an arrow leads back to the node */
};

struct br_dot_insides {
    uint32_t count, room;
    struct br_dot_inside *inside; /* sorted by the node's number in the graph */
};

/* False when memory is out; released by br_dot_insides_finish in both cases. */
bool br_dot_insides_init(struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                         Agraph_t *graph);
void br_dot_insides_finish(struct br_dot_insides *insides);
/* The first one of the node; count: none, or those that follow have another node. */
uint32_t br_dot_inside_of(const struct br_dot_insides *insides, Agnode_t *node);
/* Does the edge lead from the inside of a node back to it? */
bool br_dot_is_join(const struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                    Agedge_t *edge);

#endif
