/* Our own policy for executors: the least work first, each job on no more executors than
 * pay for it. Internal to this room, but that learned policies are told of it. */
#ifndef BR_SIMULATE_EXECUTORS_BOUND_H
#define BR_SIMULATE_EXECUTORS_BOUND_H

#include "simulate/executors/policy.h"

enum br_status br_executors_bound_create(const struct br_executors_setup *setup, void **policy,
                                         struct br_diag *diag);
enum br_status br_executors_bound_begin(void *policy, const struct br_executors *sim,
                                        struct br_diag *diag);
struct br_executors_choice br_executors_bound_decide(void *policy, const struct br_executors *sim);
/* The same policy as a planner for learned ones, which knows more of the simulator: tasks on a
 * number of executors between two that were measured last as they will be drawn, and of two jobs
 * with as much work left the one on fewer executors goes first. NULL when memory is out; released
 * by br_executors_bound_destroy. */
void *br_executors_planner_create(void);
/* A job has come after begin, or without one. False when memory is out. */
bool br_executors_bound_arrive(void *policy, const struct br_executors *sim, uint32_t job);
/* The stage of the job that it would name next; BR_EXECUTORS_NONE: none can be. */
uint32_t br_executors_bound_stage(const struct br_executors *sim, uint32_t job);
/* What it knows of a job of the run, after begin: how many executors that is to have, how many it
 * would have with other powers, and B of the first, in ms. */
struct br_executors_bound_job {
    uint32_t executors, by_time, by_cost; /* by its power, by 0.6, and by 0.95 */
    double bound_ms;
};
struct br_executors_bound_job br_executors_bound_of(const void *policy, uint32_t job);
void br_executors_bound_destroy(void *policy);

#endif
