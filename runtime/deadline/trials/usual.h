/* Statistics of usual runs of the job: the weights of the indicators, and the input of Amdahl's
 * model. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_USUAL_H
#define BR_RUNTIME_DEADLINE_TRIALS_USUAL_H

#include "runtime/deadline/trials/runner.h"

/* From this many runs in the plain order at this allocation: their durations at duration_ns[task],
 * run after run, and their seeds. Fills by stage; false when memory is out. */
bool br_usual_measure(const struct br_runner_job *job, enum br_indicator indicator,
                      uint32_t allocation, const int64_t *duration_ns, const uint64_t *seed,
                      uint32_t runs, struct br_table_stage *stage,
                      struct br_progress_weight *weight);

#endif
