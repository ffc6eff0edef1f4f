/* Marks in a graph that tools write for the eye, and their meaning for nodes: legends, joins
 * without a name, finished nodes, clusters that are the inside of a node. */
#ifndef BR_PARSERS_DOT_MARKS_H
#define BR_PARSERS_DOT_MARKS_H

#include <graphviz/cgraph.h>

#include "parsers/dot/clusters.h"
#include "parsers/dot/fused.h"
#include "parsers/dot/inside.h"
#include "parsers/dot/scan.h"
#include "parsers/dot/twins.h"

/* For a node: it is no task; it takes no time unless the file gives one; it stands inside another.
 */
enum {
    BR_DOT_LEFT_OUT = 1,
    BR_DOT_NO_WORK = 2,
    BR_DOT_INSIDE = 4,
    /* Why it is left out, if not as part of a legend: it belongs to an unread graph, or to a second
     * picture.
     */
    BR_DOT_ELSEWHERE = 8,
    BR_DOT_REPEATED = 16,
    BR_DOT_FUSED = 32 /* it is a part of another, or nothing */
};

struct br_dot_marks {
    Agraph_t *graph;  /* borrowed */
    const char *text; /* borrowed */
    uint8_t *node;    /* by the node's number in the graph */
    uint32_t nodes;
    uint32_t left_out, repeated, empty, done;
    struct br_dot_clusters clusters;
    struct br_dot_insides insides;
    struct br_dot_fused fused;
    uint32_t parts; /* of other nodes */
};

/* Does the file give the node a duration? */
bool br_dot_has_time(Agnode_t *node);

/* False when memory is out; released by br_dot_marks_finish in both cases. */
bool br_dot_marks_init(struct br_dot_marks *marks, Agraph_t *graph, const char *text,
                       const struct br_dot_scan *scan, const struct br_dot_twins *twins);
void br_dot_marks_finish(struct br_dot_marks *marks);
uint8_t br_dot_mark(const struct br_dot_marks *marks, Agnode_t *node);

#endif
