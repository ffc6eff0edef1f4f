/* All that a history knows, gathered in memory: of every job its runs, and of one job its stages
 * and their samples. For who tells or draws it. */
#ifndef BR_PREDICT_HISTORY_GATHER_H
#define BR_PREDICT_HISTORY_GATHER_H

#include "predict/history/history.h"

/* One task that ran, in run number `run` of its job (from 0). */
struct br_gathered_sample {
    uint32_t run;
    int64_t wall_ns;
};

struct br_gathered_stage {
    const char *name;
    struct br_history_estimate estimate;
    uint32_t samples; /* of all runs */
    const struct br_gathered_sample *sample;
};

struct br_gathered_run {
    int64_t began_s; /* since 1970 */
    uint32_t samples;
    double work_s; /* the sum of their durations */
};

struct br_gathered_job {
    const char *name;
    uint32_t runs, stages;
    const struct br_gathered_run *run;     /* the oldest first */
    const struct br_gathered_stage *stage; /* NULL where they were not asked for */
};

struct br_gathered {
    uint32_t queries; /* that ran, of the last ones which tell what a unit of cost lasts */
    uint32_t jobs;
    const struct br_gathered_job *job; /* the one that ran last first */
    struct br_gathering *memory;       /* holds all of it */
};

/* Gathers what the history knows of all its jobs; with `detailed`, of its own job alone, with the
 * stages in the order in which they came. All is as it was at one moment. To be finished also after
 * a failure. O(n log n) in what it reads. */
enum br_status br_gather(struct br_history *history, bool detailed, struct br_gathered *gathered,
                         struct br_diag *diag);
void br_gathered_finish(struct br_gathered *gathered);

#endif
