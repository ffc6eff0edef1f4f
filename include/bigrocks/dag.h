/* A job: a DAG of stages, each of one or more equal tasks, with durations and demands.
 *
 * Build it by br_dag_create, the add and set calls, then br_dag_finish, which checks it; from then
 * on it is read-only and may be shared between threads. Stage and task numbers are dense, from 0,
 * in the order of the add calls; the tasks of a stage are consecutive.
 */
#ifndef BIGROCKS_DAG_H
#define BIGROCKS_DAG_H

#include <bigrocks/diag.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most tasks, stages and edges that one job may have; more is refused with a diagnostic. */
#define BR_MAX_TASKS 20000000u
#define BR_MAX_STAGES 5000000u
#define BR_MAX_EDGES 20000000u
/* Most different resources of one job, and of one class of machines. */
#define BR_MAX_RESOURCES 1000u
/* Most bytes that all edges of one job together may carry: an exabyte. */
#define BR_MAX_BYTES INT64_C(1000000000000000000)

enum br_edge_type {
    BR_BARRIER = 0,    /* every task of the child waits for every task of the parent */
    BR_ONE_TO_ONE = 1, /* task i of the child waits for task i of the parent; equal counts */
    /* Task i of n waits for those of the parent's p tasks that overlap it if both stages are laid
     * side by side: tasks floor(i * p / n) to ceil((i + 1) * p / n) - 1. So p = k * n is k to one,
     * n = k * p one to k, and equal counts are one to one. br_dag_set_edge_overlap adds more. */
    BR_RANGE = 2,
};

struct br_dag;

/* An empty job. The name is copied. NULL when memory is out. Release with br_dag_destroy. */
BR_API struct br_dag *br_dag_create(const char *name);
/* Releases the job; NULL is fine. Plans made from it must go first. */
BR_API void br_dag_destroy(struct br_dag *dag);

/* Empties the job, finished or not, for the next of a series: afterwards it is as new, but keeps
 * its memory. From the third job of one size on, building and finishing it allocates nothing. Ids
 * and everything else borrowed from it become invalid; nobody may still use it. BR_SYSTEM when
 * memory is out; the job is then empty, or unchanged. */
BR_API enum br_status br_dag_reset(struct br_dag *dag, const char *name, struct br_diag *diag);

/* Declares a resource; the unit may be NULL. Declaring a name twice is an error. Demands may also
 * name resources that were never declared. */
BR_API enum br_status br_dag_add_resource(struct br_dag *dag, const char *name, const char *unit,
                                          struct br_diag *diag);

/* Adds a stage of `tasks` >= 1 tasks that last duration_ns >= 0 each. The id is copied, must be
 * unique and not empty. *stage (may be NULL) receives the stage's number. */
BR_API enum br_status br_dag_add_stage(struct br_dag *dag, const char *id, uint32_t tasks,
                                       int64_t duration_ns, uint32_t *stage, struct br_diag *diag);

/* Every task of the stage holds `amount` of the resource on its machine while it runs. The amount
 * is >= 0, such as "2", "0.59", "1.5e3" or "4GiB"; it is kept exactly. Once per resource. An amount
 * in bytes ("4GiB") is an error if the resource's unit is a multiple of bytes, such as MiB. */
BR_API enum br_status br_dag_add_demand(struct br_dag *dag, uint32_t stage, const char *resource,
                                        const char *amount, struct br_diag *diag);

/* Overrides the duration of task `index` of the stage. */
BR_API enum br_status br_dag_set_duration(struct br_dag *dag, uint32_t stage, uint32_t index,
                                          int64_t duration_ns, struct br_diag *diag);

/* The command that runs one task; "{index}" in it stands for the task's index, "{alternative}" for
 * the id of the alternative by which it runs, and "{alternative:one=1,four=4}" for the text that
 * the list gives to that. Copied. */
BR_API enum br_status br_dag_set_command(struct br_dag *dag, uint32_t stage, const char *command,
                                         struct br_diag *diag);

/* Weight of the ends of the job that end with this stage, 0 to a million, in plans made for
 * BR_OBJECTIVE_WEIGHTED; 1 by default. If an end has several stages, or a stage several calls, the
 * largest weight counts. It is kept as the attribute "weight" of the stage. */
BR_API enum br_status br_dag_set_weight(struct br_dag *dag, uint32_t stage, uint32_t weight,
                                        struct br_diag *diag);

/* The child stage waits for the parent stage. Adding an edge twice is harmless: of two types the
 * one by which more is waited for counts, a barrier before a range before one-to-one. */
BR_API enum br_status br_dag_add_edge(struct br_dag *dag, uint32_t parent, uint32_t child,
                                      enum br_edge_type type, struct br_diag *diag);

/* Over the edge, a range, each task also waits for so many more tasks of the parent on either side.
 * Of several calls for one edge the largest counts; over a barrier nothing is added. BR_BAD_INPUT:
 * no such edge, or a one-to-one edge. */
BR_API enum br_status br_dag_set_edge_overlap(struct br_dag *dag, uint32_t parent, uint32_t child,
                                              uint32_t overlap, struct br_diag *diag);

/* The edge carries this many bytes, 0 or more: the total that the tasks of the parent pass to those
 * of the child. Over a barrier every task of the parent gives every task of the child the same
 * share; over a one-to-one edge or a range every pair of tasks has the same share. If called
 * several times for one edge, the largest size counts. Bytes impose no order and take no time,
 * unless a plan accounts for transfers (bigrocks/network.h). BR_BAD_INPUT: no such edge, a negative
 * size, or more than BR_MAX_BYTES in total. */
BR_API enum br_status br_dag_set_edge_bytes(struct br_dag *dag, uint32_t parent, uint32_t child,
                                            int64_t bytes, struct br_diag *diag);

/* ---- Storage: what tasks leave behind until the last reader has ended ---- */

/* An output is held from the end of its task on, not from the start. */
#define BR_OUTPUT_FROM_END 1u
/* If nobody reads it, the output goes with its task; else such an output is a result of the job and
 * held to its end. */
#define BR_OUTPUT_UNKEPT 2u

/* Every task of the stage leaves `amount` of the resource behind, on its own machine, or in the
 * whole cluster if the resource is shared (br_cluster_add_shared). It is held from the start of the
 * task until the last task that reads it has ended, and adds to what the task demands. Readers are
 * the children over edges that read it (br_dag_set_edge_reads): over a barrier all tasks of the
 * child, over a one-to-one edge task i of the child for task i, over a range those that wait for
 * the task. The id is copied, is unique in its
 * stage and has no blanks. `flags`: BR_OUTPUT_*. The amount is as in br_dag_add_demand. */
BR_API enum br_status br_dag_add_output(struct br_dag *dag, uint32_t stage, const char *id,
                                        const char *resource, const char *amount, uint32_t flags,
                                        struct br_diag *diag);
/* The command that an enforcer runs when the output of one task is no longer held; "{index}" in it
 * stands for the task's index. Copied. NULL: none. */
BR_API enum br_status br_dag_set_output_free(struct br_dag *dag, uint32_t stage, const char *id,
                                             const char *command, struct br_diag *diag);
/* The outputs of the parent that the child reads: their ids with blanks between them; "" for none.
 * An edge without this call reads all outputs of its parent; several calls add up. Copied; ids are
 * checked by br_dag_finish. */
BR_API enum br_status br_dag_set_edge_reads(struct br_dag *dag, uint32_t parent, uint32_t child,
                                            const char *ids, struct br_diag *diag);

/* ---- Times ---- */

/* Task `index` of the stage, or all its tasks (UINT32_MAX), start no earlier than release_ns >= 0
 * after the start of the plan. A call for one task counts more than one for all. */
BR_API enum br_status br_dag_set_release(struct br_dag *dag, uint32_t stage, uint32_t index,
                                         int64_t release_ns, struct br_diag *diag);
/* They end no later than deadline_ns >= 0 after the start of the plan. */
BR_API enum br_status br_dag_set_deadline(struct br_dag *dag, uint32_t stage, uint32_t index,
                                          int64_t deadline_ns, struct br_diag *diag);
/* The child starts at the earliest lag_ns >= 0 after its parent has ended; the lags of several
 * calls for one edge do not add up, the largest counts. */
BR_API enum br_status br_dag_set_edge_lag(struct br_dag *dag, uint32_t parent, uint32_t child,
                                          int64_t lag_ns, struct br_diag *diag);
/* The child reads a stream: it may start when its parent has started (and the lag has passed since
 * then), and ends no earlier than its parent. */
BR_API enum br_status br_dag_set_edge_stream(struct br_dag *dag, uint32_t parent, uint32_t child,
                                             struct br_diag *diag);

/* ---- Alternatives: how the tasks of a stage may run, and where ---- */

/* In place of an alternative: the stage itself. */
#define BR_WHOLE_STAGE UINT32_MAX
/* In place of a duration: that of the stage. */
#define BR_STAGE_DURATION INT64_MAX

/* The tasks of the stage may run in this way, too. Each task runs by exactly one alternative of its
 * stage: it holds the alternative's demands and lasts the alternative's duration, divided by the
 * speed of its machine (br_cluster_set_speed). The first call takes the place of how the stage's
 * tasks would run without alternatives; what the stage says (its duration, its demands, its
 * classes, what it consumes) holds for every alternative that does not say otherwise. The id is
 * copied, is unique in its stage and has no blanks. duration_ns >= 0, or BR_STAGE_DURATION.
 * *alternative (may be NULL) receives its number in the stage, from 0. */
BR_API enum br_status br_dag_add_alternative(struct br_dag *dag, uint32_t stage, const char *id,
                                             int64_t duration_ns, uint32_t *alternative,
                                             struct br_diag *diag);
/* Tasks that run by the alternative hold `amount` of the resource while they run, in place of what
 * the stage demands of it. As br_dag_add_demand, which is for the stage itself. */
BR_API enum br_status br_dag_add_alternative_demand(struct br_dag *dag, uint32_t stage,
                                                    uint32_t alternative, const char *resource,
                                                    const char *amount, struct br_diag *diag);
/* Tasks that run by the alternative (BR_WHOLE_STAGE: all tasks of the stage) take `amount` of the
 * resource for good. The cluster has to share it (br_cluster_add_shared): all tasks together
 * consume no more than it has. Once per resource and alternative; what an alternative consumes of a
 * resource counts in place of what its stage does. What is consumed cannot be demanded, too. */
BR_API enum br_status br_dag_add_consumed(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                          const char *resource, const char *amount,
                                          struct br_diag *diag);
/* Tasks that run by the alternative (BR_WHOLE_STAGE: by any of the stage that names no classes
 * itself) run only on machines of these classes, whose names have blanks between them. Copied.
 * Without this call they run on any machine. Names with blanks cannot be said. */
BR_API enum br_status br_dag_set_classes(struct br_dag *dag, uint32_t stage, uint32_t alternative,
                                         const char *classes, struct br_diag *diag);
/* Overrides the duration of task `index` if it runs by that alternative. br_dag_set_duration does
 * so for all alternatives; of several calls the last counts. */
BR_API enum br_status br_dag_set_alternative_duration(struct br_dag *dag, uint32_t stage,
                                                      uint32_t alternative, uint32_t index,
                                                      int64_t duration_ns, struct br_diag *diag);

/* Checks the whole job (not empty, no cycle, equal counts across one-to-one edges, outputs that
 * edges read, deadlines after releases) and freezes it.
 * For a cycle, the diagnostic names its tasks in order.
 *
 * A range that is a barrier or one-to-one by its counts becomes such an edge. If others are left,
 * the job is divided: each task of a stage that a range joins, and of those that are joined to it
 * one to one, becomes a stage of its own, with the id of the task. Tasks keep their numbers and
 * ids; stages are numbered anew, in the order of their tasks. BR_BAD_INPUT if that takes more than
 * BR_MAX_STAGES stages or BR_MAX_EDGES edges. What is written of the job has its ranges.
 *
 * O(stages + tasks + edges); a divided job has an edge for each pair of its tasks. */
BR_API enum br_status br_dag_finish(struct br_dag *dag, struct br_diag *diag);

/* The job's name, as given to br_dag_create(), borrowed; the numbers of its stages and of its
 * tasks.
 */
BR_API const char *br_dag_name(const struct br_dag *dag);
BR_API uint32_t br_dag_stage_count(const struct br_dag *dag);
BR_API uint32_t br_dag_task_count(const struct br_dag *dag);
/* First task of the stage and number of its tasks; 0 and 0 if there is no such stage. Either
 * pointer may be NULL. */
BR_API void br_dag_stage_tasks(const struct br_dag *dag, uint32_t stage, uint32_t *first,
                               uint32_t *count);
/* The stage's id; borrowed. NULL if there is no such stage. */
BR_API const char *br_dag_stage_id(const struct br_dag *dag, uint32_t stage);
/* The stage of a task; UINT32_MAX if there is no such task. O(log stages). */
BR_API uint32_t br_dag_task_stage(const struct br_dag *dag, uint32_t task);
/* How many alternatives the stage has; 0 if its tasks run in one way, or there is no such stage. In
 * a finished job. */
BR_API uint32_t br_dag_alternative_count(const struct br_dag *dag, uint32_t stage);
/* The id of an alternative of the stage, counted from 0 in the order of the add calls; borrowed.
 * NULL if there is none of that number. In a finished job. */
BR_API const char *br_dag_alternative_id(const struct br_dag *dag, uint32_t stage,
                                         uint32_t alternative);
/* Writes "stage[i]", or "stage" if the stage has one task; an empty text if there is no such task.
 * Returns like snprintf. text may be NULL. */
BR_API int br_dag_task_id(const struct br_dag *dag, uint32_t task, char *text, size_t size);

/* Completes a list of tasks of the finished job, such as a precedence order made elsewhere, to an
 * order of all: the listed tasks first, in the order of the list, each right after those of its
 * ancestors that the list does not name; then all others. What the list does not name goes in the
 * order `rest` of all tasks, parents first (br_plan_order), or with NULL by critical path: the
 * longest way to the end of the job first. order has room for all tasks. BR_BAD_INPUT (a task is
 * listed twice, or after one that waits for it), BR_USAGE (no task of the job).
 * O(tasks log tasks + edges). */
BR_API enum br_status br_dag_complete_order(const struct br_dag *dag, const uint32_t *listed,
                                            uint32_t count, const uint32_t *rest, uint32_t *order,
                                            struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
