/* The least peak of a resource over all orders in which the tasks run one after another. */
#ifndef BR_PLANNER_PEAK_LEAST_H
#define BR_PLANNER_PEAK_LEAST_H

#include "base/process/stop.h"
#include "planner/general/reserve.h"

struct br_least_peak {
    struct br_decimal peak, bound; /* no order is lower than the bound */
    int64_t peak_units, bound_units;
    int32_t digits; /* a unit is 10^-digits of the resource */
    bool shared;
    const char *method, *bound_method; /* static storage */
    struct br_witness witness;         /* the order of that peak, and the machines; owned */
};

/* Fills *least, which br_least_peak_finish releases, also after a failure. Series-parallel orders
 * of tasks are solved exactly, and small jobs by looking at all orders; else orders are searched,
 * for which machines and instances are looked at `work` times a try. How much the cluster has of
 * the resource does not limit; what it has of the others does. On machines the peak is the greatest
 * of any machine. BR_NO if no order was found that fits the other resources. BR_USAGE for a
 * resource that the job or the cluster has not, BR_BAD_INPUT as br_general_create. */
enum br_status br_least_peak(const struct br_dag *dag, const struct br_cluster *cluster,
                             const char *resource, uint64_t work, const struct br_stop *stop,
                             struct br_least_peak *least, struct br_diag *diag);
/* Takes the order in which a plan ends its tasks, if they hold less when they run in it one after
 * another. The job has room for the least peak, and the resource is that with this number in it.
 * False when memory is out. O(tasks log tasks + readers). */
bool br_least_peak_by_plan(struct br_least_peak *least, const struct br_general *job,
                           uint32_t resource, const int64_t *start, const uint32_t *machine);
void br_least_peak_finish(struct br_least_peak *least);

#endif
