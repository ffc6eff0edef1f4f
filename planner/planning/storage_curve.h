/* How long a job takes with how much of a resource: the least peak, and plans with more. */
#ifndef BR_PLANNER_PLANNING_STORAGE_CURVE_H
#define BR_PLANNER_PLANNING_STORAGE_CURVE_H

#include <bigrocks/planner.h>

#include "planner/peak/least.h"

/* A plan that never holds more than the limit. */
struct br_storage_point {
    struct br_decimal limit;
    int64_t limit_units; /* the same as a whole number of the least amounts of the job */
    int64_t makespan_ns;
    int64_t lower_bound_ns; /* of all plans within the limit */
    char method[80], bound_method[120];
};

enum { BR_STORAGE_POINTS = 48 };

struct br_storage_curve {
    struct br_least_peak least;
    /* From the least limit on; each point is shorter than the one before. The last has the best
     * makespan that was found, and the least peak that was found with it. None: no plan was found
     * that fits the rest of the cluster and keeps all times. */
    uint32_t points;
    struct br_storage_point point[BR_STORAGE_POINTS];
};

/* Fills *curve, which br_storage_curve_finish releases, also after a failure. The options are of
 * the plan of each point; a time limit is that of all. Errors as br_least_peak and br_plan_make. */
enum br_status br_storage_curve(const struct br_dag *dag, const struct br_cluster *cluster,
                                const char *resource, const struct br_plan_options *options,
                                struct br_storage_curve *curve, struct br_diag *diag);
void br_storage_curve_finish(struct br_storage_curve *curve);

/* A plan of the least peak that is found: *made is the cluster with so much of the resource, and
 * the caller's; *least is released by br_least_peak_finish. */
enum br_status br_storage_least_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                                     const char *resource, const struct br_plan_options *options,
                                     struct br_least_peak *least, struct br_cluster **made,
                                     struct br_plan **plan, struct br_diag *diag);

#endif
