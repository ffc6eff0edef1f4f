/* Tasks that refer to each other by name, in any order, and times for them by name. */
#ifndef BR_PARSERS_BUILDERS_NAMED_H
#define BR_PARSERS_BUILDERS_NAMED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "planner/model/dag.h"

/* The stage waits for the one of that name. */
struct br_task_need {
    uint32_t stage;
    const char *name;
    struct br_pos pos;
};

struct br_task_needs {
    struct br_arena arena; /* of the names */
    uint32_t needs, room;
    struct br_task_need *need;
};

/* Adds one; the name is copied. False when memory is out. */
bool br_task_needs_add(struct br_task_needs *needs, uint32_t stage, const char *name,
                       struct br_pos pos);
/* Makes edges of them. A name that no stage has becomes a stage of 0 s without demands, counted in
 * *made; NULL: it is a fault. */
enum br_status br_task_needs_link(const struct br_task_needs *needs, struct br_dag *dag,
                                  uint32_t *made, struct br_diag *diag);
/* Makes edges the other way: the one of that name, if there is one, waits for the stage. */
enum br_status br_task_needs_link_back(const struct br_task_needs *needs, struct br_dag *dag,
                                       struct br_diag *diag);
void br_task_needs_finish(struct br_task_needs *needs);

#endif
