/* Orders of whole stages for large jobs, where a stage has many more tasks than run at once and
 * takes about as long as its work keeps the cluster busy. A plan of such a job is about as long as
 * the resource of which the job needs most, the scarce one, is in use, and as it waits for work: at
 * the beginning, and at the end. */
#ifndef BR_PLANNER_SCHEDULE_SCARCE_H
#define BR_PLANNER_SCHEDULE_SCARCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"
#include "planner/schedule/schedule.h"

enum br_scarce_order {
    BR_SCARCE_RATIO,   /* by scarce work from here on, for a unit of other work up to here */
    BR_SCARCE_JOHNSON, /* with what is ahead: the least other work first while the scarce one is
                          more, then the most scarce work first [Johnson54] */
    BR_SCARCE_END,     /* from the end: with what is behind, the least excess of other work last */
    BR_SCARCE_TAIL,    /* the longest time to the end, if all behind shares the cluster */
    BR_SCARCE_HEAD,    /* the least time from the beginning in that sense */
    BR_SCARCE_ORDERS
};
/* Jobs of more stages have none: the orders take room for stages^2 bits. */
enum { BR_SCARCE_STAGES = 2048 };

struct br_scarce;
/* What all orders need of the job, which must live longer and have at most BR_SCARCE_STAGES stages.
 * NULL when memory is out. O(stages x arcs / 64 + stages^2 x resources + tasks). */
struct br_scarce *br_scarce_create(const struct br_instance *instance);
void br_scarce_destroy(struct br_scarce *scarce);

/* Fills key[stage], of which the largest goes first; no stage goes before one that it waits for.
 * False when memory is out. O(stages^2). */
bool br_scarce_keys(const struct br_scarce *scarce, enum br_scarce_order order, int64_t *key);
/* The schedule by parallel generation in that order, within a stage the longest task first. False
 * when memory is out or *stop became non-zero (stop may be NULL). Several threads may call it with
 * the same scarce. */
bool br_scarce_dispatch(const struct br_scarce *scarce, enum br_scarce_order order,
                        struct br_schedule *schedule, const struct br_stop *stop);

#endif
