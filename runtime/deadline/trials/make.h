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
#ifndef BR_RUNTIME_DEADLINE_TRIALS_MAKE_H
#define BR_RUNTIME_DEADLINE_TRIALS_MAKE_H

#include "runtime/deadline/trials/request.h"

/* Tokens 1 to 100, as many runs as suit, 48 cells, seed 1, one thread; nothing fails. */
struct br_deadline_request br_deadline_request_default(void);

/* A table in memory, with what it is made of. */
struct br_made_table {
    struct br_arena arena;
    struct br_deadline_table table;
};

/* Makes it. Release by br_deadline_release, also after a failure. BR_USAGE: a number out of its
 * range; BR_BAD_INPUT: shares, none of which holds every task; BR_NO: stopped; BR_SYSTEM. */
enum br_status br_deadline_make(const struct br_deadline_request *request,
                                struct br_made_table *made, struct br_diag *diag);
void br_deadline_release(struct br_made_table *made);

#endif
