/* Shares scarce tokens among several jobs with deadlines.
 *
 * If the needs of all jobs fit, each gets its need. Else allocations are planned over time: a job
 * that gets little now gets more when another one ends. A plan of this kind is an order of the
 * jobs. The first job gets its need, the next one its need from the rest, and so on, until the
 * first job ends; then anew. For each later job the least allocation of its table is kept, in turn
 * as long as these fit, and the others wait. Loops alone keep nothing for later jobs, and serve
 * jobs by arrival: that is a plan, too. A job with a tokens leaves some of them idle on average,
 * all but C(p, 1) / C(p, a), since C(p, 1) is its work; these are lent to the next in the order. A
 * job's progress is read from its table, piece by piece: from progress p to the progress at which
 * the time left with that allocation is less by the elapsed time. The search for the best order
 * starts from that of arrival and exchanges neighbours. Its result is compared with the best
 * allocations that all jobs keep to their ends (arbiter.h), and with loops alone. So by the
 * forecasts the choice is never worse than loops alone. Needs include slack and dead zone. The
 * values of plans do not: if tokens are short, safety for one job is lateness for another.
 *
 * Pure functions; the caller gives the memory. [Ferguson12, 4.4] leaves this open. */
#ifndef BR_RUNTIME_DEADLINE_TOGETHER_H
#define BR_RUNTIME_DEADLINE_TOGETHER_H

#include "runtime/deadline/control.h"

/* One of the jobs; by arrival. Borrowed. All in the same unit of allocation. */
struct br_rival {
    struct br_control *control;
    struct br_control_view view;
    double weight; /* > 0: factor on its utility */
};

/* The result for one of the jobs. Allocations, not indexes. */
struct br_portion {
    uint32_t now;  /* its own, before smoothing; 0: it waits for another one's end */
    uint32_t need; /* its allocation if there were enough; not less */
    uint32_t turn; /* its place in the order in which idle tokens are lent up to the needs */
};

/* Bytes of memory for this many jobs and tokens. */
size_t br_together_memory(uint32_t jobs, uint32_t total);

/* The value of a choice by the forecasts. */
struct br_together_worth {
    double chosen, alone; /* this choice, and loops alone; both 0 if all needs fit */
};

/* Reads the turns of the last decision from portion[j].turn (UINT32_MAX: new; ties go by arrival),
 * and fills portion[j]: an allocation of the job's table now (or 0), and its need. The present
 * allocations sum up to at most `total`; a job waits only if its least allocation does not fit
 * beside those before it in turn. If a table's least allocation is above `total`, `total` counts as
 * its least. memory: br_together_memory() bytes, aligned as malloc's. If the needs do not fit,
 * O(jobs^3) decisions of single loops, for many jobs at most some 100,000; else one per job. */
struct br_together_worth br_together_choose(const struct br_rival *rival, uint32_t jobs,
                                            uint32_t total, void *memory,
                                            struct br_portion *portion);

/* Decides, and moves all loops: decision[j] is the allocation of job j until the next one, 0 if it
 * waits.
 */
void br_together_decide(const struct br_rival *rival, uint32_t jobs, uint32_t total, void *memory,
                        struct br_portion *portion, struct br_control_decision *decision);

#endif
