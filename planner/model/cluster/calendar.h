/* What a cluster offers at what time: times at which machines are not available, and other amounts
 * for a while. */
#ifndef BR_PLANNER_MODEL_CLUSTER_CALENDAR_H
#define BR_PLANNER_MODEL_CLUSTER_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/numbers/decimal.h"

/* From from_ns until to_ns, on the machines first .. first + count - 1. */
struct br_span_of_machines {
    uint32_t first, count;
    int64_t from_ns, to_ns; /* BR_FOREVER: never ends */
};

struct br_unavailable {
    struct br_span_of_machines span;
};

struct br_change {
    struct br_span_of_machines span; /* of no machines: a shared resource */
    const char *resource;
    struct br_decimal amount;
    bool in_bytes;
};

struct br_calendar {
    uint32_t unavailables, unavailable_room, changes, change_room;
    struct br_unavailable *unavailable; /* in the order given */
    struct br_change *change;           /* later ones count more */
};

void br_calendar_destroy(struct br_calendar *calendar);

#endif
