/* One search after the other: the population finds orders of the stages that the neighbourhoods of
 * the first schedules do not reach, and the neighbourhoods move single tasks, which no order of
 * stages does. */
#include "planner/improve/machine_search.h"

#include "base/process/clock.h"
#include "planner/improve/improve.h"
#include "planner/improve/stage_search.h"

/* Passes over a small job, placements on a large one, but at least the passes for a round of each
 * of the two searches. */
enum { PASSES = 6000, PLACEMENTS = 10000000, LEAST_PASSES = 48 };

struct br_machines_settings br_machines_settings_default(void)
{
    return (struct br_machines_settings){.stages = 0.5, .moves = BR_MOVES_ALL};
}

/* A placement costs a look at many of the machines. */
uint64_t br_machines_placements(const struct br_instance *in)
{
    uint64_t passes = (uint64_t)PASSES * in->tasks;
    uint64_t most = PLACEMENTS / (1 + in->machines / 4);
    uint64_t least = (uint64_t)LEAST_PASSES * in->tasks;
    if (most < least)
        most = least;
    return passes < most ? passes : most;
}

bool br_machines_search(struct br_run *run, const struct br_machines_settings *settings)
{
    struct br_machines_settings own = settings ? *settings : br_machines_settings_default();
    uint64_t all = run->placements;
    run->placements = (uint64_t)(own.stages * (double)all);
    int64_t began_ns = br_now_ns();
    bool ok = run->placements == 0 || br_stage_search(run, false);
    int64_t between_ns = br_now_ns();
    run->counters.stages_ns += (uint64_t)(between_ns - began_ns);
    run->placements = all;
    if (ok && !run->stopped && run->spent < all)
        ok = br_improve(run, own.moves, NULL);
    run->counters.moves_ns += (uint64_t)(br_now_ns() - between_ns);
    return ok;
}
