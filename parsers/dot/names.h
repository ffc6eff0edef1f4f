/* Names of stages for nodes of the DOT language. Programs number their nodes and say in the label
 * what each is: `17 [label="scan orders"]`. People look for that in plans, so that it is the name.
 *
 * A node is numbered if its id is a bare number, with a minus or a point or as 0x1f, or an address
 * (p0x1f), or if all nodes have labels and numbers behind the same letter or "node" (node7,
 * node_0_7). Such a node is named by its label, where this is a plain text: printable, no number
 * itself, without backslashes (\N is the id) but those that break lines (\n, \l, \r), which become
 * blanks, not in angle brackets, not of a record, and nothing that another node is called by or has
 * as its label, too. All others are named by their ids. */
#ifndef BR_PARSERS_DOT_NAMES_H
#define BR_PARSERS_DOT_NAMES_H

#include <graphviz/cgraph.h>
#include <stdbool.h>
#include <stdint.h>

#include "parsers/dot/marks.h"

struct br_dot_names {
    Agraph_t *graph;
    const char **label; /* by the node's number in the graph; NULL: its id is its name */
    char **made;        /* the same, of those that are not the graph's own texts */
    uint32_t nodes;
    bool series; /* all nodes are numbered by one prefix */
};

/* Borrows the graph. Where labels is false, all are named by their ids. False when memory is out.
 * The array is released by br_dot_names_finish, also then. O(nodes log nodes). */
bool br_dot_names_init(struct br_dot_names *names, const struct br_dot_marks *marks,
                       Agraph_t *graph, bool labels);
void br_dot_names_finish(struct br_dot_names *names);

/* The text is the graph's, or of the names. */
const char *br_dot_name(const struct br_dot_names *names, Agnode_t *node);
/* Of the node with that id; where there is none, the id itself. */
const char *br_dot_name_of(const struct br_dot_names *names, const char *id);
/* Is its id a number, which its label may name? */
bool br_dot_is_numbered(const struct br_dot_names *names, Agnode_t *node);
/* Is it the label that names it? */
bool br_dot_is_labelled(const struct br_dot_names *names, Agnode_t *node);

#endif
