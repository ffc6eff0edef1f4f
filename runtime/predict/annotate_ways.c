/* A history's figures for stages with alternatives.
 *
 * An alternative by which no task has run is not known at all, but a stage that took three times as
 * long as declared on one core is likely to be three times as long on four: declarations are better
 * as ratios than as seconds. Left alone, it would look better or worse than it is by just that
 * ratio, and would be taken always or never. */
#include "runtime/predict/annotate_ways.h"

#include <math.h>
#include <string.h>

#include "base/numbers/real.h"
#include "base/roles.h"
#include "runtime/predict/measured.h"

static void *ways_copy(struct br_arena *arena, const void *from, size_t count, size_t size)
{
    void *copy = br_arena_array(arena, count + 1, size);
    if (copy && count)
        memcpy(copy, from, count * size);
    return copy;
}

bool br_annotate_ways_begin(struct annotating *annotating, struct br_arena *of_belief,
                            struct br_task_belief **belief)
{
    const struct br_alternatives *from = annotating->dag->alternatives;
    struct br_alternatives *to = &annotating->alternatives;
    struct br_arena *arena = &annotating->arena;
    size_t durations = 0, demands = 0;
    for (uint32_t a = 0; a < from->count; a++) {
        const struct br_alternative *way = &from->alternative[a];
        durations += way->id ? annotating->dag->stage[way->stage].tasks : 0;
        demands += way->demands;
    }
    *to = *from;
    to->alternative = ways_copy(arena, from->alternative, from->count, sizeof *to->alternative);
    to->duration_ns = ways_copy(arena, from->duration_ns, durations, sizeof *to->duration_ns);
    to->demand = ways_copy(arena, from->demand, demands, sizeof *to->demand);
    *belief = annotating->way_belief = br_arena_array(of_belief, from->count, sizeof **belief);
    return to->alternative && to->duration_ns && to->demand && *belief;
}

/* Gives the alternative, and all its tasks without a duration of their own, this one. */
static void ways_set_duration(struct annotating *annotating, uint32_t a, int64_t ns)
{
    const struct br_alternatives *from = annotating->dag->alternatives;
    const struct br_alternative *way = &from->alternative[a];
    const uint32_t tasks = annotating->dag->stage[way->stage].tasks;
    annotating->alternatives.alternative[a].duration_ns = ns;
    for (uint64_t i = way->first_duration; i < way->first_duration + tasks; i++)
        if (from->duration_ns[i] == way->duration_ns)
            annotating->alternatives.duration_ns[i] = ns;
}

/* The alternative demands as much memory as was measured, if it demands some. */
static void ways_set_memory(struct annotating *annotating, uint32_t a, int64_t bytes)
{
    const struct br_dag *dag = annotating->dag;
    const struct br_alternative *way = &dag->alternatives->alternative[a];
    for (uint32_t d = way->first_demand; d < way->first_demand + way->demands && bytes >= 0; d++) {
        struct br_way_amount *demand = &annotating->alternatives.demand[d];
        if (demand->amount.mantissa &&
            br_role_is_own_name(BR_ROLE_MEMORY, dag->resource[demand->resource].name))
            demand->amount = br_decimal_unscale(bytes, 0);
    }
}

/* The declared duration of an alternative of a stage by none of which a task has run. */
static void ways_declare(struct annotating *annotating, uint32_t a, struct br_task_belief *belief)
{
    const struct br_alternative *way = &annotating->dag->alternatives->alternative[a];
    const struct br_stage *stage = &annotating->dag->stage[way->stage];
    const double mean_ns = (double)way->duration_ns, spread = br_real_of(stage->spread);
    double ns = mean_ns;
    if (annotating->quantile > 0) {
        ns = br_belief_declared(mean_ns, spread, annotating->quantile);
        const double most_ns = fmax((double)stage->longest_ns, mean_ns);
        ns = stage->longest_ns > 0 && ns > most_ns ? most_ns : ns;
    }
    *belief = (struct br_task_belief){false, mean_ns, mean_ns, mean_ns, spread, ns};
    if (ns != mean_ns)
        ways_set_duration(annotating, a, br_whole_ns(ns));
}

/* An alternative by which no task has run, of a stage some of whose tasks have run by others: it is
 * as uncertain as the one that is known by most tasks. */
static void ways_scale(struct annotating *annotating, uint32_t a, double ratio,
                       const struct br_task_belief *most, struct br_task_belief *belief)
{
    const struct br_alternative *way = &annotating->dag->alternatives->alternative[a];
    const double mean_ns = (double)way->duration_ns * ratio;
    const double factor = most->mean_ns > 0 ? mean_ns / most->mean_ns : 1;
    *belief = (struct br_task_belief){false,
                                      mean_ns,
                                      most->low_ns * factor,
                                      most->high_ns * factor,
                                      most->spread,
                                      most->task_ns * factor};
    ways_set_duration(annotating, a,
                      br_whole_ns(br_annotating_asked(annotating, mean_ns, belief->task_ns)));
}

/* What the history knows of alternative a, if anything. */
static enum br_status ways_believe(struct annotating *annotating, uint32_t a,
                                   struct br_task_belief *belief, uint32_t *samples)
{
    const struct br_alternative *way = &annotating->dag->alternatives->alternative[a];
    const struct br_stage *stage = &annotating->dag->stage[way->stage];
    const double share = annotating->quantile > 0 ? annotating->quantile : 0.5;
    struct br_history_estimate estimate = {.samples = 0};
    enum br_status status = BR_OK;
    *belief = (struct br_task_belief){.known = false};
    if (annotating->history)
        status = br_history_estimate_ways(annotating->history, stage->id, way->id, &estimate,
                                          annotating->diag);
    *samples = 0;
    if (status || !estimate.samples)
        return status;
    ways_set_memory(annotating, a, br_history_mem(&estimate));
    if (stage->by_hand)
        return BR_OK;
    *samples = estimate.samples;
    br_beliefs_of(annotating->beliefs, br_history_job(annotating->history), stage, way->id, NULL, 0,
                  share, belief);
    ways_set_duration(
        annotating, a,
        br_whole_ns(br_annotating_asked(annotating, belief->mean_ns, belief->task_ns)));
    return BR_OK;
}

enum br_status br_annotate_ways(struct annotating *annotating, uint32_t s, uint32_t *known)
{
    const struct br_alternatives *from = annotating->dag->alternatives;
    const uint32_t first = from->stage_first[s], end = from->stage_first[s + 1];
    double logarithms = 0;
    uint32_t compared = 0, most = 0;
    for (uint32_t a = first; a < end; a++) {
        struct br_task_belief *belief = &annotating->way_belief[a];
        uint32_t samples;
        const enum br_status status = ways_believe(annotating, a, belief, &samples);
        if (status)
            return status;
        if (samples > most) {
            most = samples;
            annotating->belief[s] = *belief;
        }
        if (!samples || from->alternative[a].duration_ns <= 0 || belief->mean_ns <= 0)
            continue;
        logarithms += br_real_log(belief->mean_ns / (double)from->alternative[a].duration_ns);
        compared++;
    }
    const double ratio = compared ? br_real_exp(logarithms / compared) : 1;
    for (uint32_t a = first; a < end; a++) {
        struct br_task_belief *belief = &annotating->way_belief[a];
        if (!belief->known && most)
            ways_scale(annotating, a, ratio, &annotating->belief[s], belief);
        else if (!belief->known)
            ways_declare(annotating, a, belief);
    }
    *known += most > 0;
    return BR_OK;
}
