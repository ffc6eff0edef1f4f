/* Between the decisions and the events. */
#ifndef BR_RUNTIME_ENFORCER_DECIDE_H
#define BR_RUNTIME_ENFORCER_DECIDE_H

#include "runtime/enforcer/model.h"

/* The ready task runs on the machine from now on and holds its demand there. */
void br_runtime_place(struct br_runtime *runtime, uint32_t job, uint32_t task, uint32_t machine);

#endif
