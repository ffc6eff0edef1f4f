/* The ends of a graph's edges, clusters included: an edge with `ltail` or `lhead` goes from or to
 * all nodes of the cluster, and the inside of a node (inside.h) stands between the node and those
 * that wait for it. */
#ifndef BR_PARSERS_DOT_ENDS_H
#define BR_PARSERS_DOT_ENDS_H

#include "parsers/dot/reader.h"

struct br_dot_ends {
    Agnode_t *tail, *head;
    Agedge_t *edge; /* NULL: of no edge of the text */
};

struct br_dot_list {
    uint32_t count, room;
    struct br_dot_ends *ends;
};

/* Lists them in the order of the text, without those of nodes that are left out. Released by
 * br_dot_list_finish, also on failure. */
enum br_status br_dot_list_init(struct br_dot_list *list, struct br_dot_reader *reader,
                                struct br_diag *diag);
void br_dot_list_finish(struct br_dot_list *list);

#endif
