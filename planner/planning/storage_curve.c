#include "planner/planning/storage_curve.h"

#include <stdio.h>
#include <string.h>

#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"
#include "planner/peak/limit.h"
#include "planner/planning/general_plan.h"

/* Machines and instances that a try for a lower peak looks at. */
static const uint64_t least_work = 2000000;
/* From the peak at the best makespan down to the least peak in so many steps; and halvings of what
 * lies below the peak at the best makespan. */
enum { STEPS = 14, HALVINGS = 8 };
/* Plans of the least peak at most, each within what the order of the one before holds. */
enum { LEAST_PLANS = 12 };

struct storage_search {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const char *resource;
    struct br_plan_options options;
    struct br_cluster *least_cluster; /* with the least peak of the resource */
    struct br_general *job;           /* on it */
    uint32_t number;                  /* of the resource in it */
    struct br_storage_curve *curve;
    struct br_diag *diag;
};

static void share_limit(struct br_plan_options *options, int64_t share)
{
    if (options->time_limit_ns > 0)
        options->time_limit_ns =
            options->time_limit_ns > share ? options->time_limit_ns / share : 1;
}

static enum br_status plan_within(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct br_plan_options *options,
                                  const struct br_witness *known, struct br_plan **plan,
                                  struct br_diag *diag)
{
    return br_features(dag, cluster) ? br_general_plan_by(dag, cluster, options, known, plan, diag)
                                     : br_plan_make(dag, cluster, options, plan, diag);
}

static struct br_decimal amount_of(const struct storage_search *s, int64_t units)
{
    return br_decimal_unscale(units, s->curve->least.digits);
}

/* Puts the point in its place by its limit. */
static void storage_insert(struct br_storage_curve *curve, const struct br_storage_point *point)
{
    uint32_t at = curve->points;
    if (curve->points == BR_STORAGE_POINTS)
        return;
    for (; at > 0 && curve->point[at - 1].limit_units > point->limit_units; at--)
        curve->point[at] = curve->point[at - 1];
    curve->point[at] = *point;
    curve->points++;
}

/* Plans within the limit. *held is what the plan holds at most, and *makespan how long it takes;
 * -1 if there is no plan. */
static enum br_status storage_try(struct storage_search *s, int64_t units, int64_t *held,
                                  int64_t *makespan)
{
    struct br_cluster *cluster = NULL;
    struct br_plan *plan = NULL;
    struct br_diag why = {0};
    *held = *makespan = -1;
    enum br_status status =
        br_peak_cluster(s->cluster, s->resource, amount_of(s, units), &cluster, s->diag);
    if (status)
        return status;
    status = plan_within(s->dag, cluster, &s->options, &s->curve->least.witness, &plan, &why);
    if (!status) {
        *held = br_peak_held(s->job, s->number, plan->start_ns, plan->machine);
        *makespan = plan->makespan_ns;
        struct br_storage_point point = {.limit = amount_of(s, *held),
                                         .limit_units = *held,
                                         .makespan_ns = plan->makespan_ns,
                                         .lower_bound_ns = plan->lower_bound_ns};
        snprintf(point.method, sizeof point.method, "%.79s", plan->method);
        snprintf(point.bound_method, sizeof point.bound_method, "%.119s", plan->bound_method);
        if (*held < 0 || !br_least_peak_by_plan(&s->curve->least, s->job, s->number, plan->start_ns,
                                                plan->machine))
            status = br_fail_memory(s->diag);
        else
            storage_insert(s->curve, &point);
    } else if (status == BR_NO) {
        status = BR_OK;
    } else if (s->diag) {
        *s->diag = why;
    }
    br_plan_destroy(plan);
    br_cluster_destroy(cluster);
    return status;
}

/* Ever less, until nothing less is known to fit. */
static enum br_status storage_descend(struct storage_search *s, int64_t *best, int64_t *best_held)
{
    int64_t limit = br_peak_sum(s->job, s->number), held, makespan, step = 1;
    enum br_status status = storage_try(s, limit, best_held, best);
    if (status || *best < 0)
        return status;
    held = *best_held;
    const int64_t *least = &s->curve->least.peak_units; /* plans may lower it */
    if ((held - *least) / STEPS > 1)
        step = (held - *least) / STEPS;
    while (!status && held > *least && !br_stopped(s->options.stop)) {
        limit = held - step > *least ? held - step : *least;
        status = storage_try(s, limit, &held, &makespan);
        if (makespan >= 0 && (makespan < *best || (makespan == *best && held < *best_held))) {
            *best = makespan;
            *best_held = held;
        }
        if (makespan < 0)
            held = limit;
    }
    return status;
}

/* Less than the least peak so far with which the best makespan is still met. */
static enum br_status storage_halve(struct storage_search *s, int64_t best, int64_t best_held)
{
    int64_t low = s->curve->least.peak_units, held, makespan;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < s->curve->points; k++)
        if (s->curve->point[k].makespan_ns > best && s->curve->point[k].limit_units >= low &&
            s->curve->point[k].limit_units < best_held)
            low = s->curve->point[k].limit_units + 1;
    for (int k = 0; k < HALVINGS && !status && low < best_held && !br_stopped(s->options.stop);
         k++) {
        const int64_t limit = low + (best_held - low) / 2;
        status = storage_try(s, limit, &held, &makespan);
        if (makespan >= 0 && makespan <= best)
            best_held = held;
        else
            low = limit + 1;
    }
    return status;
}

/* A bound holds with less, too; and a point is left out if one with no more is no longer. */
static void storage_clean(struct br_storage_curve *curve)
{
    uint32_t kept = 0;
    for (uint32_t k = curve->points; k-- > 1;) {
        const struct br_storage_point *more = &curve->point[k];
        struct br_storage_point *less = &curve->point[k - 1];
        if (more->lower_bound_ns > less->lower_bound_ns) {
            less->lower_bound_ns = more->lower_bound_ns;
            memcpy(less->bound_method, more->bound_method, sizeof less->bound_method);
        }
    }
    for (uint32_t k = 0; k < curve->points; k++) {
        const struct br_storage_point point = curve->point[k];
        if (kept && curve->point[kept - 1].makespan_ns <= point.makespan_ns)
            continue;
        if (kept && curve->point[kept - 1].limit_units == point.limit_units)
            kept--;
        curve->point[kept++] = point;
    }
    curve->points = kept;
}

static enum br_status storage_job(struct storage_search *s, const struct br_least_peak *least)
{
    enum br_status status =
        br_peak_cluster(s->cluster, s->resource, least->peak, &s->least_cluster, s->diag);
    if (!status)
        status = br_general_create(s->dag, s->least_cluster, &s->job, s->diag);
    while (!status &&
           strcmp(s->dag->resource[s->job->resource_origin[s->number]].name, s->resource) != 0)
        s->number++;
    return status;
}

enum br_status br_storage_curve(const struct br_dag *dag, const struct br_cluster *cluster,
                                const char *resource, const struct br_plan_options *options,
                                struct br_storage_curve *curve, struct br_diag *diag)
{
    struct storage_search s = {.dag = dag,
                               .cluster = cluster,
                               .resource = resource,
                               .options = options ? *options : br_plan_options_default(),
                               .curve = curve,
                               .diag = diag};
    int64_t best = -1, best_held = -1;
    *curve = (struct br_storage_curve){0};
    share_limit(&s.options, STEPS + HALVINGS + 2);
    enum br_status status =
        br_least_peak(dag, cluster, resource, least_work, s.options.stop, &curve->least, diag);
    if (!status)
        status = storage_job(&s, &curve->least);
    if (!status)
        status = storage_descend(&s, &best, &best_held);
    if (!status && best >= 0)
        status = storage_halve(&s, best, best_held);
    storage_clean(curve);
    br_general_destroy(s.job);
    br_cluster_destroy(s.least_cluster);
    return status;
}

void br_storage_curve_finish(struct br_storage_curve *curve)
{
    br_least_peak_finish(&curve->least);
}

/* Plans within the amount on *made, which is the caller's, and with `learns` takes the order of the
 * plan if it holds less than the least peak. */
static enum br_status plan_and_learn(struct storage_search *s, int64_t units, bool learns,
                                     struct br_least_peak *least, struct br_cluster **made,
                                     struct br_plan **plan)
{
    enum br_status status = br_peak_cluster(
        s->cluster, s->resource, br_decimal_unscale(units, least->digits), made, s->diag);
    if (!status)
        status = plan_within(s->dag, *made, &s->options, &least->witness, plan, s->diag);
    if (!status && learns &&
        !br_least_peak_by_plan(least, s->job, s->number, (*plan)->start_ns, (*plan)->machine))
        status = br_fail_memory(s->diag);
    return status;
}

/* The order of a fast plan with room for all may hold less than what the search for orders found.
 */
static enum br_status learn_from_fast_plan(const struct storage_search *from,
                                           struct br_least_peak *least)
{
    struct storage_search s = *from;
    struct br_diag why = {0};
    struct br_cluster *made = NULL;
    struct br_plan *plan = NULL;
    s.options.effort = BR_EFFORT_FAST;
    s.diag = &why;
    const enum br_status status =
        plan_and_learn(&s, br_peak_sum(s.job, s.number), true, least, &made, &plan);
    br_plan_destroy(plan);
    br_cluster_destroy(made);
    if (status && status != BR_NO && from->diag)
        *from->diag = why;
    return status == BR_NO ? BR_OK : status;
}

enum br_status br_storage_least_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                                     const char *resource, const struct br_plan_options *options,
                                     struct br_least_peak *least, struct br_cluster **made,
                                     struct br_plan **plan, struct br_diag *diag)
{
    struct storage_search s = {.dag = dag,
                               .cluster = cluster,
                               .resource = resource,
                               .options = options ? *options : br_plan_options_default(),
                               .diag = diag};
    *made = NULL;
    *plan = NULL;
    enum br_status status =
        br_least_peak(dag, cluster, resource, least_work, s.options.stop, least, diag);
    if (!status)
        status = storage_job(&s, least);
    if (!status && least->peak_units > least->bound_units) {
        share_limit(&s.options, LEAST_PLANS + 1);
        status = learn_from_fast_plan(&s, least);
    }
    bool lower = true;
    for (int k = 1; k <= LEAST_PLANS && !status && lower; k++) {
        const int64_t before = least->peak_units;
        br_plan_destroy(*plan);
        br_cluster_destroy(*made);
        *made = NULL;
        *plan = NULL;
        status = plan_and_learn(&s, before, k < LEAST_PLANS && !br_stopped(s.options.stop), least,
                                made, plan);
        lower = least->peak_units < before;
    }
    br_general_destroy(s.job);
    br_cluster_destroy(s.least_cluster);
    return status;
}
