/* What both files for HyperQueue say of resources. Internal to this room. */
#ifndef BR_EMIT_ENGINES_HYPERQUEUE_H
#define BR_EMIT_ENGINES_HYPERQUEUE_H

#include "emit/engines/engine.h"

/* br_engine_init_commands for HyperQueue. BR_BAD_INPUT also if a task takes more of something than
 * 32 bits hold: it counts no further. Only after BR_OK the engine is the caller's to finish. */
enum br_status br_hyperqueue_begin(struct br_engine *engine, const struct br_emit_input *input,
                                   struct br_diag *diag);

/* Writes all that a task of the stage takes but its cores: "mem", in MiB as HyperQueue knows the
 * memory of its workers, then other resources by their names. `before` stands before the first,
 * ", " before every other one, `is` between name and amount. */
enum br_status br_hyperqueue_others(FILE *out, const struct br_engine *engine, uint32_t stage,
                                    const char *before, const char *is, struct br_diag *diag);

#endif
