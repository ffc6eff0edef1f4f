/* The clusters of a graph, by name. */
#ifndef BR_PARSERS_DOT_CLUSTERS_H
#define BR_PARSERS_DOT_CLUSTERS_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdint.h>

struct br_dot_clusters {
    uint32_t count, room;
    Agraph_t **cluster; /* subgraphs at any depth; sorted by name, the first in the text first */
};

/* The value of the attribute of a graph, node or edge; empty: none. */
const char *br_dot_value(void *object, const char *name);

/* False when memory is out; released by br_dot_clusters_finish in both cases. */
bool br_dot_clusters_init(struct br_dot_clusters *clusters, Agraph_t *graph);
void br_dot_clusters_finish(struct br_dot_clusters *clusters);

/* The cluster that an end of the edge stands for, by its attribute `ltail` or `lhead`; NULL: the
 * node itself. */
Agraph_t *br_dot_end(const struct br_dot_clusters *clusters, Agedge_t *edge, const char *name);

#endif
