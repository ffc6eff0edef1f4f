#include "planner/modes/search.h"

#include <string.h>

#include "base/collections/index.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"

/* POPULATION: individuals; FEW of a search that makes less than SHORT schedules. REPAIRS: changes
 * of a task's way that a repair tries, by task. TRIES: repairs of a first individual from other
 * random ways. */
enum { POPULATION = 40, FEW = 15, SHORT = 1000, REPAIRS = 20, TRIES = 50, PASSES = 3 };
enum { SORTED_BY_PLACE = 64 };
/* So many children in a row that do not shorten the best schedule end a population. */
enum { PATIENCE = 30 * POPULATION };
/* One of so many schedules lets tasks take other ways. */
enum { FREED = 2 };

struct breeding {
    const struct br_modes *modes;
    const struct br_modes_budget *budget;
    struct br_mode_lister *lister;
    struct br_choice *one; /* the population; behind it the child */
    uint32_t ones, room;
    int64_t *spent;
    uint32_t *sorted;
    int64_t *key;
    int64_t *tail; /* by task: the longest way to the end by shortest durations */
    struct br_rng rng;
    uint64_t placed;
    bool failed;
};

/* ---- Memory ---- */

static bool choice_init(struct br_choice *c, uint32_t tasks)
{
    const size_t n = (size_t)tasks + 1;
    c->way = br_malloc(n * sizeof *c->way);
    c->rank = br_malloc(n * sizeof *c->rank);
    c->start = br_malloc(n * sizeof *c->start);
    c->end = br_malloc(n * sizeof *c->end);
    c->machine = br_malloc(n * sizeof *c->machine);
    return c->way && c->rank && c->start && c->end && c->machine;
}

static void choice_finish(struct br_choice *c)
{
    br_free(c->way);
    br_free(c->rank);
    br_free(c->start);
    br_free(c->end);
    br_free(c->machine);
}

/* ---- Budgets ---- */

/* By how much all budgets together are exceeded, each relative to what there is, were the task's
 * way changed. */
static double excess_with(const struct breeding *b, uint32_t present, uint32_t way)
{
    const struct br_modes *modes = b->modes;
    double excess = 0;
    for (uint32_t k = 0; k < modes->budgets; k++) {
        const int64_t spent = b->spent[k] + modes->consumed[(size_t)way * modes->budgets + k] -
                              modes->consumed[(size_t)present * modes->budgets + k];
        if (spent > modes->budget[k])
            excess += (double)(spent - modes->budget[k]) / ((double)modes->budget[k] + 1);
    }
    return excess;
}

static void change_way(struct breeding *b, uint32_t *way, uint32_t task, uint32_t to)
{
    const struct br_modes *modes = b->modes;
    for (uint32_t k = 0; k < modes->budgets; k++)
        b->spent[k] += modes->consumed[(size_t)to * modes->budgets + k] -
                       modes->consumed[(size_t)way[task] * modes->budgets + k];
    way[task] = to;
}

/* Changes ways until the budgets are kept. False: it did not come so far. */
static bool repair(struct breeding *b, uint32_t *way)
{
    const struct br_modes *modes = b->modes;
    br_ways_spend(modes, way, b->spent);
    double excess = modes->tasks ? excess_with(b, way[0], way[0]) : 0;
    for (uint64_t k = 0; excess > 0 && k < (uint64_t)REPAIRS * modes->tasks; k++) {
        const uint32_t task = (uint32_t)br_rng_below(&b->rng, modes->tasks);
        const uint32_t stage = modes->task_stage[task];
        uint32_t best = UINT32_MAX;
        double least = excess;
        for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1]; w++) {
            const double left = excess_with(b, way[task], w);
            if (left < least) {
                least = left;
                best = w;
            }
        }
        if (best == UINT32_MAX) {
            /* Out of a local least: any way of this task, now and then. */
            if (k % 16 != 15)
                continue;
            best = modes->way_first[stage] +
                   (uint32_t)br_rng_below(&b->rng,
                                          modes->way_first[stage + 1] - modes->way_first[stage]);
            least = excess_with(b, way[task], best);
        }
        change_way(b, way, task, best);
        excess = least;
    }
    return excess <= 0;
}

/* All tasks of a stage take the way of its first one. */
static void level_stages(const struct breeding *b, uint32_t *way)
{
    const struct br_dag *dag = b->modes->dag;
    for (uint32_t s = 0; b->budget->by_stage && s < dag->stages; s++)
        for (uint32_t i = 1; i < dag->stage[s].tasks; i++)
            way[dag->stage[s].first_task + i] = way[dag->stage[s].first_task];
}

/* ---- Schedules ---- */

static int by_key(const void *x, const void *y, void *context)
{
    const struct breeding *b = context;
    const uint32_t s = *(const uint32_t *)x, t = *(const uint32_t *)y;
    if (b->key[s] != b->key[t])
        return b->key[s] < b->key[t] ? -1 : 1;
    return s < t ? -1 : s > t;
}

/* Puts each task where it belongs among those before it: of few ones that costs less. */
static void sort_few(struct breeding *b)
{
    for (uint32_t t = 0; t < b->modes->tasks; t++) {
        uint32_t at = t;
        for (; at && b->key[b->sorted[at - 1]] > b->key[t]; at--)
            b->sorted[at] = b->sorted[at - 1];
        b->sorted[at] = t;
    }
}

/* Ranks the tasks by their keys, lesser first. */
static void rank_by_key(struct breeding *b, uint32_t *rank)
{
    if (b->modes->tasks <= SORTED_BY_PLACE) {
        sort_few(b);
    } else {
        for (uint32_t t = 0; t < b->modes->tasks; t++)
            b->sorted[t] = t;
        br_sort_within(b->sorted, b->modes->tasks, sizeof *b->sorted, by_key, b);
    }
    for (uint32_t k = 0; k < b->modes->tasks; k++)
        rank[b->sorted[k]] = k;
}

static void schedule(struct breeding *b, struct br_choice *c, bool backward, bool frees)
{
    b->failed |= !br_mode_lister_run(b->lister, c, backward, frees && !b->budget->by_stage);
    b->placed += b->modes->tasks;
}

/* Forward, then backward and forward by the ends before, in a short search only if the first is no
 * longer than the best one. What is left is the last forward schedule. */
static void evaluate(struct breeding *b, struct br_choice *c, int64_t best)
{
    schedule(b, c, false, br_rng_below(&b->rng, FREED) == 0);
    const bool justifies = b->room > FEW || c->makespan <= best;
    for (uint32_t way = 0; justifies && way < 2 && !b->failed; way++) {
        for (uint32_t t = 0; t < b->modes->tasks; t++)
            b->key[t] = -c->end[t];
        rank_by_key(b, c->rank);
        schedule(b, c, way == 0, false);
    }
    for (uint32_t t = 0; t < b->modes->tasks; t++)
        b->key[t] = c->start[t];
    rank_by_key(b, c->rank);
}

/* ---- Individuals ---- */

static uint32_t shortest_way(const struct br_modes *modes, uint32_t task)
{
    const uint32_t stage = modes->task_stage[task];
    uint32_t best = modes->way_first[stage];
    for (uint32_t w = best + 1; w < modes->way_first[stage + 1]; w++)
        if (br_way_duration(modes, w, task) < br_way_duration(modes, best, task))
            best = w;
    return best;
}

static void find_tails(struct breeding *b)
{
    const struct br_modes *modes = b->modes;
    const struct br_dag *dag = modes->dag;
    for (uint32_t k = dag->stages; k-- > 0;) {
        const uint32_t s = dag->topological[k];
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t t = dag->stage[s].first_task + i;
            int64_t behind = 0;
            for (uint32_t e = modes->child_first[s]; e < modes->child_first[s + 1]; e++) {
                const struct br_stage *child = &dag->stage[modes->child[e].stage];
                const uint32_t from = modes->child[e].one_to_one ? i : 0;
                const uint32_t to = modes->child[e].one_to_one ? i + 1 : child->tasks;
                for (uint32_t j = from; j < to; j++)
                    if (b->tail[child->first_task + j] > behind)
                        behind = b->tail[child->first_task + j];
                if (!modes->child[e].one_to_one && child->tasks > 64)
                    break; /* large barriers: the first child says enough */
            }
            b->tail[t] = behind + br_way_duration(modes, shortest_way(modes, t), t);
        }
    }
}

/* Random ways, the shortest first of all; an order by tails, with noise in all but the first. */
static bool make_first(struct breeding *b, struct br_choice *c, uint32_t number)
{
    const struct br_modes *modes = b->modes;
    bool afforded = false;
    for (uint32_t try = 0; !afforded && try < TRIES; try++) {
        for (uint32_t t = 0; t < modes->tasks; t++) {
            const uint32_t stage = modes->task_stage[t];
            const uint32_t ways = modes->way_first[stage + 1] - modes->way_first[stage];
            c->way[t] = !number && !try
                            ? shortest_way(modes, t)
                            : modes->way_first[stage] + (uint32_t)br_rng_below(&b->rng, ways);
        }
        level_stages(b, c->way);
        afforded = repair(b, c->way);
        if (afforded && b->budget->by_stage) {
            level_stages(b, c->way);
            br_ways_spend(modes, c->way, b->spent);
            for (uint32_t k = 0; k < modes->budgets; k++)
                afforded &= b->spent[k] <= modes->budget[k];
        }
    }
    for (uint32_t t = 0; t < modes->tasks; t++)
        b->key[t] =
            -(int64_t)((double)b->tail[t] * (number ? 0.7 + 0.6 * br_rng_unit(&b->rng) : 1));
    rank_by_key(b, c->rank);
    return afforded;
}

/* A child of both, in `c`. */
static bool make_child(struct breeding *b, const struct br_choice *mother,
                       const struct br_choice *father, struct br_choice *c)
{
    const struct br_modes *modes = b->modes;
    const uint32_t n = modes->tasks;
    uint32_t from = (uint32_t)br_rng_below(&b->rng, n + 1);
    uint32_t to = (uint32_t)br_rng_below(&b->rng, n + 1);
    if (from > to) {
        const uint32_t swap = from;
        from = to;
        to = swap;
    }
    for (uint32_t t = 0; t < n; t++) {
        const bool inside = father->rank[t] >= from && father->rank[t] < to;
        const uint32_t stage = modes->task_stage[t];
        const uint32_t ways = modes->way_first[stage + 1] - modes->way_first[stage];
        b->key[t] = 2 * (int64_t)(inside ? father->rank[t] : mother->rank[t]) + inside;
        c->way[t] = inside ? father->way[t] : mother->way[t];
        if (br_rng_below(&b->rng, n) < 2)
            c->way[t] = modes->way_first[stage] + (uint32_t)br_rng_below(&b->rng, ways);
        if (br_rng_below(&b->rng, n) < 2)
            b->key[t] = (int64_t)br_rng_below(&b->rng, 2 * (uint64_t)n);
    }
    rank_by_key(b, c->rank);
    level_stages(b, c->way);
    if (!repair(b, c->way))
        return false;
    if (!b->budget->by_stage)
        return true;
    level_stages(b, c->way);
    br_ways_spend(modes, c->way, b->spent);
    for (uint32_t k = 0; k < modes->budgets; k++)
        if (b->spent[k] > modes->budget[k])
            return false;
    return true;
}

/* ---- The population ---- */

static const struct br_choice *best_of(const struct breeding *b)
{
    const struct br_choice *best = &b->one[0];
    for (uint32_t k = 1; k < b->ones; k++)
        if (b->one[k].makespan < best->makespan)
            best = &b->one[k];
    return best;
}

static bool goes_on(const struct breeding *b)
{
    return !b->failed && !br_stopped(b->budget->stop) &&
           b->placed + (uint64_t)PASSES * b->modes->tasks <= b->budget->placements;
}

/* The winner of two. */
static const struct br_choice *draw_parent(struct breeding *b)
{
    const struct br_choice *x = &b->one[br_rng_below(&b->rng, b->ones)];
    const struct br_choice *y = &b->one[br_rng_below(&b->rng, b->ones)];
    return y->makespan < x->makespan ? y : x;
}

/* Is a schedule like this one there? */
static bool is_there(const struct breeding *b, const struct br_choice *c)
{
    for (uint32_t k = 0; k < b->ones; k++)
        if (b->one[k].makespan == c->makespan &&
            memcmp(b->one[k].start, c->start, b->modes->tasks * sizeof *c->start) == 0)
            return true;
    return false;
}

/* The child takes the place of the worst, if it is better. */
static void take_child(struct breeding *b)
{
    struct br_choice *child = &b->one[b->ones], *worst = &b->one[0];
    for (uint32_t k = 1; k < b->ones; k++)
        if (b->one[k].makespan > worst->makespan)
            worst = &b->one[k];
    if (child->makespan > worst->makespan || is_there(b, child))
        return;
    const struct br_choice swap = *worst;
    *worst = *child;
    *child = swap;
}

static bool is_met(const struct breeding *b)
{
    return b->ones && best_of(b)->makespan <= b->budget->enough;
}

/* The schedule to begin from. Placed by its starts, no task ends later. */
static void put_given(struct breeding *b, struct br_choice *c)
{
    for (uint32_t t = 0; t < b->modes->tasks; t++) {
        c->way[t] = b->budget->from_way[t];
        b->key[t] = b->budget->from_start[t];
    }
    rank_by_key(b, c->rank);
    schedule(b, c, false, false);
    b->ones++;
}

/* Fills the population; the first of all individuals is the schedule to begin from, or has the
 * shortest ways. */
static void fill(struct breeding *b, uint32_t population)
{
    if (!population && b->budget->from_way)
        put_given(b, &b->one[0]);
    for (uint32_t k = 0; b->ones < b->room && (!b->ones || goes_on(b)) && !is_met(b); k++) {
        const int64_t best = b->ones ? best_of(b)->makespan : INT64_MAX;
        if (make_first(b, &b->one[b->ones], population ? 1 : k))
            evaluate(b, &b->one[b->ones++], best);
        else if (b->ones || k + 1 >= TRIES / 10)
            return;
        if (b->failed)
            return;
    }
}

/* Children until the best schedule has stayed the same for long. */
static void breed_children(struct breeding *b)
{
    const struct br_modes *modes = b->modes;
    int64_t best = best_of(b)->makespan;
    for (uint32_t k = 0; k < PATIENCE && b->ones > 1 && goes_on(b) && !is_met(b); k++) {
        b->placed += modes->tasks / 8 + 1; /* a child that cannot be afforded costs, too */
        if (!make_child(b, draw_parent(b), draw_parent(b), &b->one[b->ones]))
            continue;
        evaluate(b, &b->one[b->ones], best);
        if (!b->failed)
            take_child(b);
        if (best_of(b)->makespan < best) {
            best = best_of(b)->makespan;
            k = 0;
        }
    }
}

static void copy_choice(const struct breeding *b, struct br_choice *to,
                        const struct br_choice *from)
{
    const size_t n = b->modes->tasks;
    memcpy(to->way, from->way, n * sizeof *to->way);
    memcpy(to->rank, from->rank, n * sizeof *to->rank);
    memcpy(to->start, from->start, n * sizeof *to->start);
    memcpy(to->end, from->end, n * sizeof *to->end);
    memcpy(to->machine, from->machine, n * sizeof *to->machine);
    to->makespan = from->makespan;
}

/* Changes the way of one task at a time in the best schedule, as long as that makes none longer. */
static void change_single_ways(struct breeding *b)
{
    const struct br_modes *modes = b->modes;
    struct br_choice *best = &b->one[best_of(b) - b->one], *child = &b->one[b->ones];
    uint32_t task = (uint32_t)br_rng_below(&b->rng, modes->tasks);
    for (uint32_t k = 0; k < modes->tasks && goes_on(b) && !is_met(b); k++) {
        task = task + 1 < modes->tasks ? task + 1 : 0;
        const uint32_t stage = modes->task_stage[task];
        for (uint32_t w = modes->way_first[stage]; w < modes->way_first[stage + 1] && goes_on(b);
             w++) {
            if (w == best->way[task])
                continue;
            copy_choice(b, child, best);
            child->way[task] = w;
            level_stages(b, child->way);
            if (!repair(b, child->way))
                continue;
            evaluate(b, child, best->makespan);
            if (b->failed || child->makespan > best->makespan)
                continue;
            if (child->makespan < best->makespan)
                k = 0;
            const struct br_choice swap = *best;
            *best = *child;
            *child = swap;
        }
    }
}

/* One population after another, each with the best of those before. */
static void breed(struct breeding *b)
{
    for (uint32_t population = 0; !population || (goes_on(b) && b->ones > 1); population++) {
        if (population) { /* the best alone stays */
            struct br_choice *best = &b->one[best_of(b) - b->one];
            const struct br_choice swap = b->one[0];
            b->one[0] = *best;
            *best = swap;
            b->ones = 1;
        }
        fill(b, population);
        if (b->failed || !b->ones || is_met(b))
            return;
        breed_children(b);
        if (!b->failed && !is_met(b))
            change_single_ways(b);
        if (b->failed || is_met(b))
            return;
    }
}

bool br_modes_search(const struct br_modes *modes, const struct br_modes_budget *budget,
                     struct br_modes_found *found)
{
    const size_t n = (size_t)modes->tasks + 1;
    const bool is_short = budget->placements < (uint64_t)SHORT * modes->tasks;
    struct breeding b = {.modes = modes,
                         .budget = budget,
                         .lister = br_mode_lister_create(modes),
                         .one = br_calloc(POPULATION + 1, sizeof *b.one),
                         .room = is_short ? FEW : POPULATION,
                         .spent = br_calloc((size_t)modes->budgets + 1, sizeof *b.spent),
                         .sorted = br_malloc(n * sizeof *b.sorted),
                         .key = br_malloc(n * sizeof *b.key),
                         .tail = br_calloc(n, sizeof *b.tail),
                         .rng = br_rng_seed(br_hash_number(budget->seed))};
    bool ok = b.lister && b.one && b.spent && b.sorted && b.key && b.tail;
    for (uint32_t k = 0; ok && k <= b.room; k++)
        ok = choice_init(&b.one[k], modes->tasks);
    found->afforded = false;
    if (ok) {
        find_tails(&b);
        breed(&b);
        ok = !b.failed;
        found->spent = b.placed;
        found->afforded = ok && b.ones > 0;
    }
    if (found->afforded) {
        const struct br_choice *best = best_of(&b);
        found->makespan = best->makespan;
        memcpy(found->way, best->way, modes->tasks * sizeof *found->way);
        memcpy(found->start, best->start, modes->tasks * sizeof *found->start);
        memcpy(found->machine, best->machine, modes->tasks * sizeof *found->machine);
    }
    for (uint32_t k = 0; b.one && k <= b.room; k++)
        choice_finish(&b.one[k]);
    br_mode_lister_destroy(b.lister);
    br_free(b.one);
    br_free(b.spent);
    br_free(b.sorted);
    br_free(b.key);
    br_free(b.tail);
    return ok;
}

bool br_modes_afford(const struct br_modes *modes, uint64_t seed, uint32_t *way, bool *afforded)
{
    struct breeding b = {.modes = modes,
                         .spent = br_calloc((size_t)modes->budgets + 1, sizeof *b.spent),
                         .rng = br_rng_seed(br_hash_number(seed))};
    *afforded = false;
    for (uint32_t try = 0; b.spent && !*afforded && try < TRIES; try++) {
        for (uint32_t t = 0; t < modes->tasks; t++) {
            const uint32_t first = modes->way_first[modes->task_stage[t]];
            const uint32_t ways = modes->way_first[modes->task_stage[t] + 1] - first;
            way[t] = try ? first + (uint32_t)br_rng_below(&b.rng, ways) : shortest_way(modes, t);
        }
        *afforded = repair(&b, way);
    }
    const bool ok = b.spent != NULL;
    br_free(b.spent);
    return ok;
}

enum br_status br_modes_refuse_budgets(struct br_diag *diag)
{
    return br_fail(diag, BR_BAD_INPUT,
                   "share more of what is consumed, or add alternatives that consume less",
                   "no choice of alternatives was found for which what is consumed suffices");
}
