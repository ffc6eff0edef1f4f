/* XLA's graphs of operations (`--xla_dump_hlo_as_dot`): which nodes form one kernel, and which are
 * no work.
 *
 * A cluster "Fused expression for NAME" runs as a whole. A cluster "Subcomputation for NAME" has a
 * dashed arrow, with `ltail`, to the operation that applies it. If that is a loop, a branch or a
 * call, whose nodes have a colour of their own, it runs the contents of the cluster; if it is a
 * sort or a reduction, the cluster is its function, and a part of it. */
#ifndef BR_PARSERS_DOT_FUSED_H
#define BR_PARSERS_DOT_FUSED_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdint.h>

#include "parsers/dot/clusters.h"

struct br_dot_fused {
    uint32_t nodes;
    Agnode_t **whole;   /* by the node's number: the whole it is a part of; NULL: none */
    const char **label; /* for a fusion's first node, which represents it; NULL: the node's own */
    uint8_t *inside;    /* of a loop, a branch or a call */
};

enum br_dot_kind { BR_DOT_WORKS, BR_DOT_PART, BR_DOT_WAITS, BR_DOT_NO_STEP };

/* If the text is not XLA's, all nodes are operations. False when memory is out; released by
 * br_dot_fused_finish in both cases. */
bool br_dot_fused_init(struct br_dot_fused *fused, const struct br_dot_clusters *clusters,
                       Agraph_t *graph, const char *text, size_t length);
void br_dot_fused_finish(struct br_dot_fused *fused);
/* The whole that the node is a part of, or the node. */
Agnode_t *br_dot_fused_whole(const struct br_dot_fused *fused, Agnode_t *node);
/* Handed: it takes no time. Nothing: it can be left out. */
enum br_dot_kind br_dot_fused_kind(const struct br_dot_fused *fused, Agraph_t *graph,
                                   Agnode_t *node);
/* The name from the labels: a copy, NULL: memory is out. For XLA's nodes only. */
char *br_dot_fused_name(const struct br_dot_fused *fused, Agnode_t *node);
/* The loop, branch or call that runs the contents of the cluster; NULL: none. */
Agnode_t *br_dot_fused_control(Agraph_t *graph, const struct br_dot_clusters *clusters,
                               Agraph_t *cluster);

#endif
