/* Nodes that tools write under two names.
 *
 * jdeps names a package "b" before its arrows and "b (x.jar)" after those of others, if the graph
 * has the title "x.jar". Maven's tree, if it is verbose, has "(g:b:jar:1:compile - omitted for
 * duplicate)" for a second arrow to "g:b:jar:1:compile". The text itself is changed to the first
 * name; blanks keep its length. */
#ifndef BR_PARSERS_DOT_TWINS_H
#define BR_PARSERS_DOT_TWINS_H

#include "parsers/dot/several.h"

struct br_dot_twins {
    uint32_t united; /* mentions */
    char first[80];  /* one of them, as written */
    bool jdeps;      /* names with an archive belong to others */
};

/* Changes the text of the graphs, and its scan. */
void br_dot_twins_unite(struct br_dot_several *several, struct br_dot_twins *twins);
/* Is it a node of jdeps from an archive that is not read? */
bool br_dot_twins_is_elsewhere(const struct br_dot_twins *twins, const char *name);

#endif
