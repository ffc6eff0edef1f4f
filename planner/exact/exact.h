/* Exact schedules on one machine, or of few tasks on several, and lower bounds, by lazy clause
 * generation.
 *
 * A constraint solver over the tasks' starts that learns from each dead end a clause of bounds
 * [start >= t] or [start <= t] [Ohrimenko09], with precedence and time-table propagation that
 * explain themselves [Schutt11] [Schutt13]. On several machines, clauses also say which task is on
 * which machine. One solver works in both directions: down, it looks for a schedule shorter than
 * the best known; up, it supposes the makespan to be the least not yet excluded, and a refutation
 * raises the lower bound. Clauses learned in one direction hold in the other. If the two meet, the
 * schedule is optimal.
 *
 * Times are ticks. With a rounding of several ticks the solver works on the job whose durations are
 * rounded down to multiples of it (see rounding.h). Its bounds hold for the true job. Its schedules
 * may be too short for it: they are orders, from which the caller makes true ones.
 *
 * Effort is counted in conflicts: the same instance, schedule and budgets give the same results on
 * every machine. Floating point decides only the order of branching. */
#ifndef BR_PLANNER_EXACT_H
#define BR_PLANNER_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"
#include "planner/exact/propagate/given.h"
#include "planner/instance/certificate.h"
#include "planner/instance/counters.h"
#include "planner/instance/instance.h"

struct br_exact;

enum br_exact_goal {
    BR_EXACT_SHORTER, /* down: schedules shorter than the best known */
    BR_EXACT_NEARBY,  /* the same, of those that br_exact_keep leaves */
    BR_EXACT_BOUND,   /* up: one tick of lower bound after the other; rounded: larger steps */
};

enum br_exact_result {
    BR_EXACT_OPEN,    /* budget out or stopped */
    BR_EXACT_RAISED,  /* the lower bound has risen; solve again to go on */
    BR_EXACT_FOUND,   /* a shorter schedule was found; solve again to go on */
    BR_EXACT_OPTIMAL, /* the lower bound meets the best schedule */
    BR_EXACT_NONE,    /* nearby there is no shorter schedule */
    BR_EXACT_MEMORY,  /* memory is out; bounds and schedules found so far hold */
    BR_EXACT_LOST,    /* a conflict could not be explained; those found so far hold, and every later
                         call returns this */
};

struct br_exact_counts {
    uint64_t conflicts, decisions, propagations, restarts, learned_literals;
};

/* A solver for schedules that end by `upper - 1`. The caller knows a schedule of `upper`, but need
 * not give it. The rounding is 1 or more ticks. With record_proof it records what a certificate of
 * the lower bound needs. Borrows the instance during the call only. NULL when memory is out, or if
 * the problem is not for this solver: several machines, and more than 64 tasks or 16 machines; a
 * horizon of more than four million rounded ticks (on several machines 2^28); more than a million
 * arcs between tasks. */
struct br_exact *br_exact_create(const struct br_instance *in, int64_t upper, int64_t rounding,
                                 bool record_proof);
/* A solver for schedules of tasks that run in one of several ways, which end by `upper - 1`. Their
 * ticks are those given; it records no proof. Borrows `given` during the call only. NULL when
 * memory is out, or if there are too many ways, arcs or ticks: a tick costs time in every step. */
struct br_exact *br_exact_create_ways(const struct br_exact_ways *given, int64_t upper);
void br_exact_destroy(struct br_exact *exact);

/* A schedule to begin from: what is decided first is decided as there, by task. Of a solver made by
 * br_exact_create_ways. */
void br_exact_hint(struct br_exact *exact, const int64_t *start, const uint32_t *way);

/* Sets a limit on the decisions of all calls of br_exact_solve together, each of which looks
 * through the tasks; many decisions may pass without a conflict. Without this call there is no such
 * limit. */
void br_exact_limit_decisions(struct br_exact *exact, uint64_t most);

/* For BR_EXACT_NEARBY, by task: does it take the way of the hint, and from when to when can it
 * start? Of a solver made by br_exact_create_ways. False when memory is out. */
bool br_exact_keep(struct br_exact *exact, const bool *way, const int64_t *from, const int64_t *to);

/* Works on until a bound or a schedule is found towards the goal, or for `conflicts` more conflicts
 * (a few more if one leads to the next), or until *stop (may be NULL) is set. BR_EXACT_BOUND with
 * `lower` above the proven bound starts there: it first supposes a makespan of `lower` to be
 * feasible, and one tick more after each refutation. */
enum br_exact_result br_exact_solve(struct br_exact *exact, enum br_exact_goal goal,
                                    uint64_t conflicts, const struct br_stop *stop);

/* Passes on a schedule, or a lower bound, that others have found. The bound is believed: the search
 * begins there, but no clause is learned from it. */
void br_exact_set_upper(struct br_exact *exact, int64_t upper);
void br_exact_set_lower(struct br_exact *exact, int64_t lower);

/* A lower bound that would do. Its steps, which a rounding makes larger than one tick, begin at
 * this bound, and are shortened if it does not come off. */
void br_exact_aim(struct br_exact *exact, int64_t lower);

/* The present bounds: the makespan of the best schedule, and the lower bound. */
int64_t br_exact_upper(const struct br_exact *exact);
int64_t br_exact_lower(const struct br_exact *exact);
/* The lower bound below which the solver itself has refuted every makespan; 0 if none. With a
 * rounding it includes what that takes off at least (remainder.h). */
int64_t br_exact_proven(const struct br_exact *exact);
/* That of the rounded job, in multiples of the rounding. */
int64_t br_exact_proven_rounded(const struct br_exact *exact);
/* Copies the starts of the best schedule that the solver found, and the machines (may be NULL), by
 * task. With a rounding above 1 it is one of the rounded job. False if it has found none. */
bool br_exact_schedule(const struct br_exact *exact, int64_t *start, uint32_t *machine);
/* The same of a solver made by br_exact_create_ways, with the ways by task. */
bool br_exact_schedule_ways(const struct br_exact *exact, int64_t *start, uint32_t *way);
/* The ticks of the instance that are one tick of the solver. */
int64_t br_exact_rounding(const struct br_exact *exact);
struct br_exact_counts br_exact_counts(const struct br_exact *exact);
/* Adds the solver's counts to the counters. */
void br_exact_count(const struct br_exact *exact, struct br_counters *counters);

/* Makes *proof, but for its stages, prove that no schedule is shorter than br_exact_proven: by the
 * learned clauses that this needs, in the arena. False if no proof was recorded, it grew too long,
 * or memory is out. */
bool br_exact_proof(struct br_exact *exact, struct br_arena *arena, struct br_proof *proof);

#endif
