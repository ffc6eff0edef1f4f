/* The combinatorial bounds, one by one and together. [Grandl16, 5] [Klein99] */
#include "planner/bounds/bounds.h"

#include <bigrocks/planner.h>
#include <stdlib.h>

#include "planner/bounds/closure.h"
#include "planner/bounds/rounds.h"
#include "planner/model/part.h"

static const struct br_bound no_memory = {-1, "none: out of memory"};

static struct br_bound path(const struct br_instance *in, enum br_length length, const char *method)
{
    struct br_windows windows;
    if (!br_windows_init(&windows, in, length, NULL))
        return no_memory;
    struct br_bound bound = {windows.ticks, method};
    br_windows_finish(&windows);
    return bound;
}

struct br_bound br_bounds_critical_path(const struct br_instance *in)
{
    return path(in, BR_LENGTH_LONGEST, "critical path");
}

struct br_bound br_bounds_modcp(const struct br_instance *in)
{
    return path(in, BR_LENGTH_WORK, "critical path of stages by work");
}

struct br_bound br_bounds_waves(const struct br_instance *in)
{
    return path(in, BR_LENGTH_WAVES, "critical path of stages by waves");
}

/* Work by capacity over all stages: the energy with all heads and tails taken as 0. */
static struct br_bound work(const struct br_instance *in, bool plain, const char *method)
{
    struct br_measures measures;
    struct br_bound bound = no_memory;
    struct br_windows none = {0};
    int64_t *zero = calloc(in->stages, sizeof *zero);
    none.stage_head = none.stage_tail = zero;
    if (zero && br_measures_init(&measures, in, plain)) {
        bound = (struct br_bound){br_windows_energy(&none, in, &measures, 0, NULL), method};
        br_measures_finish(&measures);
    }
    free(zero);
    return bound;
}

struct br_bound br_bounds_work(const struct br_instance *in)
{
    return work(in, true, "work");
}

struct br_bound br_bounds_fragmentation(const struct br_instance *in)
{
    return work(in, false, "work in fragments");
}

struct br_bound br_bounds_energy(const struct br_instance *in)
{
    struct br_bound bound = no_memory;
    struct br_windows windows = {0};
    struct br_measures measures = {0};
    if (br_windows_init(&windows, in, BR_LENGTH_LONGEST, NULL) &&
        br_measures_init(&measures, in, true))
        bound = (struct br_bound){br_windows_energy(&windows, in, &measures, windows.ticks, NULL),
                                  "heads and tails"};
    br_windows_finish(&windows);
    br_measures_finish(&measures);
    return bound;
}

struct br_bound br_bounds_window(const struct br_instance *in)
{
    struct br_bound bound = no_memory;
    struct br_windows windows = {0};
    struct br_measures measures = {0};
    if (br_measures_init(&measures, in, false) &&
        br_windows_init(&windows, in, BR_LENGTH_WAVES, &measures)) {
        struct br_energy energy;
        bound.method = "heads and tails by waves";
        bound.ticks = br_windows_energy(&windows, in, &measures, windows.ticks, &energy);
        const struct br_measure *best = energy.measure;
        if (best && best->kind == BR_MEASURE_CLIQUE)
            bound.method = "heads and tails by waves, clique";
        else if (best && best->unit > 0)
            bound.method = "heads and tails by waves, work in fragments";
        else if (best)
            bound.method = "heads and tails by waves, work";
        int64_t energy_ticks = bound.ticks;
        if (energy_ticks >= 0 && in->stages <= BR_CLOSURE_STAGES)
            bound.ticks = br_windows_rounds(&windows, in, &measures, bound.ticks, NULL);
        if (bound.ticks > energy_ticks)
            bound.method = "heads and tails by waves, rounds of several stages";
    }
    br_windows_finish(&windows);
    br_measures_finish(&measures);
    return bound;
}

struct br_bound br_bounds_best(const struct br_instance *in)
{ /* Simple ones first: among equals the simplest argument is named. For many stages only those
   * that the last does not contain, and that take no sorting. */
    static struct br_bound (*const all[])(const struct br_instance *) = {
        br_bounds_critical_path, br_bounds_waves,  br_bounds_work,
        br_bounds_fragmentation, br_bounds_energy, br_bounds_window,
    };
    const size_t count = sizeof all / sizeof *all;
    struct br_bound best = {0, "none"};
    /* A single stage alone: its waves include all other arguments. */
    if (in->stages == 1) {
        struct br_bound longest = br_bounds_critical_path(in);
        best = br_bounds_waves(in);
        return longest.ticks < 0 || longest.ticks == best.ticks ? longest : best;
    }
    for (size_t k = 0; k < count; k++) {
        if (in->stages > BR_CLOSURE_STAGES && k >= 2 && k + 1 < count)
            continue;
        struct br_bound bound = all[k](in);
        if (bound.ticks < 0)
            return bound;
        if (bound.ticks > best.ticks || k == 0)
            best = bound;
    }
    return best;
}

struct br_bound br_bounds_sum(const struct br_instance *whole)
{
    struct br_parts parts;
    if (br_parts_create(whole, &parts, NULL))
        return no_memory;
    struct br_bound sum = {0, NULL};
    for (uint32_t k = 0; k < parts.count; k++) {
        struct br_bound bound = br_bounds_best(parts.part[k]);
        if (bound.ticks < 0) {
            br_parts_finish(&parts);
            return bound;
        }
        sum.ticks += bound.ticks;
        if (k == 0)
            sum.method = bound.method;
        else if (sum.method != bound.method)
            sum.method = "sum over the parts between cuts";
    }
    /* Parts have measures of their own choice, which may miss one that the whole would have. */
    if (parts.count > 1 && whole->stages <= BR_CLOSURE_STAGES) {
        struct br_bound best = br_bounds_best(whole);
        sum = best.ticks < 0 || best.ticks >= sum.ticks ? best : sum;
    }
    br_parts_finish(&parts);
    return sum;
}

enum br_status br_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                        int64_t *lower_bound_ns, const char **method, struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    struct br_bound bound = br_bounds_sum(in);
    *lower_bound_ns = bound.ticks * in->tick_ns;
    if (method)
        *method = bound.method;
    br_instance_destroy(in);
    return bound.ticks < 0 ? br_fail_memory(diag) : BR_OK;
}
