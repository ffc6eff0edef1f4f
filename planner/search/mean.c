/* How long the search for a smaller mean lasts, and how the result enters the plan. */
#include "planner/search/mean.h"

#include <string.h>

#include "planner/improve/completion_search.h"
#include "planner/instance/completions.h"

/* Passes over the job, and most placements, by effort; the second row applies if the makespan is
 * the objective. */
static const struct budget {
    uint64_t passes, most;
} budgets[][3] = {
    {{500, 400000}, {20000, 8000000}, {200000, 50000000}},
    {{500, 50000}, {40000, 4000000}, {100000, 16000000}},
};

/* 0: until it is stopped. */
static uint64_t mean_placements_of(const struct br_mean *mean)
{
    const struct br_plan_options *o = mean->options;
    bool makespan = o->objective == BR_OBJECTIVE_MAKESPAN;
    const struct budget *budget = &budgets[makespan][mean->effort];
    uint64_t all = budget->passes * mean->in->tasks;
    if (!makespan && mean->effort == BR_EFFORT_MAX && o->time_limit_ns > 0 && !o->placements)
        return 0;
    all = all < budget->most ? all : budget->most;
    uint64_t left =
        o->placements > mean->plan->placements ? o->placements - mean->plan->placements : 1;
    return o->placements && left < all ? left : all;
}

static enum br_status mean_search(const struct br_mean *mean, const struct br_completions *ends,
                                  struct br_schedule *schedule, struct br_diag *diag)
{
    struct br_plan *plan = mean->plan;
    const struct br_instance *in = mean->in;
    struct br_completion_search search = {.in = in,
                                          .dag = mean->dag,
                                          .ends = ends,
                                          .limit = INT64_MAX,
                                          .enough_ns = br_completions_bound(ends, in),
                                          .seed = mean->options->seed,
                                          .placements = mean_placements_of(mean),
                                          .stop = mean->stop};
    if (br_stopped(mean->stop))
        return BR_OK;
    /* The rules and a few moves take this much; a job too large for that gets no search. */
    if (search.placements && search.placements < 4 * (uint64_t)in->tasks)
        return BR_OK;
    for (uint32_t t = 0; t < in->tasks; t++) {
        schedule->start[t] = plan->start_ns[in->task_origin[t]] / in->tick_ns;
        schedule->machine[t] = plan->machine[in->task_origin[t]];
    }
    br_schedule_measure(schedule, in);
    if (mean->options->objective == BR_OBJECTIVE_MAKESPAN)
        search.limit = schedule->makespan;
    if (!br_completions_improve(&search, schedule))
        return br_fail_memory(diag);
    plan->placements += search.spent;
    if (!search.better)
        return BR_OK;
    /* Tasks of several parts may have passed the cuts between them. */
    if (plan->parts == 1) {
        plan->part->makespan_ns = schedule->makespan * in->tick_ns;
        plan->part->order = NULL; /* of a subset, in which the task was not placed */
        plan->part->t = plan->part->s = plan->part->p = plan->part->c = 0;
    } else {
        plan->parts = 0;
    }
    for (uint32_t t = 0; t < in->tasks; t++) {
        plan->start_ns[in->task_origin[t]] = schedule->start[t] * in->tick_ns;
        plan->machine[in->task_origin[t]] = schedule->machine[t];
        plan->subset[in->task_origin[t]] = 'S';
    }
    return BR_OK;
}

/* The present starts give the mean; the ends become known by the ranks only later. */
static enum br_status mean_measure(const struct br_mean *mean, const struct br_completions *ends,
                                   struct br_diag *diag)
{
    struct br_plan *plan = mean->plan;
    for (uint32_t t = 0; t < plan->tasks; t++)
        plan->end_ns[t] = plan->start_ns[t] + mean->dag->duration_ns[t];
    plan->mean_ns = br_completions_mean(ends, mean->dag, plan->end_ns);
    plan->mean_bound_ns = br_completions_bound(ends, mean->in);
    return plan->mean_ns < 0 || plan->mean_bound_ns < 0 ? br_fail_memory(diag) : BR_OK;
}

enum br_status br_mean_improve(const struct br_mean *mean, struct br_diag *diag)
{
    const enum br_objective objective = mean->options->objective;
    struct br_completions ends;
    struct br_schedule schedule = {0};
    mean->plan->objective = objective;
    enum br_status status =
        br_completions_find(mean->dag, objective == BR_OBJECTIVE_WEIGHTED, &ends, diag);
    if (!status && ends.count > 1 && (ends.apart || objective != BR_OBJECTIVE_MAKESPAN)) {
        status = br_schedule_init(&schedule, mean->in) ? BR_OK : br_fail_memory(diag);
        if (!status)
            status = mean_search(mean, &ends, &schedule, diag);
    }
    if (!status && objective != BR_OBJECTIVE_MAKESPAN)
        status = mean_measure(mean, &ends, diag);
    br_schedule_finish(&schedule);
    br_completions_finish(&ends);
    return status;
}
