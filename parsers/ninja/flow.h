/* The files that commands of a job write and read of each other. They decide whether a command must
 * run once those before it have run. */
#ifndef BR_PARSERS_NINJA_FLOW_H
#define BR_PARSERS_NINJA_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"

struct br_ninja;

/* Outputs are numbered over all stages. Zeroed before it is filled. */
struct br_ninja_flow {
    struct br_arena arena; /* of the texts and the arrays */
    uint32_t stages, outputs;
    uint32_t *first_output; /* by stage, and one more */
    char **output;          /* paths, as seen from the build's folder */
    uint32_t *first_read;   /* by stage, and one more */
    /* Outputs of other stages that make the stage out of date if they change: its inputs, also
     * through "phony", but not order-only ones. */
    uint32_t *read;
    bool *open;   /* by stage: a dyndep file will still list its inputs */
    bool *restat; /* by stage: it may leave its outputs unchanged */
};

/* stage_of: by edge of the build; UINT32_MAX: none. */
enum br_status br_ninja_flow_fill(struct br_ninja_flow *flow, const struct br_ninja *ninja,
                                  const uint32_t *stage_of, uint32_t stages, struct br_diag *diag);
void br_ninja_flow_finish(struct br_ninja_flow *flow);

#endif
