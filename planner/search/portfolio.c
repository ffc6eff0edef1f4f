/* Every schedule gets a rank by the way it was made, so that among equal schedules the simplest way
 * is named: first the heuristics by row, then the caller's schedule, then serial generation, and
 * last all of them justified. */
#include "planner/search/portfolio.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/process/stop.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/justify.h"
#include "planner/schedule/redispatch.h"
#include "planner/schedule/scarce.h"
#include "planner/search/miniature_search.h"

enum {
    ADDED = 16, /* the place in `kept` of the caller's schedule; heuristics have fewer rows */
    STAGES = ADDED + 1, /* the first place of a schedule by an order of stages */
    MINIATURES = STAGES + BR_SCARCE_ORDERS,  /* by orders of the miniature */
    KEPT = MINIATURES + BR_MINIATURE_ORDERS, /* places in `kept` */
    FIRST_ROUNDS = 1,                        /* of justification, for all schedules */
    FEW_KEPT = 4, /* of what was kept, so many, if there shall be few, then half of that */
    TURNS = 4,    /* rounds by parallel generation before one by serial generation */
    PAYS = 1000,  /* serial generation pays if it makes the best shorter by one part in this */
    ROUNDS = 4,   /* further rounds, for the best few of these */
    /* A placement by serial generation takes as long as so many by parallel generation on a few
     * machines, and one more for each of so many machines. */
    SERIAL_COST = 3,
    SERIAL_MACHINES = 16,
    ALONE = 64, /* tasks below which all baselines take less than waking a thread */
};

static const char justified[] = "justified"; /* its address tells it from other names */

/* The generation of the schedules of an origin, before they are justified. */
static const struct {
    const char *method; /* the name of the generated schedule; NULL: nothing is generated, the
                           schedule exists */
    enum br_direction direction;
} origins[BR_ORIGINS] = {
    [BR_ORIGIN_FORWARD] = {"serial", BR_FORWARD},
    [BR_ORIGIN_BACKWARD] = {"serial", BR_BACKWARD},
};

/* The rank of a schedule among equal ones: the least stays. */
static uint64_t rank_of(bool is_justified, enum br_portfolio_origin origin, uint32_t row)
{
    return ((is_justified ? BR_ORIGINS : 0) + (uint64_t)origin) * BR_PORTFOLIO_WORK + row;
}

struct br_portfolio_worker {
    struct br_serial *serial;         /* NULL if all is done by parallel generation */
    struct br_redispatch *redispatch; /* NULL if nothing is */
    struct br_schedule schedule;
    int64_t *key;
};

bool br_portfolio_init(struct br_portfolio *p, struct br_run *run)
{
    assert(!br_heuristic_at(ADDED));
    *p = (struct br_portfolio){.run = run};
    bool ok = true;
    pthread_mutex_init(&p->lock, NULL);
    atomic_init(&p->closed, UINT32_MAX);
    if (p->run->in->tasks <= BR_PORTFOLIO_LARGE) {
        p->kept = br_calloc(KEPT, sizeof *p->kept);
        ok = p->kept != NULL;
        for (uint32_t k = 0; ok && k < KEPT; k++)
            if (k == ADDED || br_heuristic_at(k))
                ok = br_schedule_init(&p->kept[k], p->run->in);
    }
    return ok;
}

void br_portfolio_finish(struct br_portfolio *p)
{
    for (uint32_t k = 0; p->kept && k < KEPT; k++)
        br_schedule_finish(&p->kept[k]);
    br_free(p->kept);
    pthread_mutex_destroy(&p->lock);
}

static void portfolio_add(struct br_portfolio *p, const struct br_schedule *schedule,
                          const char *method, uint64_t number)
{
    pthread_mutex_lock(&p->lock);
    br_elite_add(p->run->elite, schedule, method, number);
    pthread_mutex_unlock(&p->lock);
}

static bool run_heuristic(void *context, uint32_t worker, uint32_t index)
{
    struct br_portfolio *p = context;
    uint32_t row = p->row[index];
    const struct br_heuristic *heuristic = br_heuristic_at(row);
    const struct br_stop *stop = index == 0 && p->must ? NULL : p->run->stop;
    struct br_schedule own, *schedule = p->kept ? &p->kept[row] : &own;
    bool ok = p->kept || br_schedule_init(&own, p->run->in);
    if (ok && !heuristic->run(schedule, p->run->in, p->run->reach, p->run->seed, stop)) {
        schedule->makespan = INT64_MAX;
        ok = br_stopped(stop);
    } else if (ok) {
        p->trial[row] = schedule->makespan;
        portfolio_add(p, schedule, heuristic->named.name, rank_of(false, BR_ORIGIN_KEPT, row));
    }
    if (!p->kept)
        br_schedule_finish(&own);
    if (!ok)
        atomic_store(&p->memory_out, true);
    return ok;
}

bool br_portfolio_baselines(struct br_portfolio *p, const uint32_t *row, uint32_t rows,
                            int64_t *trial)
{
    p->trial = trial;
    p->row = row;
    p->must = p->run->elite->count == 0;
    br_parallel(p->run->in->tasks < ALONE ? 1 : p->run->threads, rows, run_heuristic, p);
    for (uint32_t k = 0; k < rows; k++) {
        if (trial[row[k]] == INT64_MAX)
            continue;
        p->run->spent += p->run->in->tasks;
        p->used += p->run->in->tasks;
        p->run->counters.heuristic_placements += p->run->in->tasks;
        p->run->counters.heuristic_schedules++;
    }
    return !atomic_load(&p->memory_out);
}

void br_portfolio_add(struct br_portfolio *p, const struct br_schedule *schedule,
                      const char *method)
{
    if (p->kept)
        br_schedule_copy(&p->kept[ADDED], schedule);
    br_elite_add(p->run->elite, schedule, method, rank_of(false, BR_ORIGIN_KEPT, ADDED));
}

static bool run_stages_order(void *context, uint32_t worker, uint32_t index)
{
    struct br_portfolio *p = context;
    struct br_schedule *schedule = &p->kept[STAGES + index];
    const uint64_t rank = rank_of(false, BR_ORIGIN_KEPT, STAGES + index);
    bool ok = br_schedule_init(schedule, p->run->in);
    if (ok && br_scarce_dispatch(p->scarce, (enum br_scarce_order)index, schedule, p->run->stop)) {
        portfolio_add(p, schedule, "stages", rank);
        return true;
    }
    schedule->makespan = INT64_MAX;
    ok = ok && br_stopped(p->run->stop);
    if (!ok)
        atomic_store(&p->memory_out, true);
    return ok;
}

bool br_portfolio_stages(struct br_portfolio *p)
{
    const struct br_instance *in = p->run->in;
    if (!p->kept || in->stages < 2 || in->stages > BR_SCARCE_STAGES)
        return true;
    struct br_scarce *scarce = br_scarce_create(in);
    if (!scarce)
        return false;
    p->scarce = scarce;
    br_parallel(p->run->threads, BR_SCARCE_ORDERS, run_stages_order, p);
    p->scarce = NULL;
    br_scarce_destroy(scarce);
    const uint64_t placements = (uint64_t)BR_SCARCE_ORDERS * in->tasks;
    p->run->spent += placements;
    p->used += placements;
    p->run->counters.heuristic_placements += placements;
    p->run->counters.heuristic_schedules += BR_SCARCE_ORDERS;
    return !atomic_load(&p->memory_out);
}

bool br_portfolio_miniature(struct br_portfolio *p, uint32_t tasks)
{
    assert(p->kept);
    struct br_schedule *schedule = &p->kept[MINIATURES];
    const uint64_t before = p->run->spent;
    assert(!schedule->start);
    if (!br_miniature_search(p->run, tasks, schedule))
        return false;
    for (uint32_t k = 0; k < BR_MINIATURE_ORDERS; k++)
        portfolio_add(p, &schedule[k], "stages", rank_of(false, BR_ORIGIN_KEPT, MINIATURES + k));
    p->used += p->run->spent - before;
    return true;
}

/* A whole schedule by the heuristic's order, or backward by its reverse. */
static bool portfolio_generate(struct br_portfolio *p, struct br_portfolio_worker *w,
                               enum br_direction direction, uint32_t row,
                               const struct br_stop *stop)
{
    struct br_key *key = br_calloc(p->run->in->tasks, sizeof *key);
    struct br_order order = {0};
    bool ok = key && br_heuristic_at(row)->key(key, p->run->in, p->run->reach, p->run->seed) &&
              br_order_init(&order, p->run->in, key);
    for (uint32_t t = 0; ok && t < p->run->in->tasks; t++)
        w->key[t] = direction == BR_FORWARD ? order.place[t] : -(int64_t)order.place[t];
    br_order_finish(&order);
    br_free(key);
    memset(w->schedule.subset, 'S', p->run->in->tasks);
    if (!ok)
        atomic_store(&p->memory_out, true);
    return ok && br_serial_pass(w->serial, direction, w->key, INT64_MAX, &w->schedule, stop);
}

/* Adds a schedule that comes of this work. If several works close the part, the first of them
 * counts, so that the result is the same for any number of threads. */
static void add_justified(struct br_portfolio *p, uint32_t index,
                          const struct br_schedule *schedule, const char *method, uint64_t number)
{
    if (!p->closes || schedule->makespan > p->run->lower_bound) {
        portfolio_add(p, schedule, method, number);
        return;
    }
    pthread_mutex_lock(&p->lock);
    if (index < atomic_load(&p->closed)) {
        atomic_store(&p->closed, index);
        p->run->elite->count = 0; /* the others may differ by the number of threads */
        br_elite_add(p->run->elite, schedule, method, number);
    }
    pthread_mutex_unlock(&p->lock);
}

/* What a placement by serial generation costs, in such by parallel generation. */
static uint64_t serial_cost(const struct br_portfolio *p)
{
    return SERIAL_COST + p->run->in->machines / SERIAL_MACHINES;
}

static uint64_t worker_cost(const struct br_portfolio *p, const struct br_portfolio_worker *w)
{
    return (w->serial ? serial_cost(p) * br_serial_placements(w->serial) : 0) +
           (w->redispatch ? br_redispatch_placements(w->redispatch) : 0);
}

static uint64_t worker_placements(const struct br_portfolio_worker *w)
{
    return (w->serial ? br_serial_placements(w->serial) : 0) +
           (w->redispatch ? br_redispatch_placements(w->redispatch) : 0);
}

/* Justifies the worker's schedule. On a large job each round begins with parallel generation, which
 * costs little and gets far; serial generation then has less to move. */
static bool portfolio_improve(const struct br_portfolio *p, struct br_portfolio_worker *w,
                              struct br_portfolio_work *work)
{
    const struct br_stop *stop = p->run->stop;
    struct br_schedule *schedule = &w->schedule;
    if (!w->redispatch)
        return br_justify(w->serial, schedule, work->rounds, stop);
    for (uint32_t k = 0; k < work->rounds; k++) {
        const int64_t makespan = schedule->makespan;
        const br_uwide ends = schedule->ends;
        if (!br_redispatch(w->redispatch, schedule, TURNS, stop) ||
            (w->serial && !br_justify(w->serial, schedule, 1, stop)))
            return false;
        work->settled = schedule->makespan == makespan && schedule->ends == ends;
        if (work->settled)
            return true;
    }
    return true;
}

static bool run_justification(void *context, uint32_t number, uint32_t index)
{
    struct br_portfolio *p = context;
    struct br_portfolio_worker *w = &p->worker[number];
    struct br_portfolio_work *work = &p->work[index];
    const uint64_t before = worker_placements(w), cost = worker_cost(p, w);
    const char *method = origins[work->origin].method;
    bool ok = true;
    if (index >= atomic_load(&p->closed))
        return true;
    if (method) {
        ok = portfolio_generate(p, w, origins[work->origin].direction, work->row, p->run->stop);
        if (ok)
            add_justified(p, index, &w->schedule, method, rank_of(false, work->origin, work->row));
    } else {
        br_schedule_copy(&w->schedule,
                         p->kept ? &p->kept[work->row] : &p->run->elite->entry[0].schedule);
    }
    if (ok && index >= atomic_load(&p->closed)) { /* by what was generated */
        work->placements = worker_placements(w) - before;
        work->cost = worker_cost(p, w) - cost;
        return true;
    }
    ok = ok && portfolio_improve(p, w, work);
    work->makespan = w->schedule.makespan;
    work->ends = w->schedule.ends;
    work->placements = worker_placements(w) - before;
    work->cost = worker_cost(p, w) - cost;
    if (ok && p->quick && p->kept)
        br_schedule_copy(&p->kept[work->row], &w->schedule);
    if (ok)
        add_justified(p, index, &w->schedule, justified, rank_of(true, work->origin, work->row));
    else if (br_stopped(p->run->stop))
        atomic_store(&p->stopped, true);
    else
        atomic_store(&p->memory_out, true);
    return ok;
}

static bool portfolio_init_worker(struct br_portfolio_worker *w, const struct br_portfolio *p)
{
    const struct br_instance *in = p->run->in;
    w->serial = p->quick ? NULL : br_serial_create(in, p->run->reach);
    w->redispatch = p->closes || p->quick ? br_redispatch_create(in) : NULL;
    w->key = br_malloc(in->tasks * sizeof *w->key);
    return br_schedule_init(&w->schedule, in) && (p->quick || w->serial) &&
           (!(p->closes || p->quick) || w->redispatch) && w->key;
}

static void portfolio_add_work(struct br_portfolio *p, enum br_portfolio_origin origin,
                               uint32_t row, uint32_t rounds)
{
    assert(p->works < BR_PORTFOLIO_WORK);
    p->work[p->works++] =
        (struct br_portfolio_work){.origin = origin, .row = row, .rounds = rounds};
}

/* Does serial generation have an order of this heuristic's own? Yes, if it has an order and no
 * earlier row with the same order was run. */
static bool has_order(const struct br_portfolio *p, uint32_t row)
{
    br_key_function *key = br_heuristic_at(row)->key;
    if (!key || p->kept[row].makespan == INT64_MAX)
        return false;
    for (uint32_t k = 0; k < row; k++)
        if (br_heuristic_at(k)->key == key && p->kept[k].makespan != INT64_MAX)
            return false;
    return true;
}

/* Lists the kept schedules that are not in the set `done`, at most so many: the added one first, or
 * if one is enough to close the part, the shortest. Adds them to the set. */
static void list_kept(struct br_portfolio *p, uint32_t *done, uint32_t most)
{
    const uint32_t first = p->works;
    for (uint32_t k = KEPT; k-- > 0;) {
        if (*done >> k & 1 || p->kept[k].makespan == INT64_MAX || !p->kept[k].start)
            continue;
        portfolio_add_work(p, BR_ORIGIN_KEPT, k, FIRST_ROUNDS);
        for (uint32_t at = p->works - 1; p->closes && at > first; at--) {
            const struct br_portfolio_work here = p->work[at], before = p->work[at - 1];
            if (p->kept[here.row].makespan >= p->kept[before.row].makespan)
                break;
            p->work[at] = before;
            p->work[at - 1] = here;
        }
    }
    if (p->works - first > most)
        p->works = first + most;
    for (uint32_t k = first; k < p->works; k++)
        *done |= 1u << p->work[k].row;
}

static void list_serial(struct br_portfolio *p)
{
    for (uint32_t row = 0; br_heuristic_at(row); row++)
        if (has_order(p, row)) {
            portfolio_add_work(p, BR_ORIGIN_FORWARD, row, FIRST_ROUNDS);
            portfolio_add_work(p, BR_ORIGIN_BACKWARD, row, FIRST_ROUNDS);
        }
}

/* Lists the justified schedules of the elite, which are worth more rounds, but for one to which a
 * round has brought nothing. They take the places of the schedules that were kept, which nobody
 * needs any more. */
static void list_best(struct br_portfolio *p)
{
    for (uint32_t k = 0; k < p->run->elite->count; k++) {
        const struct br_elite_entry *entry = &p->run->elite->entry[k];
        const struct br_schedule *schedule = &entry->schedule;
        if (entry->method != justified ||
            (schedule->makespan == p->settled_makespan && schedule->ends == p->settled_ends))
            continue;
        br_schedule_copy(&p->kept[p->works], schedule);
        portfolio_add_work(p, BR_ORIGIN_ELITE, p->works, ROUNDS);
    }
}

/* How many of the list the limit of the cost allows. The last of them gets less rounds if not all
 * are within it. */
static uint32_t portfolio_afford(struct br_portfolio *p)
{
    uint64_t left = p->most > p->used ? p->most - p->used : 0;
    const uint64_t passes = 2 * TURNS + (p->quick ? 0 : 2 * serial_cost(p));
    const uint64_t round = p->run->in->tasks * passes;
    uint32_t k = 0;
    if (!p->most)
        return p->works;
    for (; k < p->works && left >= round; k++) {
        if (p->work[k].rounds > left / round)
            p->work[k].rounds = (uint32_t)(left / round);
        left -= p->work[k].rounds * round;
    }
    return k;
}

/* Takes over what the works that counted have cost, and whether the best of all is settled. */
static void portfolio_take_works(struct br_portfolio *p, uint32_t count)
{
    const struct br_schedule *best = &p->run->elite->entry[0].schedule;
    for (uint32_t k = 0; k < count; k++) {
        const struct br_portfolio_work *work = &p->work[k];
        p->run->counters.justify_schedules++;
        p->run->counters.justify_placements += work->placements;
        p->run->spent += work->placements;
        p->used += work->cost;
        if (!p->quick && work->settled && work->makespan == best->makespan &&
            work->ends == best->ends) {
            p->settled_makespan = work->makespan;
            p->settled_ends = work->ends;
        }
    }
}

/* Justifies the list as far as the run's placements go. */
static void run_list(struct br_portfolio *p, uint64_t before)
{
    struct br_run *run = p->run;
    p->works = portfolio_afford(p);
    const uint32_t turns = p->closes ? (p->quick ? 0 : 1) + TURNS : 1;
    uint64_t left = run->placements ? run->placements - (run->spent - before) : 0;
    uint32_t count = p->works;
    if (atomic_load(&p->stopped) || atomic_load(&p->memory_out) ||
        (run->placements && run->spent - before >= run->placements))
        return;
    for (uint32_t k = 0; run->placements && k < p->works; k++) {
        const uint64_t cost = (uint64_t)(1 + 2 * turns * p->work[k].rounds) * run->in->tasks;
        if (left < cost) {
            count = k;
            break;
        }
        left -= cost;
    }
    p->cut |= count < p->works;
    atomic_store(&p->closed, UINT32_MAX);
    if (count)
        br_parallel(run->threads < count ? run->threads : count, count, run_justification, p);
    const uint32_t closed = atomic_load(&p->closed);
    run->counters.justify_left_out += p->works - count;
    portfolio_take_works(p, closed < count ? closed + 1 : count);
}

/* Makes the workers for the list. False when memory is out. */
static bool begin_workers(struct br_portfolio *p, uint32_t threads)
{
    p->worker = br_calloc(threads + 1, sizeof *p->worker);
    bool ok = p->worker != NULL;
    for (uint32_t k = 0; ok && k < threads; k++)
        ok = portfolio_init_worker(&p->worker[k], p);
    return ok;
}

static void end_workers(struct br_portfolio *p, uint32_t threads)
{
    for (uint32_t k = 0; p->worker && k < threads; k++) {
        br_serial_destroy(p->worker[k].serial);
        br_redispatch_destroy(p->worker[k].redispatch);
        br_free(p->worker[k].key);
        br_schedule_finish(&p->worker[k].schedule);
    }
    br_free(p->worker);
    p->worker = NULL;
}

/* Whatever has been kept, by parallel generation alone. False when memory is out. */
static bool justify_quickly(struct br_portfolio *p, uint64_t before)
{
    p->works = 0;
    p->quick = true;
    if (p->kept)
        list_kept(p, &p->done_quickly, KEPT);
    else
        portfolio_add_work(p, BR_ORIGIN_ELITE, 0, FIRST_ROUNDS);
    const uint32_t threads = p->run->threads < p->works ? p->run->threads : p->works;
    const bool ok = begin_workers(p, threads);
    if (ok && p->works)
        run_list(p, before);
    end_workers(p, threads);
    p->quick = false;
    return ok;
}

/* Is there nothing left to gain, or no way to go on? */
static bool portfolio_ended(struct br_portfolio *p)
{
    return atomic_load(&p->closed) != UINT32_MAX || atomic_load(&p->stopped) ||
           atomic_load(&p->memory_out);
}

static void list_works(struct br_portfolio *p, unsigned works)
{
    p->works = 0;
    if (works & BR_WORKS_KEPT)
        list_kept(p, &p->done, p->few ? (p->done ? FEW_KEPT / 2 : FEW_KEPT) : KEPT);
    if (works & BR_WORKS_SERIAL)
        list_serial(p);
    if (p->few && works & BR_WORKS_BEST)
        list_best(p);
}

bool br_portfolio_justify(struct br_portfolio *p, unsigned works)
{
    const uint64_t before = p->run->spent;
    bool ok = true;
    if (works & (BR_WORKS_KEPT | BR_WORKS_QUICK) && (p->closes || !p->kept))
        ok = justify_quickly(p, before);
    if (ok && p->kept && works != BR_WORKS_QUICK && !portfolio_ended(p)) {
        list_works(p, works);
        const uint32_t most = works & BR_WORKS_BEST && p->works < BR_ELITES ? BR_ELITES : p->works;
        const uint32_t threads = p->run->threads < most ? p->run->threads : most;
        ok = begin_workers(p, threads);
        const int64_t quick = p->run->elite->entry[0].schedule.makespan;
        if (ok && p->works)
            run_list(p, before);
        p->pays = p->run->elite->entry[0].schedule.makespan < quick - quick / PAYS;
        p->works = 0;
        if (ok && !p->few && works & BR_WORKS_BEST && atomic_load(&p->closed) == UINT32_MAX) {
            list_best(p);
            run_list(p, before);
        }
        end_workers(p, threads);
    }
    p->cut |= atomic_load(&p->stopped);
    return ok && !atomic_load(&p->memory_out);
}
