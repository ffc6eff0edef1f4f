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

/* Of every task: the first and the last start, and the lines that say so, y(head) >= 1 and
 * y(latest + 1) <= 0. A line of 0 need not be added: its bound is given, or is supposed. A line may
 * end with literals of what is supposed: one of them holds, or the bound. */
struct br_derived_windows {
    int64_t *head, *latest;
    uint64_t *head_line, *late_line;
};

/* What tasks weigh while they run, and how much there is of it at any time. */
struct br_weighed {
    enum br_measure_kind kind;
    int64_t *weight; /* by task */
    int64_t capacity;
    uint32_t resource; /* of the instance, but for cliques */
    int64_t unit;
    uint64_t *at; /* by time, M of them: a line that says so; 0: not yet written */
    struct br_derive_clique *clique;
};

struct br_derivation {
    struct br_arena arena;
    const struct br_steps *steps;
    FILE *out;         /* NULL: nothing is written, only counted */
    uint64_t next;     /* the number of the last line */
    uint64_t terms;    /* written so far */
    uint64_t conflict; /* a line that says 0 >= 1; 0: none yet */

    /* The part that is proven: its tasks begin no earlier and, so it is supposed unless it is the
     * last, end no later. */
    const bool *member; /* by task */
    int64_t begin, end;
    bool supposed; /* that its tasks end by `end`, which the formula does not say */
    bool closed;   /* what is supposed is refuted */
    bool *sink;    /* by task: is its end supposed? */
    struct br_derived_windows windows, scratch;
    bool *marked;              /* by task, scratch */
    int64_t *count;            /* by time, M + 1, scratch */
    struct br_weighed **slots; /* by stage: its tasks by slots; NULL: not yet made, or one task */
    bool rounds;               /* are the rounds of stages derived? */
};

void br_derive_print(struct br_derivation *lines, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Ends a line; its number. */
uint64_t br_derive_line(struct br_derivation *lines);
/* A line that unit propagation finds: the task starts no earlier than s; of an s that is no
 * variable, the conflict. */
uint64_t br_derive_rup(struct br_derivation *lines, uint32_t task, int64_t s);
/* The same: no later than s - 1. */
uint64_t br_derive_rup_before(struct br_derivation *lines, uint32_t task, int64_t s);

/* BR_SYSTEM. br_derivation_finish releases the lines, also on failure. `out` may be NULL. */
enum br_status br_derivation_init(struct br_derivation *lines, const struct br_steps *steps,
                                  FILE *out, struct br_diag *diag);
void br_derivation_finish(struct br_derivation *lines);

/* The sum of two lines; b if a is 0. */
uint64_t br_windows_add(struct br_derivation *lines, uint64_t a, uint64_t b);
/* If the task's head is behind its latest start: the conflict, or the part is closed. */
void br_windows_meet(struct br_derivation *lines, uint32_t task);
/* The latest start of the task by those of the members that wait for it, of which only those are
 * looked at that are marked (all if NULL), as long as it is not before the head. False: no news. */
bool br_windows_back(struct br_derivation *lines, struct br_derived_windows *windows,
                     const bool *marked, uint32_t task);
/* Hands the task's head on to the members that wait for it, and marks those that it moves. */
void br_windows_forth(struct br_derivation *lines, struct br_derived_windows *windows, bool *marked,
                      uint32_t task);

static inline bool br_windows_done(const struct br_derivation *lines)
{
    return lines->conflict || lines->closed;
}

/* Derives the windows of the part's tasks from the edges, the rounds of stages if they are asked
 * for, and the claims of the proof's passes; or the conflict, or that the part is closed, if a task
 * has none. BR_NO in words if a claim has no derivation; BR_SYSTEM. O(tasks + edges) for each pass
 * and each claim. */
enum br_status br_derive_windows(struct br_derivation *lines, const struct br_proof *proof,
                                 struct br_weighed *const *weighed, struct br_diag *diag);

/* A claim on the starts of a stage's tasks: those that are not known to start as late as `at` (or,
 * if `late`, as early) get a line that says so. `weighed` is to overflow in from .. to. BR_NO in
 * words if it does not. */
enum br_status br_derive_claim(struct br_derivation *lines, uint32_t stage, bool late, int64_t at,
                               int64_t from, int64_t to, struct br_weighed *weighed,
                               struct br_diag *diag);
/* How long a stage with several tasks takes: those behind it start later (or, if `late`, those
 * before it end earlier) than by the time of its longest task. Does nothing if edges say as much.
 * BR_SYSTEM. */
enum br_status br_derive_rounds(struct br_derivation *lines, uint32_t stage, bool late,
                                struct br_diag *diag);

/* The weights of the measure by task, its capacity, its resource and its unit. BR_NO in words if
 * the unit is no whole number of what demands count. */
enum br_status br_derive_weigh(const struct br_instance *in, const struct br_proof_measure *measure,
                               struct br_weighed *weighed, struct br_diag *diag);
/* Prepares the lines of a measure that is weighed already. BR_NO in words if there is no such
 * derivation; BR_SYSTEM. */
enum br_status br_derive_weighed(struct br_derivation *lines, struct br_weighed *weighed,
                                 struct br_diag *diag);
/* Makes the line at[time]. O(its terms). */
void br_derive_at(struct br_derivation *lines, struct br_weighed *weighed, int64_t time);

/* Which times count: those from .. to - 1 of which the number from `from` is step - 1 after
 * division by `step`. */
struct br_derive_times {
    int64_t from, to, step;
};

/* Do the tasks in these windows weigh more at these times than is held? */
bool br_derive_exceeds(struct br_derivation *lines, const struct br_weighed *weighed,
                       const struct br_derived_windows *windows,
                       const struct br_derive_times *times);
/* Writes the line for it: 0 >= 1 or more, or, if something is supposed, a clause of its literals.
 * Its number; BR_NO in words if they do not weigh more, or it would be too long. */
enum br_status br_derive_sum(struct br_derivation *lines, struct br_weighed *weighed,
                             const struct br_derived_windows *windows,
                             const struct br_derive_times *times, bool supposed, uint64_t *line,
                             struct br_diag *diag);
/* The conflict by the rounds of the tasks in from .. to. BR_NO in words if there is none. */
enum br_status br_derive_lines(struct br_derivation *lines, struct br_weighed *weighed,
                               int64_t from, int64_t to, uint64_t *line, struct br_diag *diag);

#endif
