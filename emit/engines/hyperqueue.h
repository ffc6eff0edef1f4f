/* What both files for HyperQueue say of resources. Internal to this room. */
#ifndef BR_EMIT_ENGINES_HYPERQUEUE_H
#define BR_EMIT_ENGINES_HYPERQUEUE_H

#include "emit/engines/engine.h"

/* How workers come to know resources other than cores and memory, for br_engine.others_where. */
#define BR_HYPERQUEUE_OTHERS "workers have it, as by --resource \"net=sum(12)\", with / for _"

/* BR_BAD_INPUT if a task takes more of something than 32 bits hold: HyperQueue counts no further.
 */
enum br_status br_hyperqueue_check(const struct br_engine *engine, struct br_diag *diag);

/* Writes all that a task of the stage takes but its cores: "mem", in MiB as HyperQueue knows the
 * memory of its workers, then other resources by their names. `before` stands before the first,
 * ", " before every other one, `is` between name and amount. */
enum br_status br_hyperqueue_others(FILE *out, const struct br_engine *engine, uint32_t stage,
                                    const char *before, const char *is, struct br_diag *diag);

#endif
