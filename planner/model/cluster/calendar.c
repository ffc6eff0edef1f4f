#include "planner/model/cluster/calendar.h"

#include "base/collections/memory.h"

void br_calendar_destroy(struct br_calendar *calendar)
{
    if (!calendar)
        return;
    br_free(calendar->unavailable);
    br_free(calendar->change);
    br_free(calendar);
}
