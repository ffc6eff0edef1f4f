/* Clusters that are the inside of one node, and that no arrow enters: the tasks that a task spawns,
 * the graph that a node calls. They begin after that node, and the nodes that wait for it wait for
 * them.
 *
 * Taskflow draws such a cluster as `cluster_ID` of the node `ID`, with an arrow from its first node
 * back to that one (`ltail`); in CUDA's graphs, and in Taskflow's modules, the node's label has the
 * cluster's label as a line or a field. */
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
    uint32_t named; /* number of nodes that name it */
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
/* The first one of the node; count: none, or the following ones have another node. */
uint32_t br_dot_inside_of(const struct br_dot_insides *insides, Agnode_t *node);
/* Does the edge lead from the inside of a node back to it? */
bool br_dot_is_join(const struct br_dot_insides *insides, const struct br_dot_clusters *clusters,
                    Agedge_t *edge);

#endif
