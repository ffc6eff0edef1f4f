/* A population of left-justified schedules breeds one of right-justified schedules, and that the
 * next of left-justified ones [Debels07]: a child is a list of two parents, generated from the
 * other end of time. So justification [Valls05] costs nothing: each child takes one schedule, and
 * is the justification of a crossover. The child replaces the nearest schedule on the other side,
 * if one is near, and else the longest, unless the child is longer (planner/rcpsp/niche.h).
 *
 * Differs from the source: a gene, inherited from either parent, says whether a child is generated
 * serially or in parallel [Hartmann02]; crossover takes any stretch of the father's list, not the
 * one that uses most resources, which made no difference; a population ripens as its budget ends:
 * its longest schedules go, fathers are chosen more strictly, niches shrink, and new genes turn
 * serial; and a mother of several children gives way to one that has bred less.
 *
 * The population is kept in blocks, one for a thread at a time. While one side breeds, it does not
 * change, so fathers may come from any block, and neither the threads' number nor their pace
 * changes anything. */
#include "planner/rcpsp/population.h"

#include <stdatomic.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/numbers/real.h"
#include "base/process/stop.h"
#include "planner/rcpsp/breed.h"
#include "planner/rcpsp/niche.h"

enum {
    BLOCK_LEAST = 16,            /* individuals on a side, at least; else as many as take: */
    BLOCK_PLACEMENTS = 8000,     /* for their schedules */
    SERIAL_TASKS = 2000,         /* sampling looks at all ready tasks at each step */
    UNKNOWN_SCHEDULES = 1000000, /* assumed limit of a run without one */
    NICHE_WINDOW = 64,           /* individuals that a child is compared with */
    WORTH_THREADS = 20000,       /* placements that take longer than to start a thread */
};

struct br_population_settings br_population_settings_default(void)
{
    return (struct br_population_settings){
        .blocks = 8,
        .tournament = 1.5,
        .selective = 6,
        .left = 0.2,
        .niche = 0.4,
        .patience = 300,
        .turn = 1,
        .cross = 1,
        .shortest = 0.35,
        .longest = 0.65,
        .swaps = 1,
        .fresh = 2,
        .parallel = 0.6,
        .late = 0,
        .redraw = 0.2,
        .blur = 0.2,
        .serial = 1,
    };
}

/* The memory of one thread. */
struct worker {
    struct br_rcpsp_workspace *workspace;
    struct br_breed *breed;
    uint32_t *list, *reverse;
    int64_t *start, *end;
    uint16_t *at; /* of a child */
};

struct block {
    struct br_rng rng;
    struct br_individual *side[2]; /* left-justified, right-justified */
    uint32_t seeded;               /* the first ones, with a list to begin with */
    bool gained;                   /* something became shorter in this epoch */
    /* Counts of dropped schedules: too long; equal to a present one; near a shorter one. */
    uint64_t given_up, known, crowded;
    uint64_t schedules, quota; /* spent, and the limit at the end of the epoch */
    uint64_t
        left; /* starts that a given-up schedule left out, if they count: less than a schedule */
    int64_t makespan; /* of the best schedule so far; its starts: */
    int64_t *best;
    const char *finder;
};

struct population {
    struct br_run *run;
    const struct br_population_settings *set;
    struct br_rcpsp_model *model;
    uint32_t tasks;
    uint32_t room, size, first;  /* of a block: at most, now, when the population was begun */
    double tournament, parallel; /* present parameters, as the settings say */
    double distance;             /* mean, when the population was begun */
    uint32_t radius;             /* of a niche, now */
    unsigned shift;              /* bits by which niche.h shortens starts */
    uint64_t begun, end;         /* schedules spent when the population was begun, and at its end */
    uint64_t *salt;              /* by task, for marks */
    struct worker *worker;
    struct block *block;
    uint32_t *memory;
    uint16_t *places;
    struct br_schedule found;
    uint32_t epoch;           /* since the population was begun */
    uint32_t quiet, restarts; /* epochs since anything became shorter */
    atomic_bool stopped;
};

static uint64_t mark_of(const struct population *p, const int64_t *start)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < p->tasks; t++)
        sum += p->salt[t] * (uint64_t)(start[t] + 1);
    return sum;
}

/* Does the list hold every task once, and none before a parent of its own? `place` is scratch, by
 * task. */
static bool is_topological(const struct br_instance *in, const uint32_t *list, uint32_t *place)
{
    for (uint32_t t = 0; t < in->tasks; t++)
        place[t] = UINT32_MAX;
    for (uint32_t k = 0; k < in->tasks; k++) {
        if (place[list[k]] != UINT32_MAX)
            return false;
        place[list[k]] = k;
    }
    for (uint32_t s = 0; s < in->stages; s++)
        for (uint32_t a = in->child_first[s]; a < in->child_first[s + 1]; a++) {
            uint32_t here = in->stage_first[s], there = in->stage_first[in->child[a].stage];
            uint32_t last = 0, first = UINT32_MAX;
            for (uint32_t i = 0; here + i < in->stage_first[s + 1]; i++) {
                if (in->child[a].one_to_one && place[here + i] >= place[there + i])
                    return false;
                last = place[here + i] > last ? place[here + i] : last;
            }
            for (uint32_t t = there; t < in->stage_first[in->child[a].stage + 1]; t++)
                first = place[t] < first ? place[t] : first;
            if (!in->child[a].one_to_one && last >= first)
                return false;
        }
    return true;
}

/* Notes a schedule that is shorter than all earlier ones of its block. */
static void population_note(struct population *p, struct block *b, const int64_t *start,
                            int64_t makespan, const char *finder)
{
    if (makespan >= b->makespan)
        return;
    b->makespan = makespan;
    b->finder = finder;
    memcpy(b->best, start, p->tasks * sizeof *start);
}

static bool is_there(const struct population *p, const struct br_individual *side, uint64_t mark)
{
    for (uint32_t k = 0; k < p->size; k++)
        if (side[k].mark == mark)
            return true;
    return false;
}

/* The list in the order in which the other direction reads it. A schedule generated forward gives
 * it by ends, to be read from the end; one generated backward gives it by starts. */
static void turn_list(const struct population *p, struct worker *w, enum br_direction direction,
                      uint32_t *list)
{
    if (direction == BR_BACKWARD || !p->set->turn) {
        br_rcpsp_sort(w->workspace, list, w->start);
    } else {
        for (uint32_t t = 0; t < p->tasks; t++)
            w->end[t] = w->start[t] + p->run->in->duration[t];
        br_rcpsp_sort(w->workspace, list, w->end);
    }
    br_costly_assert(is_topological(p->run->in, list, w->reverse));
}

/* Makes one of the first schedules: left-justified, from chance or from a present list. */
static void sample(struct population *p, struct worker *w, struct block *b, uint32_t at)
{
    struct br_individual *one = &b->side[0][at];
    bool serial = br_rng_unit(&b->rng) < p->set->serial && p->tasks <= SERIAL_TASKS;
    if (at >= b->seeded && !serial) {
        one->makespan = br_breed_parallel(w->breed, &b->rng, p->set->blur, one->list, w->start);
    } else {
        if (at >= b->seeded)
            br_breed_serial(w->breed, &b->rng, one->list);
        one->makespan =
            br_rcpsp_serial(w->workspace, BR_FORWARD, one->list, BR_RCPSP_NO_LIMIT, w->start);
    }
    population_note(p, b, w->start, one->makespan, "sampling");
    one->mark = mark_of(p, w->start);
    one->bred = 0;
    br_niche_locate(BR_FORWARD, p->tasks, w->start, one->makespan, p->shift, one->at);
    turn_list(p, w, BR_FORWARD, one->list);
}

/* The winner of a tournament over the whole population. */
static const struct br_individual *population_choose(const struct population *p, struct br_rng *rng,
                                                     uint32_t side)
{
    const struct br_individual *best = NULL;
    uint32_t times = (uint32_t)p->tournament;
    times += br_rng_unit(rng) < p->tournament - times;
    for (uint32_t k = 0; k < times || !best; k++) {
        uint32_t at = (uint32_t)br_rng_below(rng, (uint64_t)p->size * p->set->blocks);
        const struct br_individual *one = &p->block[at / p->size].side[side][at % p->size];
        if (!best || one->makespan < best->makespan)
            best = one;
    }
    return best;
}

/* The individual whose turn it is, or one drawn from the same block if that has bred less: a
 * schedule that lives long has given most of its use. Counts the child. */
static const struct br_individual *choose_mother(const struct population *p, struct block *b,
                                                 uint32_t side, uint32_t at)
{
    struct br_individual *mother = &b->side[side][at];
    if (p->set->fresh && mother->bred >= p->set->fresh) {
        struct br_individual *other = &b->side[side][br_rng_below(&b->rng, p->size)];
        if (other->bred < mother->bred)
            mother = other;
    }
    mother->bred++;
    return mother;
}

static int64_t population_generate(const struct population *p, struct worker *w,
                                   enum br_direction direction, bool parallel, int64_t limit)
{
    if (!parallel)
        return br_rcpsp_serial(w->workspace, direction, w->list, limit, w->start);
    const uint32_t *priority = w->list;
    if (direction == BR_BACKWARD) {
        for (uint32_t k = 0; k < p->tasks; k++)
            w->reverse[k] = w->list[p->tasks - 1 - k];
        priority = w->reverse;
    }
    return br_rcpsp_parallel(w->workspace, direction, priority, limit, w->start);
}

static int64_t population_longest(const struct population *p, const struct br_individual *side)
{
    int64_t makespan = 0;
    for (uint32_t k = 0; k < p->size; k++)
        makespan = side[k].makespan > makespan ? side[k].makespan : makespan;
    return makespan;
}

static void breed(struct population *p, struct worker *w, struct block *b, uint32_t at)
{
    const struct br_population_settings *set = p->set;
    struct br_rng *rng = &b->rng;
    /* The first epoch samples the left side, the second justifies it. */
    uint32_t from = (p->epoch - 1) % 2, to = 1 - from;
    bool first = p->epoch == 1;
    enum br_direction direction = to == 1 && set->turn ? BR_BACKWARD : BR_FORWARD;
    const struct br_individual *mother = first ? &b->side[from][at] : choose_mother(p, b, from, at);
    struct br_individual *place = &b->side[to][at];
    bool parallel = br_rng_unit(rng) < p->parallel;
    if (first) {
        memcpy(w->list, mother->list, p->tasks * sizeof *w->list);
    } else {
        const struct br_individual *father = population_choose(p, rng, from);
        if (father == mother)
            father = population_choose(p, rng, from);
        if (br_rng_unit(rng) < set->cross)
            br_breed_two_point(w->breed, rng, set->shortest, set->longest, mother->list,
                               father->list, w->list);
        else
            memcpy(w->list, mother->list, p->tasks * sizeof *w->list);
        br_breed_swap(w->breed, rng, set->swaps, w->list);
        br_costly_assert(is_topological(p->run->in, w->list, w->reverse));
        if (br_rng_unit(rng) >= set->redraw)
            parallel = br_rng_unit(rng) < 0.5 ? mother->parallel : father->parallel;
    }
    int64_t limit = first ? BR_RCPSP_NO_LIMIT : population_longest(p, b->side[to]);
    int64_t makespan = population_generate(p, w, direction, parallel, limit);
    if (makespan == BR_RCPSP_CUT) {
        b->given_up++;
        b->left += p->set->starts ? w->workspace->left : 0;
        return;
    }
    uint64_t mark = mark_of(p, w->start);
    population_note(p, b, w->start, makespan, parallel ? "parallel" : "serial");
    if (!first && is_there(p, b->side[to], mark)) {
        b->known++;
        return;
    }
    br_niche_locate(direction, p->tasks, w->start, makespan, p->shift, w->at);
    if (!first)
        place = br_niche_rival(b->side[to], p->size, at, NICHE_WINDOW, p->tasks, w->at, p->radius);
    if (!first && makespan > place->makespan) {
        b->crowded++;
        return;
    }
    b->gained |= first || makespan < place->makespan;
    turn_list(p, w, direction, w->list);
    memcpy(place->list, w->list, p->tasks * sizeof *w->list);
    memcpy(place->at, w->at, p->tasks * sizeof *w->at);
    place->makespan = makespan;
    place->mark = mark;
    place->parallel = parallel;
    place->bred = 0;
}

/* One block's share of an epoch. */
static bool run_block(void *context, uint32_t worker, uint32_t index)
{
    struct population *p = context;
    struct worker *w = &p->worker[worker];
    struct block *b = &p->block[index];
    for (uint32_t k = 0; k < p->size && b->schedules < b->quota; k++) {
        if (br_run_met(p->run, b->makespan))
            break;
        if (br_stopped(p->run->stop)) {
            atomic_store(&p->stopped, true);
            return false;
        }
        if (p->epoch == 0)
            sample(p, w, b, k);
        else
            breed(p, w, b, k);
        b->schedules++;
        if (b->left >= p->tasks) {
            b->left -= p->tasks;
            b->schedules--;
        }
    }
    return true;
}

/* Some 31 for 1,000 schedules, 75 for 5,000, 490 for 150,000. */
static uint32_t suitable_population(double schedules)
{
    double size = schedules < 1 ? 0 : 0.7 * br_real_pow(schedules, 0.55);
    return size < 16 ? 16 : size > 4096 ? 4096 : (uint32_t)size;
}

/* The number of schedules at which the population that begins now should end, as far as the run
 * is expected to go. */
static uint64_t expected_end(const struct population *p)
{
    uint64_t limit = p->run->placements / p->tasks, horizon = p->run->horizon / p->tasks;
    if (horizon > p->begun)
        return horizon;
    return limit ? limit : p->begun + UNKNOWN_SCHEDULES;
}

static void begin_population(struct population *p)
{
    p->begun = p->run->spent / p->tasks;
    p->end = expected_end(p);
    assert(p->begun <= p->end);
    uint32_t blocks = p->set->blocks, size = p->room;
    if (!p->set->population) {
        size = (suitable_population((double)(p->end - p->begun)) + blocks / 2) / blocks;
        size = size < 2 ? 2 : size > p->room ? p->room : size;
    }
    p->size = p->first = size;
    p->tournament = p->set->tournament;
    p->radius = 0;
    p->quiet = 0;
    p->epoch = 0;
}

/* Begins again, from chance, after a long time without a shorter schedule. Every other time the
 * best schedule of all takes part. */
static void begin_again(struct population *p)
{
    begin_population(p);
    for (uint32_t k = 0; k < p->set->blocks; k++) {
        struct block *b = &p->block[k];
        b->gained = false;
        b->seeded = 0;
    }
    if (++p->restarts % 2 == 0) {
        br_breed_list(p->worker[0].breed, p->run->elite->entry[0].schedule.start,
                      p->block[0].side[0][0].list);
        p->block[0].seeded = 1;
    }
}

/* Takes the longest schedule out of the side of a block; of several, the last. */
static void drop_longest(const struct population *p, struct br_individual *side)
{
    uint32_t worst = 0;
    for (uint32_t k = 1; k < p->size; k++)
        if (side[k].makespan >= side[worst].makespan)
            worst = k;
    struct br_individual dropped = side[worst];
    side[worst] = side[p->size - 1];
    side[p->size - 1] = dropped;
}

/* Mean distance of schedules that stand side by side on the right; they come from chance. */
static double mean_distance(const struct population *p)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < p->set->blocks; k++)
        for (uint32_t i = 0; i + 1 < p->size; i++)
            sum += br_niche_distance(p->tasks, p->block[k].side[1][i].at,
                                     p->block[k].side[1][i + 1].at, UINT32_MAX);
    assert(p->size >= 2);
    return (double)sum / (double)(p->set->blocks * (p->size - 1));
}

/* From breadth to depth: as the budget goes down, places are taken out, fathers are chosen more
 * strictly and niches shrink. Parallel generation gets to good schedules fast, but then no further,
 * so genes that are drawn turn serial. */
static void ripen(struct population *p)
{
    uint64_t now = p->run->spent / p->tasks;
    double age = now < p->end ? (double)(now - p->begun) / (double)(p->end - p->begun) : 1;
    assert(now >= p->begun && age >= 0);
    p->tournament = p->set->tournament + age * (p->set->selective - p->set->tournament);
    p->parallel = p->set->late + (1 - age) * (1 - age) * (p->set->parallel - p->set->late);
    uint32_t size = (uint32_t)(p->first * (1 - age * (1 - p->set->left)) + 0.5);
    if (p->epoch == 2)
        p->distance = mean_distance(p);
    if (p->epoch > 1)
        p->radius = (uint32_t)(p->set->niche * (1 - age) * p->distance);
    for (; p->epoch > 1 && p->size > size && p->size > 2; p->size--)
        for (uint32_t k = 0; k < p->set->blocks; k++) {
            drop_longest(p, p->block[k].side[0]);
            drop_longest(p, p->block[k].side[1]);
        }
}

/* The end of an epoch: a shorter schedule goes to the elite. */
static void population_gather(struct population *p)
{
    struct br_run *run = p->run;
    uint64_t spent = 0;
    bool gained = p->epoch == 0;
    struct block *best = &p->block[0];
    for (uint32_t k = 0; k < p->set->blocks; k++) {
        struct block *b = &p->block[k];
        assert(b->schedules <= b->quota);
        spent += b->schedules;
        gained |= b->gained;
        b->gained = false;
        if (b->makespan < best->makespan)
            best = b;
    }
    run->spent = spent * p->tasks;
    p->quiet = gained ? 0 : p->quiet + 1;
    p->epoch++;
    ripen(p);
    if (best->makespan == INT64_MAX ||
        (run->elite->count && best->makespan >= run->elite->entry[0].schedule.makespan))
        return;
    memcpy(p->found.start, best->best, p->tasks * sizeof *best->best);
    br_schedule_measure(&p->found, run->in);
    br_elite_lead(run->elite, &p->found, "population");
    br_run_found(run, best->makespan, best->finder);
}

static bool population_prepare(struct population *p, uint32_t population)
{
    const struct br_population_settings *set = p->set;
    uint32_t threads = p->run->threads < set->blocks ? p->run->threads : set->blocks, n = p->tasks;
    p->room = (population + set->blocks / 2) / set->blocks;
    p->room = p->room < 2 ? 2 : p->room;
    begin_population(p);
    p->model = br_rcpsp_model_create(p->run->in, BR_RCPSP_CHOOSE);
    p->salt = br_malloc(n * sizeof *p->salt);
    p->worker = br_calloc(threads, sizeof *p->worker);
    p->block = br_calloc(set->blocks, sizeof *p->block);
    p->memory = br_malloc((size_t)2 * set->blocks * p->room * n * sizeof *p->memory);
    p->places = br_calloc((size_t)2 * set->blocks * p->room * n, sizeof *p->places);
    if (!br_schedule_init(&p->found, p->run->in) || !p->model || !p->salt || !p->worker ||
        !p->block || !p->memory || !p->places)
        return false;
    struct br_rng rng = br_rng_seed(p->run->seed);
    for (uint32_t t = 0; t < n; t++)
        p->salt[t] = br_rng_next(&rng) | 1;
    int64_t path = p->run->reach->critical_path, bound = p->run->lower_bound;
    p->shift = br_niche_shift(path > bound ? path : bound);
    uint32_t *memory = p->memory;
    uint16_t *places = p->places;
    for (uint32_t k = 0; k < set->blocks; k++) {
        struct block *b = &p->block[k];
        b->rng = br_rng_seed(br_rng_next(&rng));
        b->makespan = INT64_MAX;
        b->best = br_malloc(n * sizeof *b->best);
        b->side[0] = br_calloc(p->room, sizeof *b->side[0]);
        b->side[1] = br_calloc(p->room, sizeof *b->side[1]);
        if (!b->best || !b->side[0] || !b->side[1])
            return false;
        for (uint32_t i = 0; i < p->room; i++) {
            for (uint32_t side = 0; side < 2; side++, memory += n, places += n) {
                b->side[side][i].list = memory;
                b->side[side][i].at = places;
            }
        }
    }
    for (uint32_t k = 0; k < threads; k++) {
        struct worker *w = &p->worker[k];
        w->workspace = br_rcpsp_workspace_create(p->model);
        w->breed = w->workspace ? br_breed_create(p->model, w->workspace, p->run->reach) : NULL;
        w->list = br_malloc(n * sizeof *w->list);
        w->reverse = br_malloc(n * sizeof *w->reverse);
        w->start = br_malloc(n * sizeof *w->start);
        w->end = br_malloc(n * sizeof *w->end);
        w->at = br_malloc(n * sizeof *w->at);
        if (!w->workspace || !w->breed || !w->list || !w->reverse || !w->start || !w->end || !w->at)
            return false;
    }
    for (uint32_t k = 0; k < p->run->elite->count && k < set->blocks; k++) {
        br_breed_list(p->worker[0].breed, p->run->elite->entry[k].schedule.start,
                      p->block[k].side[0][0].list);
        p->block[k].seeded = 1;
    }
    return true;
}

static void population_release(struct population *p)
{
    uint32_t threads = p->run->threads < p->set->blocks ? p->run->threads : p->set->blocks;
    for (uint32_t k = 0; p->worker && k < threads; k++) {
        br_breed_destroy(p->worker[k].breed);
        br_rcpsp_workspace_destroy(p->worker[k].workspace);
        br_free(p->worker[k].list);
        br_free(p->worker[k].reverse);
        br_free(p->worker[k].start);
        br_free(p->worker[k].end);
        br_free(p->worker[k].at);
    }
    for (uint32_t k = 0; p->block && k < p->set->blocks; k++) {
        br_free(p->block[k].best);
        br_free(p->block[k].side[0]);
        br_free(p->block[k].side[1]);
    }
    br_free(p->worker);
    br_free(p->block);
    br_free(p->memory);
    br_free(p->places);
    br_free(p->salt);
    br_schedule_finish(&p->found);
    br_rcpsp_model_destroy(p->model);
}

static void population_count(const struct population *p)
{
    struct br_counters *counters = &p->run->counters;
    for (uint32_t k = 0; p->block && k < p->set->blocks; k++) {
        counters->population_schedules += p->block[k].schedules;
        counters->population_given_up += p->block[k].given_up;
        counters->population_known += p->block[k].known;
        counters->population_crowded += p->block[k].crowded;
    }
    counters->population_restarts += p->restarts;
    counters->population_placements += p->run->spent;
}

bool br_population_search(struct br_run *run, const struct br_population_settings *settings)
{
    struct br_population_settings set = settings ? *settings : br_population_settings_default();
    struct population population = {.run = run, .set = &set, .tasks = run->in->tasks},
                      *p = &population;
    uint64_t schedules = run->placements / run->in->tasks, spent = 0;
    uint32_t size = set.population, least = BLOCK_PLACEMENTS / p->tasks;
    if (!size)
        size = suitable_population((double)expected_end(p));
    least = least < BLOCK_LEAST ? BLOCK_LEAST : least;
    if (set.blocks > size / least)
        set.blocks = size < least ? 1 : size / least;
    bool ok = population_prepare(p, size);
    int64_t best = INT64_MAX;
    while (ok && !br_run_met(run, best) && !atomic_load(&p->stopped)) {
        uint64_t epoch = (uint64_t)p->size * set.blocks;
        if (run->placements && epoch > schedules - spent)
            epoch = schedules - spent;
        if (epoch == 0)
            break;
        for (uint32_t k = 0; k < set.blocks; k++) {
            assert(p->block[k].left < p->tasks);
            p->block[k].quota =
                p->block[k].schedules + epoch * (k + 1) / set.blocks - epoch * k / set.blocks;
        }
        bool worth = epoch * p->tasks >= WORTH_THREADS;
        br_parallel(worth ? run->threads : 1, set.blocks, run_block, p);
        population_gather(p);
        spent = run->spent / p->tasks;
        if (p->quiet >= set.patience)
            begin_again(p);
        for (uint32_t k = 0; k < set.blocks; k++)
            best = p->block[k].makespan < best ? p->block[k].makespan : best;
        if (run->placements)
            br_run_step(run, (double)spent / (double)schedules);
    }
    run->stopped |= atomic_load(&p->stopped);
    population_count(p);
    population_release(p);
    return ok;
}

double br_population_expected(const struct br_instance *in, double time_ns, double threads)
{
    uint32_t most = br_population_settings_default().blocks;
    struct br_rcpsp_model *m = br_rcpsp_model_create(in, BR_RCPSP_CHOOSE);
    double placements = 0;
    if (m)
        placements = time_ns / br_rcpsp_model_placement_ns(m) * (threads < most ? threads : most);
    br_rcpsp_model_destroy(m);
    return placements;
}
