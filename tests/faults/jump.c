/* A clock that somebody sets: preloaded, CLOCK_REALTIME is off by JUMP_SECONDS at every other look,
 * as chance has it. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long jump(void)
{
    static unsigned looks;
    const char *seconds = getenv("JUMP_SECONDS");
    /* By hashing, so that no pair of looks is always off by the same. */
    unsigned look = __atomic_fetch_add(&looks, 1, __ATOMIC_SEQ_CST) * 2654435761U;
    return look >> 31 && seconds ? atol(seconds) : 0;
}

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME)
        now->tv_sec += jump();
    return failed;
}

__attribute__((visibility("default"))) time_t time(time_t *now)
{
    struct timespec spec;
    clock_gettime(CLOCK_REALTIME, &spec);
    if (now)
        *now = spec.tv_sec;
    return spec.tv_sec;
}

__attribute__((visibility("default"))) int gettimeofday(struct timeval *restrict now,
                                                        void *restrict zone)
{
    struct timespec spec;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &spec);
    now->tv_sec = spec.tv_sec;
    now->tv_usec = spec.tv_nsec / 1000;
    return 0;
}
