/* A workload as its relaxations see it: what each job is alone, and when it comes. */
#ifndef BR_CLUSTER_SIMULATE_BOUNDS_LOAD_H
#define BR_CLUSTER_SIMULATE_BOUNDS_LOAD_H

#include "base/process/stop.h"
#include "cluster/simulate/bounds/alone.h"
#include "cluster/workload/workload.h"

/* A bound in floating point is lowered by more than rounding may have added: sums have up to 10^6
 * terms, each off by a few times 2^-53. */
#define BR_LOAD_ROUNDED (1 - 1e-9)

struct br_load_job {
    double release_s; /* its arrival after the first one */
    double weight;
    const struct br_alone *alone; /* NULL: left out, since the stop was raised */
    const uint32_t *column;       /* by resource of `alone` its number in the load */
};

struct br_load {
    uint32_t jobs, resources;
    struct br_load_job *job; /* in the order of the workload, so by release */
    const char **resource;   /* names */
    double *work_s;          /* by resource: of all jobs */
    struct br_arena arena;
};

/* As br_workload_bounds_make (regret.h). Release by br_load_finish, also after a failure. */
enum br_status br_load_make(const struct br_workload *workload, const struct br_cluster *cluster,
                            const int64_t *const *true_ns, bool overbooked,
                            const struct br_stop *stop, struct br_load *load, struct br_diag *diag);
void br_load_finish(struct br_load *load);

#endif
