/* Closing a job of few tasks by trying all orders in which they can start. */
#ifndef BR_PLANNER_SEARCH_ORDERS_SEARCH_H
#define BR_PLANNER_SEARCH_ORDERS_SEARCH_H

#include "planner/schedule/run.h"
#include "planner/search/search_state.h"

extern const char br_orders_search_method[]; /* names the resulting bounds and schedules */

/* Has the part few enough tasks and machines to be closed this way? */
bool br_orders_search_suits(const struct br_search *search);
/* Spends up to a quarter of the run's budget. The best schedule goes to the front of the elite.
 * *optimum is its makespan if all orders were tried, else 0. False when memory is out. */
bool br_orders_search(struct br_search *search, struct br_run *run, int64_t *optimum);

#endif
