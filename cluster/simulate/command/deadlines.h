/* The inputs of policies that control jobs with deadlines: deadlines, tables of the time left, and
 * the options of their loops. */
#ifndef BR_CLUSTER_SIMULATE_COMMAND_DEADLINES_H
#define BR_CLUSTER_SIMULATE_COMMAND_DEADLINES_H

#include "cli/options/settings.h"
#include "cluster/simulate/policies/deadline.h"
#include "cluster/workload/world.h"
#include "runtime/deadline/trials/make.h"

struct cli_deadlines {
    struct br_arena arena;
    struct br_deadline_settings settings;
    struct br_deadline_table *file; /* tables read from files, to be closed */
    uint32_t files;
    struct br_made_table *made;          /* by dag of the workload: those missing in the files */
    const struct br_deadline_table **of; /* by dag of the workload; NULL: none */
    const struct br_workload *workload;
};

/* Gives the jobs of the workload the deadlines of --deadlines or --utility, if any, each counted
 * from the job's arrival. BR_USAGE: a malformed number, one that is not above 0, a number of them
 * that is neither one nor that of the jobs; a utility that rises or has no deadline; both options.
 */
enum br_status cli_deadlines_set(const struct cli_control_settings *options,
                                 struct br_workload *workload, struct br_diag *diag);
/* Opens the tables of --tables and finds that of each dag. Makes the missing ones from the jobs'
 * declarations and the world's effects on attempts, all with tokens or all with shares of the
 * cluster, like the files. BR_USAGE: no job has a deadline; BR_BAD_INPUT: a table that belongs to
 * no job, or to shares of another cluster, or tables of both kinds; BR_NO: stopped. To be finished
 * in any case. */
enum br_status cli_deadlines_open(const struct cli_control_settings *options,
                                  const struct br_workload *workload,
                                  const struct br_cluster *cluster, const struct br_world *world,
                                  uint32_t threads, const struct br_stop *stop,
                                  struct cli_deadlines *deadlines, struct br_diag *diag);
void cli_deadlines_finish(struct cli_deadlines *deadlines);

#endif
