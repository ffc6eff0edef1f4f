/* A job whose scarce resources are unary: no two of the tasks that demand one can run together. A
 * schedule of it is, in essence, an order of the tasks on each resource: the disjunctive graph
 * [Balas69]. Laid out once, shared by all threads, never changed.
 *
 * Nodes are the tasks and, behind them, hubs without duration that stand for the end of a stage, so
 * that a barrier is not an arc for each pair of tasks. */
#ifndef BR_PLANNER_SHOP_GRAPH_H
#define BR_PLANNER_SHOP_GRAPH_H

#include "base/collections/arena.h"
#include "planner/instance/instance.h"

/* One direction of time: 0 looks towards the beginning, 1 towards the end. */
struct br_shop_side {
    uint32_t *first,
        *node; /* of x: node[first[x]] .. node[first[x + 1] - 1] are next to it by the job */
};

struct br_shop_graph {
    struct br_arena arena;
    const struct br_instance *in; /* borrowed */
    uint32_t tasks, nodes;        /* `nodes` itself stands for none: it ends at 0 */
    int64_t *duration;            /* by node, and 0 for none */
    uint32_t *resource;           /* by node: the one it demands; `resources`: none */
    uint32_t resources;           /* those on which several tasks run */
    uint32_t *rank;               /* by node: its number on its resource */
    uint32_t width;               /* most tasks on one of them */
    uint32_t *list;               /* all nodes, parents first */
    struct br_shop_side side[2];
};

/* Is every scarce resource of the instance unary, does every task demand one of them at most, and
 * is there more than one task on one of them? One machine only, and not too many tasks. O(tasks x
 * resources). */
bool br_shop_suits(const struct br_instance *instance);

/* The graph of an instance that suits. NULL when memory is out. O(tasks + arcs). */
struct br_shop_graph *br_shop_graph_create(const struct br_instance *instance);
void br_shop_graph_destroy(struct br_shop_graph *graph);

#endif
