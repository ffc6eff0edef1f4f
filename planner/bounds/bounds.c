/* The combinatorial bounds, one by one and together. [Grandl16, 5] [Klein99] */
#include "planner/bounds/bounds.h"

#include <bigrocks/planner.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/bounds/closure.h"
#include "planner/bounds/rounds.h"
#include "planner/eligibility/features.h"
#include "planner/instance/relax.h"
#include "planner/instance/remainder.h"
#include "planner/instance/rounding.h"

const char *const br_bounds_of_parts = "sum over the parts between cuts";
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
static struct br_bound bounds_work(const struct br_instance *in, const struct br_measures *measures,
                                   const char *method)
{
    struct br_bound bound = no_memory;
    struct br_windows none = {0};
    int64_t *zero = br_calloc(in->stages, sizeof *zero);
    none.stage_head = none.stage_tail = zero;
    if (zero)
        bound =
            (struct br_bound){br_windows_energy(&none, in, measures, 0, INT64_MAX, NULL), method};
    br_free(zero);
    return bound;
}

static struct br_bound plain_work(const struct br_instance *in, const struct br_measures *plain)
{
    return bounds_work(in, plain, "work");
}

static struct br_bound fragmentation(const struct br_instance *in, const struct br_measures *all)
{
    return bounds_work(in, all, "work in fragments");
}

static struct br_bound energy(const struct br_instance *in, const struct br_measures *plain)
{
    struct br_bound bound = no_memory;
    struct br_windows windows;
    if (!br_windows_init(&windows, in, BR_LENGTH_LONGEST, NULL))
        return bound;
    bound = (struct br_bound){
        br_windows_energy(&windows, in, plain, windows.ticks, INT64_MAX, NULL), "heads and tails"};
    br_windows_finish(&windows);
    return bound;
}

static struct br_bound window(const struct br_instance *in, const struct br_measures *all)
{
    struct br_bound bound = no_memory;
    struct br_windows windows;
    if (!br_windows_init(&windows, in, BR_LENGTH_WAVES, all))
        return bound;
    struct br_energy found;
    bound.method = "heads and tails by waves";
    bound.ticks = br_windows_energy(&windows, in, all, windows.ticks, INT64_MAX, &found);
    const struct br_measure *best = found.measure;
    if (best && best->kind == BR_MEASURE_CLIQUE)
        bound.method = "heads and tails by waves, clique";
    else if (best && best->unit > 0)
        bound.method = "heads and tails by waves, work in fragments";
    else if (best)
        bound.method = "heads and tails by waves, work";
    int64_t energy_ticks = bound.ticks;
    if (energy_ticks >= 0 && in->stages <= BR_CLOSURE_STAGES)
        bound.ticks = br_windows_rounds(&windows, in, all, bound.ticks, NULL);
    if (bound.ticks > energy_ticks)
        bound.method = "heads and tails by waves, rounds of several stages";
    br_windows_finish(&windows);
    return bound;
}

/* One argument in measures, alone. */
static struct br_bound bounds_measured(const struct br_instance *in, bool plain,
                                       struct br_bound (*argument)(const struct br_instance *,
                                                                   const struct br_measures *))
{
    struct br_measures measures;
    if (!br_measures_init(&measures, in, plain))
        return no_memory;
    struct br_bound bound = argument(in, &measures);
    br_measures_finish(&measures);
    return bound;
}

struct br_bound br_bounds_work(const struct br_instance *in)
{
    return bounds_measured(in, true, plain_work);
}

struct br_bound br_bounds_fragmentation(const struct br_instance *in)
{
    return bounds_measured(in, false, fragmentation);
}

struct br_bound br_bounds_energy(const struct br_instance *in)
{
    return bounds_measured(in, true, energy);
}

struct br_bound br_bounds_window(const struct br_instance *in)
{
    return bounds_measured(in, false, window);
}

/* The arguments in measures; each kind of measures is made once. */
static struct br_bound best_measured(const struct br_instance *in, struct br_bound best,
                                     const struct br_bounds_effort *effort)
{
    static const struct {
        bool plain, many_stages, cheap; /* many_stages: worth the cost there, too */
        struct br_bound (*argument)(const struct br_instance *, const struct br_measures *);
    } all[] = {{true, false, true, plain_work},
               {false, false, false, fragmentation},
               {true, false, false, energy},
               {false, true, false, window}};
    struct br_measures measures[2] = {{.count = 0}, {.count = 0}};
    bool made[2] = {false, false};
    for (size_t k = 0; k < sizeof all / sizeof *all && best.ticks >= 0 &&
                       best.ticks < effort->enough && !br_stopped(effort->stop);
         k++) {
        bool plain = all[k].plain;
        if (effort->cheap ? !all[k].cheap : in->stages > BR_CLOSURE_STAGES && !all[k].many_stages)
            continue;
        if (!made[plain] && !br_measures_begin(&measures[plain], in, plain, effort->stop)) {
            best = no_memory;
            break;
        }
        made[plain] = true;
        struct br_bound bound = all[k].argument(in, &measures[plain]);
        if (bound.ticks < 0 || bound.ticks > best.ticks)
            best = bound;
    }
    br_measures_finish(&measures[0]);
    br_measures_finish(&measures[1]);
    return best;
}

struct br_bound br_bounds_best(const struct br_instance *in, int64_t enough)
{
    return br_bounds_by(in, &(struct br_bounds_effort){.enough = enough});
}

static struct br_bound bounds_argue(const struct br_instance *in,
                                    const struct br_bounds_effort *effort)
{ /* Simple arguments come first: among equals the simplest one is named. With many stages, only
     those that the last does not contain, and that need no sorting. */
    struct br_bound best = br_bounds_critical_path(in);
    if (best.ticks < 0 || best.ticks >= effort->enough || br_stopped(effort->stop))
        return best;
    struct br_bound waves = br_bounds_waves(in);
    if (waves.ticks < 0 || waves.ticks > best.ticks)
        best = waves;
    /* A single stage alone: its waves include all other arguments. */
    return in->stages == 1 ? best : best_measured(in, best, effort);
}

/* The bound of the durations rounded down, in ticks of the instance, if it is larger. Arguments
 * that round up to whole ticks lose less by long ones. */
static struct br_bound bounds_round(const struct br_instance *in, struct br_bound best,
                                    const struct br_bounds_effort *effort)
{
    const int64_t rounding = br_rounding_noise(in);
    if (rounding == 1)
        return best;
    struct br_bounds_effort own = *effort;
    if (own.enough != INT64_MAX)
        own.enough /= rounding;
    struct br_instance *rounded = br_instance_round(in, rounding);
    struct br_bound bound = rounded ? bounds_argue(rounded, &own) : no_memory;
    br_instance_destroy(rounded);
    if (bound.ticks > 0)
        bound.ticks = bound.ticks * rounding + br_remainder(in, rounding, bound.ticks);
    return bound.ticks < 0 || bound.ticks > best.ticks ? bound : best;
}

struct br_bound br_bounds_by(const struct br_instance *in, const struct br_bounds_effort *effort)
{
    struct br_bound best = bounds_argue(in, effort);
    if (best.ticks < 0 || best.ticks >= effort->enough || effort->unrounded ||
        br_stopped(effort->stop))
        return best;
    return bounds_round(in, best, effort);
}

bool br_bounds_sum_up(struct br_bounds *bounds, const struct br_parts *parts,
                      const struct br_bounds_effort *effort)
{
    struct br_bound sum = bounds->part[0];
    for (uint32_t k = 1; k < parts->count; k++) {
        sum.ticks += bounds->part[k].ticks;
        if (strcmp(sum.method, bounds->part[k].method) != 0)
            sum.method = br_bounds_of_parts;
    }
    /* Parts have measures of their own choice, which may lack one of the whole's. */
    bounds->whole = (struct br_bound){0, NULL};
    if (parts->count > 1 && parts->whole->stages <= BR_CLOSURE_STAGES && !effort->cheap &&
        !br_stopped(effort->stop))
        bounds->whole = br_bounds_by(parts->whole, effort);
    bounds->sum = bounds->whole.method && bounds->whole.ticks >= sum.ticks ? bounds->whole : sum;
    return bounds->whole.ticks >= 0;
}

bool br_bounds_find(struct br_bounds *bounds, const struct br_parts *parts,
                    const struct br_bounds_effort *effort)
{
    *bounds = (struct br_bounds){.part = br_calloc(parts->count, sizeof *bounds->part)};
    bool ok = bounds->part != NULL;
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        bounds->part[k] = br_bounds_by(parts->part[k], effort);
        ok = bounds->part[k].ticks >= 0;
    }
    return ok && br_bounds_sum_up(bounds, parts, effort);
}

void br_bounds_finish(struct br_bounds *bounds)
{
    br_free(bounds->part);
    *bounds = (struct br_bounds){0};
}

/* As br_bounds_find, until the parts together reach `enough`: first the linear arguments on all of
 * them, then all arguments on one after another. */
static bool find_until(struct br_bounds *bounds, const struct br_parts *parts,
                       const struct br_bounds_effort *effort)
{
    struct br_bounds_effort own = {.enough = INT64_MAX, .cheap = true, .stop = effort->stop};
    int64_t sum = 0;
    *bounds = (struct br_bounds){.part = br_calloc(parts->count, sizeof *bounds->part)};
    bool ok = bounds->part != NULL;
    for (uint32_t k = 0; ok && k < parts->count; k++) {
        bounds->part[k] = br_bounds_by(parts->part[k], &own);
        ok = bounds->part[k].ticks >= 0;
        sum += bounds->part[k].ticks;
    }
    own.cheap = effort->cheap;
    for (uint32_t k = 0; ok && !own.cheap && sum < effort->enough && k < parts->count; k++) {
        int64_t before = bounds->part[k].ticks;
        own.enough = before + (effort->enough - sum);
        struct br_bound more = br_bounds_by(parts->part[k], &own);
        ok = more.ticks >= 0;
        if (more.ticks > before)
            bounds->part[k] = more;
        sum += bounds->part[k].ticks - before;
    }
    own = *effort;
    own.cheap |= sum >= effort->enough;
    return ok && br_bounds_sum_up(bounds, parts, &own);
}

struct br_bound br_bounds_sum_by(const struct br_instance *whole,
                                 const struct br_bounds_effort *effort)
{
    struct br_parts parts;
    if (br_parts_create(whole, &parts, NULL))
        return no_memory;
    struct br_bounds bounds;
    bool ok = effort->enough == INT64_MAX ? br_bounds_find(&bounds, &parts, effort)
                                          : find_until(&bounds, &parts, effort);
    struct br_bound sum = ok ? bounds.sum : no_memory;
    br_bounds_finish(&bounds);
    br_parts_finish(&parts);
    return sum;
}

struct br_bound br_bounds_sum(const struct br_instance *whole)
{
    return br_bounds_sum_by(whole, &(struct br_bounds_effort){.enough = INT64_MAX});
}

static enum br_status bound_job(const struct br_dag *dag, const struct br_cluster *cluster,
                                int64_t enough_ns, int64_t *lower_bound_ns, const char **method,
                                struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, diag);
    if (status)
        return status;
    int64_t enough = enough_ns / in->tick_ns;
    if (enough_ns == INT64_MAX)
        enough = INT64_MAX;
    else if (enough_ns % in->tick_ns > 0) /* rounded up: at least that much is to be reached */
        enough++;
    struct br_bound bound = br_bounds_sum_by(in, &(struct br_bounds_effort){.enough = enough});
    *lower_bound_ns = bound.ticks * in->tick_ns;
    if (method)
        *method = bound.method;
    br_instance_destroy(in);
    return bound.ticks < 0 ? br_fail_memory(diag) : BR_OK;
}

static enum br_status bound_relaxed(const struct br_dag *dag, const struct br_cluster *cluster,
                                    enum br_relaxation relaxation, int64_t enough_ns,
                                    int64_t *lower_bound_ns, const char **method,
                                    struct br_diag *diag)
{
    struct br_relaxed relaxed;
    enum br_status status = br_relax(dag, cluster, relaxation, &relaxed, diag);
    if (!status)
        status = bound_job(relaxed.dag, relaxed.cluster, enough_ns, lower_bound_ns, method, diag);
    br_relaxed_finish(&relaxed);
    return status;
}

enum br_status br_bound_until(const struct br_dag *dag, const struct br_cluster *cluster,
                              int64_t enough_ns, int64_t *lower_bound_ns, const char **method,
                              struct br_diag *diag)
{
    if (!dag->finished || !br_features(dag, cluster) || cluster->machines == 0)
        return bound_job(dag, cluster, enough_ns, lower_bound_ns, method, diag);
    enum br_status status =
        bound_relaxed(dag, cluster, BR_RELAX_MACHINES, enough_ns, lower_bound_ns, method, diag);
    int64_t pool_ns = 0;
    const char *pool_method = NULL;
    if (status || !br_relax_pool_helps(dag, cluster) || *lower_bound_ns >= enough_ns)
        return status;
    status = bound_relaxed(dag, cluster, BR_RELAX_POOL, enough_ns, &pool_ns, &pool_method, diag);
    if (!status && pool_ns > *lower_bound_ns) {
        *lower_bound_ns = pool_ns;
        if (method)
            *method = pool_method;
    }
    return status;
}

enum br_status br_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                        int64_t *lower_bound_ns, const char **method, struct br_diag *diag)
{
    BR_NEED(diag, dag, cluster, lower_bound_ns);
    return br_bound_until(dag, cluster, INT64_MAX, lower_bound_ns, method, diag);
}
