/* The mean times at which the ends of a job are reached, in a plan whose parts have been
 * planned. */
#ifndef BR_PLANNER_SEARCH_MEAN_H
#define BR_PLANNER_SEARCH_MEAN_H

#include <bigrocks/planner.h>

#include "base/process/stop.h"
#include "planner/instance/plan.h"

struct br_mean {
    struct br_plan *plan; /* has starts and machines; its ends and ranks are still to come */
    const struct br_dag *dag;
    const struct br_instance *in;
    const struct br_plan_options *options;
    enum br_effort effort; /* asked for */
    const struct br_stop *stop;
};

/* Searches for a smaller mean. If the makespan is the objective and the job falls into several, the
 * makespan may not grow; if the mean is the objective, the search lasts as long as the effort says.
 * Fills the plan's objective and, unless that is the makespan, its mean and the bound on it.
 * BR_BAD_INPUT (weights), BR_SYSTEM. */
enum br_status br_mean_improve(const struct br_mean *mean, struct br_diag *diag);

#endif
