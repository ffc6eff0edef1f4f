/* Jobs that have arrived and not ended: which of their tasks have run, and how often in vain. */
#ifndef BR_CLUSTER_SIMULATE_LIVE_H
#define BR_CLUSTER_SIMULATE_LIVE_H

#include "cluster/simulate/outputs.h"
#include "cluster/simulate/shapes.h"
#include "cluster/workload/world.h"

/* Of thousands of jobs nothing stays near the processor, so a job is small: it has durations of its
 * own only if they were drawn. */
struct br_live {
    const struct br_job_shape *shape;
    uint32_t *stage_left;       /* tasks that have not ended; its block of memory */
    uint8_t *state;             /* by task: enum br_life */
    const int64_t *true_ns;     /* by task */
    uint16_t *attempt;          /* by task: attempts that came to nothing; NULL: all 0 */
    uint32_t left;              /* tasks */
    struct br_outputs *outputs; /* if outputs can be lost; else NULL */
};

/* Nothing of the job has started. False when memory is out; br_live_drop after it, too. */
bool br_live_make(struct br_live *live, const struct br_job_shape *shape,
                  const struct br_world *world, const struct br_workload *workload,
                  uint32_t number);
void br_live_drop(struct br_live *live);

/* One more attempt at the task came to nothing. False when memory is out. */
bool br_live_count_attempt(struct br_live *live, uint32_t task);
/* Has a task not ended that this one waits for? O(parents of its stage). */
bool br_live_waits(const struct br_live *live, uint32_t task);

#endif
