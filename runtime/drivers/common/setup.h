/* Prepares a run before its first task: commands, environment, the enforcer with its job. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_SETUP_H
#define BR_RUNTIME_DRIVERS_COMMON_SETUP_H

#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "base/text/command.h"
#include "runtime/drivers/common/run.h"

/* The commands of all stages; [stage], from the arena. Names the stage whose command is missing or
 * bad. */
enum br_status br_run_commands(struct br_arena *arena, const struct br_dag *dag, bool shell,
                               struct br_command **command, struct br_diag *diag);

/* The demand of all stages for "mem" in bytes, rounded up; 0: none. [stage], from the arena; NULL
 * when memory is out. */
int64_t *br_run_limits(struct br_arena *arena, const struct br_dag *dag);

/* The environment of tasks: that of this program, with variables for the task, its job, the run and
 * the session. */
struct br_environment {
    char **entry; /* NULL-terminated */
    char *job, *task, *index, *machine, *alternative;
    size_t room;    /* room of each of the five */
    uint32_t first; /* index of the first four among the entries */
    uint32_t last;  /* index of the alternative, which ends them for tasks without one */
};
/* All zero before. To be finished, also on failure. */
bool br_environment_init(struct br_environment *environment, const struct br_cluster *cluster,
                         const char *run, const char *mark);
/* Makes room for the job's names, once before it is set. False when memory is out. */
bool br_environment_fit(struct br_environment *environment, const struct br_run_job *job);
/* Sets only the job, by its name, for which there is room. */
void br_environment_set_job(struct br_environment *environment, const char *name);
void br_environment_set(struct br_environment *environment, const struct br_run_job *job,
                        const struct br_cluster *cluster, uint32_t task, uint32_t machine);
void br_environment_finish(struct br_environment *environment);

/* An enforcer with the resources of a list "net=150,..." overbooked. */
enum br_status br_run_runtime(const struct br_cluster *cluster,
                              const struct br_runtime_options *options, const char *overbook,
                              struct br_runtime **runtime, struct br_diag *diag);

#endif
