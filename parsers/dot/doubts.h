/* Doubts about a DOT graph: the possible meaning of its marks, and the tool that it looks like. */
#ifndef BR_PARSERS_DOT_DOUBTS_H
#define BR_PARSERS_DOT_DOUBTS_H

#include "parsers/dot/marks.h"
#include "parsers/dot/scan.h"
#include "planner/model/dag.h"

/* Adds the doubts. `reversed`: the arrows have been turned. */
enum br_status br_dot_doubt(const struct br_dot_marks *marks, const struct br_dot_scan *scan,
                            const struct br_dot_twins *twins, bool reversed, struct br_dag *dag,
                            struct br_diag *diag);
/* The way in which the tool that the text looks like makes a graph without cycles; NULL: no such
 * tool. */
const char *br_dot_cycle_hint(const char *text, const struct br_dot_scan *scan);

#endif
