/* Tabu search over the orders of tasks on unary resources: moves on a critical path, each the best
 * that is not forbidden, downhill or not. */
#ifndef BR_PLANNER_SHOP_TABU_H
#define BR_PLANNER_SHOP_TABU_H

#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/shop/orders.h"

struct br_shop_tabu {
    struct br_shop_orders orders;
    uint32_t *until; /* [task * width + rank]: the move from which the task may go before the one
                        with this rank again */
    uint32_t *path, *best;
    int64_t makespan; /* of `best`, the list of the shortest schedule */
    uint32_t moves;   /* made */
};

/* False when memory is out (finish is still fine). */
bool br_shop_tabu_init(struct br_shop_tabu *tabu, const struct br_shop_graph *graph);
void br_shop_tabu_finish(struct br_shop_tabu *tabu);

/* Searches from the schedule of the list until it is as short as `enough`, or `patience` moves in
 * turn have found nothing shorter, or `most` moves are made, or it is stopped. Leaves best,
 * makespan and moves. */
void br_shop_tabu_run(struct br_shop_tabu *tabu, const uint32_t *list, int64_t enough,
                      uint32_t patience, uint32_t most, struct br_rng *rng,
                      const struct br_stop *stop);

#endif
