/* The clock that nobody can set. */
#ifndef BR_BASE_PROCESS_CLOCK_H
#define BR_BASE_PROCESS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds on the monotonic clock. */
static inline int64_t br_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The wait before the next look: a step, or the time left if that is less; once no time is left, a
 * step. */
static inline int64_t br_next_look_ns(int64_t step_ns, int64_t left_ns)
{
    return left_ns > 0 && left_ns < step_ns ? left_ns : step_ns;
}

#endif
