/* Adapts a plan of an equal form to other durations, demands or machines. */
#ifndef BR_STORE_REFIT_H
#define BR_STORE_REFIT_H

#include "store/row.h"

/* Makes a plan in the order of the row's; the best of three generations. BR_NO: the row belongs to
 * a job with another number of tasks. BR_SYSTEM. O(tasks log tasks) placements at most. */
enum br_status br_store_refit(const struct br_store_row *row, const struct br_dag *dag,
                              const struct br_cluster *cluster, const struct br_instance *in,
                              struct br_plan **plan, struct br_diag *diag);

#endif
