/* A population of left-justified schedules breeds one of right-justified schedules, and that the
 * next of left-justified ones [Debels07]: a child is a list of two parents, generated from the
 * other end of time. So justification [Valls05] costs nothing: each child takes one schedule, and
 * is the justification of a crossover. It takes the place of what is there at its mother's place,
 * where it is not longer.
 *
 * Differs from the source: a gene, inherited from either parent, says whether a child is generated
 * serially or in parallel [Hartmann02]; crossover takes any stretch of the father's list, not the
 * one that uses most resources, which made no difference; and a population ripens, its worst places
 * going and its fathers being chosen more strictly as its budget ends.
 *
 * The population is kept in blocks, one for a thread at a time. While one side breeds, it does not
 * change, so fathers may come from any block, and neither the threads' number nor their pace
 * changes anything. */
#include "planner/rcpsp/population.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/parallel.h"
#include "planner/rcpsp/breed.h"

enum {
    BLOCK_LEAST = 16, /* individuals on a side, and as many as take so many placements: */
    BLOCK_PLACEMENTS = 8000,
    SERIAL_TASKS = 2000,         /* sampling looks at all ready tasks at each step */
    UNKNOWN_SCHEDULES = 1000000, /* what a run without a limit is taken to be */
    WORTH_THREADS = 20000,       /* placements that take longer than to start a thread */
};

struct br_pool_settings br_pool_settings_default(void)
{
    return (struct br_pool_settings){
        .blocks = 8,
        .tournament = 1.5,
        .selective = 6,
        .left = 0.2,
        .patience = 60,
        .turn = 1,
        .cross = 1,
        .shortest = 0.35,
        .longest = 0.65,
        .swaps = 1,
        .parallel = 0.5,
        .redraw = 0.2,
        .blur = 0.2,
        .serial = 1,
    };
}

/* What one thread works with. */
struct worker {
    struct br_pool *pool;
    struct br_breed *breed;
    uint32_t *list, *reverse;
    int64_t *start, *end;
};

struct individual {
    uint32_t *list; /* as the next generation, in the other direction, reads it */
    int64_t makespan;
    uint64_t mark; /* equal for equal schedules, and hardly ever for others */
    bool parallel; /* gene: generated in parallel */
};

struct block {
    struct br_rng rng;
    struct individual *side[2]; /* left-justified, right-justified */
    uint32_t seeded;            /* the first so many have a list to begin with */
    bool gained;                /* something became shorter in this epoch */
    uint64_t schedules, quota;  /* spent, and what may be spent by the end of the epoch */
    int64_t makespan;           /* of the best so far; its starts: */
    int64_t *best;
    const char *finder;
};

struct search {
    struct br_run *run;
    const struct br_pool_settings *set;
    struct br_pool_model *model;
    uint32_t tasks;
    uint32_t room, size, first; /* of a block: at most, now, when the population was begun */
    double tournament;          /* now */
    uint64_t begun, end;        /* schedules spent when the population was begun, and at its end */
    uint64_t *salt;             /* by task, for marks */
    struct worker *worker;
    struct block *block;
    uint32_t *memory;
    struct br_schedule found;
    uint32_t epoch;           /* since the population was begun */
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

static bool is_there(const struct search *s, const struct individual *side, uint64_t mark)
{
    for (uint32_t k = 0; k < s->size; k++)
        if (side[k].mark == mark)
            return true;
    return false;
}

/* The list in the order in which the other direction reads it: by ends what was generated forward,
 * to be read from the end, and by starts what was generated backward. */
static void turn_list(const struct search *s, struct worker *w, enum br_direction direction,
                      uint32_t *list)
{
    if (direction == BR_BACKWARD || !s->set->turn) {
        br_pool_sort(w->pool, list, w->start);
        return;
    }
    for (uint32_t t = 0; t < s->tasks; t++)
        w->end[t] = w->start[t] + s->run->in->duration[t];
    br_pool_sort(w->pool, list, w->end);
}

/* What a population begins with: left-justified, from chance or from a list that is there. */
static void sample(struct search *s, struct worker *w, struct block *b, uint32_t at)
{
    struct individual *one = &b->side[0][at];
    bool serial = br_rng_unit(&b->rng) < s->set->serial && s->tasks <= SERIAL_TASKS;
    if (at >= b->seeded && !serial) {
        one->makespan = br_breed_parallel(w->breed, &b->rng, s->set->blur, one->list, w->start);
    } else {
        if (at >= b->seeded)
            br_breed_serial(w->breed, &b->rng, one->list);
        one->makespan = br_pool_serial(w->pool, BR_FORWARD, one->list, BR_POOL_NO_LIMIT, w->start);
    }
    note(s, b, w->start, one->makespan, "sampling");
    one->mark = mark_of(s, w->start);
    turn_list(s, w, BR_FORWARD, one->list);
}

/* Of the whole population. */
static const struct individual *choose(const struct search *s, struct br_rng *rng, uint32_t side)
{
    const struct individual *best = NULL;
    uint32_t times = (uint32_t)s->tournament;
    times += br_rng_unit(rng) < s->tournament - times;
    for (uint32_t k = 0; k < times || !best; k++) {
        uint32_t at = (uint32_t)br_rng_below(rng, (uint64_t)s->size * s->set->blocks);
        const struct individual *one = &s->block[at / s->size].side[side][at % s->size];
        if (!best || one->makespan < best->makespan)
            best = one;
    }
    return best;
}

static int64_t generate(const struct search *s, struct worker *w, enum br_direction direction,
                        bool parallel, int64_t limit)
{
    if (!parallel)
        return br_pool_serial(w->pool, direction, w->list, limit, w->start);
    const uint32_t *priority = w->list;
    if (direction == BR_BACKWARD) {
        for (uint32_t k = 0; k < s->tasks; k++)
            w->reverse[k] = w->list[s->tasks - 1 - k];
        priority = w->reverse;
    }
    return br_pool_parallel(w->pool, direction, priority, limit, w->start);
}

static void breed(struct search *s, struct worker *w, struct block *b, uint32_t at)
{
    const struct br_pool_settings *set = s->set;
    struct br_rng *rng = &b->rng;
    /* The first epoch samples the left side, the second justifies it. */
    uint32_t from = (s->epoch - 1) % 2, to = 1 - from;
    bool first = s->epoch == 1;
    enum br_direction direction = to == 1 && set->turn ? BR_BACKWARD : BR_FORWARD;
    const struct individual *mother = &b->side[from][at];
    struct individual *place = &b->side[to][at];
    bool parallel = br_rng_unit(rng) < set->parallel;
    if (first) {
        memcpy(w->list, mother->list, s->tasks * sizeof *w->list);
    } else {
        const struct individual *father = choose(s, rng, from);
        if (father == mother)
            father = choose(s, rng, from);
        if (br_rng_unit(rng) < set->cross)
            br_breed_two_point(w->breed, rng, set->shortest, set->longest, mother->list,
                               father->list, w->list);
        else
            memcpy(w->list, mother->list, s->tasks * sizeof *w->list);
        br_breed_swap(w->breed, rng, set->swaps, w->list);
        if (br_rng_unit(rng) >= set->redraw)
            parallel = br_rng_unit(rng) < 0.5 ? mother->parallel : father->parallel;
    }
    int64_t limit = first ? BR_POOL_NO_LIMIT : place->makespan;
    int64_t makespan = generate(s, w, direction, parallel, limit);
    if (makespan == BR_POOL_CUT)
        return;
    uint64_t mark = mark_of(s, w->start);
    note(s, b, w->start, makespan, parallel ? "parallel" : "serial");
    if (!first && is_there(s, b->side[to], mark))
        return;
    b->gained |= first || makespan < place->makespan;
    turn_list(s, w, direction, w->list);
    memcpy(place->list, w->list, s->tasks * sizeof *w->list);
    place->makespan = makespan;
    place->mark = mark;
    place->parallel = parallel;
}

/* One block's share of an epoch. */
static bool run_block(void *context, uint32_t worker, uint32_t index)
{
    struct search *s = context;
    struct worker *w = &s->worker[worker];
    struct block *b = &s->block[index];
    for (uint32_t k = 0; k < s->size && b->schedules < b->quota; k++) {
        if (b->makespan <= s->run->lower_bound)
            break;
        if (br_stopped(s->run->stop)) {
            atomic_store(&s->stopped, true);
            return false;
        }
        if (s->epoch == 0)
            sample(s, w, b, k);
        else
            breed(s, w, b, k);
        b->schedules++;
    }
    return true;
}

/* Some 31 for 1,000 schedules, 75 for 5,000, 490 for 150,000. */
static uint32_t suitable_population(double schedules)
{
    double size = schedules < 1 ? 0 : 0.7 * br_real_pow(schedules, 0.55);
    return size < 16 ? 16 : size > 4096 ? 4096 : (uint32_t)size;
}

/* What the population that is begun now is made for: what is expected to be left. */
static uint64_t expected_end(const struct search *s)
{
    uint64_t limit = s->run->placements / s->tasks, horizon = s->run->horizon / s->tasks;
    if (horizon > s->begun)
        return horizon;
    return limit ? limit : s->begun + UNKNOWN_SCHEDULES;
}

static void begin_population(struct search *s)
{
    s->begun = s->run->spent / s->tasks;
    s->end = expected_end(s);
    uint32_t blocks = s->set->blocks, size = s->room;
    if (!s->set->population) {
        size = (suitable_population((double)(s->end - s->begun)) + blocks / 2) / blocks;
        size = size < 2 ? 2 : size > s->room ? s->room : size;
    }
    s->size = s->first = size;
    s->tournament = s->set->tournament;
    s->quiet = 0;
    s->epoch = 0;
}

/* Where a population has brought nothing for long it is begun again, from chance, with the best of
 * all in it every other time. */
static void begin_again(struct search *s)
{
    begin_population(s);
    for (uint32_t k = 0; k < s->set->blocks; k++) {
        struct block *b = &s->block[k];
        b->gained = false;
        b->seeded = 0;
    }
    if (++s->restarts % 2 == 0) {
        br_breed_list(s->worker[0].breed, s->run->elite->entry[0].schedule.start,
                      s->block[0].side[0][0].list);
        s->block[0].seeded = 1;
    }
}

/* The worst place of the block goes: the one whose shorter schedule is the longest. */
static void drop_worst(const struct search *s, struct block *b)
{
    uint32_t worst = 0;
    int64_t longest = -1;
    for (uint32_t k = 0; k < s->size; k++) {
        int64_t left = b->side[0][k].makespan, right = b->side[1][k].makespan;
        int64_t makespan = left < right ? left : right;
        if (makespan < longest)
            continue;
        longest = makespan;
        worst = k;
    }
    for (uint32_t side = 0; side < 2; side++) {
        struct individual dropped = b->side[side][worst];
        b->side[side][worst] = b->side[side][s->size - 1];
        b->side[side][s->size - 1] = dropped;
    }
}

/* From breadth to depth: the less of its budget is left, the fewer individuals there are and the
 * better the fathers that are chosen. */
static void ripen(struct search *s)
{
    uint64_t now = s->run->spent / s->tasks;
    double age = now < s->end ? (double)(now - s->begun) / (double)(s->end - s->begun) : 1;
    s->tournament = s->set->tournament + age * (s->set->selective - s->set->tournament);
    uint32_t size = (uint32_t)(s->first * (1 - age * (1 - s->set->left)) + 0.5);
    for (; s->epoch > 1 && s->size > size && s->size > 2; s->size--)
        for (uint32_t k = 0; k < s->set->blocks; k++)
            drop_worst(s, &s->block[k]);
}

/* The end of an epoch: what is better goes to the elite. */
static void gather(struct search *s)
{
    struct br_run *run = s->run;
    uint64_t spent = 0;
    bool gained = s->epoch == 0;
    struct block *best = &s->block[0];
    for (uint32_t k = 0; k < s->set->blocks; k++) {
        struct block *b = &s->block[k];
        spent += b->schedules;
        gained |= b->gained;
        b->gained = false;
        if (b->makespan < best->makespan)
            best = b;
    }
    run->spent = spent * s->tasks;
    s->quiet = gained ? 0 : s->quiet + 1;
    s->epoch++;
    ripen(s);
    if (best->makespan == INT64_MAX ||
        (run->elite->count && best->makespan >= run->elite->entry[0].schedule.makespan))
        return;
    memcpy(s->found.start, best->best, s->tasks * sizeof *best->best);
    br_schedule_measure(&s->found, run->in);
    br_elite_lead(run->elite, &s->found, "population");
    br_run_found(run, best->makespan, best->finder);
}

static bool prepare(struct search *s, uint32_t population)
{
    const struct br_pool_settings *set = s->set;
    uint32_t threads = s->run->threads < set->blocks ? s->run->threads : set->blocks, n = s->tasks;
    s->room = (population + set->blocks / 2) / set->blocks;
    s->room = s->room < 2 ? 2 : s->room;
    begin_population(s);
    s->model = br_pool_model_create(s->run->in, BR_POOL_CHOOSE);
    s->salt = malloc(n * sizeof *s->salt);
    s->worker = calloc(threads, sizeof *s->worker);
    s->block = calloc(set->blocks, sizeof *s->block);
    s->memory = malloc((size_t)2 * set->blocks * s->room * n * sizeof *s->memory);
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
        b->side[0] = calloc(s->room, sizeof *b->side[0]);
        b->side[1] = calloc(s->room, sizeof *b->side[1]);
        if (!b->best || !b->side[0] || !b->side[1])
            return false;
        for (uint32_t i = 0; i < s->room; i++, memory += 2 * (size_t)n) {
            b->side[0][i].list = memory;
            b->side[1][i].list = memory + n;
        }
    }
    for (uint32_t k = 0; k < threads; k++) {
        struct worker *w = &s->worker[k];
        w->pool = br_pool_create(s->model);
        w->breed = w->pool ? br_breed_create(s->model, w->pool, s->run->reach) : NULL;
        w->list = malloc(n * sizeof *w->list);
        w->reverse = malloc(n * sizeof *w->reverse);
        w->start = malloc(n * sizeof *w->start);
        w->end = malloc(n * sizeof *w->end);
        if (!w->pool || !w->breed || !w->list || !w->reverse || !w->start || !w->end)
            return false;
    }
    for (uint32_t k = 0; k < s->run->elite->count && k < set->blocks; k++) {
        br_breed_list(s->worker[0].breed, s->run->elite->entry[k].schedule.start,
                      s->block[k].side[0][0].list);
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
        free(s->worker[k].reverse);
        free(s->worker[k].start);
        free(s->worker[k].end);
    }
    for (uint32_t k = 0; s->block && k < s->set->blocks; k++) {
        free(s->block[k].best);
        free(s->block[k].side[0]);
        free(s->block[k].side[1]);
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
    uint32_t population = set.population, least = BLOCK_PLACEMENTS / s->tasks;
    if (!population)
        population = suitable_population((double)expected_end(s));
    least = least < BLOCK_LEAST ? BLOCK_LEAST : least;
    if (set.blocks > population / least)
        set.blocks = population < least ? 1 : population / least;
    bool ok = prepare(s, population);
    int64_t best = INT64_MAX;
    while (ok && best > run->lower_bound && !atomic_load(&s->stopped)) {
        uint64_t epoch = (uint64_t)s->size * set.blocks;
        if (run->placements && epoch > schedules - granted)
            epoch = schedules - granted;
        if (epoch == 0)
            break;
        granted += epoch;
        for (uint32_t k = 0; k < set.blocks; k++)
            s->block[k].quota =
                s->block[k].schedules + epoch * (k + 1) / set.blocks - epoch * k / set.blocks;
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
