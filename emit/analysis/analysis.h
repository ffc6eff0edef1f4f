/* Data on a plan for pictures and reports: lanes of machines, the chain of tasks that decides its
 * length, the use of the machines, and what limits the job. */
#ifndef BR_EMIT_ANALYSIS_ANALYSIS_H
#define BR_EMIT_ANALYSIS_ANALYSIS_H

#include "emit/analysis/inputs.h"
#include "emit/analysis/late.h"
#include "emit/analysis/use.h"

struct br_analysis {
    uint32_t *lane;  /* by task: overlapping tasks on a machine have different lanes */
    uint32_t *lanes; /* by machine: number of its lanes */
    bool *on_chain;  /* by task */
    uint32_t *chain; /* tasks, first to last: each waits for the one before it, for its room on the
                        machine, or for its bytes to arrive */
    enum br_waited *waited;      /* by place in the chain: the kind of wait; of the first one
                                    BR_WAITED_PARENT if it waited for nothing */
    struct br_task_slack *slack; /* by task; NULL: unknown */
    struct br_inputs inputs;
    const char **words; /* by stage: what it does; NULL: unknown */
    uint32_t chain_tasks;
    struct br_use_curves uses;
    int64_t span_ns; /* the makespan, at least 1 */
    int64_t critical_path_ns;
};

/* All arrays are the analysis's. O(n log n + edges + transfers log transfers). Times outside
 * 0..makespan, possible in a plan read from a file, are clipped. */
enum br_status br_analysis_init(struct br_analysis *analysis, const struct br_emit_input *input,
                                struct br_diag *diag);
void br_analysis_finish(struct br_analysis *analysis);

#endif
