/* New lists from chance, for the first schedules of a population, and from two lists, for children.
 *
 * A list is an order of the tasks in which parents come first. */
#ifndef BR_PLANNER_RCPSP_BREED_H
#define BR_PLANNER_RCPSP_BREED_H

#include "base/numbers/rng.h"
#include "planner/schedule/order.h"
#include "planner/rcpsp/rcpsp.h"

/* Workspace of one thread. */
struct br_breed;

/* Borrows all three. NULL when memory is out. */
struct br_breed *br_breed_create(const struct br_rcpsp_model *model,
                                 struct br_rcpsp_workspace *workspace,
                                 const struct br_reach *reach);
void br_breed_destroy(struct br_breed *breed);

/* The tasks by ascending keys, but parents first. If the keys are starts, this is the schedule's
 * list. */
void br_breed_list(struct br_breed *breed, const int64_t *key, uint32_t *list);

/* A random schedule by parallel generation: tasks with longer tails come earlier, blurred by up to
 * `blur` of the critical path; the list follows its starts. Gives the makespan. Costs one
 * schedule. */
int64_t br_breed_parallel(struct br_breed *breed, struct br_rng *rng, double blur, uint32_t *list,
                          int64_t *start);
/* A random list by regret-based biased sampling [Drexl91] of the tails, for serial generation. */
void br_breed_serial(struct br_breed *breed, struct br_rng *rng, uint32_t *list);

/* Two-point crossover [Hartmann98]: the mother's list up to a point, then the father's order up to
 * another, which is between `shortest` and `longest` of the list (0 to 1) further on, then the rest
 * in the mother's order. */
void br_breed_two_point(struct br_breed *breed, struct br_rng *rng, double shortest, double longest,
                        const uint32_t *mother, const uint32_t *father, uint32_t *child);
/* Mutation: swaps neighbours in the list that do not wait for each other, `swaps` times on
 * average. */
void br_breed_swap(struct br_breed *breed, struct br_rng *rng, double swaps, uint32_t *list);

#endif
