/* A shared counter and as many threads as there is use for. */
#include "base/process/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

struct pool {
    bool (*work)(void *context, uint32_t worker, uint32_t index);
    void *context;
    uint32_t count;
    atomic_uint next;
    atomic_bool ended;
};

struct worker {
    struct pool *pool;
    uint32_t number;
    pthread_t thread;
};

uint32_t br_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}

static void *run(void *argument)
{
    struct worker *worker = argument;
    struct pool *pool = worker->pool;
    while (!atomic_load(&pool->ended)) {
        uint32_t index = atomic_fetch_add(&pool->next, 1);
        if (index >= pool->count)
            break;
        if (!pool->work(pool->context, worker->number, index))
            atomic_store(&pool->ended, true);
    }
    return NULL;
}

void br_parallel(uint32_t threads, uint32_t count,
                 bool (*work)(void *context, uint32_t worker, uint32_t index), void *context)
{
    struct pool pool = {.work = work, .context = context, .count = count};
    struct worker self = {.pool = &pool, .number = 0};
    uint32_t more = threads < count ? threads : count, started = 0;
    struct worker *worker = more > 1 ? calloc(more - 1, sizeof *worker) : NULL;
    for (; worker && started < more - 1; started++) {
        worker[started] = (struct worker){.pool = &pool, .number = started + 1};
        if (pthread_create(&worker[started].thread, NULL, run, &worker[started]) != 0)
            break;
    }
    run(&self);
    for (uint32_t k = 0; k < started; k++)
        pthread_join(worker[k].thread, NULL);
    free(worker);
}
