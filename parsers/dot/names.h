/* Names of stages for nodes of the DOT language. Programs number their nodes and describe each in
 * its label: `17 [label="scan orders"]`. People look for the label in plans, so it becomes the
 * name.
 *
 * A node is numbered if its id is a bare number, with a minus or a point or as 0x1f, or an address
 * (p0x1f), or if all nodes have labels and numbers after the same letter or "node" (node7,
 * node_0_7). Such a node is named by its label if that is plain text: printable, no number itself,
 * without backslashes (\N is the id) except those that break lines (\n, \l, \r), which become
 * blanks, not in angle brackets, not of a record, and not the name or label of another node. All
 * others are named by their ids. */
#ifndef BR_PARSERS_DOT_NAMES_H
#define BR_PARSERS_DOT_NAMES_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdint.h>

#include "parsers/dot/marks.h"

struct br_dot_names {
    Agraph_t *graph;
    const char **label; /* by the node's number in the graph; NULL: its id is its name */
    char **made;        /* the names that are not the graph's own texts */
    uint32_t nodes;
    bool series; /* all nodes are numbered with one prefix */
};

/* Borrows the graph. If labels is false, all are named by their ids. False when memory is out. The
 * array is released by br_dot_names_finish, also then. O(nodes log nodes). */
bool br_dot_names_init(struct br_dot_names *names, const struct br_dot_marks *marks,
                       Agraph_t *graph, bool labels);
void br_dot_names_finish(struct br_dot_names *names);

/* The text belongs to the graph, or to the names. */
const char *br_dot_name(const struct br_dot_names *names, Agnode_t *node);
/* The name of the node with that id; if there is none, the id itself. */
const char *br_dot_name_of(const struct br_dot_names *names, const char *id);
/* Is its id a number, which its label may name? */
bool br_dot_is_numbered(const struct br_dot_names *names, Agnode_t *node);
/* Is it the label that names it? */
bool br_dot_is_labelled(const struct br_dot_names *names, Agnode_t *node);

#endif
