/* The ends of a job: what somebody waits for. A job that falls into several which no edge joins, as
 * several queries in one file do, ends once for each of these; any other once for each of its
 * stages that nothing waits for. The mean of the times at which they end, each by its weight, is
 * what the objectives "mean" and "weighted" are about, and what decides between plans of one
 * makespan. */
#ifndef BR_PLANNER_MODEL_COMPLETIONS_H
#define BR_PLANNER_MODEL_COMPLETIONS_H

#include <bigrocks/planner.h>

#include "base/numbers/wide.h"
#include "planner/model/dag.h"

/* The objectives by their numbers; NULL past the end. */
const char *br_objective_name(uint32_t k);

#define BR_NO_END UINT32_MAX
/* The attribute of a stage with the weight of what ends with it, and the most that it may be. */
#define BR_WEIGHT_ATTRIBUTE "weight"
#define BR_WEIGHT_MAX 1000000u

struct br_completions {
    uint32_t count;  /* at least 1 */
    bool apart;      /* they are jobs that no edge joins; else stages that nothing waits for */
    uint32_t *end;   /* by stage: the one that it is a part of, or BR_NO_END */
    int64_t *weight; /* by end; 1 unless asked for and given: the largest of its stages' */
    int64_t weights; /* their sum */
};

/* Of a finished job. BR_BAD_INPUT: with `weighted`, an attribute that is no whole number from 0 to
 * BR_WEIGHT_MAX, or no weight above 0 at all; BR_SYSTEM. Finish is fine after a failure.
 * O(stages + edges + attributes). */
enum br_status br_completions_find(const struct br_dag *dag, bool weighted,
                                   struct br_completions *ends, struct br_diag *diag);
void br_completions_finish(struct br_completions *ends);

/* The sum of weight x time over the ends, where the tasks end at end[task]. O(tasks). `last` is
 * scratch, by end. */
br_wide br_completions_sum(const struct br_completions *ends, const struct br_dag *dag,
                           const int64_t *end, int64_t *last);
/* The mean of it, rounded down. -1 when memory is out. */
int64_t br_completions_mean(const struct br_completions *ends, const struct br_dag *dag,
                            const int64_t *end_ns);

/* No plan of the job on the cluster has a smaller mean: by the longest path to every end, and where
 * they are jobs apart, by what each resource of the whole cluster has to do for them, the smallest
 * work by weight first [Smith56]. Rounded down; -1 when memory is out. O(tasks + edges +
 * ends log ends x resources). */
struct br_instance;
int64_t br_completions_bound(const struct br_completions *ends, const struct br_instance *whole);

#endif
