/* Decisions by a trained model: which stage of which job gets free executors, and how many its job
 * may have. For schedulers whose executors belong to jobs, as Spark's do.
 *
 * A model is a file that `bigrocks train` made. It is read-only and may be shared between threads.
 * A decider belongs to one model, one cluster and one thread. The caller reports jobs and their
 * progress, and asks where executors go:
 *
 *     br_model_load("tpch-50.model", &model, &diag);
 *     br_learned_create(model, executors, &learned, &diag);
 *     br_learned_submit(learned, dag, &job, &diag);             a job comes
 *     br_learned_set_stage(learned, job, stage, progress, ...); whenever something of it changes
 *     br_learned_set_executors(learned, job, executors, ...);
 *     br_learned_decide(learned, group, &decisions, &count, &diag);
 *     br_learned_retire(learned, job, &diag);                   it has ended
 *
 * It has no clock, no thread and no input or output but the model's file. Equal calls give equal
 * decisions on every machine. Setting and deciding allocate nothing: all memory is taken when a
 * decider is created and when a job comes. */
#ifndef BIGROCKS_LEARNED_H
#define BIGROCKS_LEARNED_H

#include <bigrocks/dag.h>
#include <bigrocks/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Models ---- */

struct br_model;

/* Reads the file. *model is the caller's. BR_BAD_INPUT: the file is missing, is not a model, has
 * another version, is cut or changed, was made for other inputs, or holds numbers that no training
 * gives, such as an infinite one; BR_SYSTEM. */
BR_API enum br_status br_model_load(const char *path, struct br_model **model,
                                    struct br_diag *diag);
/* Reads a model from memory, such as one that is compiled into the program. */
BR_API enum br_status br_model_load_bytes(const void *bytes, size_t size, struct br_model **model,
                                          struct br_diag *diag);
/* Releases it; NULL is fine. Its deciders must go first. */
BR_API void br_model_destroy(struct br_model *model);

/* A model's description of itself. Texts belong to the model. */
struct br_model_facts {
    uint32_t executors;  /* of the cluster that it was trained on */
    uint32_t parameters; /* count of learned numbers */
    uint64_t iterations; /* of its training */
    uint64_t seed;       /* of its training */
    const char *network; /* its form: "code", "paper", ... */
    const char *made_by; /* the command that makes it again */
};
BR_API struct br_model_facts br_model_facts(const struct br_model *model);

/* ---- Deciders ---- */

struct br_learned;

/* Most executors of a decider. */
#define BR_LEARNED_EXECUTORS 1000000u

/* A decider for a cluster of this many executors, none of which belongs to a job. The model is
 * borrowed. It may have been trained on another number of executors; its decisions may then be
 * worse. *learned is the caller's. BR_USAGE (no executors, or too many), BR_SYSTEM (memory). */
BR_API enum br_status br_learned_create(const struct br_model *model, uint32_t executors,
                                        struct br_learned **learned, struct br_diag *diag);
/* Releases it with all jobs; NULL is fine. */
BR_API void br_learned_destroy(struct br_learned *learned);

/* ---- Jobs ---- */

/* A finished job arrives. The decider copies its stages, edges (all count as barriers here),
 * numbers of tasks, and the mean duration of each stage's tasks. *job numbers it until
 * br_learned_retire. BR_USAGE, BR_BAD_INPUT, BR_SYSTEM; these leave the decider unchanged. O(tasks
 * log tasks + edges). */
BR_API enum br_status br_learned_submit(struct br_learned *learned, const struct br_dag *dag,
                                        uint32_t *job, struct br_diag *diag);
/* Forgets the job, which has ended or is given up. Its number may be given again. O(stages). */
BR_API enum br_status br_learned_retire(struct br_learned *learned, uint32_t job,
                                        struct br_diag *diag);

/* Progress of a stage. Tasks that have started and not ended are running, each on one executor. */
struct br_learned_progress {
    uint32_t started, ended; /* tasks of the stage; an attempt that failed counts in neither */
    uint32_t coming;         /* executors sent to the stage that have not started a task of it */
};
/* Replaces what was known of the stage, including the effects of decisions. BR_USAGE: no such
 * stage; ended <= started <= tasks does not hold; more executors than there are. O(1). */
BR_API enum br_status br_learned_set_stage(struct br_learned *learned, uint32_t job, uint32_t stage,
                                           struct br_learned_progress progress,
                                           struct br_diag *diag);
/* Executors of the job: bound to it or on their way to it, without those promised to other jobs.
 * Replaces what was known, including the effects of decisions. O(1). */
BR_API enum br_status br_learned_set_executors(struct br_learned *learned, uint32_t job,
                                               uint32_t executors, struct br_diag *diag);

/* ---- Decisions ---- */

/* Executors to place together: idle ones of one job or of none, or those that run the last tasks of
 * a stage that has no more tasks to start. */
struct br_learned_group {
    uint32_t count; /* at least 1 */
    uint32_t job;   /* the job they are bound to; BR_ANY: none */
    uint32_t now;   /* how many are idle now; the others move when their task ends */
};

/* Sends this many executors of the group to the stage. */
struct br_learned_decision {
    uint32_t job, stage;
    uint32_t limit; /* executors that the model lets the job have */
    uint32_t executors;
};

/* Decides where the executors of the group go, idle ones first. *decision belongs to the decider
 * until its next call: *count decisions in the order in which they were made, at most one per
 * stage. They name only stages whose parents have, for every task, an executor that runs it, has
 * run it or is coming; such a stage may still have to wait. Executors that no decision names have
 * nothing to do: they are free, or stay idle in their job, until something changes.
 *
 * Decisions count at once: idle executors that go to a stage of their own job whose parents have
 * ended count as started tasks, all others as coming; those that change jobs count for the new job.
 * So the next group can be asked for at once.
 *
 * BR_USAGE: no executor, or more than the job has or, for those of no job, more than are free.
 * O(stages and edges of all jobs) per decision, and the network for what has changed. */
BR_API enum br_status br_learned_decide(struct br_learned *learned, struct br_learned_group group,
                                        const struct br_learned_decision **decision,
                                        uint32_t *count, struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
