#include "planner/model/times.h"

#include "base/collections/memory.h"

void br_times_destroy(struct br_times *times)
{
    if (!times)
        return;
    br_free(times->releases.time);
    br_free(times->deadlines.time);
    br_free(times->given);
    br_free(times->release_ns);
    br_free(times->deadline_ns);
    br_free(times->wait);
    br_free(times);
}
