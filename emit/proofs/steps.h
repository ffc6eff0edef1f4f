/* A job on one machine as pseudo-Boolean constraints: the step form of the time-indexed encoding.
 *
 * Variable y<t>_<s> says that task t starts no earlier than s, for 1 <= s <= M less its duration;
 * tasks count from 1, as the clauses of certificates count them. Of smaller s it is true, of larger
 * s false. So a task runs at time u if y(u - d + 1) - y(u + 1) = 1, and all rows are linear
 * [Artigues17]. The rows, in this order:
 *
 *   fits      for a task longer than M: 0 >= 1.
 *   ladders   y(t, s) >= y(t, s + 1).
 *   edges     y(t, s) <= y(u, s + d) for an edge from t to u.
 *   capacity  by resource and time: what runs demands no more than there is. */
#ifndef BR_EMIT_PROOFS_STEPS_H
#define BR_EMIT_PROOFS_STEPS_H

#include <stdio.h>

#include "base/collections/arena.h"
#include "planner/instance/instance.h"

/* More terms are refused: a file of about a gigabyte. */
#define BR_STEPS_TERMS UINT64_C(60000000)

struct br_steps_edge {
    uint32_t from, to;
    uint64_t row; /* of s = 0; of s = 1 less 1, if `from` lasts no time */
};

/* Rows count from 1. */
struct br_steps {
    struct br_arena arena;
    const struct br_instance *in; /* borrowed */
    int64_t makespan;             /* M */
    bool *used;                   /* by task: is it in the encoding? */
    int64_t *last;                /* by task: the last start, M less the duration */
    uint64_t *fits;               /* by task: its row, if it is longer than M */
    uint64_t *ladder;             /* by task: the row of s = 1 less 1 */
    uint32_t edges;
    struct br_steps_edge *edge;
    uint32_t *edge_first; /* by task, tasks + 1: its edges to others */
    bool *counted;        /* by task: do capacity rows count it? */
    uint64_t *capacity;   /* by resource: the row of time 0; 0 if it has none */
    uint64_t rows, variables, terms;
};

/* Numbers the rows. `used` and `counted`, by task, and `scarce`, the resources with rows, are
 * copied. Leaving tasks or rows out only allows more. BR_NO if there would be too many terms;
 * BR_SYSTEM. br_steps_finish releases it, also on failure. O(tasks + edges between tasks). */
enum br_status br_steps_init(struct br_steps *steps, const struct br_instance *in, int64_t makespan,
                             const bool *used, const bool *counted, const bool *scarce,
                             struct br_diag *diag);
/* BR_NO in words: there are more terms. */
enum br_status br_steps_too_many(struct br_diag *diag);
void br_steps_finish(struct br_steps *steps);
/* The rows as OPB. O(terms). */
void br_steps_write(const struct br_steps *steps, FILE *out);

/* The number of the task in the job, from 1, by which variables are named. */
static inline uint32_t br_steps_name(const struct br_steps *steps, uint32_t task)
{
    return steps->in->task_origin[task] + 1;
}

/* Is it a variable? Otherwise y is true (s <= 0) or false. */
static inline bool br_steps_free(const struct br_steps *steps, uint32_t task, int64_t s)
{
    return s >= 1 && s <= steps->last[task];
}

#endif
