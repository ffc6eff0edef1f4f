/* Functions between decisions and events, and events that are not public. */
#ifndef BR_RUNTIME_ENFORCER_DECIDE_H
#define BR_RUNTIME_ENFORCER_DECIDE_H

#include "runtime/enforcer/model.h"

/* How far beyond the threshold, in clusters, a group must be behind before a machine is kept free
 * for it. A machine kept free is lost to all: with less than a task's own share, which is large on
 * a small cluster, most of it would stand idle. */
#define BR_KEEPS_FREE 1.0

/* The ready task runs on the machine from now on and holds its demand there. */
void br_runtime_place(struct br_runtime *runtime, uint32_t job, uint32_t task, uint32_t machine);

/* The job has changed: updates the group's counts from the previous ones, and the trees over all
 * jobs with them. */
void br_runtime_recount(struct br_runtime *runtime, uint32_t number,
                        const struct br_job_state *before);

/* br_runtime_submit for a plan with possibly other durations and edges, such as one made with
 * expected durations, or before the job was changed. */
enum br_status br_runtime_take(struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, uint32_t group,
                               enum br_readiness readiness, uint32_t *number, struct br_diag *diag);

/* br_runtime_submit in two steps, for several jobs of one Dag and plan: makes their form, with one
 * user, the caller; and a job of that form. */
enum br_status br_runtime_form(const struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, struct br_form **form,
                               struct br_diag *diag);
enum br_status br_runtime_submit_form(struct br_runtime *runtime, struct br_form *form,
                                      uint32_t group, enum br_readiness readiness, uint32_t *number,
                                      struct br_diag *diag);

/* From now on a task that reads something is remote by the share that lies elsewhere, whatever
 * machine the plan has for it. Before the first job comes. BR_SYSTEM (memory). O(machines). */
enum br_status br_runtime_data(struct br_runtime *runtime, const struct br_data *data,
                               struct br_diag *diag);
/* What the task, which has not started, reads lies on that machine for a large part. Equal tasks of
 * its stage read what lies elsewhere, so it is worth looking at there. BR_USAGE: there is no such
 * task or machine; BR_SYSTEM (memory). O(1). */
enum br_status br_runtime_near(struct br_runtime *runtime, uint32_t job, uint32_t task,
                               uint32_t machine, struct br_diag *diag);

/* br_job_expect, if there is such a job. */
static inline void br_runtime_expect(const struct br_runtime *runtime, uint32_t job, uint32_t task,
                                     bool closely)
{
    if (job < runtime->jobs && runtime->job[job])
        br_job_expect(runtime->job[job], task, closely);
}

/* The machine leaves: nothing starts there, not even a task that demands nothing or only
 * overbookable resources, until it returns. The caller reports its running tasks by
 * br_runtime_failed. */
void br_runtime_move(struct br_runtime *runtime, uint32_t machine, bool there);

/* br_job_lose for a task of a job without features that has finished: it is decided anew. BR_USAGE:
 * there is no such task; BR_SYSTEM (memory). */
enum br_status br_runtime_lost(struct br_runtime *runtime, uint32_t job, uint32_t task,
                               struct br_diag *diag);

/* At most `most` tasks of the job run at once from now on (BR_ANY: as many as fit). While that many
 * run, it counts as a job without ready tasks: nothing of it starts, and no machine is kept free
 * for it. BR_USAGE: there is no such job; BR_SYSTEM: memory is out, and nothing has changed.
 * O(kinds of its tasks on each machine x log n); this is also the cost of each start and end that
 * reaches or leaves the limit.
 */
enum br_status br_runtime_limit(struct br_runtime *runtime, uint32_t job, uint32_t most,
                                struct br_diag *diag);
/* From now on its running tasks together demand at most that percent of the whole cluster, for
 * every resource (BR_ANY: no limit); running tasks beyond it go on. Tasks that would exceed it are
 * kept back, and others of the job may pass. Beside a limit both hold. As br_runtime_limit; the
 * first time also O(tasks x resources), and each start and end O(kinds x resources + tasks / 64).
 */
enum br_status br_runtime_cap(struct br_runtime *runtime, uint32_t job, uint32_t percent,
                              struct br_diag *diag);

#endif
