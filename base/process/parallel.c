/* A shared counter and as many threads as are useful. */
#include "base/process/parallel.h"

#include <assert.h>
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

    /* Of a crew's pool; guarded by the crew's lock. */
    struct pool *before; /* posted before this one, and not taken down */
    uint32_t depth;      /* number of pools around it */
    uint32_t wanted;     /* members that may join it */
    uint32_t number;     /* of the last that did, as a worker */
    uint32_t joined;     /* and have not left */
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

static void *process_parallel_run(void *argument)
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

/* Members sleep until a pool is posted in which there is work for them, and join it. The caller
 * takes the pool down once its own part is done, and ends its call when those that had joined have
 * left; while it waits for these, it joins pools that they post. */
struct br_crew {
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t shown, left;
    struct pool *pool; /* the last that was posted; NULL: none is */
    bool over;
    struct member *member; /* the last that was started */
};

struct member {
    struct br_crew *crew;
    uint32_t number; /* from 1 */
    pthread_t thread;
    struct member *before;
};

static _Thread_local struct br_crew *own_crew;
static _Thread_local uint32_t own_depth; /* number of the crew's pools in which this thread works */

/* A pool of this depth or more with work for one more member, the first posted of them; NULL: none.
 * With the lock held. */
static struct pool *crew_find(const struct br_crew *crew, uint32_t depth)
{
    struct pool *found = NULL;
    for (struct pool *pool = crew->pool; pool; pool = pool->before)
        if (pool->depth >= depth && pool->number < pool->wanted &&
            atomic_load(&pool->next) < pool->count && !atomic_load(&pool->ended))
            found = pool;
    return found;
}

/* Works in the pool as long as there is work. With the lock held, but for that time. */
static void crew_join(struct br_crew *crew, struct pool *pool)
{
    struct worker self = {.pool = pool, .number = ++pool->number};
    const uint32_t depth = own_depth;
    pool->joined++;
    assert(pool->joined <= pool->wanted);
    own_depth = pool->depth + 1;
    pthread_mutex_unlock(&crew->lock);
    process_parallel_run(&self);
    pthread_mutex_lock(&crew->lock);
    own_depth = depth;
    assert(pool->joined > 0);
    if (--pool->joined == 0)
        pthread_cond_broadcast(&crew->left);
}

static void *process_parallel_serve(void *argument)
{
    struct member *member = argument;
    struct br_crew *crew = member->crew;
    own_crew = crew;
    pthread_mutex_lock(&crew->lock);
    while (!crew->over) {
        struct pool *pool = crew_find(crew, 0);
        if (pool)
            crew_join(crew, pool);
        else
            pthread_cond_wait(&crew->shown, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Starts members up to this number, or as many as possible. With the lock held. */
static void crew_grow(struct br_crew *crew, uint32_t count)
{
    while ((crew->member ? crew->member->number : 0) < count) {
        struct member *member = calloc(1, sizeof *member);
        if (!member)
            return;
        *member = (struct member){.crew = crew,
                                  .number = crew->member ? crew->member->number + 1 : 1,
                                  .before = crew->member};
        if (pthread_create(&member->thread, NULL, process_parallel_serve, member) != 0) {
            free(member);
            return;
        }
        crew->member = member;
    }
}

/* With the lock held. */
static void crew_take_down(struct br_crew *crew, const struct pool *pool)
{
    struct pool **at = &crew->pool;
    while (*at != pool)
        at = &(*at)->before;
    *at = pool->before;
}

/* Runs the pool, with this many members beside this thread. */
static void crew_run(struct br_crew *crew, struct pool *pool, uint32_t members)
{
    struct worker self = {.pool = pool, .number = 0};
    pool->depth = own_depth;
    pool->wanted = members;
    pthread_mutex_lock(&crew->lock);
    crew_grow(crew, members);
    pool->before = crew->pool;
    crew->pool = pool;
    pthread_cond_broadcast(&crew->shown);
    pthread_cond_broadcast(&crew->left);
    pthread_mutex_unlock(&crew->lock);
    own_depth = pool->depth + 1;
    process_parallel_run(&self);
    own_depth = pool->depth;
    pthread_mutex_lock(&crew->lock);
    crew_take_down(crew, pool);
    while (pool->joined > 0) {
        struct pool *deeper = crew_find(crew, pool->depth + 1);
        if (deeper)
            crew_join(crew, deeper);
        else
            pthread_cond_wait(&crew->left, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
}

struct br_crew *br_crew_enter(void)
{
    struct br_crew *crew = own_crew ? NULL : calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->shown, NULL);
    pthread_cond_init(&crew->left, NULL);
    own_crew = crew;
    return crew;
}

void br_crew_leave(struct br_crew *crew)
{
    if (!crew)
        return;
    assert(own_crew == crew);
    own_crew = NULL;
    pthread_mutex_lock(&crew->lock);
    assert(!crew->pool);
    crew->over = true;
    pthread_cond_broadcast(&crew->shown);
    pthread_mutex_unlock(&crew->lock);
    while (crew->member) {
        struct member *member = crew->member;
        pthread_join(member->thread, NULL);
        crew->member = member->before;
        free(member);
    }
    pthread_cond_destroy(&crew->shown);
    pthread_cond_destroy(&crew->left);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

void br_parallel(uint32_t threads, uint32_t count,
                 bool (*work)(void *context, uint32_t worker, uint32_t index), void *context)
{
    struct pool pool = {.work = work, .context = context, .count = count};
    struct worker self = {.pool = &pool, .number = 0};
    uint32_t more = threads < count ? threads : count, started = 0;
    if (own_crew && more > 1) {
        crew_run(own_crew, &pool, more - 1);
        return;
    }
    struct worker *worker = more > 1 ? calloc(more - 1, sizeof *worker) : NULL;
    for (; worker && started < more - 1; started++) {
        worker[started] = (struct worker){.pool = &pool, .number = started + 1};
        if (pthread_create(&worker[started].thread, NULL, process_parallel_run, &worker[started]) !=
            0)
            break;
    }
    process_parallel_run(&self);
    for (uint32_t k = 0; k < started; k++)
        pthread_join(worker[k].thread, NULL);
    free(worker);
}
