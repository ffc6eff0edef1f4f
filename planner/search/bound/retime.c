/* Orders of starts into schedules, by the serial generation that the searches use. */
#include "planner/search/bound/retime.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/keep.h"

enum { ROUNDS = 8 }; /* of justification */

/* Each task at its first fit, in the order of the rounded starts; of equal ones, which tasks of no
 * rounded length have, parents first. */
static bool retime_in_order(const struct br_instance *in, struct br_schedule *schedule)
{
    struct br_key *key = br_calloc(in->tasks, sizeof *key);
    struct br_order order = {0};
    for (uint32_t t = 0; key && t < in->tasks; t++)
        key[t] = (struct br_key){.first = -schedule->start[t],
                                 .second = -(int64_t)in->position[in->task_stage[t]]};
    bool ok = key && br_order_init(&order, in, key);
    if (ok) {
        enum br_keep kept = br_keep_machines(schedule, in, &order, schedule->machine);
        assert(kept != BR_KEEP_NOT_IN_ORDER); /* parents start no later, and stand before */
        ok = kept == BR_KEEP_MADE;
    }
    br_order_finish(&order);
    br_free(key);
    return ok;
}

bool br_retime(const struct br_instance *in, const struct br_reach *reach,
               struct br_schedule *schedule)
{
    struct br_serial *serial = br_serial_create(in, reach);
    bool ok = serial && retime_in_order(in, schedule) && br_justify(serial, schedule, ROUNDS, NULL);
    br_serial_destroy(serial);
    return ok;
}

void br_retime_round(const struct br_schedule *from, const struct br_instance *rounded,
                     int64_t rounding, struct br_schedule *to)
{
    assert(rounding > 0 && from->tasks == to->tasks);
    br_schedule_copy(to, from);
    for (uint32_t t = 0; t < to->tasks; t++)
        to->start[t] /= rounding;
    br_schedule_measure(to, rounded);
    assert(to->makespan <= from->makespan / rounding);
}
