/* The price of executors, and the jobs that get them. */
#include "cluster/executors/plan.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/numbers/real.h"
#include "cluster/executors/bound.h"
#include "cluster/executors/left.h"

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
    [BR_PLAN_OVERSIZE] = {0, 1, -20, 20},   [BR_PLAN_SCARCE] = {0, 0.3, -5, 5},
    [BR_PLAN_SLACK] = {0, 0.5, -10, 10},    [BR_PLAN_HURRY] = {0, 0.3, -5, 5},
    [BR_PLAN_LOST] = {0, 2, -20, 20},       [BR_PLAN_PART] = {0, 0.3, -5, 5},
    [BR_PLAN_RIVALS] = {0, 0.3, -5, 5},     [BR_PLAN_SPARE] = {0, 0.5, 0, 1},
    [BR_PLAN_FRESH] = {0, 0.5, -10, 10},    [BR_PLAN_FREE] = {0, 1, -10, 10},
};

/* Slack counts within these bounds. */
#define SLACK_LEAST 0.05
#define SLACK_MOST 20.0
/* The least share of the work that asks for large executors. */
#define NEEDS_LEAST 1e-3

/* A live job, while a decision is made. */
struct live {
    uint32_t job, stage, number;
    uint32_t all, held; /* executors: all, and those that are sure to do for the stage */
    bool waits;         /* its stage cannot run yet */
    double work;        /* left, in seconds */
    double key;         /* the least goes first */
    /* With several classes: the class that the stage asks for, and by class the share of the work
     * left that asks for as much or more. */
    uint32_t cls;
    double needs[BR_EXECUTOR_CLASSES];
};

/* A stage, while its job is measured. */
struct measured {
    double mean_ms[2][BR_WAVE_COUNTS]; /* of the first wave and the rest, by br_waves.count */
    double path_ms;
};

struct br_executors_plan {
    double number[BR_EXECUTORS_PLAN_NUMBERS];
    struct br_left left;
    uint32_t executors, free, room;      /* free: that no job has, and none is promised */
    struct br_executors_plan_job *known; /* by job of the run */
    struct live *live;
};

enum br_plan_kind br_plan_kind_of(enum br_plan_number number)
{
    if (number >= BR_PLAN_SPARE)
        return BR_PLAN_WITH_ARRIVALS;
    if (number < BR_PLAN_OVERSIZE)
        return BR_PLAN_ALWAYS;
    return number >= BR_PLAN_SLACK && number <= BR_PLAN_LOST ? BR_PLAN_WITH_DEADLINES
                                                             : BR_PLAN_WITH_CLASSES;
}

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
    plan->left.running = plan->number[BR_PLAN_RUNNING];
    br_left_renew(&plan->left);
}

double br_executors_plan_number(const struct br_executors_plan *plan, enum br_plan_number which)
{
    return plan->number[which];
}

void br_executors_plan_destroy(struct br_executors_plan *plan)
{
    if (!plan)
        return;
    br_left_finish(&plan->left);
    free(plan->known);
    free(plan->live);
    free(plan);
}

void br_executors_plan_renew(struct br_executors_plan *plan)
{
    br_left_renew(&plan->left);
}

/* ---- Jobs ---- */

static bool executors_plan_make_room(struct br_executors_plan *plan, const struct br_executors *sim,
                                     uint32_t jobs)
{
    plan->executors = sim->options.executors;
    if (jobs <= plan->room)
        return true;
    uint32_t room = jobs + jobs / 2;
    if (!br_enlarge(&plan->known, room, sizeof *plan->known) ||
        !br_enlarge(&plan->live, room, sizeof *plan->live))
        return false;
    plan->room = room;
    return true;
}

bool br_executors_plan_arrive(struct br_executors_plan *plan, const struct br_executors *sim,
                              uint32_t job)
{
    if (!executors_plan_make_room(plan, sim, job + 1) || !br_left_arrive(&plan->left, sim, job))
        return false;
    plan->known[job] = (struct br_executors_plan_job){0};
    return true;
}

enum br_status br_executors_plan_begin(struct br_executors_plan *plan,
                                       const struct br_executors *sim, struct br_diag *diag)
{
    if (!executors_plan_make_room(plan, sim, sim->jobs) || !br_left_begin(&plan->left, sim))
        return br_fail_memory(diag);
    memset(plan->known, 0, sim->jobs * sizeof *plan->known);
    return BR_OK;
}

struct br_executors_plan_job br_executors_plan_of(const struct br_executors_plan *plan,
                                                  uint32_t job)
{
    return plan->known[job];
}

/* ---- Decisions ---- */

/* Executors of the job that are sure to be large enough for its next stage: those of stages that
 * ask for as much or more. */
static uint32_t held_for(const struct br_executors *sim, const struct live *live)
{
    const struct br_executor_job *of = &sim->job[live->job];
    const struct br_executor_group *group = &sim->group;
    uint32_t fit = 0, away = of->leaving;
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[s];
        if (stage->request.cls < live->cls)
            continue;
        fit += stage->running + stage->coming;
        if (s == group->stage)
            away += group->count - (group->executor != BR_EXECUTORS_NONE);
    }
    fit = fit > away ? fit - away : 0;
    return fit < live->all ? fit : live->all;
}

/* With several classes: the shares of the job's work by class, and its executors that are large
 * enough. */
static void look_at_classes(const struct br_executors *sim, struct live *live)
{
    const struct br_executor_job *of = &sim->job[live->job];
    uint32_t classes = sim->options.classes;
    double *needs = live->needs, sum = 0;
    memset(needs, 0, sizeof live->needs);
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[s];
        assert(stage->request.cls < classes && stage->started <= stage->tasks);
        needs[stage->request.cls] +=
            (double)stage->waves->mean_us * (stage->tasks - stage->started);
    }
    for (uint32_t c = classes; c-- > 0;)
        needs[c] = sum += needs[c];
    for (uint32_t c = 0; c < classes; c++)
        needs[c] = sum > 0 && needs[c] > NEEDS_LEAST * sum ? needs[c] / sum : NEEDS_LEAST;
    if (live->stage != BR_EXECUTORS_NONE) {
        live->cls = sim->stage[live->stage].request.cls;
        live->held = held_for(sim, live);
    }
}

/* The rest of a job. */
static struct live executors_plan_look_at(const struct br_executors_plan *plan,
                                          const struct br_executors *sim, uint32_t job)
{
    const struct br_executor_job *of = &sim->job[job];
    const double *number = plan->number;
    double running_us = 0;
    int64_t path_us = 0;
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        const struct br_executor_stage *stage = &sim->stage[s];
        running_us += (double)stage->waves->mean_us * (stage->started - stage->ended);
        if (stage->started < stage->tasks && stage->waves->path_us > path_us)
            path_us = stage->waves->path_us;
    }
    struct live live = {.job = job};
    live.all = live.held = br_executors_held(sim, job);
    live.stage = of->ready ? br_executors_bound_stage(sim, job) : BR_EXECUTORS_NONE;
    live.waits = live.stage != BR_EXECUTORS_NONE && sim->stage[live.stage].open;
    live.work = ((double)of->left_us + number[BR_PLAN_ORDER_RUN] * running_us) * 1e-6;
    live.work += number[BR_PLAN_ORDER_PATH] * (double)path_us * 1e-6;
    live.work = live.work > 1e-3 ? live.work : 1e-3;
    if (sim->options.classes > 1)
        look_at_classes(sim, &live);
    assert(live.held <= live.all);
    return live;
}

/* The price of an executor that this job holds: seconds a second. */
static double price_of(const struct br_executors_plan *plan, uint32_t lives, uint32_t k)
{
    const double *number = plan->number;
    const struct live *live = plan->live;
    assert(k < lives && live[k].work > 0);
    double behind = 0;
    for (uint32_t i = 0; i < lives; i++) {
        if (i == k)
            continue;
        double counts =
            live[i].work > live[k].work ? 1 : number[BR_PLAN_BEFORE] * live[i].work / live[k].work;
        if (live[k].cls)
            counts *= br_real_pow(live[i].needs[live[k].cls], number[BR_PLAN_RIVALS]);
        behind += counts;
    }
    behind = behind > 0 ? br_real_pow(behind, 1 + number[BR_PLAN_CROWD]) : 0;
    return number[BR_PLAN_PRICE] * (behind + number[BR_PLAN_ALONE]) / plan->executors;
}

/* The number of executors for which time and price are least, times `factor`. */
static void choose_number(struct br_executors_plan *plan, const struct br_left_job *left,
                          struct live *live, double price, double factor)
{
    const double *number = plan->number;
    struct br_executors_plan_job *known = &plan->known[live->job];
    double least = INFINITY;
    assert(plan->left.executors == plan->executors);
    live->number = 1;
    for (uint32_t t = 0; t < plan->left.tries; t++) {
        uint32_t executors = plan->left.try[t];
        double work_ms = left->work_ms[t], path_ms = left->path_ms[t];
        double a = number[BR_PLAN_PATH] * path_ms, b = work_ms / executors;
        double time_ms = a > b ? a + number[BR_PLAN_BOTH] * b : b + number[BR_PLAN_BOTH] * a;
        double paid_ms = work_ms + number[BR_PLAN_HELD] * executors * path_ms;
        if (executors > live->held)
            paid_ms += (number[BR_PLAN_MOVE] * 1e3 + number[BR_PLAN_FRESH] * left->fresh_ms[t]) *
                       (executors - live->held);
        if (time_ms + price * paid_ms >= least)
            continue;
        least = time_ms + price * paid_ms;
        live->number = executors;
        *known = (struct br_executors_plan_job){executors, time_ms};
    }
    if (factor != 1) {
        double more = live->number * factor + 0.5;
        live->number = more < 1 ? 1 : more < plan->executors ? (uint32_t)more : plan->executors;
        known->executors = live->number;
    }
    assert(known->executors == live->number);
}

static double executors_plan_rank(double work, double power)
{
    return power == 0 ? 1 : br_real_pow(work, power);
}

/* Is a to be taken before b? First those with less than their number, in order; then those that
 * have the least of more. Of equals the first that came. */
static bool executors_plan_goes_before(const struct br_executors_plan *plan, const struct live *a,
                                       const struct live *b)
{
    double power = plan->number[BR_PLAN_FULL];
    bool lacks = a->held < a->number;
    if (lacks != (b->held < b->number))
        return lacks;
    if (lacks)
        return a->key < b->key;
    return (double)a->held / a->number * executors_plan_rank(a->key, power) <
           (double)b->held / b->number * executors_plan_rank(b->key, power);
}

/* Do the executors of the job to which they are bound stay there, though `other` is next? NULL:
 * there is no other. */
static bool executors_plan_stays(const struct br_executors_plan *plan, const struct live *own,
                                 const struct live *other)
{
    const double *number = plan->number;
    if (!other || other->held >= other->number)
        return true;
    double ahead = number[own->waits ? BR_PLAN_STAY_OPEN : BR_PLAN_STAY];
    return own->key * br_real_exp(-ahead) < other->key &&
           own->held < number[BR_PLAN_OVER] * own->number;
}

/* The share of executors that are large enough for the stage. */
static double share_for(const struct br_executors *sim, uint32_t stage)
{
    const struct br_executors_options *options = &sim->options;
    uint32_t fit = 0;
    if (stage == BR_EXECUTORS_NONE || !options->classes)
        return 1;
    for (uint32_t c = sim->stage[stage].request.cls; c < options->classes; c++)
        fit += options->cls[c].executors;
    assert(fit <= options->executors);
    assert(fit > 0);
    return (double)fit / options->executors;
}

/* The number of executors of a live job, and its place in the order. */
static void executors_plan_weigh(struct br_executors_plan *plan, const struct br_executors *sim,
                                 uint32_t k)
{
    const double *number = plan->number;
    struct live *live = &plan->live[k];
    const struct br_executor_job *job = &sim->job[live->job];
    const struct br_left_job *left = br_left_look(&plan->left, sim, live->job);
    double share = share_for(sim, live->stage), price = price_of(plan, sim->live_jobs, k);
    if (plan->free)
        price *= br_real_exp(-number[BR_PLAN_FREE] * plan->free / plan->executors);
    double factor = live->waits ? br_real_exp(number[BR_PLAN_OPEN_MORE]) : 1;
    if (share < 1) {
        price *= br_real_pow(share, -number[BR_PLAN_SCARCE]);
        factor *= br_real_pow(share, number[BR_PLAN_PART]);
    }
    choose_number(plan, left, live, price, factor);
    assert(live->number && live->number <= plan->executors);
    double order = live->waits ? number[BR_PLAN_OPEN_ORDER] : 0;
    if (job->deadline_ns) {
        double left_s = plan->known[live->job].left_ms * 1e-3;
        double slack =
            (double)(job->deadline_ns - sim->now_ns) * 1e-9 / (left_s > 1e-3 ? left_s : 1e-3);
        order += slack < 1 ? number[BR_PLAN_LOST] : 0;
        slack = slack > SLACK_LEAST ? slack < SLACK_MOST ? slack : SLACK_MOST : SLACK_LEAST;
        order += number[BR_PLAN_SLACK] * br_real_log(slack);
        choose_number(plan, left, live, price * br_real_pow(slack, number[BR_PLAN_HURRY]), factor);
    }
    if (sim->options.classes && live->stage != BR_EXECUTORS_NONE)
        order += number[BR_PLAN_OVERSIZE] * (sim->group.cls - sim->stage[live->stage].request.cls) /
                 sim->options.classes;
    live->key = live->work * br_real_pow(live->number, number[BR_PLAN_FEW]);
    live->key *= order != 0 ? br_real_exp(order) : 1;
    assert(live->key > 0 && isfinite(live->key));
}

/* Looks at all live jobs. */
static void executors_plan_look(struct br_executors_plan *plan, const struct br_executors *sim)
{
    struct live *live = plan->live;
    assert(sim->live_jobs <= plan->room);
    plan->free = plan->executors;
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        live[k] = executors_plan_look_at(plan, sim, sim->live[k]);
        uint32_t has = live[k].all + (live[k].job == sim->group.job ? sim->group.count : 0);
        plan->free -= has < plan->free ? has : plan->free;
    }
    for (uint32_t k = 0; k < sim->live_jobs; k++)
        executors_plan_weigh(plan, sim, k);
}

/* The stage of that job, which is to have so many executors that are sure to do; one at least. */
static struct br_executors_choice executors_plan_give(const struct live *live, uint32_t number)
{
    assert(live->stage != BR_EXECUTORS_NONE);
    uint32_t more = number > live->held ? number - live->held : 1;
    return (struct br_executors_choice){live->stage, live->all + more};
}

struct br_executors_choice br_executors_plan_decide(struct br_executors_plan *plan,
                                                    const struct br_executors *sim)
{
    const struct live *own = NULL, *other = NULL;
    executors_plan_look(plan, sim);
    for (uint32_t k = 0; k < sim->live_jobs; k++) {
        const struct live *live = &plan->live[k];
        if (live->stage == BR_EXECUTORS_NONE)
            continue;
        if (live->job == sim->group.job)
            own = live;
        else if (!other || executors_plan_goes_before(plan, live, other))
            other = live;
    }
    if (own && executors_plan_stays(plan, own, other)) {
        double most = plan->number[BR_PLAN_OVER] * own->number;
        bool all = !other || other->held >= other->number || most >= plan->executors;
        return executors_plan_give(own, all ? plan->executors : (uint32_t)most);
    }
    if (!other || other->held * plan->number[BR_PLAN_SPARE] >= other->number)
        return (struct br_executors_choice){BR_EXECUTORS_STAY, 0};
    return executors_plan_give(other, other->number);
}
