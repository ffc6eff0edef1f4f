/* Windows made narrower for one makespan by energetic reasoning. */
#ifndef BR_PLANNER_BOUNDS_TIGHTEN_H
#define BR_PLANNER_BOUNDS_TIGHTEN_H

#include "planner/model/certificate.h"

/* Adds passes to the proof that make its windows narrower for this makespan, by energetic
 * reasoning; head[s] and tail[s], by stage of the part, receive what comes of all passes. The proof
 * has the part's stages and perhaps passes (br_certify_windows). *overfull says that something does
 * not fit its window, so that the makespan is refuted. False when memory is out. */
bool br_proof_tighten(struct br_arena *arena, const struct br_instance *whole,
                      const struct br_instance *part, int64_t makespan, struct br_proof *proof,
                      int64_t *head, int64_t *tail, bool *overfull);

#endif
