/* The text of a graph in UTF-8. Graphviz reads Latin-1, too, if the graph says charset=latin1. */
#ifndef BR_PARSERS_DOT_ENCODING_H
#define BR_PARSERS_DOT_ENCODING_H

#include "parsers/text/source.h"

/* Reads the rest of the source as br_source_text does, but converts it if it declares Latin-1
 * (*latin1). The text is the caller's to free. */
enum br_status br_dot_text(struct br_source *source, size_t limit, char **text, bool *latin1,
                           struct br_diag *diag);

#endif
