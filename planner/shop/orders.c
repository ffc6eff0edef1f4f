/* Longest paths in the disjunctive graph, and the list of its nodes, kept up to date over moves.
 * Both directions of time go through the same code. */
#include "planner/shop/orders.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

bool br_shop_orders_init(struct br_shop_orders *o, const struct br_shop_graph *g)
{
    const size_t all = (size_t)g->nodes + 1;
    *o = (struct br_shop_orders){.graph = g,
                                 .list = br_malloc(all * sizeof *o->list),
                                 .place = br_malloc(all * sizeof *o->place),
                                 .mark = br_calloc(all, sizeof *o->mark),
                                 .kept = br_malloc(all * sizeof *o->kept),
                                 .guess = br_malloc(all * sizeof *o->guess)};
    bool ok = o->list && o->place && o->mark && o->kept && o->guess;
    for (int d = 0; d < 2; d++) {
        o->link[d] = br_malloc(all * sizeof *o->link[d]);
        o->time[d] = br_calloc(all, sizeof *o->time[d]);
        o->by_job[d] = br_calloc(all, sizeof *o->by_job[d]);
        ok = ok && o->link[d] && o->time[d] && o->by_job[d];
    }
    return ok;
}

void br_shop_orders_finish(struct br_shop_orders *o)
{
    for (int d = 0; d < 2; d++) {
        br_free(o->link[d]);
        br_free(o->time[d]);
        br_free(o->by_job[d]);
    }
    br_free(o->list);
    br_free(o->place);
    br_free(o->mark);
    br_free(o->kept);
    br_free(o->guess);
}

/* The node's longest path in direction d, from those of its neighbours there. */
static inline void measure(struct br_shop_orders *o, int d, uint32_t node)
{
    const struct br_shop_side *side = &o->graph->side[d];
    int64_t longest = 0;
    for (uint32_t k = side->first[node]; k < side->first[node + 1]; k++) {
        int64_t end = br_shop_end(o, d, side->node[k]);
        longest = end > longest ? end : longest;
    }
    o->by_job[d][node] = longest;
    int64_t end = br_shop_end(o, d, o->link[d][node]);
    o->time[d][node] = end > longest ? end : longest;
}

static void measure_makespan(struct br_shop_orders *o)
{
    o->makespan = 0;
    for (uint32_t t = 0; t < o->graph->tasks; t++) {
        int64_t end = br_shop_end(o, 0, t);
        o->makespan = end > o->makespan ? end : o->makespan;
    }
}

void br_shop_orders_set(struct br_shop_orders *o, const uint32_t *list)
{
    const struct br_shop_graph *g = o->graph;
    uint32_t *last = o->kept; /* by resource */
    memcpy(o->list, list, g->nodes * sizeof *list);
    for (uint32_t r = 0; r < g->resources; r++)
        last[r] = g->nodes;
    for (uint32_t x = 0; x <= g->nodes; x++)
        o->link[0][x] = o->link[1][x] = g->nodes;
    for (uint32_t k = 0; k < g->nodes; k++) {
        const uint32_t x = o->list[k], r = g->resource[x];
        o->place[x] = k;
        if (r < g->resources) {
            o->link[0][x] = last[r];
            if (last[r] < g->nodes)
                o->link[1][last[r]] = x;
            last[r] = x;
        }
        measure(o, 0, x);
    }
    for (uint32_t k = g->nodes; k-- > 0;)
        measure(o, 1, o->list[k]);
    measure_makespan(o);
}

bool br_shop_orders_allow(const struct br_shop_orders *o, uint32_t task, int d, uint32_t target)
{
    const struct br_shop_side *side = &o->graph->side[d];
    /* A path from a neighbour to the target would make the neighbour's own way on at least as long
     * as all of the target's. */
    const int64_t all = br_shop_end(o, d, target);
    for (uint32_t k = side->first[task]; k < side->first[task + 1]; k++)
        if (side->node[k] == target || o->time[d][side->node[k]] >= all)
            return false;
    return true;
}

int64_t br_shop_orders_guess(const struct br_shop_orders *o, uint32_t task, int d, uint32_t target)
{
    const struct br_shop_graph *g = o->graph;
    const uint32_t *on = o->link[d], *back = o->link[!d];
    int64_t *time = o->guess; /* in the other direction, of those that are passed */
    int64_t end = br_shop_end(o, !d, back[task]);
    for (uint32_t x = on[task];; x = on[x]) {
        time[x] = o->by_job[!d][x] > end ? o->by_job[!d][x] : end;
        end = time[x] + g->duration[x];
        if (x == target)
            break;
    }
    time[task] = o->by_job[!d][task] > end ? o->by_job[!d][task] : end;
    /* Then back over them in direction d, where the task now comes first. */
    end = br_shop_end(o, d, on[target]);
    int64_t longest = 0;
    for (uint32_t x = task, next = target;; x = next, next = back[x]) {
        int64_t own = o->by_job[d][x] > end ? o->by_job[d][x] : end;
        end = own + g->duration[x];
        longest = time[x] + end > longest ? time[x] + end : longest;
        if (next == task)
            return longest;
    }
}

/* Takes the task out of its resource's order and puts it behind `target`, seen in direction d. */
static void relink(struct br_shop_orders *o, uint32_t task, int d, uint32_t target)
{
    const uint32_t none = o->graph->nodes;
    uint32_t *on = o->link[d], *back = o->link[!d];
    if (back[task] != none)
        on[back[task]] = on[task];
    back[on[task]] = back[task];
    on[task] = on[target];
    if (on[target] != none)
        back[on[target]] = task;
    on[target] = task;
    back[task] = target;
}

/* Does the node wait, seen in direction d, for one that is marked? */
static bool waits_for_marked(const struct br_shop_orders *o, int d, uint32_t node)
{
    const struct br_shop_side *side = &o->graph->side[!d];
    if (o->mark[o->link[!d][node]] == o->marks)
        return true;
    for (uint32_t k = side->first[node]; k < side->first[node + 1]; k++)
        if (o->mark[side->node[k]] == o->marks)
            return true;
    return false;
}

/* Mends the list between the two places: the task, and what follows it there, go behind all others.
 */
static void relist(struct br_shop_orders *o, uint32_t task, int d, uint32_t target)
{
    const uint32_t step = d ? 1 : UINT32_MAX, end = o->place[target] + step;
    uint32_t to = o->place[task], kept = 0;
    o->mark[task] = ++o->marks;
    o->kept[kept++] = task;
    for (uint32_t k = to + step; k != end; k += step) {
        const uint32_t x = o->list[k];
        if (waits_for_marked(o, d, x)) {
            o->mark[x] = o->marks;
            o->kept[kept++] = x;
            continue;
        }
        o->place[x] = to;
        o->list[to] = x;
        to += step;
    }
    assert(o->mark[target] != o->marks);
    for (uint32_t k = 0; k < kept; k++, to += step) {
        o->place[o->kept[k]] = to;
        o->list[to] = o->kept[k];
    }
}

void br_shop_orders_move(struct br_shop_orders *o, uint32_t task, int d, uint32_t target)
{
    const uint32_t a = o->place[task], b = o->place[target];
    relink(o, task, d, target);
    relist(o, task, d, target);
    for (uint32_t k = a < b ? a : b; k < o->graph->nodes; k++)
        measure(o, 0, o->list[k]);
    for (uint32_t k = (a > b ? a : b) + 1; k-- > 0;)
        measure(o, 1, o->list[k]);
    measure_makespan(o);
}
