/* Learns unknown durations during a run. */
#ifndef BR_RUNTIME_REPLANNING_REPLANNER_H
#define BR_RUNTIME_REPLANNING_REPLANNER_H

#include "runtime/predict/beliefs.h"
#include "runtime/replanning/rest.h"

struct br_replanner;

/* Start from br_replanner_options_default(). */
struct br_replanner_options {
    double ratio;   /* share of an unknown stage's tasks that are pilots, at least one; 0..1 */
    double changed; /* a mean that is wrong by more than this ratio is worth a new plan; > 0 */
    uint64_t seed;  /* seed for the choice of pilots */
    /* By stage: the first stage that is like it, such as another task of one stage; they are
     * learned together, as one stage. Borrowed by br_replanner_create alone. NULL: none is like
     * another. */
    const uint32_t *like;
};
struct br_replanner_options br_replanner_options_default(void);

/* The stages that have a command and no task with a duration. *unknown is the caller's to free, and
 * NULL if there is none. */
enum br_status br_replanner_unknown(const struct br_dag *dag, bool **unknown, struct br_diag *diag);

/* A replanner of the job, which is borrowed; it owns a copy of `unknown` (by stage). The beliefs
 * are borrowed as well. BR_SYSTEM (memory). */
enum br_status br_replanner_create(const struct br_dag *dag, const bool *unknown,
                                   struct br_beliefs *beliefs,
                                   const struct br_replanner_options *options,
                                   struct br_replanner **replanner, struct br_diag *diag);
void br_replanner_destroy(struct br_replanner *replanner); /* NULL is fine */

/* ---- Events: times are nanoseconds on any one clock ---- */

void br_replanner_started(struct br_replanner *replanner, uint32_t task, int64_t now_ns);
/* The attempt has failed; `again`: the task waits, else it has ended for good. */
void br_replanner_failed(struct br_replanner *replanner, uint32_t task, bool again);
/* The task is done, with this duration; below 0: unknown. */
void br_replanner_ended(struct br_replanner *replanner, uint32_t task, int64_t lasted_ns);

/* ---- Questions ---- */

/* Has enough been learned since br_replanner_look, with tasks left to start, to plan again? */
bool br_replanner_wants(const struct br_replanner *replanner);
/* The state of the job, with the durations expected now. *duration_ns is by task, for a job with
 * these (runtime/predict/dag_with.h), and full-length for a running task; NULL: not asked for. All
 * belongs to the replanner, and is valid until its next call. O(tasks). */
struct br_rest br_replanner_look(struct br_replanner *replanner, int64_t now_ns,
                                 const int64_t **duration_ns);

/* Is something known of every stage, from measured tasks or from the history? */
bool br_replanner_knows(struct br_replanner *replanner);
/* What a forecast of the whole job takes: by task the mean duration, by stage the spread of its
 * tasks (standard deviation of the logarithm; below 0: as the job says). Both have room for all. A
 * stage of which nothing is known lasts as long as the longest known one here, since a deadline is
 * missed by what was thought too short. */
void br_replanner_forecast(struct br_replanner *replanner, int64_t *duration_ns, double *spread);

struct br_replanner_report {
    uint32_t unknown;  /* stages */
    uint32_t learnt;   /* of them: with at least one task measured */
    uint32_t pilots;   /* that have been measured */
    uint32_t measured; /* measured tasks of unknown stages, pilots and others */
};
struct br_replanner_report br_replanner_report(const struct br_replanner *replanner);
/* How many tasks the stage has together with those like it; 0: an earlier stage is like it. O(1).
 */
uint32_t br_replanner_alike(const struct br_replanner *replanner, uint32_t stage);
/* Is the stage unknown? *belief is the present belief about it, from `measured` tasks. */
bool br_replanner_stage(struct br_replanner *replanner, uint32_t stage,
                        struct br_task_belief *belief, uint32_t *measured);

#endif
