/* The driver that hands a job to Slurm. Every task becomes a batch job in the plan's order, with
 * its dependencies and resources; inside an allocation it becomes a step. */
#ifndef BR_RUNTIME_DRIVERS_SLURM_SLURM_H
#define BR_RUNTIME_DRIVERS_SLURM_SLURM_H

#include "planner/instance/handover.h"
#include "runtime/drivers/common/run.h"
#include "runtime/drivers/common/work.h"

/* From this mean duration on, a batch job for each task is worth while. */
#define BR_SLURM_JOB_NS INT64_C(30000000000)

/* A stage's needs as Slurm counts them. */
struct br_slurm_need {
    uint32_t cpus;                  /* at least 1 */
    int64_t kib;                    /* memory; 0: not given */
    int64_t minutes;                /* time limit; 0: none is asked for */
    const char *generic, *licenses; /* "--gres=...", "--licenses=..."; NULL: none */
};
/* The needs of all stages, from the arena. With a cluster they have time limits, and the resources
 * that the cluster counts on each node (GRES) or that `licenses` lists, names between blanks of
 * those that Slurm has. NULL: cores and memory alone. NULL if memory is out. */
struct br_slurm_need *br_slurm_needs(struct br_arena *arena, const struct br_dag *dag,
                                     const struct br_cluster *cluster, const char *licenses);

/* Is the name in the list, whose names stand between blanks? */
bool br_slurm_is_listed(const char *list, const char *name);

/* The least that a node of the allocation around this process offers; 0: not known, or not
 * limited. */
struct br_slurm_allocation {
    int64_t cpus, kib;
};
struct br_slurm_allocation br_slurm_allocation(void);
/* BR_USAGE if a machine of the cluster has more cores or memory than a node of the allocation. */
enum br_status br_slurm_allocation_suffices(const struct br_slurm_allocation *allocation,
                                            const struct br_cluster *cluster,
                                            const struct br_run_jobs *jobs, struct br_diag *diag);

/* Submits the job's tasks and follows them to their end. options->journal is needed; beside it, in
 * FILE.d, are the tasks' scripts, outputs and results. With options->resume, jobs of that run that
 * Slurm still has are taken up again instead of being submitted. The scripts do retries and
 * timeouts themselves. Slurm is told the cluster's partition, account and time factor.
 * options->note is called with what Slurm will not keep. Results as br_local_run. */
enum br_status br_slurm_run_jobs(const struct br_cluster *cluster, struct br_run_job *job,
                                 const struct br_run_options *options, struct br_run_result *result,
                                 struct br_diag *diag);

/* Writes the script of the task's batch job, which ends by putting its result into that file. 0, or
 * an error number. */
int br_slurm_write_script(struct br_work *work, struct br_job_work *job, uint32_t task,
                          const char *script, const char *result);
/* Refuses what such jobs cannot keep, and finds whose end a task has to wait for since it takes
 * room that was held. */
enum br_status br_slurm_take_features(const struct br_dag *dag, const struct br_cluster *cluster,
                                      const struct br_plan *plan, struct br_handovers *handover,
                                      struct br_diag *diag);

/* Inside of an allocation (SLURM_JOB_ID): the enforcer runs the jobs here, and srun runs every task
 * on the node that stands for its machine: the k-th of the allocation for machine k. */
enum br_status br_slurm_run_steps(const struct br_cluster *cluster, const struct br_run_jobs *jobs,
                                  const struct br_run_options *options,
                                  struct br_run_result *result, struct br_diag *diag);

/* Runs the program and returns its standard output, a text to be freed. BR_SYSTEM if it cannot be
 * started or fails; then the diagnostic has the last line of its standard error. */
enum br_status br_slurm_ask(const char *const *argv, char **text, struct br_diag *diag);

#endif
