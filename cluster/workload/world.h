/* The world that a workload meets: true durations beside the declared ones, tasks that fail or
 * straggle, machines that leave. Every draw is a function of the seed, the job, its task and the
 * attempt alone, so it is the same under every policy, and for any order in which it is asked for.
 */
#ifndef BR_CLUSTER_WORKLOAD_WORLD_H
#define BR_CLUSTER_WORKLOAD_WORLD_H

#include "cluster/workload/workload.h"

/* A true duration is the declared one, drawn with the spread that is declared of its stage, times a
 * factor for its job, one for its stage and one for itself (and over what its users misjudge). A
 * factor is bias x exp(spread x a normal deviate) / mean of that, so that its mean is the bias. */
struct br_error {
    double bias;   /* > 0; 1: none */
    double spread; /* >= 0; 0: none */
};

struct br_world {
    uint64_t seed;
    struct br_error job, stage, task;
    double fail; /* share of attempts of tasks that fail, at a uniform point of their time: 0..1 */
    double straggle; /* share of attempts that take `slowness` times as long: 0..1 */
    double slowness; /* >= 1 */
    /* Machines leave after an exponential time of this mean, and return after one of the other. All
     * that runs there is lost and ready again, so tasks that last many times as long hardly ever
     * end. 0: they stay. */
    double leave_s, return_s;
    bool lose_outputs; /* what tasks have left on a machine is lost with it */
    /* Declared demands are peaks: what tasks use of these resources on average, in percent. */
    uint32_t averages;
    const struct br_average *average;
};
struct br_average {
    const char *resource;
    uint32_t percent; /* 1..100 */
};

/* Nothing goes otherwise than declared; seed 1. */
struct br_world br_world_default(void);
/* BR_USAGE if a number is out of its range. */
enum br_status br_world_check(const struct br_world *world, struct br_diag *diag);

/* Fills true_ns (by task of the job's dag) with what its first attempts last when undisturbed.
 * Recorded durations (job->true_ns) stand as they are. */
void br_world_durations(const struct br_world *world, const struct br_workload *workload,
                        uint32_t job, int64_t *true_ns);

/* The job's durations if none has to be drawn: recorded, or declared by its dag; borrowed. NULL:
 * they are to be drawn. O(stages). */
const int64_t *br_world_given(const struct br_world *world, const struct br_workload *workload,
                              uint32_t job);

/* The fate of an attempt (from 0) at a task that lasts duration_ns if undisturbed. */
struct br_attempt {
    int64_t lasts_ns; /* until its end or its failure */
    bool fails;
};
struct br_attempt br_world_attempt(const struct br_world *world, const struct br_workload_job *job,
                                   uint32_t task, uint32_t attempt, int64_t duration_ns);
/* When the machine's k-th stay ends (k even) or its absence does (k odd), after the one before. */
int64_t br_world_machine_ns(const struct br_world *world, uint32_t machine, uint32_t k);

#endif
