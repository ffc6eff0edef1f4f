/* The least peak of nodes that wait for each other, if they are series-parallel.
 *
 * Nodes are series-parallel if they fall, again and again, into parts that run one after the other
 * or beside each other without waiting. Trees are, and so are the fork-joins of workflows. That is
 * found as [Valdes82] do: without arcs that others imply, the nodes are the arcs of a network with
 * one source and one sink, which series and parallel steps reduce to one arc. */
#ifndef BR_PLANNER_PEAK_NETWORK_H
#define BR_PLANNER_PEAK_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

struct br_peak_node {
    int64_t hill, net; /* hill >= 0, hill >= net */
};

struct br_peak_arc {
    uint32_t from, to;
};

enum br_peak_answer {
    BR_PEAK_FOUND,
    BR_PEAK_OTHER, /* the nodes are not series-parallel */
    BR_PEAK_MEMORY,
};

/* Removes double arcs, and those that others imply if nodes and arcs are not too many for it.
 * Sorted by `from`, then `to`. Arcs go up: from < to is not asked for, but there is no cycle. */
bool br_peak_reduce(uint32_t nodes, struct br_peak_arc *arc, uint32_t *arcs);
/* The order of least peak of nodes whose arcs are reduced. `order` is the caller's, of all nodes.
 * O((nodes + arcs) log nodes) beside the merging of lists. */
enum br_peak_answer br_peak_network(const struct br_peak_node *node, uint32_t nodes,
                                    const struct br_peak_arc *arc, uint32_t arcs, uint32_t *order,
                                    int64_t *peak);

#endif
