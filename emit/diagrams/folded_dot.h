/* The graph of a large job, folded: Graphviz cannot lay out tens of thousands of boxes in
 * reasonable time. */
#ifndef BR_EMIT_DIAGRAMS_FOLDED_DOT_H
#define BR_EMIT_DIAGRAMS_FOLDED_DOT_H

#include <stdio.h>

#include "base/text/diag.h"
#include "emit/write/input.h"

/* A job with more stages is folded, if the input asks for it. */
enum { BR_FOLD_ABOVE = 1000 };

/* Writes boxes for all stages of a depth, or of several consecutive depths, at most 60 boxes: with
 * the number of stages and tasks, the time from the first start to the last end, and the number of
 * edges from box to box. O(stages + edges). */
enum br_status br_emit_folded_dot(const struct br_emit_input *input, FILE *out,
                                  struct br_diag *diag);

#endif
