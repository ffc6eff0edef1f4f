/* The transfers for which tasks wait in a plan that accounts for them: the number that lead to each
 * task, and the last one. */
#ifndef BR_EMIT_ANALYSIS_INPUTS_H
#define BR_EMIT_ANALYSIS_INPUTS_H

#include "emit/write/input.h"
#include "emit/write/write.h"

/* No transfer. */
#define BR_INPUTS_NONE UINT32_MAX

struct br_inputs {
    uint32_t *count; /* by task */
    uint32_t *last;  /* by task, the number of a transfer in plan->carried; among equal ends the
                        first one; BR_INPUTS_NONE: none leads to it */
};

/* Both arrays are the struct's, released by br_inputs_finish, also on failure. A plan without
 * transfers has them, too. O(transfers log transfers + tasks log transfers). */
enum br_status br_inputs_init(struct br_inputs *inputs, const struct br_emit_input *input,
                              struct br_diag *diag);
void br_inputs_finish(struct br_inputs *inputs);

/* Does the task start at the moment at which the last transfer to it ends? */
bool br_inputs_bind(const struct br_inputs *inputs, const struct br_plan *plan, uint32_t task);

/* The task that the transfer had to wait for: the last to end of those that produced its bytes,
 * among equal ends the first one; UINT32_MAX if a plan read from a file has none. O(tasks of the
 * stage). */
uint32_t br_inputs_source(const struct br_emit_input *input, uint32_t transfer);

/* Describes the transfer: "107.3 MiB of clean from m[0] to m[1], 9 s to 12.5 s". */
void br_inputs_write(FILE *out, enum br_quote quote, const struct br_emit_input *input,
                     uint32_t transfer);

#endif
