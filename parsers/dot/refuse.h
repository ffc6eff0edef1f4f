/* Refuses texts before cgraph sees them: those that cost it endless memory or recursion, those that
 * it misreads, and those that its versions read differently. */
#ifndef BR_PARSERS_DOT_REFUSE_H
#define BR_PARSERS_DOT_REFUSE_H

#include "parsers/dot/scan.h"

enum { BR_DOT_OBJECTS_MOST = 3000000 }; /* number of nodes, and of edges */

enum br_status br_dot_refuse(const struct br_dot_scan *scan, struct br_diag *diag);
/* Refuses text after the graph, unless it is another graph. */
enum br_status br_dot_refuse_rest(const struct br_dot_scan *scan, struct br_diag *diag);

#endif
