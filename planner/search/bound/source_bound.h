/* The bound that a source of bounds finds while a plan is made. */
#ifndef BR_PLANNER_SEARCH_BOUND_SOURCE_BOUND_H
#define BR_PLANNER_SEARCH_BOUND_SOURCE_BOUND_H

#include "planner/instance/plan.h"
#include "planner/search/bound/beside.h"
#include "planner/search/bound/watch.h"

/* Begins to ask the source of the options. NULL if they name none. If it can get no thread, the
 * plan is made without it, and says so. To be ended by br_source_bound_end. */
struct br_beside *br_source_bound_begin(struct br_beside *beside, const struct br_dag *dag,
                                        const struct br_cluster *cluster,
                                        const struct br_plan_options *options);
/* Ends the source, after its answer if the plan needs it, and records the answer in the plan.
 * `beside` may be NULL: no source was asked; so may `plan`: there is none. BR_SYSTEM (memory). */
enum br_status br_source_bound_end(struct br_beside *beside, struct br_watch *watch,
                                   struct br_plan *plan, struct br_diag *diag);

#endif
