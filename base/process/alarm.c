/* The thread sleeps until the time, by a clock that runs no faster than the monotonic one, but
 * only for a moment at once, since the other flag may be raised meanwhile. */
#include "base/process/alarm.h"

#include "base/process/clock.h"
#include "base/process/condition.h"

static const int64_t moment_ns = 5000000;

int64_t br_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *look_on(void *argument)
{
    struct br_alarm *alarm = argument;
    pthread_mutex_lock(&alarm->lock);
    while (!alarm->over && !br_stopped(&alarm->stop)) {
        int64_t left_ns = alarm->end_ns - br_clock_ns(alarm->clock);
        if (left_ns <= 0 || br_stopped(alarm->also)) {
            br_stop_raise(&alarm->stop);
            break;
        }
        int64_t at_ns = br_now_ns() + br_next_look_ns(moment_ns, left_ns);
        br_condition_wait(&alarm->changed, &alarm->lock, at_ns);
    }
    pthread_mutex_unlock(&alarm->lock);
    return NULL;
}

void br_alarm_begin(struct br_alarm *alarm, clockid_t clock, int64_t end_ns,
                    const struct br_stop *also)
{
    *alarm = (struct br_alarm){.also = also, .clock = clock, .end_ns = end_ns};
    pthread_mutex_init(&alarm->lock, NULL);
    br_condition_init(&alarm->changed);
    alarm->running = pthread_create(&alarm->thread, NULL, look_on, alarm) == 0;
}

void br_alarm_move(struct br_alarm *alarm, int64_t end_ns)
{
    pthread_mutex_lock(&alarm->lock);
    alarm->end_ns = end_ns;
    pthread_cond_signal(&alarm->changed);
    pthread_mutex_unlock(&alarm->lock);
}

void br_alarm_end(struct br_alarm *alarm)
{
    pthread_mutex_lock(&alarm->lock);
    alarm->over = true;
    pthread_cond_signal(&alarm->changed);
    pthread_mutex_unlock(&alarm->lock);
    if (alarm->running)
        pthread_join(alarm->thread, NULL);
    pthread_cond_destroy(&alarm->changed);
    pthread_mutex_destroy(&alarm->lock);
}
