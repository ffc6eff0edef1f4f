/* A flag that is raised when a clock reaches a time, or when another flag is raised: for work that
 * can check a flag more often than a clock. */
#ifndef BR_BASE_PROCESS_ALARM_H
#define BR_BASE_PROCESS_ALARM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "base/process/stop.h"

struct br_alarm {
    struct br_stop stop; /* to be read; raised by the alarm's thread */
    const struct br_stop *also;
    clockid_t clock;
    bool running;
    pthread_t thread;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t changed;
    bool over;
    int64_t end_ns; /* on the clock */
};

/* Begins to watch, on a thread of its own, a clock, monotonic or of a thread's processor time, and
 * `also` (may be NULL). If no thread can be started, the flag is never raised. To be ended in any
 * case. */
void br_alarm_begin(struct br_alarm *alarm, clockid_t clock, int64_t end_ns,
                    const struct br_stop *also);
/* Sets another time. */
void br_alarm_move(struct br_alarm *alarm, int64_t end_ns);
/* Ends its thread; the flag stays as it is. */
void br_alarm_end(struct br_alarm *alarm);

/* Nanoseconds on the clock. */
int64_t br_clock_ns(clockid_t clock);

#endif
