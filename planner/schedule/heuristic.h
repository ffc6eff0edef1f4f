/* The baseline heuristics: what bigrocks is compared with, and what it is never worse than, but for
 * effort fast on large jobs, which leaves some of them out. */
#ifndef BR_PLANNER_SCHEDULE_HEURISTIC_H
#define BR_PLANNER_SCHEDULE_HEURISTIC_H

#include "base/text/named.h"
#include "base/process/stop.h"
#include "planner/schedule/order.h"
#include "planner/schedule/schedule.h"

/* Fills the keys of an order; see order.h. False when memory is out. */
typedef bool br_key_function(struct br_key *key, const struct br_instance *instance,
                             const struct br_reach *reach, uint64_t seed);

struct br_heuristic {
    struct br_named named;
    br_key_function *key; /* the order behind it; NULL if there is none */
    bool (*run)(struct br_schedule *schedule, const struct br_instance *instance,
                const struct br_reach *reach, uint64_t seed, const struct br_stop *stop);
    bool slow; /* on large jobs it takes many times as long as an order */
    bool weak; /* on large jobs an order of stages is nearly always better */
};

extern const struct br_names br_heuristics;
/* A schedule by parallel generation in an order of the caller's: `place` of each task of the job,
 * by its number there. False when memory is out. */
bool br_heuristic_given(struct br_schedule *schedule, const struct br_instance *instance,
                        const uint32_t *place);
/* Row k of the table; NULL past the end. run fills the schedule; false when memory is out or *stop
 * became non-zero. */
const struct br_heuristic *br_heuristic_at(uint32_t k);

#endif
