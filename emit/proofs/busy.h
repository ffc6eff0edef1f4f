/* A job on one machine as pseudo-Boolean constraints in which unit propagation sees what the
 * checker of clauses sees: steps.h, and variables for what runs when, and in which order.
 *
 * Variable x<t>_<u> is at least 1 if task t runs at time u, and o<t>_<v> is 1 if task t ends before
 * task v starts, and 0 if v ends before t starts; the two demand more together than there is. Rows
 * behind those of the steps, in this order:
 *
 *   runs      y(t, u - d + 1) and not y(t, u + 1) make x(t, u), for the times that edges allow and
 *             that the proof uses.
 *   capacity  by resource and time that the proof uses: what runs demands no more than there is.
 *   orders    with o(t, v), y(t, s) <= y(v, s + d), then the same for v and t without; only for the
 *             s that the proof uses. */
#ifndef BR_EMIT_PROOFS_BUSY_H
#define BR_EMIT_PROOFS_BUSY_H

#include "emit/proofs/steps.h"
#include "planner/instance/certificate.h"

struct br_busy_order {
    uint32_t first, second; /* tasks */
};

/* Rows count from 1. */
struct br_busy {
    struct br_steps steps;  /* its counts of rows and variables are of all */
    int64_t *head, *latest; /* by task: first and last start that edges allow */
    bool *full;             /* [resource x M + time]: does the proof use what is held then? */
    int64_t *rank;          /* by time, M + 1: how many times before it have variables of runs */
    int64_t *run;           /* by task: the row of a time is this and its rank */
    uint64_t *capacity; /* [resource x M + time]: its row; 0: the tasks fit, or it is not used */
    uint32_t orders;
    struct br_busy_order *order;
    bool *ordered;   /* [first x tasks + second]: is it a variable? */
    uint64_t **kept; /* [before x tasks + after]: a bit for each start that has a row; NULL: none */
};

/* Numbers the rows for a proof by clauses, which it follows once. BR_NO in words if that needs the
 * order of equal tasks, or there would be too many terms; BR_SYSTEM. br_busy_finish releases it,
 * also on failure. O(tasks^2 + terms), and the check. */
enum br_status br_busy_init(struct br_busy *busy, const struct br_instance *in,
                            const struct br_proof *proof, struct br_diag *diag);
void br_busy_finish(struct br_busy *busy);
/* The rows as OPB. O(terms). */
void br_busy_write(const struct br_busy *busy, FILE *out);

/* What a task demands while it runs. */
static inline int64_t br_busy_demand(const struct br_busy *busy, uint32_t task, uint32_t resource)
{
    const struct br_instance *in = busy->steps.in;
    return in->demand[(size_t)in->task_stage[task] * in->resources + resource];
}

/* Is there a variable for the task at that time? */
static inline bool br_busy_at(const struct br_busy *busy, uint32_t task, int64_t time)
{
    return time >= busy->head[task] && time < busy->latest[task] + busy->steps.in->duration[task];
}

#endif
