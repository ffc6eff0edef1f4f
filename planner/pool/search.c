/* The population is kept in blocks. In an epoch every block breeds by itself: a child takes the
 * place of its mother where it is not longer. Its father may be of another block, as that was at
 * the end of the epoch before. So blocks can be bred by any number of threads, and neither the
 * threads' number nor their pace changes anything. */
#include "planner/pool/search.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "planner/pool/breed.h"

enum {
    COST = 3,                    /* schedules that a child takes: generation and justification */
    HOPELESS = 25,               /* longer than the mother by one part in so many */
    UNKNOWN_SCHEDULES = 1000000, /* what a run without a limit is taken to be */
    WORTH_THREADS = 20000,       /* placements that take longer than to start a thread */
};

struct br_pool_settings br_pool_settings_default(void)
{
    return (struct br_pool_settings){
        .blocks = 8,
        .tournament = 2,
        .patience = 30,
        .foreign = 0.8,
        .stretch = 0.5,
        .swaps = 1,
        .blur = 0.2,
        .serial = 0.25,
    };
}

/* What one thread works with. */
struct worker {
    struct br_pool *pool;
    struct br_breed *breed;
    uint32_t *list;
    int64_t *start;
};

struct individual {
    uint32_t *list;
    int64_t makespan;
    uint64_t mark; /* equal for equal schedules, and hardly ever for others */
};

struct block {
    struct br_rng rng;
    struct individual *one, *frozen; /* frozen: at the end of the last epoch */
    uint32_t shown;                  /* so many are frozen */
    uint32_t filled, seeded;         /* seeded: the first so many have a list to begin with */
    bool gained;                     /* something became shorter in this epoch */
    uint64_t schedules, quota;       /* spent, and what it may have spent by the end of the epoch */
    int64_t makespan;                /* of the best so far; its starts: */
    int64_t *best;
    const char *finder;
};

struct search {
    struct br_run *run;
    const struct br_pool_settings *set;
    struct br_pool_model *model;
    uint32_t tasks, size; /* of a block */
    uint64_t *salt;       /* by task, for marks */
    struct worker *worker;
    struct block *block;
    uint32_t *memory;
    struct br_schedule found;
    uint32_t quiet, restarts; /* epochs since anything became shorter */
    atomic_bool stopped;
};

static uint64_t mark_of(const struct search *s, const int64_t *start)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < s->tasks; t++)
        sum += s->salt[t] * (uint64_t)(start[t] + 1);
    return sum;
}

/* Notes a schedule that is shorter than all before in its block. */
static void note(struct search *s, struct block *b, const int64_t *start, int64_t makespan,
                 const char *finder)
{
    if (makespan >= b->makespan)
        return;
    b->makespan = makespan;
    b->finder = finder;
    memcpy(b->best, start, s->tasks * sizeof *start);
}

static bool is_there(const struct search *s, const struct block *b, uint64_t mark)
{
    for (uint32_t k = 0; k < b->filled; k++)
        if (b->one[k].mark == mark)
            return true;
    return false;
}

static void add_first(struct search *s, struct worker *w, struct block *b)
{
    struct individual *one = &b->one[b->filled];
    if (b->filled < b->seeded) {
        one->makespan = br_pool_serial(w->pool, BR_FORWARD, one->list, BR_POOL_NO_LIMIT, w->start);
    } else if (br_rng_unit(&b->rng) < s->set->serial) {
        br_breed_serial(w->breed, &b->rng, one->list);
        one->makespan = br_pool_serial(w->pool, BR_FORWARD, one->list, BR_POOL_NO_LIMIT, w->start);
    } else {
        one->makespan = br_breed_parallel(w->breed, &b->rng, s->set->blur, one->list, w->start);
    }
    note(s, b, w->start, one->makespan, "sampling");
    one->makespan = br_pool_justify(w->pool, one->list, w->start);
    one->mark = mark_of(s, w->start);
    note(s, b, w->start, one->makespan, "sampling");
    b->filled++;
    b->schedules += COST;
}

static const struct individual *choose(const struct search *s, struct br_rng *rng,
                                       const struct individual *from, uint32_t count)
{
    const struct individual *best = &from[br_rng_below(rng, count)];
    for (uint32_t k = 1; k < s->set->tournament; k++) {
        const struct individual *other = &from[br_rng_below(rng, count)];
        if (other->makespan < best->makespan)
            best = other;
    }
    return best;
}

static void breed(struct search *s, struct worker *w, struct block *b)
{
    const struct br_pool_settings *set = s->set;
    struct br_rng *rng = &b->rng;
    struct individual *mother = &b->one[choose(s, rng, b->one, b->filled) - b->one];
    const struct individual *father;
    bool foreign = br_rng_unit(rng) < set->foreign && set->blocks > 1;
    uint32_t other = foreign ? (uint32_t)br_rng_below(rng, set->blocks - 1) : 0;
    other += foreign && other >= (uint32_t)(b - s->block);
    if (foreign && s->block[other].shown) {
        father = choose(s, rng, s->block[other].frozen, s->block[other].shown);
    } else {
        father = choose(s, rng, b->one, b->filled);
        if (father == mother)
            father = &b->one[(mother - b->one + 1) % b->filled];
    }
    bool stretch = br_rng_unit(rng) < set->stretch;
    if (stretch)
        br_breed_stretch(w->breed, rng, mother->list, father->list, w->list);
    else
        br_breed_two_point(w->breed, rng, mother->list, father->list, w->list);
    br_breed_swap(w->breed, rng, set->swaps, w->list);
    const char *finder = stretch ? "stretch" : "two-point";
    /* Not justified: what is far behind its mother, and what is there already, which is so after
     * justification, too, since all in the population are justified. */
    int64_t makespan = br_pool_serial(w->pool, BR_FORWARD, w->list,
                                      mother->makespan + mother->makespan / HOPELESS, w->start);
    b->schedules++;
    if (makespan == BR_POOL_CUT || is_there(s, b, mark_of(s, w->start)))
        return;
    makespan = br_pool_justify(w->pool, w->list, w->start);
    b->schedules += COST - 1;
    if (makespan > mother->makespan)
        return;
    uint64_t mark = mark_of(s, w->start);
    if (is_there(s, b, mark))
        return;
    note(s, b, w->start, makespan, finder);
    b->gained |= makespan < mother->makespan;
    memcpy(mother->list, w->list, s->tasks * sizeof *w->list);
    mother->makespan = makespan;
    mother->mark = mark;
}

/* One block's share of an epoch. */
static bool run_block(void *context, uint32_t worker, uint32_t index)
{
    struct search *s = context;
    struct worker *w = &s->worker[worker];
    struct block *b = &s->block[index];
    while (b->schedules + COST <= b->quota && b->makespan > s->run->lower_bound) {
        if (br_stopped(s->run->stop)) {
            atomic_store(&s->stopped, true);
            return false;
        }
        if (b->filled < s->size)
            add_first(s, w, b);
        else
            breed(s, w, b);
    }
    return true;
}

/* Where a population has brought nothing for long it is begun again, from chance, with the best of
 * all in it every other time. */
static void begin_again(struct search *s)
{
    for (uint32_t k = 0; k < s->set->blocks; k++) {
        struct block *b = &s->block[k];
        b->gained = false;
        b->filled = b->seeded = 0;
    }
    s->quiet = 0;
    if (++s->restarts % 2 == 0) {
        br_breed_list(s->worker[0].breed, s->run->elite->entry[0].schedule.start,
                      s->block[0].one[0].list);
        s->block[0].seeded = 1;
    }
}

/* The end of an epoch: what is better goes to the elite, and others may see the block. */
static void gather(struct search *s)
{
    struct br_run *run = s->run;
    uint64_t spent = 0;
    bool gained = false;
    struct block *best = &s->block[0];
    for (uint32_t k = 0; k < s->set->blocks; k++) {
        struct block *b = &s->block[k];
        spent += b->schedules;
        gained |= b->gained || b->filled < s->size;
        b->gained = false;
        if (b->makespan < best->makespan)
            best = b;
        b->shown = b->filled;
        for (uint32_t i = 0; i < b->filled; i++) {
            uint32_t *list = b->frozen[i].list;
            memcpy(list, b->one[i].list, s->tasks * sizeof *list);
            b->frozen[i] = b->one[i];
            b->frozen[i].list = list;
        }
    }
    run->spent = spent * s->tasks;
    s->quiet = gained ? 0 : s->quiet + 1;
    if (best->makespan == INT64_MAX ||
        (run->elite->count && best->makespan >= run->elite->entry[0].schedule.makespan))
        return;
    memcpy(s->found.start, best->best, s->tasks * sizeof *best->best);
    br_schedule_measure(&s->found, run->in);
    br_elite_lead(run->elite, &s->found, "population");
    br_run_found(run, best->makespan, best->finder);
}

/* Half the square root of the budget, and less for small ones: some 20 for 5,000 schedules, 110 for
 * 50,000, 500 for a million. */
static uint32_t suitable_population(double schedules)
{
    double root = sqrt(schedules), size = 0.034 * root * sqrt(root);
    if (size > 0.5 * root)
        size = 0.5 * root;
    return size < 16 ? 16 : size > 4096 ? 4096 : (uint32_t)size;
}

static bool prepare(struct search *s, uint64_t schedules)
{
    const struct br_pool_settings *set = s->set;
    uint32_t threads = s->run->threads < set->blocks ? s->run->threads : set->blocks, n = s->tasks;
    uint32_t population = set->population;
    if (!population) {
        population = suitable_population((double)schedules);
    }
    s->size = (population + set->blocks - 1) / set->blocks;
    s->size = s->size < 2 ? 2 : s->size;
    s->model = br_pool_model_create(s->run->in, BR_POOL_CHOOSE);
    s->salt = malloc(n * sizeof *s->salt);
    s->worker = calloc(threads, sizeof *s->worker);
    s->block = calloc(set->blocks, sizeof *s->block);
    s->memory = malloc((size_t)2 * set->blocks * s->size * n * sizeof *s->memory);
    if (!br_schedule_init(&s->found, s->run->in) || !s->model || !s->salt || !s->worker ||
        !s->block || !s->memory)
        return false;
    struct br_rng rng = br_rng_seed(s->run->seed);
    for (uint32_t t = 0; t < n; t++)
        s->salt[t] = br_rng_next(&rng) | 1;
    uint32_t *memory = s->memory;
    for (uint32_t k = 0; k < set->blocks; k++) {
        struct block *b = &s->block[k];
        b->rng = br_rng_seed(br_rng_next(&rng));
        b->makespan = INT64_MAX;
        b->best = malloc(n * sizeof *b->best);
        b->one = calloc(s->size, sizeof *b->one);
        b->frozen = calloc(s->size, sizeof *b->frozen);
        if (!b->best || !b->one || !b->frozen)
            return false;
        for (uint32_t i = 0; i < s->size; i++, memory += 2 * (size_t)n) {
            b->one[i].list = memory;
            b->frozen[i].list = memory + n;
        }
    }
    for (uint32_t k = 0; k < threads; k++) {
        struct worker *w = &s->worker[k];
        w->pool = br_pool_create(s->model);
        w->breed = w->pool ? br_breed_create(s->model, w->pool, s->run->reach) : NULL;
        w->list = malloc(n * sizeof *w->list);
        w->start = malloc(n * sizeof *w->start);
        if (!w->pool || !w->breed || !w->list || !w->start)
            return false;
    }
    for (uint32_t k = 0; k < s->run->elite->count && k < set->blocks; k++) {
        br_breed_list(s->worker[0].breed, s->run->elite->entry[k].schedule.start,
                      s->block[k].one[0].list);
        s->block[k].seeded = 1;
    }
    return true;
}

static void release(struct search *s)
{
    uint32_t threads = s->run->threads < s->set->blocks ? s->run->threads : s->set->blocks;
    for (uint32_t k = 0; s->worker && k < threads; k++) {
        br_breed_destroy(s->worker[k].breed);
        br_pool_destroy(s->worker[k].pool);
        free(s->worker[k].list);
        free(s->worker[k].start);
    }
    for (uint32_t k = 0; s->block && k < s->set->blocks; k++) {
        free(s->block[k].best);
        free(s->block[k].one);
        free(s->block[k].frozen);
    }
    free(s->worker);
    free(s->block);
    free(s->memory);
    free(s->salt);
    br_schedule_finish(&s->found);
    br_pool_model_destroy(s->model);
}

bool br_pool_search(struct br_run *run, const struct br_pool_settings *settings)
{
    struct br_pool_settings set = settings ? *settings : br_pool_settings_default();
    struct search search = {.run = run, .set = &set, .tasks = run->in->tasks}, *s = &search;
    uint64_t schedules = run->placements / run->in->tasks, granted = 0;
    uint64_t horizon = run->horizon ? run->horizon / run->in->tasks : schedules;
    bool ok = prepare(s, horizon ? horizon : UNKNOWN_SCHEDULES);
    int64_t best = INT64_MAX;
    while (ok && best > run->lower_bound && !atomic_load(&s->stopped)) {
        uint64_t epoch = (uint64_t)s->size * COST * set.blocks;
        if (run->placements && epoch > schedules - granted)
            epoch = schedules - granted;
        if (epoch < (uint64_t)COST * set.blocks)
            break;
        granted += epoch;
        for (uint32_t k = 0; k < set.blocks; k++)
            s->block[k].quota = granted * (k + 1) / set.blocks - granted * k / set.blocks;
        bool worth = epoch * s->tasks >= WORTH_THREADS;
        br_parallel(worth ? run->threads : 1, set.blocks, run_block, s);
        gather(s);
        if (s->quiet >= set.patience)
            begin_again(s);
        for (uint32_t k = 0; k < set.blocks; k++)
            best = s->block[k].makespan < best ? s->block[k].makespan : best;
        if (run->placements)
            br_run_step(run, (double)granted / (double)schedules);
    }
    run->stopped |= atomic_load(&s->stopped);
    release(s);
    return ok;
}
