/* Exact schedules on one pool, and lower bounds, by lazy clause generation.
 *
 * A constraint solver over the tasks' starts that learns from each dead end a clause of bounds
 * [start >= t] or [start <= t] [Ohrimenko09], with precedence and time-table propagation that
 * explain themselves [Schutt11] [Schutt13]. One solver works in both directions: down, it looks for
 * a schedule shorter than the best known; up, it supposes the makespan to be the least not yet
 * excluded, and a refutation raises the lower bound. What was learned in one direction holds in
 * the other. Where the two meet the schedule is optimal.
 *
 * Effort is counted in conflicts: the same instance, schedule, options and budgets give the same
 * results on every machine. Nothing here decides by floating point but the order of branching.
 */
#ifndef BR_PLANNER_EXACT_H
#define BR_PLANNER_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/stop.h"
#include "planner/model/certificate.h"
#include "planner/model/instance.h"

struct br_exact;

/* Tasks that may move while all others stay: what large-neighbourhood search reoptimises. */
struct br_exact_window {
    const uint32_t *task; /* those that may move, ascending */
    uint32_t tasks;
    /* By task of the instance: a feasible schedule. Tasks that may move start no earlier than the
     * parents that stay end, and end no later than the children that stay start. */
    const int64_t *start;
    /* By task of the instance, read for those that may move; each may be NULL. */
    const int64_t *release;  /* starts at or after this */
    const int64_t *deadline; /* ends at or before this */
    const int64_t *tail;     /* what is minimised is the largest end + tail */
};

enum br_exact_goal {
    BR_EXACT_SHORTER, /* down: schedules shorter than the best known */
    BR_EXACT_BOUND,   /* up: one tick of lower bound after the other */
};

enum br_exact_result {
    BR_EXACT_OPEN,    /* budget out or stopped */
    BR_EXACT_RAISED,  /* the lower bound has risen; solve again to go on */
    BR_EXACT_FOUND,   /* a shorter schedule was found; solve again to go on */
    BR_EXACT_OPTIMAL, /* the lower bound meets the best schedule */
    BR_EXACT_MEMORY,  /* memory is out; bounds and schedules found so far hold */
};

struct br_exact_options {
    uint64_t seed;
    bool proof; /* record what a certificate of the lower bound needs */
};

struct br_exact_counts {
    uint64_t conflicts, decisions, propagations, restarts, learned_literals;
};

/* A solver for schedules that end by `upper - 1`; in a window the largest end + tail counts,
 * absolute as the times of its schedule. A schedule of `upper` is supposed to be known; it need not
 * be given. Borrows the instance and copies from the window. options may be NULL. NULL when memory
 * is out, or where the problem is not for this solver: several machines, a horizon of more than
 * four million ticks, more than a million arcs between tasks. */
struct br_exact *br_exact_create(const struct br_instance *in, int64_t upper,
                                 const struct br_exact_window *window,
                                 const struct br_exact_options *options);
void br_exact_destroy(struct br_exact *exact);

/* Works on until the goal changes something worth telling, or for `conflicts` more conflicts, or
 * until *stop (may be NULL) is set. BR_EXACT_BOUND with `lower` above what is proven starts there:
 * a makespan of `lower` is supposed feasible first, and one tick more after each refutation. */
enum br_exact_result br_exact_solve(struct br_exact *exact, enum br_exact_goal goal,
                                    uint64_t conflicts, const struct br_stop *stop);

/* Tells that others have found a schedule, or a lower bound (which is believed, and used as where
 * to begin, not as a premise of what is learned). */
void br_exact_set_upper(struct br_exact *exact, int64_t upper);
void br_exact_set_lower(struct br_exact *exact, int64_t lower);

/* The bounds as they stand: the largest end + tail of the best schedule, and what no schedule is
 * below. */
int64_t br_exact_upper(const struct br_exact *exact);
int64_t br_exact_lower(const struct br_exact *exact);
/* The lower bound that the solver itself has refuted everything below of; 0 where none. */
int64_t br_exact_proven(const struct br_exact *exact);
/* Copies the starts of the best schedule that the solver found, by task of the instance; in a
 * window only those of its tasks are written. False where it has found none. */
bool br_exact_schedule(const struct br_exact *exact, int64_t *start);
struct br_exact_counts br_exact_counts(const struct br_exact *exact);

/* The proof that no schedule is shorter than br_exact_proven, trimmed to the clauses that it needs,
 * in the arena. Not for windows. False where no proof was recorded (see br_exact_options), it grew
 * too long, or memory is out. */
bool br_exact_proof(struct br_exact *exact, struct br_arena *arena, struct br_proof_clause **clause,
                    uint32_t *clauses);

#endif
