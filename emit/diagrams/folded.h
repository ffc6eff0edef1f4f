/* The stages of a large job in few boxes, by depth: no program lays out tens of thousands of boxes
 * in reasonable time, and nobody looks at them. */
#ifndef BR_EMIT_DIAGRAMS_FOLDED_H
#define BR_EMIT_DIAGRAMS_FOLDED_H

#include "base/text/diag.h"
#include "emit/write/input.h"

/* Stages of a depth, or of several consecutive depths. A box may have none. */
struct br_folded_box {
    uint32_t stages, tasks, first_depth, last_depth;
    uint32_t example; /* the first stage */
    int64_t start_ns, end_ns;
};

struct br_folded {
    uint32_t boxes;
    uint32_t *box_of; /* by stage */
    struct br_folded_box *box;
    uint32_t *edges; /* of the job, from box to box: [from * boxes + to] */
};

/* Folds the job of the input into at most `most` boxes, with the times of its plan. Released by
 * br_folded_finish, also on failure. O(stages + tasks + edges + boxes^2). */
enum br_status br_folded_init(struct br_folded *folded, const struct br_emit_input *input,
                              uint32_t most, struct br_diag *diag);
void br_folded_finish(struct br_folded *folded);

#endif
