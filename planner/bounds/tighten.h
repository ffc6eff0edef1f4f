/* Windows made narrower for one makespan by energetic reasoning. */
#ifndef BR_PLANNER_BOUNDS_TIGHTEN_H
#define BR_PLANNER_BOUNDS_TIGHTEN_H

#include "planner/instance/certificate.h"

/* Least times before and after each task of a part. */
struct br_task_windows {
    int64_t *head, *tail;
};

/* Adds passes to the proof that make its windows narrower for this makespan, by energetic
 * reasoning; *found receives the result of all passes. The proof has the part's stages and perhaps
 * passes (br_certify_windows); `known`, which may be NULL, holds before any pass. *overfull says
 * that something does not fit its window, so that the makespan is refuted. False when memory is
 * out. */
bool br_proof_tighten(struct br_arena *arena, const struct br_instance *whole,
                      const struct br_instance *part, int64_t makespan,
                      const struct br_task_windows *known, struct br_proof *proof,
                      struct br_task_windows *found, bool *overfull);

#endif
