/* The miniature's first schedules are by the orders that the job itself has; a population over
 * stages goes on from them. Parallel generation makes and justifies all of them, since schedules by
 * serial generation lose more when the job follows their order. */
#include "planner/search/miniature_search.h"

#include <pthread.h>
#include <stdatomic.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "planner/improve/stage_search.h"
#include "planner/instance/miniature.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/redispatch.h"
#include "planner/schedule/scarce.h"

enum {
    TURNS = 4,       /* rounds for a first schedule */
    HEURISTICS = 16, /* more than there are */
    FIRST = HEURISTICS + BR_SCARCE_ORDERS
};

struct miniature_worker {
    struct br_redispatch *redispatch;
    struct br_schedule schedule;
};

struct miniature_search {
    struct br_run *whole;
    struct br_miniature miniature;
    struct br_run run; /* on it */
    struct br_reach reach;
    struct br_elite elite;
    struct br_scarce *scarce;     /* NULL: too many stages for these orders */
    uint32_t first[FIRST];        /* heuristics by row, and HEURISTICS + order */
    struct br_schedule *schedule; /* of the job */
    struct miniature_worker *worker;
    pthread_mutex_t lock; /* guards the elite */
    atomic_bool memory_out;
};

/* What ended a pass: the stop flag, or else memory. */
static bool miniature_ended(struct miniature_search *m)
{
    if (!br_stopped(m->whole->stop))
        atomic_store(&m->memory_out, true);
    return false;
}

/* A first schedule of the miniature, justified. */
static bool run_first(void *context, uint32_t number, uint32_t index)
{
    struct miniature_search *m = context;
    struct miniature_worker *w = &m->worker[number];
    const struct br_run *run = &m->run;
    const uint32_t k = m->first[index];
    const bool made =
        k < HEURISTICS
            ? br_heuristic_at(k)->run(&w->schedule, run->in, run->reach, run->seed, run->stop)
            : br_scarce_dispatch(m->scarce, (enum br_scarce_order)(k - HEURISTICS), &w->schedule,
                                 run->stop);
    if (!made || !br_redispatch(w->redispatch, &w->schedule, TURNS, run->stop))
        return miniature_ended(m);
    pthread_mutex_lock(&m->lock);
    br_elite_add(run->elite, &w->schedule, "miniature", k);
    pthread_mutex_unlock(&m->lock);
    return true;
}

/* A schedule of the job in the order of one of the miniature. */
static bool run_twin(void *context, uint32_t number, uint32_t index)
{
    struct miniature_search *m = context;
    struct miniature_worker *w = &m->worker[number];
    const struct br_instance *in = m->whole->in;
    const struct br_schedule *from = &m->elite.entry[index].schedule;
    w->schedule.makespan = 0;
    for (uint32_t t = 0; t < in->tasks; t++) {
        const int64_t start = from->start[m->miniature.twin[t]], end = start + in->duration[t];
        w->schedule.start[t] = start;
        w->schedule.makespan = end > w->schedule.makespan ? end : w->schedule.makespan;
    }
    return br_redispatch_follow(w->redispatch, &w->schedule, &m->schedule[index], m->whole->stop) ||
           miniature_ended(m);
}

/* Calls work for each index, with workers over the instance. Returns the placements that these
 * passes took, or 0 when memory is out. */
static uint64_t miniature_parallel(struct miniature_search *m, const struct br_instance *in,
                                   uint32_t count, bool (*work)(void *, uint32_t, uint32_t))
{
    const uint32_t threads = m->whole->threads < count ? m->whole->threads : count;
    uint64_t placements = 0;
    bool ok = (m->worker = br_calloc(threads + 1, sizeof *m->worker)) != NULL;
    for (uint32_t k = 0; ok && k < threads; k++) {
        m->worker[k].redispatch = br_redispatch_create(in);
        ok = br_schedule_init(&m->worker[k].schedule, in) && m->worker[k].redispatch;
    }
    if (ok)
        br_parallel(threads, count, work, m);
    else
        atomic_store(&m->memory_out, true);
    for (uint32_t k = 0; m->worker && k < threads; k++) {
        placements += ok ? br_redispatch_placements(m->worker[k].redispatch) : 0;
        br_redispatch_destroy(m->worker[k].redispatch);
        br_schedule_finish(&m->worker[k].schedule);
    }
    br_free(m->worker);
    m->worker = NULL;
    return placements;
}

/* The miniature's elite gets its first schedules. */
static void begin_elite(struct miniature_search *m)
{
    const struct br_instance *in = &m->miniature.in;
    uint32_t count = 0;
    for (uint32_t k = 0; br_heuristic_at(k); k++) {
        assert(k < HEURISTICS);
        if (!br_heuristic_at(k)->slow && !br_heuristic_at(k)->weak)
            m->first[count++] = k;
    }
    for (uint32_t k = 0; m->scarce && k < BR_SCARCE_ORDERS; k++)
        m->first[count++] = HEURISTICS + k;
    const uint64_t justified = miniature_parallel(m, in, count, run_first);
    const uint64_t placements = (uint64_t)count * in->tasks + justified;
    m->run.counters.stages_schedules += count;
    m->run.counters.stages_placements += placements;
    m->run.spent += placements;
}

/* The search on the miniature. False when memory is out. */
static bool search_miniature(struct miniature_search *m, uint32_t tasks)
{
    struct br_run *run = &m->run;
    *run = br_run_begin(m->whole);
    run->in = &m->miniature.in;
    run->reach = &m->reach;
    run->elite = &m->elite;
    run->lower_bound = run->slack = 0; /* those of the job do not hold */
    run->found = NULL;
    run->step = NULL;
    if (!br_miniature_init(&m->miniature, m->whole->in, tasks) ||
        !br_reach_init(&m->reach, run->in) || !br_elite_init(&m->elite, run->in, BR_ELITES))
        return false;
    if (run->in->stages <= BR_SCARCE_STAGES && !(m->scarce = br_scarce_create(run->in)))
        return false;
    begin_elite(m);
    return !atomic_load(&m->memory_out) &&
           (!m->elite.count || br_stopped(run->stop) || br_stage_search(run, true));
}

bool br_miniature_search(struct br_run *whole, uint32_t tasks, struct br_schedule *schedule)
{
    struct miniature_search m = {.whole = whole, .schedule = schedule};
    pthread_mutex_init(&m.lock, NULL);
    atomic_init(&m.memory_out, false);
    bool ok = search_miniature(&m, tasks);
    for (uint32_t k = 0; k < BR_MINIATURE_ORDERS; k++) {
        ok = br_schedule_init(&schedule[k], whole->in) && ok;
        schedule[k].makespan = INT64_MAX;
    }
    const uint32_t count =
        m.elite.count < BR_MINIATURE_ORDERS ? m.elite.count : BR_MINIATURE_ORDERS;
    if (ok && count && !br_stopped(whole->stop)) {
        const uint64_t placements = miniature_parallel(&m, whole->in, count, run_twin);
        m.run.counters.stages_schedules += 2 * count;
        m.run.counters.stages_placements += placements;
        m.run.spent += placements;
    }
    br_scarce_destroy(m.scarce);
    br_elite_finish(&m.elite);
    br_reach_finish(&m.reach);
    br_miniature_finish(&m.miniature);
    pthread_mutex_destroy(&m.lock);
    br_run_take(whole, &m.run);
    return ok && !atomic_load(&m.memory_out);
}
