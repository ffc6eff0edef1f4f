/* A population of left-justified schedules breeds one of right-justified schedules, and that the
 * next of left-justified ones [Debels07]: a child is a list of two parents, generated from the
 * other end of time. So justification [Valls05] costs nothing: each child takes one schedule, and
 * is the justification of a crossover. The child replaces the schedule at its mother's place on the
 * other side, unless it is longer.
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

#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/numbers/real.h"
#include "base/process/stop.h"
#include "planner/rcpsp/breed.h"

enum {
    BLOCK_LEAST = 16, /* individuals on a side, and as many as take so many placements: */
    BLOCK_PLACEMENTS = 8000,
    SERIAL_TASKS = 2000,         /* sampling looks at all ready tasks at each step */
    UNKNOWN_SCHEDULES = 1000000, /* what a run without a limit is taken to be */
    WORTH_THREADS = 20000,       /* placements that take longer than to start a thread */
};

struct br_population_settings br_population_settings_default(void)
{
    return (struct br_population_settings){
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

/* The memory of one thread. */
struct worker {
    struct br_rcpsp_workspace *workspace;
    struct br_breed *breed;
    uint32_t *list, *reverse;
    int64_t *start, *end;
};

struct individual {
    uint32_t
        *list; /* in the order in which the next generation, in the other direction, reads it */
    int64_t makespan;
    uint64_t mark; /* equal for equal schedules, and hardly ever for others */
    bool parallel; /* gene: generated in parallel */
};

struct block {
    struct br_rng rng;
    struct individual *side[2]; /* left-justified, right-justified */
    uint32_t seeded;            /* the first so many have a list to begin with */
    bool gained;                /* something became shorter in this epoch */
    uint64_t given_up, known;   /* schedules: too long; like one that is there */
    uint64_t schedules, quota;  /* spent, and what may be spent by the end of the epoch */
    int64_t makespan;           /* of the best so far; its starts: */
    int64_t *best;
    const char *finder;
};

struct population {
    struct br_run *run;
    const struct br_population_settings *set;
    struct br_rcpsp_model *model;
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

static uint64_t mark_of(const struct population *p, const int64_t *start)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < p->tasks; t++)
        sum += p->salt[t] * (uint64_t)(start[t] + 1);
    return sum;
}

/* Whether the list holds every task once, and none before a parent of its own. `place` is scratch,
 * by task. */
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

/* Notes a schedule that is shorter than all before in its block. */
static void note(struct population *p, struct block *b, const int64_t *start, int64_t makespan,
                 const char *finder)
{
    if (makespan >= b->makespan)
        return;
    b->makespan = makespan;
    b->finder = finder;
    memcpy(b->best, start, p->tasks * sizeof *start);
}

static bool is_there(const struct population *p, const struct individual *side, uint64_t mark)
{
    for (uint32_t k = 0; k < p->size; k++)
        if (side[k].mark == mark)
            return true;
    return false;
}

/* The list in the order in which the other direction reads it: by ends what was generated forward,
 * to be read from the end, and by starts what was generated backward. */
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

/* One of the first schedules: left-justified, from chance or from a list that is there. */
static void sample(struct population *p, struct worker *w, struct block *b, uint32_t at)
{
    struct individual *one = &b->side[0][at];
    bool serial = br_rng_unit(&b->rng) < p->set->serial && p->tasks <= SERIAL_TASKS;
    if (at >= b->seeded && !serial) {
        one->makespan = br_breed_parallel(w->breed, &b->rng, p->set->blur, one->list, w->start);
    } else {
        if (at >= b->seeded)
            br_breed_serial(w->breed, &b->rng, one->list);
        one->makespan =
            br_rcpsp_serial(w->workspace, BR_FORWARD, one->list, BR_RCPSP_NO_LIMIT, w->start);
    }
    note(p, b, w->start, one->makespan, "sampling");
    one->mark = mark_of(p, w->start);
    turn_list(p, w, BR_FORWARD, one->list);
}

/* Of the whole population. */
static const struct individual *choose(const struct population *p, struct br_rng *rng,
                                       uint32_t side)
{
    const struct individual *best = NULL;
    uint32_t times = (uint32_t)p->tournament;
    times += br_rng_unit(rng) < p->tournament - times;
    for (uint32_t k = 0; k < times || !best; k++) {
        uint32_t at = (uint32_t)br_rng_below(rng, (uint64_t)p->size * p->set->blocks);
        const struct individual *one = &p->block[at / p->size].side[side][at % p->size];
        if (!best || one->makespan < best->makespan)
            best = one;
    }
    return best;
}

static int64_t generate(const struct population *p, struct worker *w, enum br_direction direction,
                        bool parallel, int64_t limit)
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

static void breed(struct population *p, struct worker *w, struct block *b, uint32_t at)
{
    const struct br_population_settings *set = p->set;
    struct br_rng *rng = &b->rng;
    /* The first epoch samples the left side, the second justifies it. */
    uint32_t from = (p->epoch - 1) % 2, to = 1 - from;
    bool first = p->epoch == 1;
    enum br_direction direction = to == 1 && set->turn ? BR_BACKWARD : BR_FORWARD;
    const struct individual *mother = &b->side[from][at];
    struct individual *place = &b->side[to][at];
    bool parallel = br_rng_unit(rng) < set->parallel;
    if (first) {
        memcpy(w->list, mother->list, p->tasks * sizeof *w->list);
    } else {
        const struct individual *father = choose(p, rng, from);
        if (father == mother)
            father = choose(p, rng, from);
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
    int64_t limit = first ? BR_RCPSP_NO_LIMIT : place->makespan;
    int64_t makespan = generate(p, w, direction, parallel, limit);
    if (makespan == BR_RCPSP_CUT) {
        b->given_up++;
        return;
    }
    uint64_t mark = mark_of(p, w->start);
    note(p, b, w->start, makespan, parallel ? "parallel" : "serial");
    if (!first && is_there(p, b->side[to], mark)) {
        b->known++;
        return;
    }
    b->gained |= first || makespan < place->makespan;
    turn_list(p, w, direction, w->list);
    memcpy(place->list, w->list, p->tasks * sizeof *w->list);
    place->makespan = makespan;
    place->mark = mark;
    place->parallel = parallel;
}

/* One block's share of an epoch. */
static bool run_block(void *context, uint32_t worker, uint32_t index)
{
    struct population *p = context;
    struct worker *w = &p->worker[worker];
    struct block *b = &p->block[index];
    for (uint32_t k = 0; k < p->size && b->schedules < b->quota; k++) {
        if (b->makespan <= p->run->lower_bound)
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
    }
    return true;
}

/* Some 31 for 1,000 schedules, 75 for 5,000, 490 for 150,000. */
static uint32_t suitable_population(double schedules)
{
    double size = schedules < 1 ? 0 : 0.7 * br_real_pow(schedules, 0.55);
    return size < 16 ? 16 : size > 4096 ? 4096 : (uint32_t)size;
}

/* Up to how many schedules the population that is begun now is to last: what the run is expected to
 * have left. */
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
    uint32_t blocks = p->set->blocks, size = p->room;
    if (!p->set->population) {
        size = (suitable_population((double)(p->end - p->begun)) + blocks / 2) / blocks;
        size = size < 2 ? 2 : size > p->room ? p->room : size;
    }
    p->size = p->first = size;
    p->tournament = p->set->tournament;
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

/* Takes the worst place out of the block: the one whose shorter schedule is the longest. */
static void drop_worst(const struct population *p, struct block *b)
{
    uint32_t worst = 0;
    int64_t longest = -1;
    for (uint32_t k = 0; k < p->size; k++) {
        int64_t left = b->side[0][k].makespan, right = b->side[1][k].makespan;
        int64_t makespan = left < right ? left : right;
        if (makespan < longest)
            continue;
        longest = makespan;
        worst = k;
    }
    for (uint32_t side = 0; side < 2; side++) {
        struct individual dropped = b->side[side][worst];
        b->side[side][worst] = b->side[side][p->size - 1];
        b->side[side][p->size - 1] = dropped;
    }
}

/* From breadth to depth: as the budget goes down, places are taken out and fathers are chosen more
 * strictly. */
static void ripen(struct population *p)
{
    uint64_t now = p->run->spent / p->tasks;
    double age = now < p->end ? (double)(now - p->begun) / (double)(p->end - p->begun) : 1;
    p->tournament = p->set->tournament + age * (p->set->selective - p->set->tournament);
    uint32_t size = (uint32_t)(p->first * (1 - age * (1 - p->set->left)) + 0.5);
    for (; p->epoch > 1 && p->size > size && p->size > 2; p->size--)
        for (uint32_t k = 0; k < p->set->blocks; k++)
            drop_worst(p, &p->block[k]);
}

/* The end of an epoch: a shorter schedule goes to the elite. */
static void gather(struct population *p)
{
    struct br_run *run = p->run;
    uint64_t spent = 0;
    bool gained = p->epoch == 0;
    struct block *best = &p->block[0];
    for (uint32_t k = 0; k < p->set->blocks; k++) {
        struct block *b = &p->block[k];
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

static bool prepare(struct population *p, uint32_t population)
{
    const struct br_population_settings *set = p->set;
    uint32_t threads = p->run->threads < set->blocks ? p->run->threads : set->blocks, n = p->tasks;
    p->room = (population + set->blocks / 2) / set->blocks;
    p->room = p->room < 2 ? 2 : p->room;
    begin_population(p);
    p->model = br_rcpsp_model_create(p->run->in, BR_RCPSP_CHOOSE);
    p->salt = malloc(n * sizeof *p->salt);
    p->worker = calloc(threads, sizeof *p->worker);
    p->block = calloc(set->blocks, sizeof *p->block);
    p->memory = malloc((size_t)2 * set->blocks * p->room * n * sizeof *p->memory);
    if (!br_schedule_init(&p->found, p->run->in) || !p->model || !p->salt || !p->worker ||
        !p->block || !p->memory)
        return false;
    struct br_rng rng = br_rng_seed(p->run->seed);
    for (uint32_t t = 0; t < n; t++)
        p->salt[t] = br_rng_next(&rng) | 1;
    uint32_t *memory = p->memory;
    for (uint32_t k = 0; k < set->blocks; k++) {
        struct block *b = &p->block[k];
        b->rng = br_rng_seed(br_rng_next(&rng));
        b->makespan = INT64_MAX;
        b->best = malloc(n * sizeof *b->best);
        b->side[0] = calloc(p->room, sizeof *b->side[0]);
        b->side[1] = calloc(p->room, sizeof *b->side[1]);
        if (!b->best || !b->side[0] || !b->side[1])
            return false;
        for (uint32_t i = 0; i < p->room; i++, memory += 2 * (size_t)n) {
            b->side[0][i].list = memory;
            b->side[1][i].list = memory + n;
        }
    }
    for (uint32_t k = 0; k < threads; k++) {
        struct worker *w = &p->worker[k];
        w->workspace = br_rcpsp_workspace_create(p->model);
        w->breed = w->workspace ? br_breed_create(p->model, w->workspace, p->run->reach) : NULL;
        w->list = malloc(n * sizeof *w->list);
        w->reverse = malloc(n * sizeof *w->reverse);
        w->start = malloc(n * sizeof *w->start);
        w->end = malloc(n * sizeof *w->end);
        if (!w->workspace || !w->breed || !w->list || !w->reverse || !w->start || !w->end)
            return false;
    }
    for (uint32_t k = 0; k < p->run->elite->count && k < set->blocks; k++) {
        br_breed_list(p->worker[0].breed, p->run->elite->entry[k].schedule.start,
                      p->block[k].side[0][0].list);
        p->block[k].seeded = 1;
    }
    return true;
}

static void release(struct population *p)
{
    uint32_t threads = p->run->threads < p->set->blocks ? p->run->threads : p->set->blocks;
    for (uint32_t k = 0; p->worker && k < threads; k++) {
        br_breed_destroy(p->worker[k].breed);
        br_rcpsp_workspace_destroy(p->worker[k].workspace);
        free(p->worker[k].list);
        free(p->worker[k].reverse);
        free(p->worker[k].start);
        free(p->worker[k].end);
    }
    for (uint32_t k = 0; p->block && k < p->set->blocks; k++) {
        free(p->block[k].best);
        free(p->block[k].side[0]);
        free(p->block[k].side[1]);
    }
    free(p->worker);
    free(p->block);
    free(p->memory);
    free(p->salt);
    br_schedule_finish(&p->found);
    br_rcpsp_model_destroy(p->model);
}

static void count(const struct population *p)
{
    struct br_counters *counters = &p->run->counters;
    for (uint32_t k = 0; p->block && k < p->set->blocks; k++) {
        counters->population_schedules += p->block[k].schedules;
        counters->population_given_up += p->block[k].given_up;
        counters->population_known += p->block[k].known;
    }
    counters->population_restarts += p->restarts;
    counters->population_placements += p->run->spent;
}

bool br_population_search(struct br_run *run, const struct br_population_settings *settings)
{
    struct br_population_settings set = settings ? *settings : br_population_settings_default();
    struct population population = {.run = run, .set = &set, .tasks = run->in->tasks},
                      *p = &population;
    uint64_t schedules = run->placements / run->in->tasks, granted = 0;
    uint32_t size = set.population, least = BLOCK_PLACEMENTS / p->tasks;
    if (!size)
        size = suitable_population((double)expected_end(p));
    least = least < BLOCK_LEAST ? BLOCK_LEAST : least;
    if (set.blocks > size / least)
        set.blocks = size < least ? 1 : size / least;
    bool ok = prepare(p, size);
    int64_t best = INT64_MAX;
    while (ok && best > run->lower_bound && !atomic_load(&p->stopped)) {
        uint64_t epoch = (uint64_t)p->size * set.blocks;
        if (run->placements && epoch > schedules - granted)
            epoch = schedules - granted;
        if (epoch == 0)
            break;
        granted += epoch;
        for (uint32_t k = 0; k < set.blocks; k++)
            p->block[k].quota =
                p->block[k].schedules + epoch * (k + 1) / set.blocks - epoch * k / set.blocks;
        bool worth = epoch * p->tasks >= WORTH_THREADS;
        br_parallel(worth ? run->threads : 1, set.blocks, run_block, p);
        gather(p);
        if (p->quiet >= set.patience)
            begin_again(p);
        for (uint32_t k = 0; k < set.blocks; k++)
            best = p->block[k].makespan < best ? p->block[k].makespan : best;
        if (run->placements)
            br_run_step(run, (double)granted / (double)schedules);
    }
    run->stopped |= atomic_load(&p->stopped);
    count(p);
    release(p);
    return ok;
}
