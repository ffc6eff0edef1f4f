/* The online enforcer: which tasks start now, and where, so that plans come true.
 *
 * A state machine for schedulers to embed: the caller tells it what happens (a job comes with its
 * plan, a machine reports what it has free, a task is ready, started, finished or failed) and asks
 * what to start. It has no clock, no thread and no input or output of its own; equal events give
 * equal decisions. Not safe for several threads at once.
 *
 * Ready tasks compete by a score that weighs the plan's order, how well the task fits into the free
 * capacity of the machine, and how little work its job has left; unfairness among groups of jobs
 * stays below a threshold. A task is only started if its whole demand is free on the machine;
 * resources declared fungible may be overbooked.
 *
 * Jobs with outputs, shared resources, releases, lags or streams (bigrocks/dag.h) come first, each
 * in the order of its plan, and have no part in the groups' shares. What their tasks leave is held
 * until the last task that reads it has ended, or will never run. A task starts only if all such
 * jobs can still end afterwards, in an order that is known; so there is no dead end, whatever the
 * durations are and whichever tasks fail. The time of a release counts from the first decision
 * after the job came, that of a lag from the first decision after the end (or start) of the parent;
 * until then such a task counts as ready. A task that reads a stream may start when its parents
 * have; when it ends is what the caller tells. Deadlines do not matter here. If machines are away
 * for a while or amounts change (br_cluster_add_unavailable, br_cluster_add_change; times count
 * from the first decision of all), a task starts only where it would end in time, if it and those
 * that run last as planned. An output lies where
 * its task was started; if the task was finished without a start, where it was planned. A job whose
 * tasks become ready by events has none of these.
 */
#ifndef BIGROCKS_RUNTIME_H
#define BIGROCKS_RUNTIME_H

#include <bigrocks/plan.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct br_runtime;

/* The number of a machine, job or task that means "none" or "any". */
#define BR_ANY UINT32_MAX

/* How a started task counts against its group's fair share. */
enum br_fairness {
    BR_FAIR_SLOTS,    /* one slot; the cluster's slots are its cores, else its machines */
    BR_FAIR_DOMINANT, /* its largest share of the cluster in any resource */
};

/* The eta_factor of the paper: the plain ratio of the two means. [Grandl16, 5] The default is
 * larger: docs/simulate.md gives its effect. */
#define BR_ETA_PAPER 1.0

/* Start from br_runtime_options_default(). */
struct br_runtime_options {
    const char *policy;    /* the score of ready tasks; a row of br_policy_name() */
    double remote_penalty; /* 0..1: factor on the packing score on machines other than the plan's */
    double eta_factor;     /* >= 0: weight of short remaining work among jobs, in ratios of mean
                              packing over mean remaining work; as BR_ETA_PAPER */
    double kappa;          /* > 0: largest unfairness, as a share of the cluster's capacity */
    enum br_fairness fairness;
    uint32_t bundle; /* >= 1: candidates that one pass over the ready tasks collects */
    /* While there is one job, with a plan for this very cluster: start no task ahead of its place
     * in the plan if that would delay another. Then the run takes no longer than the plan if the
     * job's edges decide what is ready, no task fails and none lasts longer than planned. */
    bool keep_plan;
};
BR_API struct br_runtime_options br_runtime_options_default(void);

/* Names of the policies for k = 0, 1, ..., and a line on each; NULL past the end. */
BR_API const char *br_policy_name(uint32_t k);
BR_API const char *br_policy_summary(uint32_t k);

/* ---- Set up ---- */

/* An enforcer for the cluster, which is copied and all free at first. options may be NULL for the
 * defaults. *runtime is the caller's. BR_USAGE (options), BR_BAD_INPUT (capacities that do not
 * scale to integers), BR_SYSTEM (memory). */
BR_API enum br_status br_runtime_create(const struct br_cluster *cluster,
                                        const struct br_runtime_options *options,
                                        struct br_runtime **runtime, struct br_diag *diag);
/* Releases it with all jobs; NULL is fine. */
BR_API void br_runtime_destroy(struct br_runtime *runtime);

/* Lets the tasks of a machine together demand up to `percent`, 100 to 400, of its capacity of a
 * resource. BR_USAGE if the cluster does not declare it fungible (br_cluster_set_fungible). */
BR_API enum br_status br_runtime_overbook(struct br_runtime *runtime, const char *resource,
                                          uint32_t percent, struct br_diag *diag);

/* A group of jobs (a user, a queue) with its weight > 0 in the fair shares. Group 0, of weight 1,
 * is always there. The name is copied. */
BR_API enum br_status br_runtime_add_group(struct br_runtime *runtime, const char *name,
                                           double weight, uint32_t *group, struct br_diag *diag);

/* ---- Events ---- */

/* How a job's tasks become ready. */
enum br_readiness {
    BR_READY_BY_EDGES, /* when their parents have finished; br_runtime_ready is not needed */
    BR_READY_BY_EVENT, /* when br_runtime_ready says so; the job's edges are ignored, and nothing
                          waits for a task that is not ready, since it may never be */
};

/* A job arrives with its plan. The needed parts of dag and plan are copied. Without a plan (NULL)
 * tasks rank by the longest path from them to the end. A plan made for another cluster gives only
 * the order. *job numbers the job until br_runtime_retire. BR_USAGE (an unknown group, or the plan
 * of another job: its tasks differ, last otherwise, or one comes before its parents), BR_BAD_INPUT
 * (a demand that no machine holds), BR_NO (no order of its tasks was found in which what is held
 * fits), BR_SYSTEM. O(tasks log tasks + edges). */
BR_API enum br_status br_runtime_submit(struct br_runtime *runtime, const struct br_dag *dag,
                                        const struct br_plan *plan, uint32_t group,
                                        enum br_readiness readiness, uint32_t *job,
                                        struct br_diag *diag);
/* Forgets the job; its running tasks release their resources. Its number may be given again. */
BR_API enum br_status br_runtime_retire(struct br_runtime *runtime, uint32_t job,
                                        struct br_diag *diag);

/* Starts no more tasks of the job: those not started count as failed, and a running task that fails
 * does not become ready again. Running tasks go on. O(tasks). */
BR_API enum br_status br_runtime_close(struct br_runtime *runtime, uint32_t job,
                                       struct br_diag *diag);

/* The task of a BR_READY_BY_EVENT job may start. */
BR_API enum br_status br_runtime_ready(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                       struct br_diag *diag);
/* Withdraws the ready task of a BR_READY_BY_EVENT job: until br_runtime_ready names it again, it is
 * not started, and nothing waits for it. */
BR_API enum br_status br_runtime_withdrawn(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                           struct br_diag *diag);
/* The task runs on the machine. Confirms a decision (and changes nothing then), or reports a task
 * that the caller has started by itself, which need not fit. */
BR_API enum br_status br_runtime_started(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                         uint32_t machine, struct br_diag *diag);
/* The task is done: it releases its resources, and its children may become ready. It need not have
 * started here, such as a task that an earlier run finished. O(children that become ready). */
BR_API enum br_status br_runtime_finished(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                          struct br_diag *diag);
/* The task, which has finished or is about to, took lasted_ns (0 or less: nobody knows). Tasks of
 * its stage that have not started are believed to take as much longer or shorter than declared, and
 * less surely those of stages of which nothing has been told: so the work that is left of the job,
 * by which jobs are compared, follows what is seen. A caller that never tells has declared
 * durations alone. O(1), and O(tasks) the first time. BR_USAGE: there is no such task. BR_SYSTEM
 * (memory). */
BR_API enum br_status br_runtime_lasted(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                        int64_t lasted_ns, struct br_diag *diag);
/* The started task has failed and releases its resources. If `again`, it is ready again and will be
 * decided anew; else its descendants never become ready. */
BR_API enum br_status br_runtime_failed(struct br_runtime *runtime, uint32_t job, uint32_t task,
                                        bool again, struct br_diag *diag);
/* Free capacity of the resource on the machine now, not counting what its tasks here hold: a
 * decimal, also "4GiB". Until the next report, the enforcer may use this amount, less tasks that
 * start, plus tasks that end.
 */
BR_API enum br_status br_runtime_report(struct br_runtime *runtime, uint32_t machine,
                                        const char *resource, const char *free,
                                        struct br_diag *diag);

/* ---- Decisions ---- */

struct br_decision {
    uint32_t job, task, machine;
};

/* The tasks that start now: up to `room` decisions, best first by machine. A decision holds its
 * demand at once; the caller starts it, or calls br_runtime_failed. Returns their number; if that
 * is `room`, there may be more, so ask again. 0 for a machine that does not exist. `machine`:
 * decide only for this one, which has just reported, or BR_ANY. `now_ns`: the time on the caller's
 * clock, never less than before; only differences count. A search over n kinds of equal ready tasks
 * looks at O(log n) subtrees if bounds tell the kinds apart; if all differ in several demands and
 * in order, it looks at about the cube root of n. If it keeps to a plan, it also looks at the
 * running tasks of the machine and at no more than the plan's next 128 tasks there. */
BR_API uint32_t br_runtime_decide(struct br_runtime *runtime, uint32_t machine, int64_t now_ns,
                                  struct br_decision *decisions, uint32_t room);

/* When to ask for decisions again although nothing has happened: the next time at which a release
 * or a lag of a job is over, or at which the cluster changes, on the caller's clock. INT64_MAX:
 * there is none. O(1). */
BR_API int64_t br_runtime_next_ns(const struct br_runtime *runtime);

/* A task that still runs although its machine is away by the cluster's calendar, at the time of the
 * last decision; each is told once for each start. False: there is none for now. O(tasks). */
BR_API bool br_runtime_overrun(struct br_runtime *runtime, struct br_decision *overrun);

/* An output that is no longer held: of this task, number `output` of the job's outputs, as they
 * were added. */
struct br_freed {
    uint32_t job, task, output;
};
/* Each is told once: after the last task that reads it has ended, or will never run; an output that
 * nobody reads and nobody keeps after its own task. Results of a job are not told. False: there is
 * none for now. The job is not retired before it has been asked about. */
BR_API bool br_runtime_freed(struct br_runtime *runtime, struct br_freed *freed);

/* ---- Questions ---- */

/* The tasks of a job, by state. */
struct br_job_state {
    uint32_t waiting, ready, running, finished, failed;
};
/* All zero if there is no such job. O(1). */
BR_API struct br_job_state br_runtime_job(const struct br_runtime *runtime, uint32_t job);
/* Share of the resource on the machine (BR_ANY: on all) that running tasks hold, 0..1; above 1 if
 * it is overbooked; 0 if there is none. */
BR_API double br_runtime_used(const struct br_runtime *runtime, uint32_t machine,
                              const char *resource);
/* How much less than its fair share the group has had, as a share of the cluster; negative if it
 * has had more. */
BR_API double br_runtime_deficit(const struct br_runtime *runtime, uint32_t group);

#ifdef __cplusplus
}
#endif
#endif
