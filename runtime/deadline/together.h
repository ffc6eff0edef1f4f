/* Several jobs with deadlines, and fewer tokens than they ask for: who gets how many now.
 *
 * Where what all need fits, each gets it. Else allocations are planned over time: a job that gets
 * little now gets more when another one ends. A plan of this kind is an order of the jobs. The
 * first of the order gets what it needs, the next one what it needs of the rest, and so on, until
 * the first job ends, and then anew; for each that comes later the least allocation of its table is
 * kept, in turn as long as these fit, and the others wait. Loops alone keep nothing for those that
 * come later, and serve jobs by arrival: that is a plan, too. A job with a tokens leaves some of
 * them idle on average, all but C(p, 1) / C(p, a), since C(p, 1) is its work; these are lent to the
 * next in the order. How far a job comes meanwhile is read from its table, piece by piece: from
 * progress p to the progress at which so much less time is left with that allocation. The best
 * order is searched from that of arrival, by exchanges of neighbours, and held against the
 * allocations that are best where all jobs keep theirs to their ends (arbiter.h), and against loops
 * alone. So by the forecasts the choice is never worse than loops alone. What jobs need counts
 * slack and dead zone in. What plans are worth does not: where tokens are short, safety for one job
 * is lateness for another.
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
    uint32_t now;  /* its own, before smoothing; 0: it waits for another one's end */
    uint32_t need; /* what it would take if there were enough; not less */
    uint32_t turn; /* its place in the order in which idle tokens are lent up to the needs */
};

/* Bytes of memory for so many jobs and tokens. */
size_t br_together_memory(uint32_t jobs, uint32_t total);

/* What a choice is worth by the forecasts. */
struct br_together_worth {
    double chosen, alone; /* this one, and loops alone; both 0 where what all need fits */
};

/* Takes the turns of the last decision in portion[j].turn (UINT32_MAX: it is new; ties go by
 * arrival), and fills portion[j]: an allocation of the job's table now (or 0), and what it needs.
 * Those of now are together at most `total`; one waits only where its least allocation does not fit
 * beside those before it in turn. Of a table whose least is above `total` that counts as its least.
 * memory: br_together_memory() bytes, aligned as malloc's. Where what they need does not fit,
 * O(jobs^3) decisions of single loops, and of many jobs no more than some 100,000; else one for
 * each job. */
struct br_together_worth br_together_choose(const struct br_rival *rival, uint32_t jobs,
                                            uint32_t total, void *memory,
                                            struct br_portion *portion);

/* Chooses, and moves all loops: decision[j] is what job j has until the next one, 0 where it waits.
 */
void br_together_decide(const struct br_rival *rival, uint32_t jobs, uint32_t total, void *memory,
                        struct br_portion *portion, struct br_control_decision *decision);

#endif
