/* The paces of a job's stages: measured over declared durations of ended tasks. Tasks of a stage do
 * the same on other data, so those that have ended tell how long the others will take. */
#ifndef BR_RUNTIME_ENFORCER_JOBS_PACE_H
#define BR_RUNTIME_ENFORCER_JOBS_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/numbers/wide.h"

/* A stage. Work is of its tasks that have not started, in units of br_form_seconds. */
struct br_stage_pace {
    br_wide left;       /* as declared */
    br_wide work;       /* at its pace; of a stage that was measured */
    double declared_ns; /* of its measured tasks, in total */
    double lasted_ns;
    double log; /* of the ratio of these */
    double pace;
    uint32_t measured; /* tasks */
};

struct br_paces {
    struct br_stage_pace *stage;
    uint32_t measured; /* stages */
    double logs;       /* the sum over them */
    double pace;       /* of the job: that of its stages of which nothing has been measured */
    br_wide left;      /* as declared, of these stages together */
    br_wide work;      /* at that pace */
};

/* Paces of 1 for so many stages, from the arena; NULL when memory is out. The caller adds the work
 * that is left by br_paces_add. */
struct br_paces *br_paces_create(struct br_arena *arena, uint32_t stages);

/* Tasks of the stage with this declared work have become such that have not started, or (below 0)
 * no longer are. Returns the change of the job's work at its paces. O(1). */
br_wide br_paces_add(struct br_paces *paces, uint32_t stage, br_wide units);

/* A task of the stage has ended. A duration of 0 or less tells nothing. Returns the change of the
 * job's work. O(1). */
br_wide br_paces_measure(struct br_paces *paces, uint32_t stage, int64_t declared_ns,
                         int64_t lasted_ns);

/* The work of all tasks that have not started: the sum of all changes. O(stages). */
br_wide br_paces_work(const struct br_paces *paces, uint32_t stages);

#endif
