/* The only reader of DOT by cgraph, one text at a time. */
#ifndef BR_PARSERS_DOT_GRAPH_H
#define BR_PARSERS_DOT_GRAPH_H

#include <graphviz/cgraph.h>

#include "parsers/dot/scan.h"

/* Held while a graph is read or examined. */
void br_dot_graph_lock(void);
void br_dot_graph_unlock(void);

/* Reads the graph that the scan has delimited and found complete; the lock is held. The graph is
 * the caller's, also on failure (NULL: none), to be closed by agclose. */
enum br_status br_dot_graph_read(const char *text, const struct br_dot_scan *scan, Agraph_t **graph,
                                 struct br_diag *diag);

#endif
