/* The ends of a job: what somebody waits for. If a job falls into several that no edge joins, as
 * several queries in one file do, each of these is an end; else each stage for which nothing waits
 * is one. The objectives "mean" and "weighted" are about the weighted mean of the times of the
 * ends. It also decides between plans of one makespan. */
#ifndef BR_PLANNER_INSTANCE_COMPLETIONS_H
#define BR_PLANNER_INSTANCE_COMPLETIONS_H

#include <bigrocks/planner.h>

#include "base/text/named.h"
#include "base/numbers/wide.h"
#include "planner/model/dag.h"

/* The objectives by their numbers; NULL past the end. */
extern const struct br_names br_objectives;

#define BR_NO_END UINT32_MAX
/* The attribute of a stage with the weight of its end, and the largest weight. */
#define BR_WEIGHT_ATTRIBUTE "weight"
#define BR_WEIGHT_MAX 1000000u

struct br_completions {
    uint32_t count;  /* at least 1 */
    bool apart;      /* the ends are jobs that no edge joins; else stages for which nothing waits */
    uint32_t *end;   /* by stage: its end, or BR_NO_END */
    int64_t *weight; /* by end; 1 unless asked for and given: the largest weight of its stages */
    int64_t weights; /* their sum */
};

/* Finds the ends of a finished job. BR_BAD_INPUT: with `weighted`, an attribute that is not a whole
 * number from 0 to BR_WEIGHT_MAX, or no weight above 0 at all; BR_SYSTEM. Finish is fine after a
 * failure. O(stages + edges + attributes). */
enum br_status br_completions_find(const struct br_dag *dag, bool weighted,
                                   struct br_completions *ends, struct br_diag *diag);
void br_completions_finish(struct br_completions *ends);

/* The sum of weight x time over the ends, if the tasks end at end[task]. O(tasks). `last` is
 * scratch, by end. */
br_wide br_completions_sum(const struct br_completions *ends, const struct br_dag *dag,
                           const int64_t *end, int64_t *last);
/* That sum divided by the sum of weights, rounded down. -1 if memory is out. */
int64_t br_completions_mean(const struct br_completions *ends, const struct br_dag *dag,
                            const int64_t *end_ns);

/* A lower bound on the mean of any plan of the job on the cluster: by the longest path to every
 * end, and, if the ends are jobs apart, by the work of each resource of the whole cluster for them,
 * the smallest work by weight first [Smith56]. Rounded down; -1 if memory is out. O(tasks + edges +
 * ends log ends x resources). */
struct br_instance;
int64_t br_completions_bound(const struct br_completions *ends, const struct br_instance *whole);

#endif
