/* The input of a table: the job, its durations, and the failures that may come. */
#ifndef BR_RUNTIME_DEADLINE_TRIALS_REQUEST_H
#define BR_RUNTIME_DEADLINE_TRIALS_REQUEST_H

#include "base/process/stop.h"
#include "runtime/deadline/table.h"
#include "runtime/deadline/trials/profile.h"

/* Start from br_deadline_request_default(). All borrowed. */
struct br_deadline_request {
    const struct br_dag *dag;
    const struct br_deadline_profile *profile;
    enum br_allocation kind;
    uint32_t most; /* allocations are 1 .. most, of many some */
    /* BR_SHARES: what percents are of, as one pool. BR_TOKENS: only its name and fingerprint are
     * used, unless `within`; may be NULL. */
    const struct br_cluster *cluster;
    bool within;          /* BR_TOKENS: tasks at once also fit into the cluster as one pool */
    const uint32_t *rank; /* by task, lesser first: the planned order; NULL: no such layer */
    enum br_indicator indicator;
    uint32_t runs;  /* 0: as many as the job's size allows within seconds */
    uint32_t cells; /* of progress, without the start */
    uint64_t seed;
    /* Share of attempts that fail, at a uniform point of their time: 0 .. 0.9. Of stages of which
     * the profile knows another one, that. */
    double fail;
    /* Share of the failures of tasks with parents that come of an output that is lost: the task
     * that made it runs again first, one task of a parent at random if the stage waits for all of
     * it. 0 .. 1. */
    double lost;
    /* Every attempt holds its token for so long before it begins to work: the mean, and the
     * standard deviation of the logarithm. */
    double latency_s, latency_spread;
    double straggle; /* share of attempts that take `slowness` times as long */
    double slowness;
    uint32_t threads;
    const struct br_stop *stop; /* may be NULL; raised, making ends with BR_NO */
};
#endif
