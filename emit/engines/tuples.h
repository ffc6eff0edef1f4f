/* The tasks of a plan as a list in Python, for engines that Python programs. */
#ifndef BR_EMIT_ENGINES_TUPLES_H
#define BR_EMIT_ENGINES_TUPLES_H

#include "emit/engines/engine.h"

/* Between parents and line stand an engine's own columns. */
struct br_tuple_form {
    enum br_status (*write_demands)(FILE *out, const struct br_engine *engine, uint32_t task,
                                    struct br_diag *diag);
    void (*write_joint)(FILE *out, const struct br_engine *engine); /* those of a joint */
    bool with_room; /* one column more: the tasks whose room this one takes (br_engine_chain) */
};

/* Writes TASKS, a list of (name, parents, the engine's columns, line for a shell, which is None for
 * a joint): tasks in the plan's order, a joint behind the last task of its stage. So parents come
 * before children. */
enum br_status br_engine_tuples(FILE *out, const struct br_engine *engine,
                                const struct br_tuple_form *form, struct br_diag *diag);

/* The priority, largest for the plan's first task, never 0; that of a joint is the number of tasks
 * + 1. */
uint32_t br_engine_priority(const struct br_engine *engine, uint32_t task);

#endif
