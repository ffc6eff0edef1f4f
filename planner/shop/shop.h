/* The search for jobs whose scarce resources are unary, such as job shops: tabu search over the
 * orders of tasks on each resource, from schedules that lie between two that were found before. */
#ifndef BR_PLANNER_SHOP_SHOP_H
#define BR_PLANNER_SHOP_SHOP_H

#include "planner/schedule/run.h"
#include "planner/shop/graph.h"

/* One run on an instance that suits (br_shop_suits); run->elite may be empty. A move counts as a
 * placement of every task. A run with a limit spends it, unless it reaches the lower bound; one
 * without goes on until it is stopped. The result is the same for any number of threads. False when
 * memory is out. */
bool br_shop_search(struct br_run *run);

#endif
