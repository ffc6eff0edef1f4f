/* Tabu search [Nowicki96] with moves of a task to any place in its block of the critical path
 * [Balas98] [Zhang07]. Which pairs are forbidden is kept, not whole orders; the time for which they
 * are is drawn from a range that grows with the tasks on a resource. */
#include "planner/shop/tabu.h"

#include <string.h>

#include "base/collections/memory.h"

/* The stop flag is read every so many moves. */
enum { LOOK = 64 };

bool br_shop_tabu_init(struct br_shop_tabu *tabu, const struct br_shop_graph *g)
{
    const size_t nodes = (size_t)g->nodes + 1;
    *tabu = (struct br_shop_tabu){
        .until = br_malloc(((size_t)g->tasks * g->width + 1) * sizeof *tabu->until),
        .path = br_malloc(nodes * sizeof *tabu->path),
        .best = br_malloc(nodes * sizeof *tabu->best)};
    return br_shop_orders_init(&tabu->orders, g) && tabu->until && tabu->path && tabu->best;
}

void br_shop_tabu_finish(struct br_shop_tabu *tabu)
{
    br_shop_orders_finish(&tabu->orders);
    br_free(tabu->until);
    br_free(tabu->path);
    br_free(tabu->best);
}

/* A critical path, drawn at each fork: the nodes from the beginning to the end; their number. */
static uint32_t draw_path(struct br_shop_tabu *tabu, struct br_rng *rng)
{
    const struct br_shop_orders *o = &tabu->orders;
    const struct br_shop_graph *g = o->graph;
    uint32_t length = 0, choices = 0, node = g->nodes;
    for (uint32_t k = 0; k < g->nodes; k++) {
        const uint32_t x = o->list[k];
        if (o->time[0][x] == 0 && br_shop_end(o, 1, x) == o->makespan &&
            br_rng_below(rng, ++choices) == 0)
            node = x;
    }
    while (node != g->nodes) {
        const struct br_shop_side *side = &g->side[1];
        const uint32_t from = node, behind = o->link[1][from];
        const int64_t left = o->time[1][from];
        tabu->path[length++] = from;
        choices = 0;
        node = g->nodes;
        if (left == 0)
            break;
        if (br_shop_end(o, 1, behind) == left && ++choices)
            node = behind;
        for (uint32_t k = side->first[from]; k < side->first[from + 1]; k++)
            if (br_shop_end(o, 1, side->node[k]) == left && br_rng_below(rng, ++choices) == 0)
                node = side->node[k];
    }
    return length;
}

struct choice {
    uint32_t task, target;
    int d;
    uint32_t ties; /* equally good ones so far; 0: none */
    int64_t guess;
};

/* Of equally good ones each is taken with the same chance. */
static void take(struct choice *best, uint32_t task, int d, uint32_t target, int64_t guess,
                 struct br_rng *rng)
{
    if (best->ties && guess > best->guess)
        return;
    const uint32_t ties = best->ties && guess == best->guess ? best->ties + 1 : 1;
    if (br_rng_below(rng, ties) == 0)
        *best = (struct choice){task, target, d, ties, guess};
    best->ties = ties;
}

/* Is a pair forbidden that the move would bring into that order? */
static bool is_tabu(const struct br_shop_tabu *tabu, uint32_t task, int d, uint32_t target)
{
    const struct br_shop_graph *g = tabu->orders.graph;
    const uint32_t *on = tabu->orders.link[d];
    for (uint32_t x = on[task];; x = on[x]) {
        const uint32_t before = d ? x : task, behind = d ? task : x;
        if (tabu->until[(size_t)before * g->width + g->rank[behind]] > tabu->moves)
            return true;
        if (x == target)
            return false;
    }
}

/* A move that is forbidden counts all the same if it promises a schedule shorter than all before;
 * else it is one of `any`. */
static void look_at(const struct br_shop_tabu *tabu, uint32_t task, int d, uint32_t target,
                    struct choice *best, struct choice *any, struct br_rng *rng)
{
    if (!br_shop_orders_allow(&tabu->orders, task, d, target))
        return;
    const int64_t guess = br_shop_orders_guess(&tabu->orders, task, d, target);
    if (guess < tabu->makespan || !is_tabu(tabu, task, d, target))
        take(best, task, d, target, guess, rng);
    else
        take(any, task, d, target, 0, rng);
}

/* All moves in the blocks of the path: a task to either end of its block, and the tasks at the ends
 * to any place inside. */
static bool choose(const struct br_shop_tabu *tabu, uint32_t length, struct choice *best,
                   struct br_rng *rng)
{
    const struct br_shop_orders *o = &tabu->orders;
    const uint32_t *path = tabu->path;
    struct choice any = {0};
    *best = (struct choice){0};
    for (uint32_t first = 0, end; first < length; first = end) {
        for (end = first + 1; end < length && path[end] == o->link[1][path[end - 1]];)
            end++;
        if (end - first < 2)
            continue;
        const uint32_t head = path[first], last = path[end - 1];
        for (uint32_t k = first; k + 1 < end; k++)
            look_at(tabu, path[k], 1, last, best, &any, rng);
        for (uint32_t k = first + 1; k < end; k++)
            if (end - first > 2)
                look_at(tabu, path[k], 0, head, best, &any, rng);
        for (uint32_t k = first + 1; k + 1 < end; k++) {
            look_at(tabu, head, 1, path[k], best, &any, rng);
            look_at(tabu, last, 0, path[k], best, &any, rng);
        }
    }
    if (best->ties == 0)
        *best = any;
    return best->ties > 0;
}

/* Forbids what the move takes away. */
static void forbid(struct br_shop_tabu *tabu, const struct choice *c, struct br_rng *rng)
{
    const struct br_shop_graph *g = tabu->orders.graph;
    const uint32_t *on = tabu->orders.link[c->d];
    const uint32_t least = 2 + g->width / 3;
    const uint32_t until = tabu->moves + least + (uint32_t)br_rng_below(rng, least / 2 + 1);
    for (uint32_t x = on[c->task];; x = on[x]) {
        const uint32_t before = c->d ? c->task : x, behind = c->d ? x : c->task;
        tabu->until[(size_t)before * g->width + g->rank[behind]] = until;
        if (x == c->target)
            return;
    }
}

static void keep_best(struct br_shop_tabu *tabu)
{
    const struct br_shop_orders *o = &tabu->orders;
    tabu->makespan = o->makespan;
    memcpy(tabu->best, o->list, o->graph->nodes * sizeof *o->list);
}

void br_shop_tabu_run(struct br_shop_tabu *tabu, const uint32_t *list, int64_t enough,
                      uint32_t patience, uint32_t most, struct br_rng *rng,
                      const struct br_stop *stop)
{
    const struct br_shop_graph *g = tabu->orders.graph;
    struct choice c;
    uint32_t last = 0;
    memset(tabu->until, 0, (size_t)g->tasks * g->width * sizeof *tabu->until);
    tabu->moves = 0;
    br_shop_orders_set(&tabu->orders, list);
    keep_best(tabu);
    while (tabu->makespan > enough && tabu->moves < most && tabu->moves - last < patience) {
        if (tabu->moves % LOOK == 0 && br_stopped(stop))
            return;
        if (!choose(tabu, draw_path(tabu, rng), &c, rng))
            return; /* the critical path has no block: nothing is shorter */
        forbid(tabu, &c, rng);
        br_shop_orders_move(&tabu->orders, c.task, c.d, c.target);
        tabu->moves++;
        if (tabu->orders.makespan < tabu->makespan) {
            keep_best(tabu);
            last = tabu->moves;
        }
    }
}
