/* The rounded job has its own elite, made of the true one; what it ends with comes back by its
 * order. */
#include "planner/search/rounded_search.h"

#include <assert.h>

#include "base/collections/memory.h"
#include "planner/rcpsp/population.h"
#include "planner/search/bound/retime.h"

/* The rounded job, and the best schedules of it. */
struct rounded {
    struct br_instance *in;
    struct br_reach reach;
    struct br_elite elite;
    struct br_schedule schedule; /* of the true job */
    int64_t lower;               /* a bound of the rounded job, in its ticks */
};

static void rounded_finish(struct rounded *r)
{
    br_schedule_finish(&r->schedule);
    br_elite_finish(&r->elite);
    br_reach_finish(&r->reach);
    br_instance_destroy(r->in);
}

/* False when memory is out. */
static bool rounded_init(struct rounded *r, const struct br_search *s, const struct br_elite *elite)
{
    *r = (struct rounded){.in = br_instance_round(s->run.in, s->noise)};
    struct br_schedule schedule = {0};
    bool ok = r->in && br_reach_init(&r->reach, r->in) &&
              br_elite_init(&r->elite, r->in, elite->room) &&
              br_schedule_init(&r->schedule, s->run.in) && br_schedule_init(&schedule, r->in);
    for (uint32_t k = 0; ok && k < elite->count; k++) {
        br_retime_round(&elite->entry[k].schedule, r->in, s->noise, &schedule);
        br_elite_add(&r->elite, &schedule, elite->entry[k].method, elite->entry[k].number);
    }
    br_schedule_finish(&schedule);
    if (!ok)
        return false;
    const struct br_bounds_effort effort = {
        .enough = r->elite.entry[0].schedule.makespan, .cheap = s->turn != NULL, .unrounded = true};
    r->lower = br_bounds_by(r->in, &effort).ticks;
    const int64_t proven = br_exact_search_proven(s->exact, s->noise) / s->noise;
    if (r->lower >= 0 && proven > r->lower)
        r->lower = proven;
    return r->lower >= 0;
}

/* The best true schedule of those that the rounded search ended with. */
static bool rounded_take(struct rounded *r, const struct br_search *s, struct br_run *run)
{
    for (uint32_t k = 0; k < r->elite.count; k++) {
        const struct br_elite_entry *entry = &r->elite.entry[k];
        br_schedule_copy(&r->schedule, &entry->schedule);
        for (uint32_t t = 0; t < s->run.in->tasks; t++)
            r->schedule.start[t] *= s->noise;
        if (!br_retime(s->run.in, &s->reach, &r->schedule))
            return false;
        if (r->schedule.makespan < run->elite->entry[0].schedule.makespan) {
            br_elite_lead(run->elite, &r->schedule, entry->method);
            br_run_found(run, r->schedule.makespan, entry->method);
        }
    }
    return true;
}

bool br_rounded_search(struct br_search *s, struct br_run *run)
{
    struct rounded r;
    assert(s->noise > 1 && s->run.in->machines == 1);
    bool ok = rounded_init(&r, s, run->elite);
    if (ok && r.elite.entry[0].schedule.makespan > r.lower) {
        struct br_run own = br_run_begin(run);
        own.in = r.in;
        own.reach = &r.reach;
        own.elite = &r.elite;
        own.lower_bound = r.lower;
        own.slack = 0;
        own.found = NULL;
        ok = br_population_search(&own, NULL) && rounded_take(&r, s, run);
        br_run_take(run, &own);
    }
    rounded_finish(&r);
    const int64_t makespan = run->elite->entry[0].schedule.makespan;
    if (!ok || run->stopped || br_run_met(run, makespan) || run->spent >= run->placements)
        return ok;
    struct br_run rest = br_run_begin(run);
    rest.placements -= run->spent;
    rest.horizon = rest.horizon > run->spent ? rest.horizon - run->spent : 0;
    ok = br_population_search(&rest, NULL);
    br_run_take(run, &rest);
    return ok;
}
