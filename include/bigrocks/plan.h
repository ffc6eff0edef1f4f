/* A plan: for every task a machine, a start and a rank; the makespan, and a proven bound on it. */
#ifndef BIGROCKS_PLAN_H
#define BIGROCKS_PLAN_H

#include <bigrocks/certificate.h>
#include <bigrocks/cluster.h>
#include <bigrocks/dag.h>
#include <bigrocks/diag.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct br_plan;

/* One task of a plan. Times are nanoseconds from the start of the plan. */
struct br_plan_task {
    uint32_t task;
    uint32_t machine;
    int64_t start_ns;
    int64_t end_ns;
    uint32_t rank;   /* 1..n, by start; a parent always ranks before its children */
    double priority; /* (n - rank + 1) / n: 1 for the first, never 0 */
    char subset;     /* the subset it was placed with: T, S, P or C */
};

/* Releases the plan; NULL is fine. */
BR_API void br_plan_destroy(struct br_plan *plan);

/* The number of tasks, all of which a plan places. */
BR_API uint32_t br_plan_task_count(const struct br_plan *plan);
/* The k-th task of the order, k from 0: the task with rank k + 1. Past the end, or for a task that
 * does not exist, all fields are zero, also the rank. O(1). */
BR_API struct br_plan_task br_plan_at(const struct br_plan *plan, uint32_t k);
/* The entry of a task. O(1). */
BR_API struct br_plan_task br_plan_of(const struct br_plan *plan, uint32_t task);
/* The alternative of its stage by which the task runs, from 0 (br_dag_alternative_id); 0 if the
 * stage has none, or for a task that does not exist. O(1). */
BR_API uint32_t br_plan_alternative(const struct br_plan *plan, uint32_t task);

/* The end of the last task, in nanoseconds. */
BR_API int64_t br_plan_makespan_ns(const struct br_plan *plan);
/* A proven lower bound on every plan's makespan, and the name of the argument that gave it. */
BR_API int64_t br_plan_lower_bound_ns(const struct br_plan *plan);
BR_API const char *br_plan_bound_method(const struct br_plan *plan);
/* makespan / lower bound - 1; 0 if both are 0. */
BR_API double br_plan_gap(const struct br_plan *plan);
/* For a plan made for another objective than the makespan (bigrocks/planner.h): the mean time at
 * which the job's ends are reached, weighted if asked for, and a lower bound on it, both rounded
 * down. The bound has no certificate; br_plan_verify computes both again. 0 for other plans. */
BR_API int64_t br_plan_mean_ns(const struct br_plan *plan);
BR_API int64_t br_plan_mean_bound_ns(const struct br_plan *plan);
/* The method that made the plan, such as "graphene" or "lft"; borrowed. */
BR_API const char *br_plan_method(const struct br_plan *plan);

/* Why the search ended early, such as a limit; NULL if it did not. Borrowed. */
BR_API const char *br_plan_note(const struct br_plan *plan);

/* Records a better bound that was proven elsewhere (the LP). A worse one is ignored. One above the
 * makespan is an error, since either the bound or the plan must be wrong. */
BR_API enum br_status br_plan_raise_bound(struct br_plan *plan, int64_t lower_bound_ns,
                                          const char *method, struct br_diag *diag);

/* The proof of the lower bound; borrowed. NULL if the bound has none. */
BR_API const struct br_certificate *br_plan_certificate(const struct br_plan *plan);
/* Records a bound with its proof, which has been checked (br_certificate_verify), if the bound is
 * better than the plan's, or as good and the plan's has no proof. Takes ownership of the
 * certificate, also on failure. BR_SYSTEM if the bound is above the makespan or memory is out; the
 * plan then keeps its bound. */
BR_API enum br_status br_plan_prove(struct br_plan *plan, struct br_certificate *certificate,
                                    const char *method, struct br_diag *diag);

/* How much later a task may start without increasing the makespan. Nanoseconds, 0 or more. */
struct br_task_slack {
    int64_t total_ns; /* tasks that wait for this one move along */
    int64_t free_ns;  /* no other task moves; at most total_ns */
};
/* The slack of every task in the order of the plan: a task waits for its parents, and for the tasks
 * that free the room it takes on its machine (from all free room, it takes the room that has been
 * free the longest). Starts that keep this order are feasible. Transfers do not move. `slack` is
 * the caller's, by task. For an invalid plan the figures mean nothing. BR_SYSTEM when memory is
 * out; else as br_plan_make. O(tasks log tasks + tasks x resources + edges). */
BR_API enum br_status br_plan_slack(const struct br_plan *plan, const struct br_dag *dag,
                                    const struct br_cluster *cluster, struct br_task_slack *slack,
                                    struct br_diag *diag);

/* Checks the plan against the job and the cluster, sharing no code with the search: every task
 * once, durations, precedence with lags and streams, releases, deadlines, machines that are away,
 * what tasks and outputs hold at every instant, ranks, makespan >= bound. Up to
 * `limit` faults go to `fault` (may be NULL), one call each. BR_OK, or BR_NO with the first fault
 * in the diagnostic. O(n log n + edges). */
BR_API enum br_status br_plan_verify(const struct br_plan *plan, const struct br_dag *dag,
                                     const struct br_cluster *cluster, uint32_t limit,
                                     void (*fault)(void *context, const char *text), void *context,
                                     struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
