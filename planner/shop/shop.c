/* A population of schedules that tabu search has improved; each new one starts between two of them
 * [Peng15], and takes the place of the longest. Lists are blended: each task goes to the weighted
 * mean of its places in both, so what both agree on stays, and parents stay first. */
#include "planner/shop/shop.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/rng.h"
#include "base/process/parallel.h"
#include "planner/shop/tabu.h"

/* Schedules kept; searches side by side, which is a round; and after how many moves in turn without
 * a shorter schedule a search ends, at most and at least. A small budget gets ROUNDS rounds all the
 * same. */
enum { KEPT = 8, BESIDE = 8, PATIENCE = 12500, IMPATIENCE = 500, ROUNDS = 20 };

struct member {
    uint32_t *list;
    int64_t makespan;
};

struct worker {
    struct br_shop_tabu tabu;
    struct br_sort_item *item, *scratch;
    uint32_t *list, *place;
};

struct shop {
    struct br_run *run;
    struct br_shop_graph *graph;
    uint32_t threads;
    uint64_t round;          /* rounds done */
    uint32_t patience, most; /* moves of a search */
    struct worker *worker;
    uint32_t count; /* of `kept`, by makespan */
    struct member kept[KEPT];
    struct member child[BESIDE];
    uint32_t moves[BESIDE];
    uint32_t *memory;
    struct br_schedule found;
};

/* The list of the nodes by key, those of equal keys as they stand in `item`. */
static void sort_list(struct worker *w, uint32_t nodes)
{
    br_sort(w->item, w->scratch, nodes);
    for (uint32_t k = 0; k < nodes; k++)
        w->list[k] = w->item[k].item;
}

/* The list in which the tasks of a schedule start. */
static void list_schedule(const struct br_shop_graph *g, struct worker *w, const int64_t *start)
{
    const struct br_shop_side *side = &g->side[0];
    for (uint32_t k = 0; k < g->nodes; k++) {
        const uint32_t x = g->list[k];
        int64_t at = x < g->tasks ? start[x] : 0;
        for (uint32_t a = side->first[x]; x >= g->tasks && a < side->first[x + 1]; a++) {
            int64_t end = start[side->node[a]] + g->duration[side->node[a]];
            at = end > at ? end : at;
        }
        w->item[k] = (struct br_sort_item){(uint64_t)at, x};
    }
    sort_list(w, g->nodes);
}

/* A list by chance: every node is some random steps behind the last of its parents. */
static void list_chance(const struct br_shop_graph *g, struct worker *w, struct br_rng *rng)
{
    const struct br_shop_side *side = &g->side[0];
    for (uint32_t k = 0; k < g->nodes; k++) {
        const uint32_t x = g->list[k];
        uint32_t at = 0;
        for (uint32_t a = side->first[x]; a < side->first[x + 1]; a++)
            at = w->place[side->node[a]] > at ? w->place[side->node[a]] : at;
        w->place[x] = at + 1 + (uint32_t)br_rng_below(rng, 1000);
        w->item[k] = (struct br_sort_item){w->place[x], x};
    }
    sort_list(w, g->nodes);
}

/* A list between two others: `share` of 1024 parts of the second. */
static void list_between(const struct br_shop_graph *g, struct worker *w, const uint32_t *a,
                         const uint32_t *b, uint32_t share)
{
    for (uint32_t k = 0; k < g->nodes; k++)
        w->place[b[k]] = k;
    for (uint32_t k = 0; k < g->nodes; k++)
        w->item[k] = (struct br_sort_item){
            (uint64_t)k * (1024 - share) + (uint64_t)w->place[a[k]] * share, a[k]};
    sort_list(w, g->nodes);
}

static bool run_child(void *context, uint32_t worker, uint32_t index)
{
    struct shop *shop = context;
    const struct br_run *run = shop->run;
    const struct br_shop_graph *g = shop->graph;
    struct worker *w = &shop->worker[worker];
    const uint64_t number = shop->round * BESIDE + index;
    struct br_rng seeds = br_rng_seed(run->seed + number);
    struct br_rng rng = br_rng_seed(br_rng_next(&seeds)); /* no stream is another one, shifted */
    if (number < run->elite->count) {
        list_schedule(g, w, run->elite->entry[number].schedule.start);
    } else if (number < KEPT || shop->count < 2) {
        list_chance(g, w, &rng);
    } else {
        const uint32_t a = (uint32_t)br_rng_below(&rng, shop->count);
        const uint32_t b = (uint32_t)br_rng_below(&rng, shop->count - 1);
        list_between(g, w, shop->kept[a].list, shop->kept[b + (b >= a)].list,
                     64 + (uint32_t)br_rng_below(&rng, 129));
    }
    br_shop_tabu_run(&w->tabu, w->list, run->lower_bound + run->slack, shop->patience, shop->most,
                     &rng, run->stop);
    struct member *child = &shop->child[index];
    child->makespan = w->tabu.makespan;
    memcpy(child->list, w->tabu.best, g->nodes * sizeof *child->list);
    shop->moves[index] = w->tabu.moves;
    return true;
}

/* Does a kept schedule as long as this have the same list? */
static bool is_known(const struct shop *shop, const struct member *child)
{
    for (uint32_t k = 0; k < shop->count; k++)
        if (shop->kept[k].makespan == child->makespan &&
            memcmp(shop->kept[k].list, child->list, shop->graph->nodes * sizeof *child->list) == 0)
            return true;
    return false;
}

/* Takes the child in by its makespan if it is not longer than the longest, whose place it gets. */
static void take_in(struct shop *shop, struct member *child)
{
    if (is_known(shop, child))
        return;
    if (shop->count == KEPT && child->makespan > shop->kept[KEPT - 1].makespan)
        return;
    uint32_t k = shop->count < KEPT ? shop->count++ : KEPT - 1;
    struct member gone = shop->kept[k];
    for (; k && shop->kept[k - 1].makespan > child->makespan; k--)
        shop->kept[k] = shop->kept[k - 1];
    shop->kept[k] = *child;
    *child = gone;
}

/* The end of a round: a shorter schedule goes to the elite. */
static void shop_gather(struct shop *shop)
{
    struct br_run *run = shop->run;
    const struct br_shop_graph *g = shop->graph;
    for (uint32_t k = 0; k < BESIDE; k++) {
        run->spent += ((uint64_t)shop->moves[k] + 1) * g->tasks; /* the first schedule, too */
        run->counters.shop_moves += shop->moves[k];
        take_in(shop, &shop->child[k]);
    }
    run->counters.shop_searches += BESIDE;
    shop->round++;
    const struct member *best = &shop->kept[0];
    if (run->elite->count && best->makespan >= run->elite->entry[0].schedule.makespan)
        return;
    struct br_shop_orders *orders = &shop->worker[0].tabu.orders;
    br_shop_orders_set(orders, best->list);
    memcpy(shop->found.start, orders->time[0], g->tasks * sizeof *shop->found.start);
    br_schedule_measure(&shop->found, run->in);
    assert(shop->found.makespan == best->makespan);
    br_elite_lead(run->elite, &shop->found, "tabu search");
    br_run_found(run, best->makespan, "tabu search");
}

static bool shop_prepare(struct shop *shop)
{
    const struct br_run *run = shop->run;
    shop->threads = run->threads < BESIDE ? run->threads : BESIDE;
    shop->graph = br_shop_graph_create(run->in);
    shop->worker = br_calloc(shop->threads, sizeof *shop->worker);
    if (!br_schedule_init(&shop->found, run->in) || !shop->graph || !shop->worker)
        return false;
    const size_t nodes = (size_t)shop->graph->nodes + 1;
    shop->memory = br_calloc((KEPT + BESIDE) * nodes, sizeof *shop->memory);
    if (!shop->memory)
        return false;
    for (uint32_t k = 0; k < KEPT; k++)
        shop->kept[k].list = shop->memory + k * nodes;
    for (uint32_t k = 0; k < BESIDE; k++)
        shop->child[k].list = shop->memory + (KEPT + k) * nodes;
    for (uint32_t k = 0; k < shop->threads; k++) {
        struct worker *w = &shop->worker[k];
        w->item = br_malloc(nodes * sizeof *w->item);
        w->scratch = br_malloc(nodes * sizeof *w->scratch);
        w->list = br_malloc(nodes * sizeof *w->list);
        w->place = br_malloc(nodes * sizeof *w->place);
        if (!br_shop_tabu_init(&w->tabu, shop->graph) || !w->item || !w->scratch || !w->list ||
            !w->place)
            return false;
    }
    return true;
}

static void shop_release(struct shop *shop)
{
    for (uint32_t k = 0; shop->worker && k < shop->threads; k++) {
        struct worker *w = &shop->worker[k];
        br_shop_tabu_finish(&w->tabu);
        br_free(w->item);
        br_free(w->scratch);
        br_free(w->list);
        br_free(w->place);
    }
    br_free(shop->worker);
    br_free(shop->memory);
    br_schedule_finish(&shop->found);
    br_shop_graph_destroy(shop->graph);
}

/* The schedules that each search of the next round may make. */
static uint32_t schedules_left(const struct shop *shop)
{
    const struct br_run *run = shop->run;
    const uint64_t left = run->placements > run->spent ? run->placements - run->spent : 0,
                   each = left / run->in->tasks / BESIDE;
    return !run->placements || each > UINT32_MAX / 4 ? UINT32_MAX / 4 : (uint32_t)each;
}

bool br_shop_search(struct br_run *run)
{
    struct shop shop = {.run = run, .patience = PATIENCE};
    bool ok = shop_prepare(&shop);
    uint32_t schedules = schedules_left(&shop);
    if (schedules / ROUNDS < shop.patience)
        shop.patience = schedules / ROUNDS < IMPATIENCE ? IMPATIENCE : schedules / ROUNDS;
    for (; ok && schedules; schedules = schedules_left(&shop)) {
        shop.most = schedules - 1;
        br_parallel(run->threads, BESIDE, run_child, &shop);
        run->stopped |= br_stopped(run->stop);
        shop_gather(&shop);
        if (run->stopped || br_run_met(run, shop.kept[0].makespan))
            break;
        if (run->placements)
            br_run_step(run, (double)run->spent / (double)run->placements);
    }
    run->counters.shop_placements += run->spent;
    shop_release(&shop);
    return ok;
}
