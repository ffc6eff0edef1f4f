/* Jobs that came from a build.ninja. Internal to this room. */
#ifndef BR_EMIT_ENGINES_NINJA_ORDER_H
#define BR_EMIT_ENGINES_NINJA_ORDER_H

#include "planner/model/dag.h"

/* Was the job made of a build.ninja? */
bool br_ninja_is_build(const struct br_dag *dag);

#endif
