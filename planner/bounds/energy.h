/* Energy: what tasks must hold between a time after the start and a time before the end. */
#ifndef BR_PLANNER_BOUNDS_ENERGY_H
#define BR_PLANNER_BOUNDS_ENERGY_H

#include "planner/bounds/window.h"

/* The energy argument behind a bound. */
struct br_energy {
    const struct br_measure *measure; /* NULL: none beats the previous bound */
    int64_t head, tail;               /* a and b */
};

/* The largest lower bound, in ticks and at least `least`, that the energy between a ticks after the
 * start and b ticks before the end gives, over all measures and those a and b that are tried; *best
 * (may be NULL) receives the argument, unless none beats `least`. A task with a head of h and a
 * tail of t that lasts d must run in between at least min(d, h + d - a, t + d - b, the time in
 * between). Stages with different durations count only if a and b enclose them. With many stages
 * only some b are tried. Both weaken the bound, but keep it valid. Once `enough` is reached no
 * further b is tried. -1 when memory is out. O(stages^2 x measures) and no more than some 10^7
 * steps, or a few rounds over all stages if these are more. */
int64_t br_windows_energy(const struct br_windows *windows, const struct br_instance *in,
                          const struct br_measures *measures, int64_t least, int64_t enough,
                          struct br_energy *best);

#endif
