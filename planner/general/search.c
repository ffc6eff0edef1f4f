#include "planner/general/search.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "planner/general/backward.h"
#include "planner/general/lister.h"

/* Individuals of the population, and how many a choice of parents looks at. */
enum { POPULATION = 24, TOURNAMENT = 3 };
/* A task placed by serial generation costs about as much as so many by the other. */
enum { SERIAL_COST = 3 };

/* How an order becomes a schedule. */
enum way {
    WAY_FREE = BR_TURNS_FREE,
    WAY_STRICT = BR_TURNS_STRICT,
    WAY_SERIAL,
    WAY_BACKWARD,
};
/* Kinds of ways, of which each remembers its shortest schedule. */
enum { TIMED, SERIAL, BACKWARD, KINDS };

struct individual {
    uint32_t *rank; /* by task: its place in the order of starts */
    struct br_general_schedule schedule;
};

struct general_search {
    struct br_general_run *run;
    const struct br_general *job;
    struct br_reserve *reserve;
    struct br_generator *generator; /* NULL: storage can run short, and no witness is known */
    struct br_lister *lister;       /* NULL: it does not know the job */
    struct br_backward *backward;   /* the same */
    struct br_rng rng;
    struct individual all[POPULATION + 1]; /* the last is the newcomer */
    uint32_t count;
    uint32_t *order; /* scratch, and so is the key */
    uint64_t *sort_key;
    struct br_general_schedule *best;
    int64_t shortest[KINDS]; /* makespan in time */
    bool failed;
};

/* ---- Orders ---- */

static int by_key(const void *a, const void *b, void *context)
{
    const uint64_t *key = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (key[x] != key[y])
        return key[x] < key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Ranks of the tasks by sort_key, ties by number. */
static void rank_by_key(struct general_search *s, uint32_t *rank)
{
    for (uint32_t t = 0; t < s->job->tasks; t++)
        s->order[t] = t;
    br_sort_within(s->order, s->job->tasks, sizeof *s->order, by_key, s->sort_key);
    for (uint32_t k = 0; k < s->job->tasks; k++)
        rank[s->order[k]] = k;
}

static int individual_by_start(const void *a, const void *b, void *context)
{
    const struct individual *one = context;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (one->schedule.start[x] != one->schedule.start[y])
        return one->schedule.start[x] < one->schedule.start[y] ? -1 : 1;
    return one->rank[x] < one->rank[y] ? -1 : one->rank[x] > one->rank[y];
}

/* Ranks of the tasks by start, ties as they were ranked. */
static void rank_by_start(struct general_search *s, struct individual *one)
{
    for (uint32_t t = 0; t < s->job->tasks; t++)
        s->order[one->rank[t]] = t; /* nearly sorted */
    br_sort_within(s->order, s->job->tasks, sizeof *s->order, individual_by_start, one);
    for (uint32_t k = 0; k < s->job->tasks; k++)
        one->rank[s->order[k]] = k;
}

/* ---- Individuals ---- */

static struct individual *newcomer(struct general_search *s)
{
    return &s->all[POPULATION];
}

static bool search_met(const struct general_search *s)
{
    return s->best->whole && !s->best->late && s->best->makespan <= s->run->lower_bound;
}

static bool search_over(struct general_search *s)
{
    s->run->stopped |= br_stopped(s->run->stop);
    return s->failed || s->run->stopped || search_met(s) || s->run->spent >= s->run->placements;
}

/* Is there an individual of the same makespan with the same starts? */
static bool is_known(const struct general_search *s, const struct individual *one)
{
    for (uint32_t k = 0; k < s->count; k++)
        if (s->all[k].schedule.makespan == one->schedule.makespan &&
            s->all[k].schedule.late == one->schedule.late &&
            memcmp(s->all[k].schedule.start, one->schedule.start,
                   s->job->tasks * sizeof *one->schedule.start) == 0)
            return true;
    return false;
}

/* The newcomer takes the place of the worst, if it is no worse. */
static void enter(struct general_search *s)
{
    struct individual *one = newcomer(s);
    if (is_known(s, one))
        return;
    uint32_t at = s->count;
    if (s->count == POPULATION) {
        at = 0;
        for (uint32_t k = 1; k < POPULATION; k++)
            if (br_general_schedule_better(&s->all[at].schedule, &s->all[k].schedule))
                at = k;
        if (br_general_schedule_better(&s->all[at].schedule, &one->schedule))
            return;
    } else {
        s->count++;
    }
    const struct individual worst = s->all[at];
    s->all[at] = *one;
    *one = worst;
}

/* Makes the schedule of the newcomer's ranks; false if that way is not there. */
static bool make_schedule(struct general_search *s, enum way way)
{
    struct individual *one = newcomer(s);
    if (s->failed || (way == WAY_SERIAL     ? !s->lister
                      : way == WAY_BACKWARD ? !s->backward
                                            : !s->generator))
        return false;
    if (way == WAY_SERIAL)
        s->failed = !br_lister_run(s->lister, one->rank, &one->schedule);
    else if (way == WAY_BACKWARD)
        s->failed = !br_backward_run(s->backward, one->rank, &one->schedule);
    else
        s->failed = !br_generator_run(s->generator, one->rank, (enum br_turns)way, &one->schedule);
    s->run->spent += s->job->tasks * (way >= WAY_SERIAL ? SERIAL_COST : UINT64_C(1));
    return !s->failed;
}

/* Makes the schedule of the newcomer's ranks, and lets it enter if it is whole. */
static void try_newcomer(struct general_search *s, enum way way, const char *finder)
{
    struct individual *one = newcomer(s);
    if (!make_schedule(s, way) || !one->schedule.whole)
        return;
    int64_t *shortest = &s->shortest[way == WAY_SERIAL     ? SERIAL
                                     : way == WAY_BACKWARD ? BACKWARD
                                                           : TIMED];
    if (!one->schedule.late && one->schedule.makespan < *shortest)
        *shortest = one->schedule.makespan;
    rank_by_start(s, one);
    if (br_general_schedule_better(&one->schedule, s->best)) {
        br_general_schedule_copy(s->job, s->best, &one->schedule);
        s->run->finder = finder;
        if (s->run->found)
            s->run->found(s->run->context, s->best, finder, s->run->spent);
    }
    enter(s);
}

/* ---- The beginning ---- */

/* The orders to begin with; each is made a schedule in all ways. */
enum rule { RULE_TAIL, RULE_DEADLINE, RULE_HINT, RULE_WITNESS, RULES };
static const struct {
    const char *free, *serial;
} rule_names[RULES] = {
    {"longest tail first", "longest tail first, serial"},
    {"earliest deadline first", "earliest deadline first, serial"},
    {"the order without features", "the order without features, serial"},
    {"least held first", "least held first, serial"},
};

/* Ranks the newcomer's tasks; false if the job has no such order. */
static bool rank_by_rule(struct general_search *s, enum rule rule)
{
    const struct br_general *job = s->job;
    uint32_t *rank = newcomer(s)->rank;
    int64_t longest = 0;
    for (uint32_t t = 0; t < job->tasks; t++)
        longest = job->tail[t] > longest ? job->tail[t] : longest;
    switch (rule) {
    case RULE_TAIL: /* most work behind */
        for (uint32_t t = 0; t < job->tasks; t++)
            s->sort_key[t] = (uint64_t)(longest - job->tail[t]);
        rank_by_key(s, rank);
        return true;
    case RULE_DEADLINE:
        for (uint32_t t = 0; t < job->tasks; t++)
            s->sort_key[t] =
                (uint64_t)(job->latest[t] == INT64_MAX ? INT64_MAX - job->tail[t] : job->latest[t]);
        rank_by_key(s, rank);
        return job->deadlines;
    case RULE_HINT:
        if (s->run->hint)
            memcpy(rank, s->run->hint, job->tasks * sizeof *s->run->hint);
        return s->run->hint != NULL;
    default:
        for (uint32_t k = 0; s->run->witness && k < job->tasks; k++)
            rank[s->run->witness->order[k]] = k;
        return s->run->witness != NULL;
    }
}

/* Ranks the newcomer's tasks by their ends in a schedule. */
static void rank_by_end(struct general_search *s, const struct br_general_schedule *schedule)
{
    for (uint32_t t = 0; t < s->job->tasks; t++)
        s->sort_key[t] = (uint64_t)(schedule->start[t] + s->job->duration[t]);
    rank_by_key(s, newcomer(s)->rank);
}

/* The best so far, and the witness, from the end. */
static void try_backward(struct general_search *s)
{
    if (!s->backward)
        return;
    if (rank_by_rule(s, RULE_WITNESS))
        try_newcomer(s, WAY_BACKWARD, "least held first, from the end");
    if (!s->best->whole)
        return;
    rank_by_end(s, s->best);
    try_newcomer(s, WAY_BACKWARD, "justified");
}

static void try_rules(struct general_search *s)
{
    for (enum rule rule = 0; rule < RULES; rule++) {
        if (rank_by_rule(s, rule))
            try_newcomer(s, WAY_FREE, rule_names[rule].free);
        if (rank_by_rule(s, rule))
            try_newcomer(s, WAY_SERIAL, rule_names[rule].serial);
    }
    if (rank_by_rule(s, RULE_WITNESS))
        try_newcomer(s, WAY_STRICT, "least held first, in turn");
    try_backward(s);
}

/* ---- Generations ---- */

static const struct individual *choose(struct general_search *s)
{
    const struct individual *best = &s->all[br_rng_below(&s->rng, s->count)];
    for (int k = 1; k < TOURNAMENT; k++) {
        const struct individual *other = &s->all[br_rng_below(&s->rng, s->count)];
        if (br_general_schedule_better(&other->schedule, &best->schedule))
            best = other;
    }
    return best;
}

/* The order of `a` outside of a range of its places, and that of `b` within. Precedence holds, as
 * it holds in both. */
static void cross(struct general_search *s, const struct individual *a, const struct individual *b)
{
    const uint32_t n = s->job->tasks;
    const uint32_t from = (uint32_t)br_rng_below(&s->rng, n);
    const uint32_t to = from + 1 + (uint32_t)br_rng_below(&s->rng, n - from);
    for (uint32_t t = 0; t < n; t++)
        s->sort_key[t] = a->rank[t] >= from && a->rank[t] < to ? ((uint64_t)from << 32) + b->rank[t]
                                                               : (uint64_t)a->rank[t] << 32;
    rank_by_key(s, newcomer(s)->rank);
}

/* Moves some tasks to other places in the order. Free turns take any order; for strict turns the
 * order of starts that comes out is what counts. */
static void mutate(struct general_search *s)
{
    const uint32_t n = s->job->tasks;
    uint32_t *rank = newcomer(s)->rank;
    const uint32_t moves = 1 + (uint32_t)br_rng_below(&s->rng, n < 40 ? 2 : n / 20);
    const uint32_t reach = n < 8 ? n : n / 4;
    for (uint32_t t = 0; t < n; t++)
        s->sort_key[t] = ((uint64_t)rank[t] + reach) << 20;
    for (uint32_t k = 0; k < moves; k++) {
        const uint32_t task = (uint32_t)br_rng_below(&s->rng, n);
        const uint64_t way = (br_rng_below(&s->rng, 2 * (uint64_t)reach + 1)) << 20;
        s->sort_key[task] += way + (1 << 19) - ((uint64_t)reach << 20);
    }
    rank_by_key(s, rank);
}

/* Moves children that come before a parent behind it. */
static void put_in_precedence(struct general_search *s, uint32_t *rank)
{
    const struct br_general *job = s->job;
    for (uint32_t t = 0; t < job->tasks; t++)
        s->sort_key[t] = (uint64_t)rank[t] << 20;
    for (uint32_t k = 0; k < job->stages; k++) {
        const uint32_t stage = job->topological[k], first = job->stage_first[stage];
        uint64_t barrier = 0;
        for (uint32_t a = job->parent_first[stage]; a < job->parent_first[stage + 1]; a++) {
            const uint32_t other = job->parent[a].stage;
            for (uint32_t t = job->stage_first[other];
                 !job->parent[a].one_to_one && t < job->stage_first[other + 1]; t++)
                barrier = s->sort_key[t] > barrier ? s->sort_key[t] : barrier;
        }
        for (uint32_t t = first; t < job->stage_first[stage + 1]; t++) {
            uint64_t least = barrier;
            for (uint32_t a = job->parent_first[stage]; a < job->parent_first[stage + 1]; a++)
                if (job->parent[a].one_to_one) {
                    const uint32_t peer = job->stage_first[job->parent[a].stage] + (t - first);
                    least = s->sort_key[peer] > least ? s->sort_key[peer] : least;
                }
            if (least && s->sort_key[t] <= least)
                s->sort_key[t] = least + 1;
        }
    }
    rank_by_key(s, rank);
}

/* What has made the shorter schedules has the most turns. */
static bool goes_serial(struct general_search *s)
{
    if (!s->lister || !s->generator)
        return s->lister != NULL;
    return br_rng_below(&s->rng, 4) < (s->shortest[SERIAL] <= s->shortest[TIMED] ? 3 : 1);
}

/* The same for schedules from the end. */
static bool goes_backward(struct general_search *s)
{
    const int64_t other =
        s->shortest[SERIAL] < s->shortest[TIMED] ? s->shortest[SERIAL] : s->shortest[TIMED];
    return s->backward && br_rng_below(&s->rng, 4) < (s->shortest[BACKWARD] < other ? 2 : 1);
}

/* From the end, the order of ends of a schedule comes to no dead end. */
static void breed_backward(struct general_search *s)
{
    rank_by_end(s, &choose(s)->schedule);
    if (br_rng_below(&s->rng, 4) > 0)
        mutate(s);
    try_newcomer(s, WAY_BACKWARD, "population, from the end");
}

static void go_on(struct general_search *s)
{
    while (s->count && !search_over(s)) {
        if (goes_backward(s)) {
            breed_backward(s);
            continue;
        }
        const struct individual *a = choose(s), *b = choose(s);
        const bool crosses = a != b && br_rng_below(&s->rng, 4) > 0;
        if (crosses)
            cross(s, a, b);
        else
            memcpy(newcomer(s)->rank, a->rank, s->job->tasks * sizeof *a->rank);
        if (!crosses || br_rng_below(&s->rng, 2) == 0)
            mutate(s);
        if (goes_serial(s)) {
            try_newcomer(s, WAY_SERIAL, "population, serial");
        } else if (br_rng_below(&s->rng, 3) == 0) {
            put_in_precedence(s, newcomer(s)->rank);
            try_newcomer(s, WAY_STRICT, "population, in turn");
        } else {
            try_newcomer(s, WAY_FREE, "population");
        }
    }
}

/* ---- The whole ---- */

static bool general_search_init(struct general_search *s)
{
    const struct br_general *job = s->job;
    const size_t n = (size_t)job->tasks + 1;
    s->order = br_malloc(n * sizeof *s->order);
    s->sort_key = br_malloc(n * sizeof *s->sort_key);
    bool ok = s->order && s->sort_key;
    for (uint32_t k = 0; k <= POPULATION && ok; k++)
        ok = (s->all[k].rank = br_calloc(n, sizeof *s->all[k].rank)) &&
             br_general_schedule_init(&s->all[k].schedule, job);
    if (ok && s->run->witness)
        ok = (s->reserve = br_reserve_create(job, s->run->witness)) != NULL;
    if (ok && br_lister_knows(job))
        ok = (s->lister = br_lister_create(job)) != NULL;
    if (ok && br_backward_knows(job))
        ok = (s->backward = br_backward_create(job)) != NULL;
    if (ok && (s->reserve || !job->any_stored))
        ok = (s->generator = br_generator_create(job, s->reserve)) != NULL;
    return ok;
}

bool br_general_search(struct br_general_run *run, struct br_general_schedule *best)
{
    struct general_search s = {.run = run,
                               .job = run->job,
                               .rng = br_rng_seed(run->seed),
                               .best = best,
                               .shortest = {INT64_MAX, INT64_MAX, INT64_MAX}};
    best->whole = false;
    best->late = best->makespan = INT64_MAX;
    bool ok = general_search_init(&s);
    if (ok) {
        assert(!s.reserve || br_reserve_holds(s.reserve));
        try_rules(&s);
        go_on(&s);
    }
    for (uint32_t k = 0; k <= POPULATION; k++) {
        br_free(s.all[k].rank);
        br_general_schedule_finish(&s.all[k].schedule);
    }
    br_lister_destroy(s.lister);
    br_backward_destroy(s.backward);
    br_generator_destroy(s.generator);
    br_reserve_destroy(s.reserve);
    br_free(s.order);
    br_free(s.sort_key);
    return ok && !s.failed;
}
