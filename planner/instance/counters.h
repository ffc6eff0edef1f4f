/* Counters of the work that planning and proving a bound took, by stage.
 *
 * The table BR_COUNTERS declares and names them and says what each counts. To add a counter, add a
 * row, and count where the work is done. Searches count in the part of their work that one thread
 * does (the end of a round, say), so the sums do not depend on the number of threads. */
#ifndef BR_PLANNER_INSTANCE_COUNTERS_H
#define BR_PLANNER_INSTANCE_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

enum br_counter_kind {
    BR_COUNTER_WORK,   /* the same number in equal calls, for any number of threads */
    BR_COUNTER_VARIES, /* a number that differs from call to call: which thread was first, for
                          example */
    BR_COUNTER_TIME,   /* nanoseconds, which differ from call to call */
};

/* WORK(name, text), VARIES(name, text), TIME(name, text). A schedule is one way to start all tasks
 * of a part; a placement is one task placed once. */
#define BR_COUNTERS(WORK, VARIES, TIME)                                                            \
    WORK(jobs, "jobs planned")                                                                     \
    WORK(parts, "parts between cuts")                                                              \
    WORK(parts_bypassed, "parts that needed no search")                                            \
    WORK(placements, "tasks placed, by all searches together")                                     \
    WORK(improvements, "schedules that were shorter than all before")                              \
    WORK(heuristic_schedules, "schedules by simple orders")                                        \
    WORK(heuristic_placements, "tasks placed by them")                                             \
    WORK(graphene_pairs, "pairs of thresholds")                                                    \
    WORK(graphene_sets, "sets of troublesome tasks that these gave")                               \
    WORK(graphene_known, "sets left out, as there was an equal one")                               \
    WORK(graphene_pruned, "sets left out, as too much of the work was in them")                    \
    WORK(graphene_variants, "orders of subsets tried")                                             \
    VARIES(graphene_given_up, "orders given up, as they grew longer than the best")                \
    WORK(graphene_placements, "tasks placed by them, given up or not")                             \
    WORK(justify_schedules, "schedules justified")                                                 \
    WORK(justify_left_out, "schedules not justified, for the limit of placements")                 \
    WORK(justify_placements, "tasks placed by that")                                               \
    WORK(stages_rounds, "rounds of the population over stages")                                    \
    WORK(stages_schedules, "schedules that it generated")                                          \
    WORK(stages_justified, "schedules that it justified")                                          \
    WORK(stages_placements, "tasks placed by it")                                                  \
    WORK(moves_rounds, "rounds of the search by neighbourhoods")                                   \
    WORK(moves_trials, "moves tried")                                                              \
    WORK(moves_given_up, "moves given up, as they could not lead to a short schedule")             \
    WORK(moves_gained, "moves that led to a shorter schedule than all before")                     \
    WORK(moves_restarts, "returns to another of the best schedules")                               \
    WORK(moves_placements, "tasks placed by it")                                                   \
    WORK(population_schedules, "schedules of the population on one machine")                       \
    WORK(population_given_up, "schedules given up, as they grew longer than all in the block")     \
    WORK(population_known, "schedules dropped, as there was an equal one")                         \
    WORK(population_crowded, "schedules dropped, as one near them was shorter")                    \
    WORK(population_restarts, "populations begun again")                                           \
    WORK(population_placements, "tasks placed by it")                                              \
    WORK(shop_searches, "tabu searches, if resources are unary")                                   \
    WORK(shop_moves, "moves that they made")                                                       \
    WORK(shop_placements, "tasks placed by it")                                                    \
    WORK(exact_conflicts, "conflicts of the exact solvers")                                        \
    WORK(exact_decisions, "decisions")                                                             \
    WORK(exact_propagations, "bounds that followed from others")                                   \
    WORK(exact_restarts, "restarts")                                                               \
    WORK(exact_literals, "literals in learnt clauses")                                             \
    WORK(exact_placements, "placements that these conflicts count for")                            \
    WORK(shift_moved, "tasks moved to an earlier start at the end")                                \
    VARIES(run_finished, "tasks of the run that have finished")                                    \
    VARIES(run_failed, "tasks that have failed")                                                   \
    VARIES(run_left, "tasks that were not run")                                                    \
    VARIES(run_resumed, "tasks that an earlier run had done")                                      \
    TIME(read_ns, "reading the job")                                                               \
    TIME(bound_ns, "combinatorial bounds")                                                         \
    TIME(heuristic_ns, "simple orders")                                                            \
    TIME(graphene_ns, "troublesome tasks first")                                                   \
    TIME(justify_ns, "justification")                                                              \
    TIME(stages_ns, "the population over stages")                                                  \
    TIME(moves_ns, "neighbourhoods")                                                               \
    TIME(population_ns, "the population on one machine")                                           \
    TIME(shop_ns, "tabu search")                                                                   \
    TIME(exact_ns, "the exact solvers")                                                            \
    TIME(shift_ns, "moving tasks to earlier starts")                                               \
    TIME(proof_ns, "making and checking the proof of the bound")                                   \
    TIME(verify_ns, "verifying the plan")                                                          \
    TIME(lp_ns, "waiting for the linear program")                                                  \
    TIME(write_ns, "writing the plan")                                                             \
    TIME(run_ns, "running the tasks")

struct br_counters {
#define ROW(name, text) uint64_t name;
    BR_COUNTERS(ROW, ROW, ROW)
#undef ROW
};

struct br_counter_row {
    const char *name, *text;
    enum br_counter_kind kind;
    size_t offset; /* of the uint64_t in struct br_counters */
};
/* The table; a row without a name ends it. */
extern const struct br_counter_row br_counter_table[];

static inline uint64_t br_counter(const struct br_counters *counters,
                                  const struct br_counter_row *row)
{
    return *(const uint64_t *)((const char *)counters + row->offset);
}

/* Adds the counters of `more` to the sums. O(rows). */
void br_counters_add(struct br_counters *sums, const struct br_counters *more);

#endif
