/* The check of a plan's transfers: for verify.c. */
#ifndef BR_PLANNER_CHECK_TRANSFERS_H
#define BR_PLANNER_CHECK_TRANSFERS_H

#include "planner/instance/plan.h"

/* Hears of a fault; false: no more are wanted. */
typedef bool br_transfer_fault(void *context, const char *text);

/* Are all transfers there that the plan's machines make necessary, and no others; does each move
 * its bytes after the tasks that it comes from and before those that it goes to; and is no port
 * ever over its rate? The machines of all tasks exist. BR_OK also with faults; BR_SYSTEM (memory).
 * O(edges x machines + transfers log transfers + pieces log pieces). */
enum br_status br_transfers_check(const struct br_plan *plan, const struct br_dag *dag,
                                  const struct br_cluster *cluster, br_transfer_fault *fault,
                                  void *context, struct br_diag *diag);

#endif
