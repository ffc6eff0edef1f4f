/* One resource of a job as if all tasks ran one after another at one place: what each task lets be
 * held, and who waits for whom. */
#ifndef BR_PLANNER_PEAK_GRAPH_H
#define BR_PLANNER_PEAK_GRAPH_H

#include "planner/general/job.h"
#include "planner/peak/network.h"

struct br_peak_graph {
    const struct br_general *job; /* borrowed */
    uint32_t resource;
    /* The tasks come first. Behind them stand nodes of no task: ends of stages, which take no room,
     * and frees of outputs that several tasks read, which wait for all of these. */
    uint32_t nodes, room, first_free;
    int64_t *run, *stays; /* by node: held while it runs; more held behind it, before it frees */
    int64_t *frees;       /* by node: what it alone uses up */
    int64_t *reads;       /* by task: the outputs that it reads */
    uint32_t *end;        /* by stage: its node; UINT32_MAX: none */
    uint32_t *kept;       /* by node: the node that uses up most of what it makes, or UINT32_MAX */
    int64_t *most;        /* how much that is */
    struct br_peak_arc *arc;
    uint32_t arcs, arc_room;
};

/* False when memory is out (finish is still fine). O(tasks + arcs of tasks). */
bool br_peak_graph_init(struct br_peak_graph *graph, const struct br_general *job,
                        uint32_t resource);
void br_peak_graph_finish(struct br_peak_graph *graph);

/* The order of tasks of least peak, if the graph is series-parallel and each output is used up by
 * one node. `exact`: no order has a lower peak. `order` is the caller's, of all tasks. */
enum br_peak_answer br_peak_graph_solve(struct br_peak_graph *graph, uint32_t *order, int64_t *peak,
                                        bool *exact);
/* A lower bound on the peak of all orders: of each task alone with what it reads, and of a forest
 * in which a task waits only for those that make most for it. *method says which (static storage).
 * -1 when memory is out. */
int64_t br_peak_graph_bound(struct br_peak_graph *graph, const char **method);

#endif
