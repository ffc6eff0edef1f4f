/* Several jobs with deadlines, and fewer tokens than they ask for: who gets how many now.
 *
 * Where what all need fits, each gets it. Else allocations are planned over time: a job that gets
 * little now gets more when another one ends. A plan of this kind is an order of the jobs. The
 * first of the order gets what it needs, the next one what it needs of the rest, and so on, until
 * the first job ends, and then anew. A job with a tokens leaves some of them idle on average, all
 * but C(p, 1) / C(p, a), since C(p, 1) is its work; these are lent to the next in the order. How
 * far a job comes meanwhile is read from its table, piece by piece: from progress p to the progress
 * at which so much less time is left with that allocation. The best order is searched from that of
 * arrival, by exchanges of neighbours, and held against the allocations that are best where all
 * jobs keep theirs to their ends (arbiter.h). So by the forecasts the choice is never worse than
 * either. What jobs need counts slack and dead zone in. What plans are worth does not: where tokens
 * are short, safety for one job is lateness for another.
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

/* What one of the jobs gets. Allocations, not indexes. */
struct br_portion {
    uint32_t now;  /* its own, at least 1; before smoothing */
    uint32_t need; /* what it would take if there were enough; not less */
    uint32_t turn; /* its place in the order in which idle tokens are lent up to the needs */
};

/* Bytes of memory for so many jobs and tokens. */
size_t br_together_memory(uint32_t jobs, uint32_t total);

/* Takes the turns of the last decision in portion[j].turn (UINT32_MAX: it is new; ties go by
 * arrival), and fills portion[j]: an allocation of the job's table now, and what it needs. Those of
 * now are together at most `total` where there are no more jobs than that. memory:
 * br_together_memory() bytes, aligned as malloc's. O(jobs^3) decisions of single loops at most,
 * where what they need does not fit; else one for each job. */
void br_together_choose(const struct br_rival *rival, uint32_t jobs, uint32_t total, void *memory,
                        struct br_portion *portion);

/* Chooses, and moves all loops: decision[j] is what job j has until the next one. */
void br_together_decide(const struct br_rival *rival, uint32_t jobs, uint32_t total, void *memory,
                        struct br_portion *portion, struct br_control_decision *decision);

#endif
