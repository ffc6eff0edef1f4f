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
    int64_t lower; /* a bound of the rounded job, in its ticks */
};

static void rounded_finish(struct rounded *r)
{
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
              br_elite_init(&r->elite, r->in, elite->room) && br_schedule_init(&schedule, r->in);
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
    const int64_t proven = br_exact_search_proven(s->exact, s->noise);
    if (r->lower >= 0 && proven > r->lower)
        r->lower = proven;
    return r->lower >= 0;
}

bool br_rounded_take(const struct br_search *s, const struct br_elite *rounded, struct br_run *run)
{
    struct br_schedule schedule = {0};
    bool ok = br_schedule_init(&schedule, s->run.in);
    for (uint32_t k = 0; ok && k < rounded->count; k++) {
        const struct br_elite_entry *entry = &rounded->entry[k];
        br_schedule_copy(&schedule, &entry->schedule);
        for (uint32_t t = 0; t < s->run.in->tasks; t++)
            schedule.start[t] *= s->noise;
        ok = br_retime(s->run.in, &s->reach, &schedule);
        if (ok && schedule.makespan < run->elite->entry[0].schedule.makespan) {
            br_elite_lead(run->elite, &schedule, entry->method);
            br_run_found(run, schedule.makespan, entry->method);
        }
    }
    br_schedule_finish(&schedule);
    return ok;
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
        ok = br_population_search(&own, NULL) && br_rounded_take(s, &r.elite, run);
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
