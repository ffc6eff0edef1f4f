/* What a graph's marks say about its nodes and arrows, which tools write for the eye: legends,
 * joins without a name, edges that are not seen, heads on the other end, arrows between whole
 * clusters. What decides nothing by itself becomes a doubt of the job. */
#ifndef BR_PARSERS_JOBS_DOT_MARKS_H
#define BR_PARSERS_JOBS_DOT_MARKS_H

#include <graphviz/cgraph.h>

#include "parsers/jobs/dot_scan.h"
#include "planner/model/dag.h"

/* Of a node: it is no task; it takes no time unless the file says some. */
enum { BR_DOT_LEFT_OUT = 1, BR_DOT_NO_WORK = 2 };

struct br_dot_marks {
    Agraph_t *graph;  /* borrowed */
    const char *text; /* borrowed */
    uint8_t *node;    /* by the node's number in the graph */
    uint32_t nodes;
    uint32_t left_out, empty, done;
};

/* False when memory is out; released by br_dot_marks_finish in both cases. O(nodes + edges). */
bool br_dot_marks_init(struct br_dot_marks *marks, Agraph_t *graph, const char *text,
                       const struct br_dot_scan *scan);
void br_dot_marks_finish(struct br_dot_marks *marks);
uint8_t br_dot_mark(const struct br_dot_marks *marks, Agnode_t *node);

/* The cluster that an end of the edge stands for, by its attribute `ltail` or `lhead`; NULL: the
 * node itself. */
Agraph_t *br_dot_end(Agraph_t *graph, Agedge_t *edge, const char *name);

/* Adds the doubts. `reversed`: the arrows have been turned. */
enum br_status br_dot_doubt(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                            bool reversed, struct br_dag *dag, struct br_diag *diag);

#endif
