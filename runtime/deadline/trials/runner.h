/* One run of one job under one allocation, in virtual time. There are no machines: a task starts
 * when its inputs are there and the allocation has room for it, in the order in which tasks became
 * ready, or by the ranks of a plan. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_RUNNER_H
#define BR_RUNTIME_DEADLINE_TRIALS_RUNNER_H

#include "base/collections/arena.h"
#include "planner/instance/instance.h"
#include "runtime/deadline/trials/request.h"

/* The job as all runs share it; read-only. */
struct br_runner_job {
    struct br_arena arena;
    const struct br_dag *dag;
    uint32_t stages, tasks;
    uint32_t *stage_of;            /* by task */
    uint32_t *count;               /* tasks by stage */
    uint32_t *barriers;            /* by stage: stages that it waits for as a whole */
    uint32_t *partners;            /* by stage: stages of which each task waits for one task */
    uint32_t *child_first, *child; /* children in CSR form; `whole` says which wait for all */
    bool *whole;
    /* Tasks of a stage in the order in which they start, and the plan's ranks in ascending order,
     * both at the stage's first task and on; NULL: no plan. */
    uint32_t *line, *rank;
    /* For shares, and for tokens within a cluster: demands by stage and resource, and the amounts
     * of the whole cluster. */
    uint32_t resources;
    const int64_t *demand, *total;
    struct br_instance *instance;
    bool shares; /* allocations are percents of it; else tokens, within it */
    double straggle, slowness;
    double latency_ns, latency_spread;
    uint32_t *parent_first, *parent; /* in CSR form: edges; only if outputs may be lost */
    double lost;
    double *fail, *fail_again; /* by stage, of first and of further attempts */
    bool troubled;             /* something of all this happens */
};

enum br_status br_runner_job_init(struct br_runner_job *job,
                                  const struct br_deadline_request *request, struct br_diag *diag);
void br_runner_job_finish(struct br_runner_job *job);
/* The least percent of the cluster that holds every task; 101 if none does. */
uint32_t br_runner_least_share(const struct br_runner_job *job);

/* Callbacks of a run; members may be NULL. */
struct br_runner_watch {
    void (*finished)(void *context, uint32_t stage, int64_t now_ns); /* a task has */
    void *context;
    /* By stage, added to: time of all attempts, and time that tasks were ready and waited. Set: the
     * first start (if it is below 0), the last end, the longest attempt that ended well (if it is
     * longer). */
    struct br_runner_stage {
        int64_t work_ns, wait_ns, begin_ns, end_ns, longest_ns;
    } * stage;
};

struct br_runner; /* the state of a run, for many one after the other */
/* NULL when memory is out. */
struct br_runner *br_runner_create(const struct br_runner_job *job);
void br_runner_destroy(struct br_runner *runner);

#define BR_UNLIMITED UINT32_MAX
/* Runs it: each first attempt at a task lasts duration_ns. `seed` is of failures and stragglers.
 * Returns when the job has ended, in ns. O(tasks log allocation). */
int64_t br_runner_run(struct br_runner *runner, uint32_t allocation, bool planned,
                      const int64_t *duration_ns, uint64_t seed,
                      const struct br_runner_watch *watch);

#endif
