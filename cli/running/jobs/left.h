/* What an earlier session has left of a job whose tasks run in several ways. */
#ifndef BR_CLI_RUNNING_JOBS_LEFT_H
#define BR_CLI_RUNNING_JOBS_LEFT_H

#include "planner/instance/plan.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

/* If the journal knows tasks of the job that are done, replaces it by a job of the same tasks, to
 * be planned again: tasks that are done take no time, stages of which all are done demand nothing
 * and go anywhere, and the cluster shares what those that are done have not consumed. So the plan
 * is one of the rest. *less tells that this has happened. With a plan, only if the choice of the
 * plan does not count any more: tasks that are done ran by other alternatives than those of the
 * plan, and something is consumed. Jobs with outputs or times stay as they are. BR_SYSTEM (memory).
 */
enum br_status cli_run_left_take(const char *journal, const struct br_plan *plan,
                                 struct br_dag **dag, struct br_cluster *cluster, bool *less,
                                 struct br_diag *diag);

#endif
