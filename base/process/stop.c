/* The public calls on a stop flag. */
#include "base/process/stop.h"

void br_stop_raise(struct br_stop *stop)
{
    if (!stop)
        return;
    int down = 0; /* a flag raised to a higher level keeps it */
    __atomic_compare_exchange_n(&stop->level, &down, 1, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

bool br_stop_raised(const struct br_stop *stop)
{
    return br_stopped(stop);
}

void br_stop_lower(struct br_stop *stop)
{
    if (stop)
        br_stop_set(stop, 0);
}
