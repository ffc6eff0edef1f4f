/* How long the tasks of a job lasted on so many executors of its own: what a Spark-like cluster has
 * measured. [Mao19] A plain struct over arrays, filled by the calls below and read-only after
 * br_waves_finish.
 *
 * The first task of a stage on an executor lasts longer than those after it; longer still if the
 * executor has run nothing of the job before. So durations stand in three waves:
 *   fresh  the executor has run no task of the job
 *   first  it has run tasks of the job, and none of this stage
 *   rest   it has just run a task of this stage */
#ifndef BR_WORKLOAD_WAVES_H
#define BR_WORKLOAD_WAVES_H

#include <stdint.h>

#include "base/collections/arena.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"

enum br_wave { BR_WAVE_FRESH, BR_WAVE_FIRST, BR_WAVE_REST, BR_WAVES };

/* Durations of one stage, in one wave, on one number of executors. */
struct br_wave_sample {
    const uint32_t *ms; /* ascending; `count` of them, at least 1 where a wave is asked for */
    uint32_t count;
    uint32_t extra_ms; /* added to each: the warm-up, where fresh ones were not measured */
};

/* One number of executors at which a stage was measured. */
struct br_wave_point {
    uint32_t executors;
    struct br_wave_sample sample[BR_WAVES]; /* none is empty: what lacks is filled, see waves.c */
};

struct br_wave_stage {
    uint32_t tasks;
    uint32_t points;
    const struct br_wave_point *point; /* by executors, ascending; at least one */
    uint32_t first_child, children;    /* run in br_waves.child */
    uint32_t parents;
    int64_t mean_us; /* of all tasks that were measured, on any number of executors */
    /* By the means: the longest path of mean durations from here to the end of the job, this stage
     * included; and the work (tasks x mean) of this stage and of all that follow it. */
    int64_t path_us, below_us;
};

/* All stages of one job. */
struct br_waves {
    struct br_arena arena;
    uint32_t stages;
    struct br_wave_stage *stage;
    const uint32_t *child;       /* of all stages */
    const uint32_t *topological; /* stages, parents first, ties by number */
    uint64_t tasks;
    int64_t work_us; /* sum over stages of tasks x mean */
};

#endif
