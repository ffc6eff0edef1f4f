/* Making a table of the time left, C(p, a) (runtime/deadline/table.h), from simulated runs of the
 * job's own stages. [Ferguson12, 4.1]
 *
 * In a run every task gets a duration from its stage's distribution, may fail and may straggle, and
 * tasks start as their inputs are there and the allocation has room. The same draws serve all
 * allocations and both orders, so that tables differ by what was allocated and not by luck. A run
 * is a sample of the time left at every moment of it.
 *
 * Equal requests give equal tables, whatever the number of threads.
 */
#ifndef BR_SIMULATE_DEADLINE_MAKE_H
#define BR_SIMULATE_DEADLINE_MAKE_H

#include "base/process/stop.h"
#include "runtime/deadline/table.h"
#include "simulate/deadline/profile.h"

/* Start from br_deadline_request_default(). All borrowed. */
struct br_deadline_request {
    const struct br_dag *dag;
    const struct br_profile *profile;
    enum br_allocation kind;
    uint32_t most; /* allocations are 1 .. most, of many some */
    /* BR_SHARES: what percents are of, as one pool. BR_TOKENS: only its name and fingerprint are
     * used; may be NULL. */
    const struct br_cluster *cluster;
    const uint32_t *rank; /* by task, lesser first: the planned order; NULL: no such layer */
    enum br_indicator indicator;
    uint32_t runs;  /* 0: as many as the job's size allows within seconds */
    uint32_t cells; /* of progress, without the start */
    uint64_t seed;
    double fail;     /* share of attempts that fail, at a uniform point of their time: 0 .. < 1 */
    double straggle; /* share of attempts that take `slowness` times as long */
    double slowness;
    uint32_t threads;
    const struct br_stop *stop; /* may be NULL; raised, making ends with BR_NO */
};
struct br_deadline_request br_deadline_request_default(void);

/* A table in memory, with what it is made of. */
struct br_made_table {
    struct br_arena arena;
    struct br_table table;
};

/* Makes it. Release by br_deadline_release, also after a failure. BR_USAGE: a number out of its
 * range; BR_BAD_INPUT: shares, none of which holds every task; BR_NO: stopped; BR_SYSTEM. */
enum br_status br_deadline_make(const struct br_deadline_request *request,
                                struct br_made_table *made, struct br_diag *diag);
void br_deadline_release(struct br_made_table *made);

/* One more run, to hold forecasts against: the k-th run of a world of its own, in the given order
 * at the given allocation throughout. Fills (each may be NULL) the time at which the job ends, the
 * work done, and by stage and count of finished tasks the time: finished_ns[first task of s + k] is
 * when k + 1 tasks of s have finished. */
struct br_deadline_run {
    int64_t end_ns, work_ns;
    int64_t *finished_ns; /* room for all tasks, or NULL */
};
enum br_status br_deadline_run(const struct br_deadline_request *request, uint32_t allocation,
                               uint64_t run, struct br_deadline_run *result, struct br_diag *diag);

#endif
