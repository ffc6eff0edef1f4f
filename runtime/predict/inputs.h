/* What the tasks of a job read: durations in a history follow the sizes of inputs. */
#ifndef BR_RUNTIME_PREDICT_INPUTS_H
#define BR_RUNTIME_PREDICT_INPUTS_H

#include "planner/model/dag.h"
#include "store/history/history.h"

/* What a task of each stage reads in the mean, in bytes, rounded up: its share of what its stage
 * reads (the attribute "input_size") and of what edges hand on to it; if both are 0, of what the
 * job reads (its attribute of that name). *bytes is by stage, 0 where none of these is told, and
 * the caller's; NULL if nothing is told of any. BR_BAD_INPUT: an attribute that is no amount of
 * bytes. O(stages + edges + attributes). */
enum br_status br_inputs_of(const struct br_dag *dag, int64_t **bytes, struct br_diag *diag);

/* br_history_expect for all stages of the job. */
enum br_status br_inputs_expect(struct br_history *history, const struct br_dag *dag,
                                uint32_t *scaled, struct br_diag *diag);

#endif
