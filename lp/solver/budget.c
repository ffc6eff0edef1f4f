#include "lp/solver/budget.h"

#include <time.h>

/* A process gets at least this share of a processor, more or less, on a busy machine. */
#define SHARE_LEAST (1.0 / 16)

static clockid_t time_by = CLOCK_MONOTONIC;

void lp_count_processor_time(void)
{
    time_by = CLOCK_PROCESS_CPUTIME_ID;
}

double lp_now(void)
{
    struct timespec now;
    clock_gettime(time_by, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

bool lp_late(const struct lp_budget *budget)
{
    return budget->deadline > 0 && lp_now() > budget->deadline;
}

double lp_left(const struct lp_budget *budget)
{
    double left = budget->deadline > 0 ? budget->deadline - lp_now() : 0;
    return time_by == CLOCK_MONOTONIC ? left : left / SHARE_LEAST;
}
