/* The job that was given, if what runs is the job of its plan's choice: with alternatives, and
 * machines of several classes and speeds. */
#ifndef BR_CLI_RUNNING_JOBS_WAYS_H
#define BR_CLI_RUNNING_JOBS_WAYS_H

#include "planner/instance/plan.h"
#include "planner/model/cluster/cluster.h"
#include "planner/modes/fixed.h"
#include "store/history/history.h"

struct cli_run_ways;

/* Puts the choice in the place of the given job, cluster and plan; *ways keeps the first two, and
 * the plan is gone. Tasks rank by their starts, or if `ranked` as in the plan. On failure nothing
 * has changed. */
enum br_status cli_run_ways_fix(bool ranked, struct br_dag **dag, struct br_cluster **cluster,
                                struct br_plan **plan, struct cli_run_ways **ways,
                                struct br_diag *diag);
/* For a job that shares its cluster with others: gives the given cluster, without speeds, back in
 * the place of the choice's. It offers now what keeps tasks on their classes, and belongs to the
 * caller. BR_SYSTEM (memory). */
enum br_status cli_run_ways_share(struct cli_run_ways *ways, struct br_cluster **cluster,
                                  struct br_diag *diag);
void cli_run_ways_close(struct cli_run_ways *ways); /* NULL is fine */

/* The stage of the given job to which the task belongs; UINT32_MAX: none. */
uint32_t cli_run_ways_origin(const struct cli_run_ways *ways, uint32_t task);
/* The first stage of the job that runs, `dag`, whose tasks are of the same stage of the given job
 * as those of stage s, by the same alternative, and at the same speed, so that they are planned to
 * last as long. O(stages that are of that stage). */
uint32_t cli_run_ways_like(const struct cli_run_ways *ways, const struct br_dag *dag, uint32_t s);

/* Gives the sample of a task, which ran on the machine, the stage and the index of the given job.
 * Its stage is the name of the way by which it ran, or if the attempt was lost the stage's id.
 * *name is to be freed behind the sample. False if memory is out. */
bool cli_run_ways_name(const struct cli_run_ways *ways, uint32_t task, uint32_t machine,
                       struct br_history_sample *sample, char **name);

#endif
