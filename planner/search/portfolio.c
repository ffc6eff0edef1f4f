/* Numbers order what is found: the baselines by row, what the caller adds, then what is justified,
 * so that of equal schedules the simplest way to it is named. */
#include "planner/search/portfolio.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/stop.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/justify.h"

enum {
    ROWS = 16, /* at most so many heuristics */
    ADDED = ROWS,
    KEPT = ADDED + 1,
    JUSTIFIED = 64, /* offsets of numbers */
    FORWARD = 128,
    BACKWARD = 192,
    FINAL = 256,
    FIRST_ROUNDS = 1, /* of justification, of everything */
    ROUNDS = 4,       /* more, of the few best of that */
};

struct br_portfolio_worker {
    struct br_serial *serial;
    struct br_schedule schedule;
    int64_t *key;
};

bool br_portfolio_init(struct br_portfolio *p)
{
    bool ok = true;
    pthread_mutex_init(&p->lock, NULL);
    if (p->in->tasks <= BR_PORTFOLIO_LARGE) {
        p->kept = calloc(KEPT, sizeof *p->kept);
        ok = p->kept != NULL;
        for (uint32_t k = 0; ok && k < KEPT; k++)
            if (k == ADDED || br_heuristic_at(k))
                ok = br_schedule_init(&p->kept[k], p->in);
    }
    return ok;
}

void br_portfolio_finish(struct br_portfolio *p)
{
    for (uint32_t k = 0; p->kept && k < KEPT; k++)
        br_schedule_finish(&p->kept[k]);
    free(p->kept);
    pthread_mutex_destroy(&p->lock);
}

static void add(struct br_portfolio *p, const struct br_schedule *schedule, const char *method,
                uint64_t number)
{
    pthread_mutex_lock(&p->lock);
    br_elite_add(p->elite, schedule, method, number);
    pthread_mutex_unlock(&p->lock);
}

static bool run_heuristic(void *context, uint32_t worker, uint32_t index)
{
    struct br_portfolio *p = context;
    uint32_t row = p->first_row + index;
    const struct br_heuristic *heuristic = br_heuristic_at(row);
    const struct br_stop *stop = index == 0 ? NULL : p->stop;
    struct br_schedule own, *schedule = p->kept ? &p->kept[row] : &own;
    bool ok = p->kept || br_schedule_init(&own, p->in);
    if (ok && !heuristic->run(schedule, p->in, p->reach, p->seed, stop)) {
        schedule->makespan = INT64_MAX;
        ok = br_stopped(stop);
    } else if (ok) {
        p->trial[row] = schedule->makespan;
        add(p, schedule, heuristic->name, row);
    }
    if (!p->kept)
        br_schedule_finish(&own);
    if (!ok)
        atomic_store(&p->memory_out, true);
    return ok;
}

bool br_portfolio_baselines(struct br_portfolio *p, uint32_t first_row, uint32_t rows,
                            int64_t *trial)
{
    p->trial = trial;
    p->first_row = first_row;
    br_parallel(p->threads, rows, run_heuristic, p);
    p->placements += (uint64_t)rows * p->in->tasks;
    return !atomic_load(&p->memory_out);
}

void br_portfolio_add(struct br_portfolio *p, const struct br_schedule *schedule,
                      const char *method)
{
    if (p->kept)
        br_schedule_copy(&p->kept[ADDED], schedule);
    br_elite_add(p->elite, schedule, method, ADDED);
}

/* A whole schedule by the heuristic's order, or backward by its reverse. */
static bool generate(struct br_portfolio *p, struct br_portfolio_worker *w,
                     enum br_direction direction, uint32_t row, const struct br_stop *stop)
{
    struct br_key *key = calloc(p->in->tasks, sizeof *key);
    struct br_order order = {0};
    bool ok = key && br_heuristic_at(row)->key(key, p->in, p->reach, p->seed) &&
              br_order_init(&order, p->in, key);
    for (uint32_t t = 0; ok && t < p->in->tasks; t++)
        w->key[t] = direction == BR_FORWARD ? order.place[t] : -(int64_t)order.place[t];
    br_order_finish(&order);
    free(key);
    memset(w->schedule.subset, 'S', p->in->tasks);
    if (!ok)
        atomic_store(&p->memory_out, true);
    return ok && br_serial_pass(w->serial, direction, w->key, INT64_MAX, &w->schedule, stop);
}

static bool run_justification(void *context, uint32_t number, uint32_t index)
{
    struct br_portfolio *p = context;
    struct br_portfolio_worker *w = &p->worker[number];
    uint32_t work = p->work[index];
    bool ok = true;
    if (work >= FORWARD && work < FINAL) {
        bool forward = work < BACKWARD;
        ok = generate(p, w, forward ? BR_FORWARD : BR_BACKWARD,
                      work - (forward ? FORWARD : BACKWARD), p->stop);
        if (ok)
            add(p, &w->schedule, "serial", work);
    } else {
        br_schedule_copy(&w->schedule,
                         p->kept ? &p->kept[work % JUSTIFIED] : &p->elite->entry[0].schedule);
    }
    ok = ok && br_justify(w->serial, &w->schedule, p->rounds, p->stop);
    if (ok)
        add(p, &w->schedule, "justified", work + JUSTIFIED * 4);
    else if (br_stopped(p->stop))
        atomic_store(&p->stopped, true);
    else
        atomic_store(&p->memory_out, true);
    return ok;
}

static bool init_worker(struct br_portfolio_worker *w, const struct br_portfolio *p)
{
    w->serial = br_serial_create(p->in, p->reach);
    w->key = malloc(p->in->tasks * sizeof *w->key);
    return br_schedule_init(&w->schedule, p->in) && w->serial && w->key;
}

/* What to try, the most promising first. */
static void list_work(struct br_portfolio *p)
{
    p->works = 0;
    if (!p->kept) {
        p->work[p->works++] = JUSTIFIED;
        return;
    }
    for (uint32_t k = KEPT; k-- > 0;)
        if (p->kept[k].makespan != INT64_MAX && p->kept[k].start)
            p->work[p->works++] = JUSTIFIED + k;
    for (uint32_t row = 0; br_heuristic_at(row); row++)
        if (br_heuristic_at(row)->key && p->kept[row].makespan != INT64_MAX) {
            p->work[p->works++] = FORWARD + row;
            p->work[p->works++] = BACKWARD + row;
        }
}

/* What is worth more rounds: the justified ones of the elite. They take the place of what was kept,
 * which nobody needs any more. */
static void list_best(struct br_portfolio *p)
{
    p->works = 0;
    for (uint32_t k = 0; p->kept && k < p->elite->count; k++) {
        const struct br_elite_entry *entry = &p->elite->entry[k];
        if (strcmp(entry->method, "justified") != 0)
            continue;
        br_schedule_copy(&p->kept[p->works], &entry->schedule);
        p->work[p->works] = FINAL + p->works;
        p->works++;
    }
}

/* The list, with so many rounds of justification, as far as the placements go. */
static void run_list(struct br_portfolio *p, uint32_t rounds, uint32_t threads, uint64_t placements)
{
    uint64_t cost = (uint64_t)(1 + 2 * rounds) * p->in->tasks;
    uint32_t count = p->works;
    if (placements && placements / cost < count)
        count = (uint32_t)(placements / cost);
    p->cut |= count < p->works;
    p->rounds = rounds;
    if (count)
        br_parallel(threads < count ? threads : count, count, run_justification, p);
}

static uint64_t placements_of(const struct br_portfolio *p, uint32_t threads)
{
    uint64_t sum = 0;
    for (uint32_t k = 0; k < threads; k++)
        sum += br_serial_placements(p->worker[k].serial);
    return sum;
}

bool br_portfolio_justify(struct br_portfolio *p, uint64_t placements)
{
    list_work(p);
    uint32_t threads = p->threads < p->works ? p->threads : p->works;
    p->worker = calloc(threads + 1, sizeof *p->worker);
    bool ok = p->worker != NULL;
    for (uint32_t k = 0; ok && k < threads; k++)
        ok = init_worker(&p->worker[k], p);
    if (ok) {
        run_list(p, p->kept ? FIRST_ROUNDS : FIRST_ROUNDS + ROUNDS, threads, placements);
        uint64_t spent = placements_of(p, threads);
        list_best(p);
        if (!atomic_load(&p->stopped) && !atomic_load(&p->memory_out) &&
            (!placements || spent < placements))
            run_list(p, ROUNDS, threads, placements ? placements - spent : 0);
        p->placements += placements_of(p, threads);
    }
    for (uint32_t k = 0; p->worker && k < threads; k++) {
        br_serial_destroy(p->worker[k].serial);
        free(p->worker[k].key);
        br_schedule_finish(&p->worker[k].schedule);
    }
    free(p->worker);
    p->worker = NULL;
    p->cut |= atomic_load(&p->stopped);
    return ok && !atomic_load(&p->memory_out);
}
