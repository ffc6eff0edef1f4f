/* Progress while tasks finish one by one: the same as br_progress, in O(log stages) a task. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_METER_H
#define BR_RUNTIME_DEADLINE_TRIALS_METER_H

#include "runtime/deadline/progress.h"

struct br_meter {
    enum br_indicator indicator;
    const struct br_progress_weight *weight; /* borrowed, by stage */
    const uint32_t *tasks;
    uint32_t stages, leaves; /* a power of two of at least `stages` */
    uint32_t *done;
    uint32_t open;  /* stages that have not finished */
    double sum;     /* of the indicators that are sums */
    double *lowest; /* a tree of least values, the root at 1; of the others */
};

/* False when memory is out. Release by br_meter_finish, also then. */
bool br_meter_init(struct br_meter *meter, enum br_indicator indicator,
                   const struct br_progress_weight *weight, const uint32_t *tasks, uint32_t stages);
void br_meter_finish(struct br_meter *meter);
/* Nothing has finished. O(stages). */
void br_meter_reset(struct br_meter *meter);
/* One more task of the stage has finished: progress from then on. */
double br_meter_add(struct br_meter *meter, uint32_t stage);

#endif
