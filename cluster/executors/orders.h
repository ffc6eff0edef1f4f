/* The best order of a few jobs, by trying all of them. [Mao19, H]
 *
 * With an order, executors go to the first job in it that can use them, and within that to the
 * longest path. That is what the policy `order-search` does with the best order. */
#ifndef BR_CLUSTER_EXECUTORS_ORDERS_H
#define BR_CLUSTER_EXECUTORS_ORDERS_H

#include <bigrocks/stop.h>

#include "cluster/executors/policy.h"

enum { BR_ORDERS_JOBS = 10 }; /* most of them: 10! = 3,628,800 runs */

struct br_orders_request {
    const struct br_executors_options *options;
    const struct br_executors_arrival *arrival;
    const struct br_executors_row *row; /* one with `orders` */
    uint32_t jobs, threads;
    const struct br_stop *stop; /* may be NULL; raised, the best so far is given, which depends on
                                   the moment */
};

/* The order with the least sum of completion times, of equals the first in the order of words, for
 * any number of threads. A run is left as soon as it costs more than the best so far. `order` has
 * room for the jobs. BR_USAGE (too many jobs), BR_SYSTEM (memory). O(jobs!) runs. */
enum br_status br_executors_best_order(const struct br_orders_request *request, uint32_t *order,
                                       struct br_diag *diag);

/* The k-th of all orders of so many jobs, in the order of words. */
void br_executors_order(uint64_t k, uint32_t jobs, uint32_t *order);

#endif
