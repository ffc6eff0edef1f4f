/* Independent pieces of work on several threads: each is done once, by a worker that does nothing
 * else meanwhile, and by no more threads than were asked for, also from within such work. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/process/parallel.h"
#include "base/process/stop.h"

enum { THREADS = 7, OUTER = 5, INNER = 40, INNERMOST = 3, ROUNDS = 3 };

struct count {
    uint32_t threads;
    atomic_uint at_once, most; /* threads that work on the innermost */
    atomic_uint done[OUTER][INNER][INNERMOST];
    atomic_bool shared; /* two at a time had the same worker's number */
};

struct inner {
    struct count *count;
    uint32_t outer, middle;
    atomic_bool busy[THREADS];
};

static bool innermost(void *context, uint32_t worker, uint32_t index)
{
    struct inner *inner = context;
    struct count *count = inner->count;
    const uint32_t at_once = atomic_fetch_add(&count->at_once, 1) + 1;
    uint32_t most = atomic_load(&count->most);
    while (most < at_once && !atomic_compare_exchange_weak(&count->most, &most, at_once))
        ;
    if (worker >= count->threads || atomic_exchange(&inner->busy[worker], true))
        atomic_store(&count->shared, true);
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); /* the others get to work */
    atomic_fetch_add(&count->done[inner->outer][inner->middle][index], 1);
    atomic_store(&inner->busy[worker], false);
    atomic_fetch_sub(&count->at_once, 1);
    return true;
}

static bool middle(void *context, uint32_t worker, uint32_t index)
{
    struct inner *outer = context;
    struct inner inner = {.count = outer->count, .outer = outer->outer, .middle = index};
    br_parallel(inner.count->threads, INNERMOST, innermost, &inner);
    if (worker >= inner.count->threads)
        atomic_store(&inner.count->shared, true);
    return true;
}

static bool outer(void *context, uint32_t worker, uint32_t index)
{
    struct count *count = context;
    struct inner inner = {.count = count, .outer = index};
    /* The first has little to do, so its thread has to help the others. */
    br_parallel(count->threads, index ? INNER : 1, middle, &inner);
    if (worker >= count->threads)
        atomic_store(&count->shared, true);
    return true;
}

static void work_within_work_is_done_once(void **state)
{
    for (uint32_t threads = 1; threads <= THREADS; threads++) {
        struct br_crew *crew = br_crew_enter();
        assert_non_null(crew);
        assert_null(br_crew_enter()); /* it has one */
        for (int round = 0; round < ROUNDS; round++) {
            struct count count = {.threads = threads};
            br_parallel(threads, OUTER, outer, &count);
            for (uint32_t o = 0; o < OUTER; o++)
                for (uint32_t m = 0; m < INNER; m++)
                    for (uint32_t k = 0; k < INNERMOST; k++)
                        assert_int_equal(count.done[o][m][k], o || m == 0);
            assert_true(count.most <= threads);
            assert_false(count.shared);
        }
        br_crew_leave(crew);
    }
}

/* Two pieces that both have to be at work, or neither ends; the second is within the second piece
 * of the outer work, whose first has ended. */
struct meeting {
    pthread_barrier_t both;
    pthread_t thread[2];
    atomic_bool begun;
};

static bool meet(void *context, uint32_t worker, uint32_t index)
{
    struct meeting *meeting = context;
    meeting->thread[index] = pthread_self();
    pthread_barrier_wait(&meeting->both);
    return true;
}

static bool meet_in_the_second(void *context, uint32_t worker, uint32_t index)
{
    struct meeting *meeting = context;
    if (index == 1) {
        atomic_store(&meeting->begun, true);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL); /* the first waits */
        br_parallel(2, 2, meet, meeting);
    }
    while (!atomic_load(&meeting->begun)) /* so another thread has the second */
        sched_yield();
    return true;
}

static void who_waits_joins(void **state)
{
    struct br_crew *crew = br_crew_enter();
    for (int round = 0; round < ROUNDS; round++) {
        struct meeting meeting = {.begun = false};
        pthread_barrier_init(&meeting.both, NULL, 2);
        br_parallel(2, 2, meet_in_the_second, &meeting);
        assert_false(pthread_equal(meeting.thread[0], meeting.thread[1]));
        pthread_barrier_destroy(&meeting.both);
    }
    br_crew_leave(crew);
}

/* A crew has as many threads as its largest call; a smaller one takes fewer. */
static void fewer_join(void **state)
{
    struct br_crew *crew = br_crew_enter();
    for (uint32_t threads = THREADS; threads; threads--) {
        struct count count = {.threads = threads};
        struct inner inner = {.count = &count};
        br_parallel(threads, INNERMOST, innermost, &inner);
        assert_true(count.most <= threads);
        assert_false(count.shared);
    }
    br_crew_leave(crew);
}

static bool until_the_third(void *context, uint32_t worker, uint32_t index)
{
    atomic_uint *done = context;
    atomic_fetch_add(done, 1);
    return index < 3;
}

static void it_ends_early(void **state)
{
    struct br_crew *crew = br_crew_enter();
    for (uint32_t threads = 1; threads <= THREADS; threads++) {
        atomic_uint done = 0;
        br_parallel(threads, 1000, until_the_third, &done);
        assert_true(done >= 4 && done < 4 + threads);
    }
    br_crew_leave(crew);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_within_work_is_done_once), cmocka_unit_test(who_waits_joins),
        cmocka_unit_test(fewer_join), cmocka_unit_test(it_ends_early)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
