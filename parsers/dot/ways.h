/* Alternatives in DOT: attributes of nodes in graphs that declare `resources`. */
#ifndef BR_PARSERS_DOT_WAYS_H
#define BR_PARSERS_DOT_WAYS_H

#include "planner/model/dag.h"

/* alternatives="one duration=90 cpu=1; gpu duration=9 durations=0:5,2:7 class=old,gpu gpu=1
 * consume:money=3": the id of each, then what it says. */
enum br_status br_dot_add_alternatives(struct br_dag *dag, uint32_t stage, const char *text,
                                       const char *owner, struct br_diag *diag);
/* consumes="money=3 runs=1" of a whole stage. */
enum br_status br_dot_add_consumes(struct br_dag *dag, uint32_t stage, const char *text,
                                   const char *owner, struct br_diag *diag);

#endif
