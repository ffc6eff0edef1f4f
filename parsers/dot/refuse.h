/* What is refused before cgraph sees the text: what it would answer with endless memory or
 * recursion, what it reads in another way than was meant, and what it reads in another way by its
 * version. */
#ifndef BR_PARSERS_DOT_REFUSE_H
#define BR_PARSERS_DOT_REFUSE_H

#include "parsers/dot/scan.h"

enum { BR_DOT_OBJECTS_MOST = 3000000 }; /* nodes, and edges */

enum br_status br_dot_refuse(const struct br_dot_scan *scan, struct br_diag *diag);
/* What follows the graph, other than another graph. */
enum br_status br_dot_refuse_rest(const struct br_dot_scan *scan, struct br_diag *diag);

#endif
