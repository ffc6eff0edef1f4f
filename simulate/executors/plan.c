/* What executors cost, and who gets them. Times and work by numbers of executors are as measured,
 * and between two numbers that were measured as the simulator draws them. */
#include "simulate/executors/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "simulate/executors/bound.h"

static const struct {
    double start, step, least, most;
} range[BR_EXECUTORS_PLAN_NUMBERS] = {
    [BR_PLAN_PRICE] = {3, 1, 0.01, 100},    [BR_PLAN_ALONE] = {1, 1, 0, 100},
    [BR_PLAN_CROWD] = {0, 0.2, -1, 2},      [BR_PLAN_BEFORE] = {0, 0.3, -1, 10},
    [BR_PLAN_PATH] = {1, 0.3, 0, 10},       [BR_PLAN_BOTH] = {0, 0.2, -1, 10},
    [BR_PLAN_HELD] = {0, 0.3, -1, 10},      [BR_PLAN_MOVE] = {0, 1, 0, 100},
    [BR_PLAN_RUNNING] = {0.5, 0.2, 0, 10},  [BR_PLAN_FEW] = {0.3, 0.4, -10, 10},
    [BR_PLAN_ORDER_RUN] = {0, 0.4, -1, 10}, [BR_PLAN_ORDER_PATH] = {0, 0.3, -1, 10},
    [BR_PLAN_OPEN_ORDER] = {0, 0.3, -3, 3}, [BR_PLAN_OPEN_MORE] = {0, 0.3, -3, 3},
    [BR_PLAN_STAY] = {3, 2, -5, 20},        [BR_PLAN_STAY_OPEN] = {3, 2, -5, 20},
    [BR_PLAN_OVER] = {3, 1, 0.5, 100},      [BR_PLAN_FULL] = {0, 0.3, -3, 3},
};

/* A job of the run. */
struct known {
    double *work_ms, *path_ms; /* of the whole job, by number of executors that is tried; owned */
    struct br_executors_plan_job job;
};

/* A live job, while a decision is made. */
struct live {
    uint32_t job, stage, held, number;
    bool waits;       /* its stage cannot run yet */
    double work;      /* left, in seconds */
    double work_left; /* share of the whole */
    double path_left; /* the same of its longest path */
    double key;       /* the least goes first */
};

/* A stage, while its job is measured. */
struct measured {
    double mean_ms[2][BR_WAVE_COUNTS]; /* of the first wave and the rest, by br_waves.count */
    double path_ms;
};

struct br_executors_plan {
    double number[BR_EXECUTORS_PLAN_NUMBERS];
    bool by_distance;
    uint32_t executors, tries, try_room;
    uint32_t *try; /* numbers of executors, ascending */
    uint32_t room, live_room, stage_room;
    struct known *known; /* by job of the run */
    struct live *live;
    struct measured *stage; /* of one job */
};

struct br_executors_plan *br_executors_plan_create(void)
{
    struct br_executors_plan *plan = calloc(1, sizeof *plan);
    const double none[BR_EXECUTORS_PLAN_NUMBERS] = {0};
    if (plan)
        br_executors_plan_set(plan, none);
    return plan;
}

void br_executors_plan_set(struct br_executors_plan *plan, const double *steps)
{
    for (int k = 0; k < BR_EXECUTORS_PLAN_NUMBERS; k++) {
        double number = range[k].start + range[k].step * steps[k];
        plan->number[k] = number > range[k].least ? number < range[k].most ? number : range[k].most
                                                  : range[k].least;
    }
}

void br_executors_plan_destroy(struct br_executors_plan *plan)
{
    if (!plan)
        return;
    for (uint32_t j = 0; j < plan->room; j++)
        free(plan->known[j].work_ms);
    free(plan->known);
    free(plan->live);
    free(plan->try);
    free(plan->stage);
    free(plan);
}

/* ---- Jobs ---- */

/* Numbers to try: all that are small, then each some percent above the one before. */
static bool choose_tries(struct br_executors_plan *plan, const struct br_executors *sim)
{
    plan->by_distance = sim->options.by_distance;
    if (plan->executors == sim->options.executors)
        return true;
    plan->tries = 0;
    for (uint32_t k = 1; k <= sim->options.executors; k += 1 + k / 64) {
        if (!br_grow(&plan->try, plan->tries, &plan->try_room, sizeof *plan->try))
            return false;
        plan->try[plan->tries++] = k;
    }
    plan->executors = sim->options.executors;
    for (uint32_t j = 0; j < plan->room; j++) {
        free(plan->known[j].work_ms);
        plan->known[j] = (struct known){0};
    }
    return true;
}

static bool make_room(struct br_executors_plan *plan, uint32_t jobs, uint32_t stages)
{
    if (jobs > plan->room) {
        uint32_t room = jobs + jobs / 2;
        if (!br_enlarge(&plan->known, room, sizeof *plan->known))
            return false;
        memset(plan->known + plan->room, 0, (room - plan->room) * sizeof *plan->known);
        plan->room = room;
    }
    if (jobs > plan->live_room) {
        if (!br_enlarge(&plan->live, plan->room, sizeof *plan->live))
            return false;
        plan->live_room = plan->room;
    }
    if (stages > plan->stage_room) {
        if (!br_enlarge(&plan->stage, stages, sizeof *plan->stage))
            return false;
        plan->stage_room = stages;
    }
    return true;
}

/* How long a task lasts on so many executors, where that is drawn from two numbers measured. */
static double task_ms(const struct br_executors_plan *plan, const struct br_waves *waves,
                      const double *mean_ms, uint32_t executors)
{
    uint32_t k = 0;
    while (k + 1 < waves->counts && waves->count[k] < executors)
        k++;
    if (!k || waves->count[k] <= executors)
        return mean_ms[k];
    uint32_t left = waves->count[k - 1];
    double share = (double)(executors - left) / (waves->count[k] - left);
    share = plan->by_distance ? share : 1 - share;
    return mean_ms[k - 1] + (mean_ms[k] - mean_ms[k - 1]) * share;
}

static double longest_after(const struct br_executors_plan *plan, const struct br_waves *waves,
                            uint32_t stage)
{
    double longest_ms = 0;
    for (uint32_t c = 0; c < waves->stage[stage].children; c++) {
        double child_ms = plan->stage[waves->child[waves->stage[stage].first_child + c]].path_ms;
        longest_ms = child_ms > longest_ms ? child_ms : longest_ms;
    }
    return longest_ms;
}

/* Work and longest path of a job on so many executors. */
static void measure(struct br_executors_plan *plan, const struct br_waves *waves,
                    uint32_t executors, double *work_ms, double *longest_ms)
{
    *work_ms = *longest_ms = 0;
    for (uint32_t v = waves->stages; v-- > 0;) {
        uint32_t s = waves->topological[v], tasks = waves->stage[s].tasks;
        uint32_t first = tasks < executors ? tasks : executors, later = (tasks - 1) / executors;
        struct measured *stage = &plan->stage[s];
        double first_ms = task_ms(plan, waves, stage->mean_ms[0], executors);
        double rest_ms = task_ms(plan, waves, stage->mean_ms[1], executors);
        *work_ms += first * first_ms + (tasks - first) * rest_ms;
        stage->path_ms = longest_after(plan, waves, s) + first_ms + later * rest_ms;
        *longest_ms = stage->path_ms > *longest_ms ? stage->path_ms : *longest_ms;
    }
}

/* The same on each number that is tried. */
static void measure_all(struct br_executors_plan *plan, const struct br_waves *waves,
                        struct known *known)
{
    for (uint32_t s = 0; s < waves->stages; s++)
        for (uint32_t c = 0; c < waves->counts; c++) {
            uint32_t executors = waves->count[c];
            plan->stage[s].mean_ms[0][c] = br_waves_mean_ms(waves, s, BR_WAVE_FIRST, executors);
            plan->stage[s].mean_ms[1][c] = br_waves_mean_ms(waves, s, BR_WAVE_REST, executors);
        }
    for (uint32_t t = 0; t < plan->tries; t++)
        measure(plan, waves, plan->try[t], &known->work_ms[t], &known->path_ms[t]);
}

/* Room for all jobs up to this one, and for what is known of it. */
static bool prepare(struct br_executors_plan *plan, const struct br_executors *sim, uint32_t job)
{
    if (!choose_tries(plan, sim) || !make_room(plan, job + 1, sim->job[job].stages))
        return false;
    struct known *known = &plan->known[job];
    if (!known->work_ms)
        known->work_ms = malloc(2 * (size_t)plan->tries * sizeof *known->work_ms);
    known->path_ms = known->work_ms ? known->work_ms + plan->tries : NULL;
    known->job = (struct br_executors_plan_job){0};
    return known->work_ms;
}

bool br_executors_plan_arrive(struct br_executors_plan *plan, const struct br_executors *sim,
                              uint32_t job)
{
    if (!prepare(plan, sim, job))
        return false;
    measure_all(plan, sim->job[job].waves, &plan->known[job]);
    return true;
}

enum br_status br_executors_plan_begin(struct br_executors_plan *plan,
                                       const struct br_executors *sim, struct br_diag *diag)
{
    for (uint32_t j = 0; j < sim->jobs; j++) {
        uint32_t same = 0;
        if (!prepare(plan, sim, j))
            return br_fail_memory(diag);
        while (same < j && sim->job[same].waves != sim->job[j].waves)
            same++;
        if (same == j)
            measure_all(plan, sim->job[j].waves, &plan->known[j]);
        else
            memcpy(plan->known[j].work_ms, plan->known[same].work_ms,
                   2 * (size_t)plan->tries * sizeof *plan->known[j].work_ms);
    }
    return BR_OK;
}

struct br_executors_plan_job br_executors_plan_of(const struct br_executors_plan *plan,
                                                  uint32_t job)
{
    return plan->known[job].job;
}

/* ---- Decisions ---- */

/* What is left of a job. */
static struct live look_at(const struct br_executors_plan *plan, const struct br_executors *sim,
                           uint32_t job)
{
    const struct br_executor_job *of = &sim->job[job];
    const double *number = plan->number;
    double running_us = 0;
    int64_t path_us = 0, whole_us = 1;
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[s];
        running_us += (double)stage->waves->mean_us * (stage->started - stage->ended);
        if (stage->waves->path_us > whole_us)
            whole_us = stage->waves->path_us;
        if (stage->started < stage->tasks && stage->waves->path_us > path_us)
            path_us = stage->waves->path_us;
    }
    struct live live = {.job = job, .held = br_executors_held(sim, job)};
    live.stage = of->ready ? br_executors_bound_stage(sim, job) : BR_EXECUTORS_NONE;
    live.waits = live.stage != BR_EXECUTORS_NONE && sim->stage[live.stage].open;
    double left_us = (double)of->left_us + number[BR_PLAN_RUNNING] * running_us;
    live.work_left = of->waves->work_us ? left_us / (double)of->waves->work_us : 0;
    live.path_left = (double)path_us / (double)whole_us;
    live.work = ((double)of->left_us + number[BR_PLAN_ORDER_RUN] * running_us) * 1e-6;
    live.work += number[BR_PLAN_ORDER_PATH] * (double)path_us * 1e-6;
    live.work = live.work > 1e-3 ? live.work : 1e-3;
    return live;
}

/* What an executor costs that this job holds: seconds by second. */
static double price_of(const struct br_executors_plan *plan, uint32_t lives, uint32_t k)
{
    const double *number = plan->number;
    const struct live *live = plan->live;
    double behind = 0;
    for (uint32_t i = 0; i < lives; i++) {
        if (i != k)
            behind += live[i].work > live[k].work
                          ? 1
                          : number[BR_PLAN_BEFORE] * live[i].work / live[k].work;
    }
    behind = behind > 0 ? br_real_pow(behind, 1 + number[BR_PLAN_CROWD]) : 0;
    return number[BR_PLAN_PRICE] * (behind + number[BR_PLAN_ALONE]) / plan->executors;
}

/* The number of executors for which time and price are least. */
static void choose_number(struct br_executors_plan *plan, struct live *live, double price)
{
    const double *number = plan->number;
    struct known *known = &plan->known[live->job];
    double least = INFINITY;
    live->number = 1;
    for (uint32_t t = 0; t < plan->tries; t++) {
        uint32_t executors = plan->try[t];
        double work_ms = live->work_left * known->work_ms[t];
        double path_ms = live->path_left * known->path_ms[t];
        double a = number[BR_PLAN_PATH] * path_ms, b = work_ms / executors;
        double time_ms = a > b ? a + number[BR_PLAN_BOTH] * b : b + number[BR_PLAN_BOTH] * a;
        double paid_ms = work_ms + number[BR_PLAN_HELD] * executors * path_ms;
        if (executors > live->held)
            paid_ms += number[BR_PLAN_MOVE] * 1e3 * (executors - live->held);
        if (time_ms + price * paid_ms >= least)
            continue;
        least = time_ms + price * paid_ms;
        live->number = executors;
        known->job = (struct br_executors_plan_job){executors, time_ms};
    }
    if (live->waits) {
        double more = live->number * br_real_exp(number[BR_PLAN_OPEN_MORE]) + 0.5;
        live->number = more < 1 ? 1 : more < plan->executors ? (uint32_t)more : plan->executors;
        known->job.executors = live->number;
    }
}

static double rank(double work, double power)
{
    return power == 0 ? 1 : br_real_pow(work, power);
}

/* Is a to be taken before b? First those with less than their number, in order; then those that
 * have the least of more. Of equals the first that came. */
static bool goes_before(const struct br_executors_plan *plan, const struct live *a,
                        const struct live *b)
{
    double power = plan->number[BR_PLAN_FULL];
    bool lacks = a->held < a->number;
    if (lacks != (b->held < b->number))
        return lacks;
    if (lacks)
        return a->key < b->key;
    return (double)a->held / a->number * rank(a->key, power) <
           (double)b->held / b->number * rank(b->key, power);
}

/* Do the executors of the job to which they are bound stay there, though `other` is next? NULL:
 * there is no other. */
static bool stays(const struct br_executors_plan *plan, const struct live *own,
                  const struct live *other)
{
    const double *number = plan->number;
    if (!other || other->held >= other->number)
        return true;
    double ahead = number[own->waits ? BR_PLAN_STAY_OPEN : BR_PLAN_STAY];
    return own->key * br_real_exp(-ahead) < other->key &&
           own->held < number[BR_PLAN_OVER] * own->number;
}

/* Looks at all live jobs. */
static void look(struct br_executors_plan *plan, const struct br_executors *sim)
{
    struct live *live = plan->live;
    for (uint32_t k = 0; k < sim->live_jobs; k++)
        live[k] = look_at(plan, sim, sim->live[k]);
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        choose_number(plan, &live[k], price_of(plan, sim->live_jobs, k));
        live[k].key = live[k].work * br_real_pow(live[k].number, plan->number[BR_PLAN_FEW]);
        live[k].key *= live[k].waits ? br_real_exp(plan->number[BR_PLAN_OPEN_ORDER]) : 1;
    }
}

struct br_executors_choice br_executors_plan_decide(struct br_executors_plan *plan,
                                                    const struct br_executors *sim)
{
    const struct live *own = NULL, *other = NULL;
    look(plan, sim);
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        const struct live *live = &plan->live[k];
        if (live->stage == BR_EXECUTORS_NONE)
            continue;
        if (live->job == sim->group.job)
            own = live;
        else if (!other || goes_before(plan, live, other))
            other = live;
    }
    if (own && stays(plan, own, other)) {
        double most = plan->number[BR_PLAN_OVER] * own->number;
        bool all = !other || other->held >= other->number || most >= plan->executors;
        uint32_t limit = all ? plan->executors : (uint32_t)most;
        return (struct br_executors_choice){own->stage, limit > own->held ? limit : own->held + 1};
    }
    if (!other)
        return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
    return (struct br_executors_choice){other->stage, other->number};
}
