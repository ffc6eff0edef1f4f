/* How long a job takes on k executors is about B(k), the larger of its longest path and of its work
 * over k, where both grow with k as they were measured. Each further executor shortens that by
 * less; so a job gets the number k for which B(k) k^p is the least: with p = 0 its time alone
 * counts, with p = 1 the executors' time alone.
 *
 * Executors stay in their job while a stage of it is ready, since moving them costs time; where
 * they yield, they leave for a job that goes before it and has less than its number. Others go to
 * the job with the least work left of those that have less than their number; where all have it, to
 * the one that has the least more. Within a job the longest path goes first. */
#include "simulate/executors/bound.h"

#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"

struct number {
    const struct br_waves *waves;
    uint32_t executors;
};

struct bound {
    double power;
    uint32_t room, path_room;
    struct number *job; /* by job of the run */
    double *path_ms;    /* by stage of one job */
};

enum br_status br_executors_bound_create(const struct br_executors_setup *setup, void **policy,
                                         struct br_diag *diag)
{
    struct bound *bound = calloc(1, sizeof *bound);
    *policy = bound;
    if (!bound)
        return br_fail_memory(diag);
    bound->power = isnan(setup->number) ? setup->row->usual : setup->number;
    return BR_OK;
}

void br_executors_bound_destroy(void *policy)
{
    struct bound *bound = policy;
    free(bound->job);
    free(bound->path_ms);
    free(bound);
}

/* ---- Bounds ---- */

/* How long the stage takes on so many executors, and what they spend on it. */
static double stage_ms(const struct br_waves *waves, uint32_t stage, uint32_t executors,
                       double *work_ms)
{
    uint32_t tasks = waves->stage[stage].tasks;
    uint32_t first = tasks < executors ? tasks : executors;
    uint32_t later = (tasks - 1) / executors;
    double first_ms = br_waves_mean_ms(waves, stage, BR_WAVE_FIRST, executors);
    double rest_ms = tasks > first ? br_waves_mean_ms(waves, stage, BR_WAVE_REST, executors) : 0;
    *work_ms += first * first_ms + (tasks - first) * rest_ms;
    return first_ms + later * rest_ms;
}

static double bound_ms(const struct bound *bound, const struct br_waves *waves, uint32_t executors)
{
    double *path_ms = bound->path_ms;
    double work_ms = 0, longest_ms = 0;
    for (uint32_t k = waves->stages; k-- > 0;) {
        uint32_t s = waves->topological[k];
        double after_ms = 0;
        for (uint32_t c = 0; c < waves->stage[s].children; c++) {
            double child_ms = path_ms[waves->child[waves->stage[s].first_child + c]];
            if (child_ms > after_ms)
                after_ms = child_ms;
        }
        path_ms[s] = after_ms + stage_ms(waves, s, executors, &work_ms);
        if (path_ms[s] > longest_ms)
            longest_ms = path_ms[s];
    }
    return longest_ms > work_ms / executors ? longest_ms : work_ms / executors;
}

static struct number number_of(const struct bound *bound, const struct br_waves *waves,
                               uint32_t most)
{
    double least = INFINITY;
    struct number number = {waves, 1};
    for (uint32_t k = 1; k <= most; k++) {
        double cost = bound_ms(bound, waves, k) * br_real_pow(k, bound->power);
        if (cost >= least)
            continue;
        least = cost;
        number.executors = k;
    }
    return number;
}

/* Room for so many jobs, and for the stages of one; what is there stays. */
static bool make_room(struct bound *bound, uint32_t jobs, uint32_t stages)
{
    if (jobs > bound->room) {
        uint32_t room = jobs + jobs / 2;
        if (!br_enlarge(&bound->job, room, sizeof *bound->job))
            return false;
        bound->room = room;
    }
    if (stages > bound->path_room) {
        if (!br_enlarge(&bound->path_ms, stages, sizeof *bound->path_ms))
            return false;
        bound->path_room = stages;
    }
    return true;
}

enum br_status br_executors_bound_begin(void *policy, const struct br_executors *sim,
                                        struct br_diag *diag)
{
    struct bound *bound = policy;
    uint32_t stages = 0;
    for (uint32_t j = 0; j < sim->jobs; j++)
        stages = sim->job[j].stages > stages ? sim->job[j].stages : stages;
    if (!make_room(bound, sim->jobs, stages))
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < sim->jobs; j++) {
        uint32_t same = 0;
        while (same < j && bound->job[same].waves != sim->job[j].waves)
            same++;
        bound->job[j] = same < j ? bound->job[same]
                                 : number_of(bound, sim->job[j].waves, sim->options.executors);
    }
    return BR_OK;
}

/* ---- Decisions ---- */

/* First those that can run, then those that the group's class fits best, then the longest path. */
static bool stage_before(const struct br_executor_stage *a, const struct br_executor_stage *b)
{
    if ((a->open == 0) != (b->open == 0))
        return a->open == 0;
    if (a->request.cls != b->request.cls)
        return a->request.cls > b->request.cls;
    return a->waves->path_us != b->waves->path_us ? a->waves->path_us > b->waves->path_us
                                                  : a->waves < b->waves;
}

/* The one that comes first, of those that can be named. */
uint32_t br_executors_bound_stage(const struct br_executors *sim, uint32_t job)
{
    uint32_t best = BR_EXECUTORS_NONE;
    for (uint32_t k = 0; k < sim->ready_stages; k++) {
        uint32_t stage = sim->ready[k];
        const struct br_executor_stage *at = &sim->stage[stage];
        if (at->job != job || !br_executors_selectable(sim, stage))
            continue;
        const struct br_executor_stage *than = best == BR_EXECUTORS_NONE ? NULL : &sim->stage[best];
        if (!than || stage_before(at, than))
            best = stage;
    }
    return best;
}

/* Has the job less than its number, without those that are to be placed? */
static bool lacks(const struct bound *bound, const struct br_executors *sim, uint32_t job)
{
    return br_executors_held(sim, job) < bound->job[job].executors;
}

/* Is job a to be taken before b? First those with less than their number, by what is left of them;
 * then those that have the least of more. */
static bool job_before(const struct bound *bound, const struct br_executors *sim, uint32_t a,
                       uint32_t b)
{
    uint32_t held_a = br_executors_held(sim, a), number_a = bound->job[a].executors;
    uint32_t held_b = br_executors_held(sim, b), number_b = bound->job[b].executors;
    if ((held_a < number_a) != (held_b < number_b))
        return held_a < number_a;
    if (held_a < number_a)
        return sim->job[a].left_us < sim->job[b].left_us;
    return (uint64_t)held_a * number_b < (uint64_t)held_b * number_a;
}

struct br_executors_choice br_executors_bound_decide(void *policy, const struct br_executors *sim)
{
    const struct bound *bound = policy;
    uint32_t own = sim->group.job, best = BR_EXECUTORS_NONE, stage = BR_EXECUTORS_NONE;
    if (own != BR_EXECUTORS_NONE && sim->job[own].ready)
        stage = br_executors_bound_stage(sim, own);
    const struct br_executors_choice stays = {stage, sim->options.executors};
    if (stage != BR_EXECUTORS_NONE && !sim->options.yields)
        return stays;
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        uint32_t job = sim->live[k];
        if (sim->job[job].ready && br_executors_bound_stage(sim, job) != BR_EXECUTORS_NONE &&
            (best == BR_EXECUTORS_NONE || job_before(bound, sim, job, best)))
            best = job;
    }
    if (stage != BR_EXECUTORS_NONE && !lacks(bound, sim, best))
        return stays;
    if (best == BR_EXECUTORS_NONE)
        return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
    return (struct br_executors_choice){br_executors_bound_stage(sim, best),
                                        bound->job[best].executors};
}
