/* Between the decisions and the events; and one event that is not public. */
#ifndef BR_RUNTIME_ENFORCER_DECIDE_H
#define BR_RUNTIME_ENFORCER_DECIDE_H

#include "runtime/enforcer/model.h"

/* The ready task runs on the machine from now on and holds its demand there. */
void br_runtime_place(struct br_runtime *runtime, uint32_t job, uint32_t task, uint32_t machine);

/* The machine leaves: nothing starts there, not even what demands nothing or what may be
 * overbooked, until it returns. What ran there is told by br_runtime_failed. */
void br_runtime_move(struct br_runtime *runtime, uint32_t machine, bool there);

#endif
