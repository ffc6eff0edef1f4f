/* The file from which a job was read, in faults that are found after reading. */
#ifndef BR_PLANNER_MODEL_SOURCE_H
#define BR_PLANNER_MODEL_SOURCE_H

#include "planner/model/dag.h"

/* Names the job's file, if there is one, as the fault's; before or after the fault is noted. diag
 * may be NULL. */
void br_dag_blame(const struct br_dag *dag, struct br_diag *diag);

#endif
