/* Conditions whose waits end by the clock that nobody can set. */
#ifndef BR_BASE_PROCESS_CONDITION_H
#define BR_BASE_PROCESS_CONDITION_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline void br_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

/* Waits for a change, at most until this time by br_now_ns; with the lock held. */
static inline void br_condition_wait(pthread_cond_t *condition, pthread_mutex_t *lock,
                                     int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / 1000000000,
                                   .tv_nsec = until_ns % 1000000000};
    pthread_cond_timedwait(condition, lock, &until);
}

#endif
