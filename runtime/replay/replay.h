/* A driver of the enforcer in virtual time: what would come of a plan, if tasks lasted so long? */
#ifndef BR_RUNTIME_REPLAY_REPLAY_H
#define BR_RUNTIME_REPLAY_REPLAY_H

#include <bigrocks/runtime.h>

#include "base/collections/arena.h"

struct br_simulation {
    struct br_arena arena;
    int64_t *start_ns, *end_ns; /* by task */
    uint32_t *machine;
    int64_t makespan_ns;
    uint32_t most_running; /* tasks at once */
};

/* Runs the job on the cluster under the enforcer. plan may be NULL. `duration_ns` holds what the
 * tasks really last (NULL: what the job says); the enforcer knows nothing of it ahead. options may
 * be NULL. Release by br_simulation_finish, also after a failure. BR_NO if tasks are left that can
 * never start, else as br_runtime_submit. */
enum br_status br_simulate(const struct br_dag *dag, const struct br_cluster *cluster,
                           const struct br_plan *plan, const int64_t *duration_ns,
                           const struct br_runtime_options *options,
                           struct br_simulation *simulation, struct br_diag *diag);
void br_simulation_finish(struct br_simulation *simulation);

/* The job's durations, each times exp(spread x a normal deviate from the seed), divided by the mean
 * of that, so that only their order is off. From the arena; NULL when memory is out. */
int64_t *br_simulate_durations(struct br_arena *arena, const struct br_dag *dag, double spread,
                               uint64_t seed);

#endif
