/* Lower bounds of a job by the exact solver, part by part, without a search for schedules. */
#ifndef BR_PLANNER_SEARCH_BOUND_EXACT_BOUND_H
#define BR_PLANNER_SEARCH_BOUND_EXACT_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"
#include "planner/instance/certificate.h"
#include "planner/instance/counters.h"
#include "planner/instance/instance.h"

/* How long br_exact_certify goes on, and what it learns from others. Both functions may be NULL;
 * they are called between turns of some hundred conflicts. */
struct br_exact_effort {
    uint64_t conflicts; /* of a part */
    /* For a part: the limit of decisions, times its tasks, and on one machine once more for every
     * 10,000 ticks that a first schedule takes. It does not depend on what others find. 0: no
     * limit. */
    uint64_t work;
    double tolerance; /* the share of a makespan that counts as met if durations are rounded */
    const struct br_stop *stop; /* may be NULL */
    void *context;
    /* The bounds that others have proven by now; the search for more begins there. NULL: none. */
    const struct br_certificate *(*others)(void *context);
    /* Called while a part is open, each of which has had `spent` conflicts, or fewer; false ends
     * the work. `risen` says whether the turn has raised a bound above those that others know. */
    bool (*goes_on)(void *context, uint64_t spent, bool risen);
    struct br_counters counters; /* out: the work of the solver */
    bool met; /* out: a schedule of every part is as short as its bound, or to within the tolerance
               */
    int64_t upper; /* out, if met: ticks, the sum of these schedules */
    bool lost;     /* out: bounds were reached whose proofs grew too long to be kept */
};

/* A bound without a search for schedules: the combinatorial bounds of the parts, or those of others
 * if they are larger, raised by the solver. The certificate holds the combinatorial bounds and the
 * raised ones; it is not checked yet. NULL when memory is out, or no part suits the solver. */
struct br_certificate *br_exact_certify(const struct br_instance *whole,
                                        struct br_exact_effort *effort);
/* Is some quick schedule of the part no longer than that? Then no bound is better. */
bool br_exact_is_met(const struct br_instance *part, int64_t ticks);

#endif
