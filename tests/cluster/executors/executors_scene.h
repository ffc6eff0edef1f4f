/* Small runs of the simulator of executors, whose times can be computed by hand. */
#ifndef BR_TESTS_EXECUTORS_SCENE_H
#define BR_TESTS_EXECUTORS_SCENE_H

#include "cluster/executors/executors.h"

#define MS INT64_C(1000000)

/* A stage whose tasks last fresh, first or rest ms, whatever the number of executors. */
struct stage {
    uint32_t tasks, fresh, first, rest;
};

struct br_waves *waves_of(const struct stage *stage, uint32_t stages, const uint32_t (*edge)[2],
                          uint32_t edges);
/* Moving takes 2 s. */
struct br_executors *sim_of(uint32_t executors, bool yields);
void begin(struct br_executors *sim, const struct br_executors_arrival *arrival, uint32_t jobs,
           struct br_outcome *record);
/* The group that is asked for. */
void expect(struct br_executors *sim, int64_t now_ms, uint32_t count, uint32_t job, uint32_t stage);

#endif
