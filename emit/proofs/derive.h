/* The lines of a proof in VeriPB's form: each gets the next number after the rows of the encoding.
 *
 * A step y(x) - y(x + 1) >= 0 says that a task starts at x or not; the sum over all x is 1. So what
 * a function of the start is at least follows from steps, and from lines for its window. */
#ifndef BR_EMIT_PROOFS_DERIVE_H
#define BR_EMIT_PROOFS_DERIVE_H

#include "base/numbers/wide.h"
#include "emit/proofs/steps.h"
#include "planner/instance/certificate.h"

/* More terms are refused: a file of some hundred megabytes. */
#define BR_TERMS_MOST UINT64_C(40000000)
/* BR_NO in words: a proof has more. */
enum br_status br_derive_too_long(struct br_diag *diag);

struct br_derivation {
    struct br_arena arena;
    const struct br_steps *steps;
    FILE *out;
    uint64_t next;                   /* the number of the last line */
    uint64_t terms;                  /* that were taken out of rows */
    uint64_t conflict;               /* a line that says 0 >= 1; 0: none yet */
    int64_t *head, *latest;          /* by task: first and last start that edges allow */
    uint64_t *head_line, *late_line; /* y(head) >= 1; y(latest + 1) <= 0; 0 if that is given */
};

/* Derives all windows from the edges, or the conflict if a task has none. BR_SYSTEM.
 * br_derivation_finish releases the lines, also on failure. O(tasks + edges). */
enum br_status br_derive_windows(struct br_derivation *lines, const struct br_steps *steps,
                                 FILE *out, struct br_diag *diag);
void br_derivation_finish(struct br_derivation *lines);

/* What tasks weigh while they run, and how much there is of it at any time. */
struct br_weighed {
    int64_t *weight; /* by task */
    int64_t capacity;
    uint64_t *at; /* by time, M of them: a line that says so; 0: there is none */
};

/* Fills at[from .. to - 1] for the measure, whose weights and capacity are set, as lines from the
 * rows of capacity. BR_NO in words if there is no such derivation; BR_SYSTEM. */
enum br_status br_derive_weighed(struct br_derivation *lines,
                                 const struct br_proof_measure *measure, struct br_weighed *weighed,
                                 int64_t from, int64_t to, struct br_diag *diag);

/* Derives the conflict from all weighed[k]->at that are lines: the tasks in their windows weigh
 * more there than is held. BR_NO if they do not. */
enum br_status br_derive_sum(struct br_derivation *lines, const struct br_weighed *weighed,
                             struct br_diag *diag);

#endif
