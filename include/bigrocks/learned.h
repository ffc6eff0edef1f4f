/* Decisions by a trained model: which stage of which job gets free executors, and how many its job
 * may have. For schedulers whose executors belong to jobs, as Spark's do.
 *
 * A model is a file that `bigrocks train` made. It is read-only and may be shared between threads.
 * A decider is of one model and one cluster, for one thread. The caller tells it of jobs and of
 * where they are, and asks where executors go:
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

/* Reads the file. *model is the caller's. BR_BAD_INPUT: it is not there, no model, of another
 * version, cut, changed, made for other inputs, or holds numbers that no training gives, such as
 * one that is not finite; BR_SYSTEM. */
BR_API enum br_status br_model_load(const char *path, struct br_model **model,
                                    struct br_diag *diag);
/* The same from memory, such as from a model that is compiled into the program. */
BR_API enum br_status br_model_load_bytes(const void *bytes, size_t size, struct br_model **model,
                                          struct br_diag *diag);
/* Releases it; NULL is fine. Its deciders must go first. */
BR_API void br_model_destroy(struct br_model *model);

/* What a model says of itself. Texts belong to the model. */
struct br_model_facts {
    uint32_t executors;  /* of the cluster that it was trained on */
    uint32_t parameters; /* numbers that were learned */
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

/* A decider for a cluster of so many executors, none of which belongs to a job. The model is
 * borrowed. It need not have been trained on as many; how good its decisions are is another matter.
 * *learned is the caller's. BR_USAGE (no executors, or too many), BR_SYSTEM (memory). */
BR_API enum br_status br_learned_create(const struct br_model *model, uint32_t executors,
                                        struct br_learned **learned, struct br_diag *diag);
/* Releases it with all jobs; NULL is fine. */
BR_API void br_learned_destroy(struct br_learned *learned);

/* ---- Jobs ---- */

/* The finished job comes. What is needed is copied: stages, edges (all of them are barriers here),
 * numbers of tasks, and the mean duration of a stage's tasks. *job numbers it until
 * br_learned_retire. BR_USAGE, BR_BAD_INPUT, BR_SYSTEM; the decider is as before then.
 * O(tasks log tasks + edges). */
BR_API enum br_status br_learned_submit(struct br_learned *learned, const struct br_dag *dag,
                                        uint32_t *job, struct br_diag *diag);
/* Forgets the job, which has ended or is given up. Its number may be given again. O(stages). */
BR_API enum br_status br_learned_retire(struct br_learned *learned, uint32_t job,
                                        struct br_diag *diag);

/* Where a stage is. Those that have started and not ended are running, one on an executor. */
struct br_learned_progress {
    uint32_t started, ended; /* of its tasks; an attempt that failed counts in neither */
    uint32_t coming;         /* executors that were sent to it and have not started a task of it */
};
/* Replaces what was known of the stage, and what decisions added to it. BR_USAGE: no such stage;
 * ended <= started <= tasks does not hold; more executors than there are. O(1). */
BR_API enum br_status br_learned_set_stage(struct br_learned *learned, uint32_t job, uint32_t stage,
                                           struct br_learned_progress progress,
                                           struct br_diag *diag);
/* Executors of the job: bound to it or on their way to it, without those that were promised to
 * other jobs. Replaces what was known, and what decisions added. O(1). */
BR_API enum br_status br_learned_set_executors(struct br_learned *learned, uint32_t job,
                                               uint32_t executors, struct br_diag *diag);

/* ---- Decisions ---- */

/* Executors that are to be placed together: idle ones of one job or of none, or those that run the
 * last tasks of a stage, of which nothing is left to start. */
struct br_learned_group {
    uint32_t count; /* at least 1 */
    uint32_t job;   /* to which they are bound; BR_ANY: to none */
    uint32_t now;   /* of them, those that are idle; others go when they end what they run */
};

/* So many executors of the group go to the stage. */
struct br_learned_decision {
    uint32_t job, stage;
    uint32_t limit; /* executors that the model lets the job have */
    uint32_t executors;
};

/* Where the executors of the group go, first those that are idle. *decision is the decider's, until
 * its next call: *count of them, in the order in which they were made, at most one a stage. They
 * name stages of which all parents have, for every task, an executor that runs it, has run it or
 * is coming; such a stage may still have to wait. Executors that no decision names have nothing to
 * do: they are free, or stay idle in their job, until something has changed.
 *
 * Decisions count at once: idle executors of a job that go to a stage of it whose parents have
 * ended as tasks started, all others as coming; and those that change jobs as the new one's. So the
 * next group can be asked for at once.
 *
 * BR_USAGE: no executor, or more than the job has or than are free (those of no job).
 * O(stages and edges of all jobs) a decision, and the network for what has changed. */
BR_API enum br_status br_learned_decide(struct br_learned *learned, struct br_learned_group group,
                                        const struct br_learned_decision **decision,
                                        uint32_t *count, struct br_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
