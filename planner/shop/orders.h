/* The order of the tasks on every resource: one schedule, in which everything starts as early as
 * its parents and the task before it on its resource allow. Moving a task on its resource costs a
 * look at the nodes whose times can change. */
#ifndef BR_PLANNER_SHOP_ORDERS_H
#define BR_PLANNER_SHOP_ORDERS_H

#include "planner/shop/graph.h"

struct br_shop_orders {
    const struct br_shop_graph *graph;
    /* By direction, then by node. The neighbour on its resource: before it, behind it. */
    uint32_t *link[2];
    /* Longest paths: what passes before a node starts (its head), and after it ends (its tail). */
    int64_t *time[2];
    /* The same without its neighbour on its resource. */
    int64_t *by_job[2];
    uint32_t *list;  /* all nodes, each behind all for which it waits */
    uint32_t *place; /* of a node in it */
    int64_t makespan;
    /* Scratch. A node is marked if its mark is `marks`. */
    uint32_t marks, *mark, *kept;
    int64_t *guess;
};

/* False when memory is out (finish is still fine). */
bool br_shop_orders_init(struct br_shop_orders *orders, const struct br_shop_graph *graph);
void br_shop_orders_finish(struct br_shop_orders *orders);

/* Every resource takes its tasks in the order of the list, which has all nodes, parents first.
 * O(nodes + arcs). */
void br_shop_orders_set(struct br_shop_orders *orders, const uint32_t *list);

/* May the task go to the other side of `target`, which stands on its resource in direction d (0:
 * somewhere before it, 1: behind it)? No if it must wait for it, or for something between; the
 * answer may be no although it could. O(arcs of the task). */
bool br_shop_orders_allow(const struct br_shop_orders *orders, uint32_t task, int d,
                          uint32_t target);
/* The longest path through the tasks from `task` to `target` after that move, if what is around
 * them stays as it is [Balas98]. O(tasks between them). */
int64_t br_shop_orders_guess(const struct br_shop_orders *orders, uint32_t task, int d,
                             uint32_t target);
/* Makes the move, which is allowed. O(nodes + arcs), with a low constant. */
void br_shop_orders_move(struct br_shop_orders *orders, uint32_t task, int d, uint32_t target);

static inline int64_t br_shop_end(const struct br_shop_orders *orders, int d, uint32_t node)
{
    return orders->time[d][node] + orders->graph->duration[node];
}

#endif
