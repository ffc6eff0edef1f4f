/* The contents of a history, gathered in memory: the runs of every job, and the stages and samples
 * of one job. For printing or drawing. */
#ifndef BR_STORE_HISTORY_GATHER_H
#define BR_STORE_HISTORY_GATHER_H

#include "base/numbers/decimal.h"
#include "store/history/history.h"

/* One task that ran, in run number `run` of its job (from 0). */
struct br_gathered_sample {
    uint32_t run;
    int64_t wall_ns;
};

/* A stage, or its tasks that ran by one alternative on one class of machines (way.h). */
struct br_gathered_stage {
    const char *name;
    const char *alternative, *cls; /* NULL: by none with a name; not told apart */
    struct br_decimal speed;       /* of the machines */
    const char *label; /* all of that for people, such as "link by four on node"; the name alone if
                        * nothing is told apart */
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
    uint32_t runs, stages;                 /* each way of a stage is one */
    const struct br_gathered_run *run;     /* the oldest first */
    const struct br_gathered_stage *stage; /* NULL if they were not asked for */
};

struct br_gathered {
    uint32_t queries; /* number that ran, among the last ones, which give the duration of a unit of
                         cost */
    uint32_t jobs;
    const struct br_gathered_job *job; /* latest run first */
    struct br_gathering *memory;       /* holds all of it */
};

/* Gathers all jobs of the history; with `detailed`, only its own job, with the stages in the order
 * in which they came. All data are of one moment. To be finished, also after a failure. O(n log n)
 * in the rows read. */
enum br_status br_gather(struct br_history *history, bool detailed, struct br_gathered *gathered,
                         struct br_diag *diag);
void br_gathered_finish(struct br_gathered *gathered);

#endif
