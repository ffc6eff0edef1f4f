/* Progress of a running job: indicators in a table of rows. [Ferguson12, 4.2 and 5.4]
 *
 * An indicator is a number from 0 (nothing has finished) to 1 (all has), computed from the share of
 * each stage's tasks that have finished and two weights per stage. It never falls unless a share
 * falls. It serves to look up the time left in a table, so it should not stand still while the job
 * goes on.
 */
#ifndef BR_RUNTIME_DEADLINE_PROGRESS_H
#define BR_RUNTIME_DEADLINE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/named.h"

/* The numbers are stored in table files, so none is ever reused. */
enum br_indicator {
    BR_TOTALWORK_Q = 0,  /* time that finished tasks ran, or were ready and waited; the default */
    BR_TOTALWORK = 1,    /* time that finished tasks ran */
    BR_VERTEXFRAC = 2,   /* number of finished tasks */
    BR_CP = 3,           /* finished part of the critical path */
    BR_MINSTAGE = 4,     /* the stage furthest from its usual end */
    BR_MINSTAGE_INF = 5, /* as above, with the usual end in runs without a limit on tasks at once */
};
#define BR_INDICATORS 6u

/* The indicators, by the enum. */
extern const struct br_names br_indicators;
/* The indicator of that name; false: there is none. */
bool br_indicator_find(const char *name, enum br_indicator *indicator);

/* The weights of a stage for an indicator, each 0 or more:
 *
 *   sums (totalworkWithQ, totalwork, vertexfrac): progress is the sum of share x `span`
 *   cp: 1 - the most of (1 - share) x `span` + `begin`, over stages that have not finished
 *   minstage, minstage-inf: the least of `begin` + share x `span`, over stages that have not
 * finished
 */
struct br_progress_weight {
    double begin, span;
};

/* Progress if done[s] of the tasks[s] tasks of stage s have finished; within 0 and 1, and 1 if all
 * have. O(stages), nothing allocated. */
double br_progress(enum br_indicator indicator, const struct br_progress_weight *weight,
                   const uint32_t *tasks, const uint32_t *done, uint32_t stages);

#endif
