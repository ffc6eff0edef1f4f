/* How long a job takes on k executors is about B(k), the larger of its longest path and of its work
 * over k, where both grow with k as they were measured. Each further executor shortens that by
 * less; so a job gets the number k for which B(k) k^p is the least: with p = 0 its time alone
 * counts, with p = 1 the executors' time alone.
 *
 * Executors stay in their job while a stage of it is ready, since moving them costs time; if they
 * yield, they leave for a job that goes before it and has less than its number. Others go to the
 * job with the least work left of those that have less than their number; if all have it, to the
 * one that has the least more. Within a job the longest path goes first.
 *
 * By stages, T(k) k^p is the least instead, where T is the time of one stage: each stage has a
 * number of its own, and of those with less the job's order counts, then the longest path. */
#include "cluster/executors/bound.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "cluster/executors/rows.h"

struct number {
    const struct br_waves *waves;
    uint32_t executors;
};

struct bound {
    double power;
    bool by_stage;
    uint32_t room, path_room, stage_room;
    struct number *job; /* by job of the run; if not by stages */
    uint32_t *stage;    /* the number of each stage of the run; by stages */
    double *path_ms;    /* by stage of one job */
};

static enum br_status bound_create(const struct br_executors_setup *setup, void **policy,
                                   struct br_diag *diag)
{
    struct bound *bound = calloc(1, sizeof *bound);
    *policy = bound;
    if (!bound)
        return br_fail_memory(diag);
    bound->power = isnan(setup->number) ? setup->row->usual : setup->number;
    bound->by_stage = setup->row->detail;
    return BR_OK;
}

static void bound_destroy(void *policy)
{
    struct bound *bound = policy;
    free(bound->job);
    free(bound->stage);
    free(bound->path_ms);
    free(bound);
}

/* ---- Bounds ---- */

/* How long the stage takes on so many executors, and what they spend on it. */
static double stage_ms(const struct br_waves *waves, uint32_t stage, uint32_t executors,
                       double *work_ms)
{
    assert(stage < waves->stages);
    uint32_t tasks = waves->stage[stage].tasks;
    assert(tasks && executors);
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
        assert(s < waves->stages);
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

static struct number executors_bound_number_of(const struct bound *bound,
                                               const struct br_waves *waves, uint32_t most)
{
    assert(most > 0);
    double least = bound_ms(bound, waves, 1);
    struct number number = {waves, 1};
    for (uint32_t k = 2; k <= most; k++) {
        double cost = bound_ms(bound, waves, k) * br_real_pow(k, bound->power);
        if (cost >= least)
            continue;
        least = cost;
        number.executors = k;
    }
    return number;
}

/* The number of executors for one stage: no more than its tasks, since others would be idle. */
static uint32_t number_of_stage(const struct bound *bound, const struct br_waves *waves,
                                uint32_t stage, uint32_t most)
{
    double work_ms = 0, least = stage_ms(waves, stage, 1, &work_ms);
    uint32_t number = 1, tasks = waves->stage[stage].tasks;
    for (uint32_t k = 2; k <= most && k <= tasks; k++) {
        double cost = stage_ms(waves, stage, k, &work_ms) * br_real_pow(k, bound->power);
        if (cost >= least)
            continue;
        least = cost;
        number = k;
    }
    return number;
}

/* Room for so many jobs, the stages of one, and those of all; what is there stays. */
static bool executors_bound_make_room(struct bound *bound, uint32_t jobs, uint32_t stages,
                                      uint32_t all_stages)
{
    if (bound->by_stage && all_stages > bound->stage_room) {
        if (!br_enlarge(&bound->stage, all_stages, sizeof *bound->stage))
            return false;
        bound->stage_room = all_stages;
    }
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

/* The numbers of the job's stages: those of job `same` if that is another one. */
static void executors_bound_number_stages(struct bound *bound, const struct br_executors *sim,
                                          uint32_t job, uint32_t same)
{
    assert(same <= job && sim->job[same].stages == sim->job[job].stages);
    uint32_t *number = bound->stage + sim->job[job].first_stage;
    for (uint32_t s = 0; s < sim->job[job].stages; s++)
        number[s] = same < job
                        ? bound->stage[sim->job[same].first_stage + s]
                        : number_of_stage(bound, sim->job[job].waves, s, sim->options.executors);
}

static enum br_status bound_begin(void *policy, const struct br_executors *sim,
                                  struct br_diag *diag)
{
    struct bound *bound = policy;
    uint32_t stages = 0;
    for (uint32_t j = 0; j < sim->jobs; j++)
        stages = sim->job[j].stages > stages ? sim->job[j].stages : stages;
    if (!executors_bound_make_room(bound, sim->jobs, stages, sim->stages))
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < sim->jobs; j++) {
        uint32_t same = 0;
        while (same < j && bound->job[same].waves != sim->job[j].waves)
            same++;
        if (bound->by_stage)
            executors_bound_number_stages(bound, sim, j, same);
        bound->job[j] = bound->by_stage ? (struct number){sim->job[j].waves, 1}
                        : same < j      ? bound->job[same]
                                        : executors_bound_number_of(bound, sim->job[j].waves,
                                                                    sim->options.executors);
    }
    return BR_OK;
}

/* ---- Decisions ---- */

/* First those that can run, then those that the group's class fits best, then the longest path. */
static bool executors_bound_stage_before(const struct br_executor_stage *a,
                                         const struct br_executor_stage *b)
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
        if (!than || executors_bound_stage_before(at, than))
            best = stage;
    }
    return best;
}

/* Has the job less than its number, without those that are to be placed? */
static bool lacks(const struct bound *bound, const struct br_executors *sim, uint32_t job)
{
    assert(bound->job[job].executors > 0);
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

/* Executors that the stage has. */
static uint32_t used_by(const struct br_executors *sim, uint32_t stage)
{
    return sim->stage[stage].running + sim->stage[stage].coming;
}

/* Is stage a to be taken before b, if each has a number? First those with less, of them those of
 * the group's job unless executors yield, then by what is left of their jobs; of others those of
 * the group's job, then those that have the least more. */
static bool numbered_before(const struct bound *bound, const struct br_executors *sim, uint32_t a,
                            uint32_t b)
{
    uint32_t used_a = used_by(sim, a), used_b = used_by(sim, b);
    uint32_t job_a = sim->stage[a].job, job_b = sim->stage[b].job;
    bool less = used_a < bound->stage[a], own = job_a == sim->group.job;
    if (less != (used_b < bound->stage[b]))
        return less;
    if (own != (job_b == sim->group.job) && !(less && sim->options.yields))
        return own;
    if (!less)
        return (uint64_t)used_a * bound->stage[b] < (uint64_t)used_b * bound->stage[a];
    if (job_a == job_b)
        return executors_bound_stage_before(&sim->stage[a], &sim->stage[b]);
    return sim->job[job_a].left_us != sim->job[job_b].left_us
               ? sim->job[job_a].left_us < sim->job[job_b].left_us
               : job_a < job_b;
}

static struct br_executors_choice decide_by_stage(const struct bound *bound,
                                                  const struct br_executors *sim)
{
    uint32_t best = BR_EXECUTORS_NONE;
    for (uint32_t k = 0; k < sim->ready_stages; k++)
        if (br_executors_selectable(sim, sim->ready[k]) &&
            (best == BR_EXECUTORS_NONE || numbered_before(bound, sim, sim->ready[k], best)))
            best = sim->ready[k];
    assert(best != BR_EXECUTORS_NONE);
    uint32_t used = used_by(sim, best), job = sim->stage[best].job;
    if (used >= bound->stage[best] && job == sim->group.job)
        return (struct br_executors_choice){best, sim->options.executors};
    uint32_t more = used < bound->stage[best] ? bound->stage[best] - used : 1;
    return (struct br_executors_choice){best, br_executors_held(sim, job) + more};
}

static struct br_executors_choice bound_decide(void *policy, const struct br_executors *sim)
{
    const struct bound *bound = policy;
    if (bound->by_stage)
        return decide_by_stage(bound, sim);
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
    assert(bound->job[best].waves == sim->job[best].waves);
    return (struct br_executors_choice){br_executors_bound_stage(sim, best),
                                        bound->job[best].executors};
}

/* ---- Policies ---- */

const struct br_executors_row br_executors_policy_bound = {
    .named = {"bound",
              "the job with the least work left, on as many executors as pay by its bound"},
    .number = "how much the time of executors counts, from 0 to 1",
    .usual = 0.85,
    .create = bound_create,
    .begin = bound_begin,
    .decide = bound_decide,
    .destroy = bound_destroy};

const struct br_executors_row br_executors_policy_bound_stages = {
    .named = {"bound-stages", "the same, where each stage has a number by its own time"},
    .number = "how much the time of executors counts, from 0 to 1",
    .usual = 0.85,
    .detail = true,
    .create = bound_create,
    .begin = bound_begin,
    .decide = bound_decide,
    .destroy = bound_destroy};
