/* The graph of a large job, folded: Graphviz does not lay tens of thousands of boxes out in any
 * time that one waits. */
#ifndef BR_EMIT_DIAGRAMS_FOLDED_DOT_H
#define BR_EMIT_DIAGRAMS_FOLDED_DOT_H

#include <stdio.h>

#include "base/text/diag.h"
#include "emit/write/input.h"

/* A job with more stages is folded, if the input asks for it. */
enum { BR_FOLD_ABOVE = 1000 };

/* Boxes of all stages of a depth, or of some depths in a row, at most 60 of them: how many stages
 * and tasks, from the first start to the last end, and how many edges lead from box to box.
 * O(stages + edges). */
enum br_status br_emit_folded_dot(const struct br_emit_input *input, FILE *out,
                                  struct br_diag *diag);

#endif
