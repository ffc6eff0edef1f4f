/* Which spans of a calendar concern which machine. */
#ifndef BR_PLANNER_CHECK_SPANS_H
#define BR_PLANNER_CHECK_SPANS_H

#include "base/collections/sort.h"
#include "planner/model/cluster/calendar.h"

/* A walk over the machines, in ascending order. */
struct br_span_walk {
    const struct br_span_of_machines **span; /* of the calendar, by number */
    uint32_t count, next, active;
    struct br_sort_item *by_first; /* the spans with machines, by their first machine */
    struct br_sort_item *number;   /* key: the number of a span that may concern this machine */
    struct br_sort_item *scratch;
};

/* Over the changes of the calendar, or over its times without machines. False if memory is out;
 * finish is fine then. */
bool br_span_walk_init(const struct br_calendar *calendar, bool changes, struct br_span_walk *walk);
void br_span_walk_finish(struct br_span_walk *walk);
/* Goes on to this machine, which comes after those before. Leaves the numbers of the spans that
 * concern it, ascending, in `number`, and returns how many. O(that + log of new ones). */
uint32_t br_span_walk_to(struct br_span_walk *walk, uint32_t machine);

#endif
