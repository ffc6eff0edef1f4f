/* Rounds of independent trials from one schedule, the current one. Each trial has a number, from
 * which its random numbers follow. The best of a round by (makespan, ends, number) becomes the
 * current schedule if it is hardly longer than the best so far (record-to-record travel [Dueck93]),
 * so the number of threads changes nothing. If a number of rounds brings nothing, the search goes
 * on from another of the best. [Shaw98] [Palpant04] */
#include "planner/improve/improve.h"

#include <stdatomic.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/invariant.h"
#include "base/process/parallel.h"
#include "base/numbers/rng.h"
#include "base/process/stop.h"
#include "planner/improve/disturb.h"
#include "planner/schedule/dispatch.h"
#include "planner/schedule/justify.h"
#include "planner/improve/neighbourhood.h"

enum {
    TRIALS = 8,      /* of a round, at most */
    FEWER = 2,       /* trials in a round of a large job, so that a short run has rounds at all */
    LARGE = 20000,   /* tasks */
    PATIENCE = 100,  /* rounds without a better schedule before a restart, at most */
    RESTARTS = 4,    /* rounds for which a short run should have room, about */
    TOLERANCE = 100, /* an accepted schedule may be longer than the best by one part in this many */
    PROMISING = 25,  /* a schedule that is justified may be longer than the current by one part in
                        this many */
    PASSES = 4,      /* of a trial, at most */
};

static const char *const names[] = {"window", "shift", "chain",    "stages",
                                    "eject",  "noise", "parallel", "machines"};

const char *br_move_name(enum br_move move)
{
    return names[move];
}

struct worker {
    struct br_serial *serial;
    struct br_window *window; /* NULL if the move is not wanted */
    struct br_schedule first, second;
    int64_t *key;
    double *factor;
};

struct slot {
    struct br_schedule schedule; /* makespan INT64_MAX: given up */
    enum br_move move;
    uint64_t placements;
};

struct improvement {
    struct br_run *run;
    const struct br_instance *in;
    uint32_t moves;
    struct br_disturb *disturb;
    struct br_schedule current;
    struct worker *worker;
    struct slot slot[TRIALS];
    uint32_t trials;
    uint64_t round;
    int64_t limit; /* limit on accepted schedules */
    enum br_move allowed[BR_MOVE_KINDS];
    uint32_t kinds;
    atomic_bool memory_out, stopped;
};

/* Parallel generation by blurred keys instead of a pass. */
static bool improve_dispatch(struct improvement *search, struct worker *w, struct br_rng *rng)
{
    const struct br_instance *in = search->in;
    struct br_key *key = br_calloc(in->tasks, sizeof *key);
    struct br_order order = {0};
    bool packing = br_rng_below(rng, 3) == 0;
    bool ok = key != NULL;
    for (uint32_t t = 0; ok && t < in->tasks; t++)
        key[t] = (struct br_key){-w->key[t], in->duration[t], 0};
    ok = ok && br_order_init(&order, in, key) &&
         br_dispatch(&w->first, in, &order, packing ? BR_DISPATCH_PACKING : BR_DISPATCH_ORDER,
                     search->run->stop);
    br_order_finish(&order);
    br_free(key);
    return ok;
}

/* Backward from w->first, then forward into the slot. */
static bool justify(struct improvement *search, struct worker *w, bool right, struct slot *slot)
{
    const struct br_stop *stop = search->run->stop;
    const struct br_schedule *from = &w->first;
    if (right) {
        br_serial_key(&w->first, search->in, BR_BACKWARD, w->key);
        if (!br_serial_pass(w->serial, BR_BACKWARD, w->key, INT64_MAX, &w->second, stop))
            return false;
        from = &w->second;
    }
    br_serial_key(from, search->in, BR_FORWARD, w->key);
    return br_serial_pass(w->serial, BR_FORWARD, w->key, search->limit, &slot->schedule, stop);
}

static bool run_trial(void *context, uint32_t number, uint32_t index)
{
    struct improvement *search = context;
    const struct br_instance *in = search->in;
    struct br_run *run = search->run;
    struct worker *w = &search->worker[number];
    struct slot *slot = &search->slot[index];
    struct br_rng rng = br_rng_seed(run->seed ^ (search->round * TRIALS + index + 1) *
                                                    UINT64_C(0xd1342543de82ef95));
    assert(index < search->trials && search->kinds > 0);
    uint64_t before = br_serial_placements(w->serial);
    bool ok;
    slot->schedule.makespan = INT64_MAX;
    slot->placements = 0;
    slot->move = search->allowed[br_rng_below(&rng, search->kinds)];
    bool machines =
        in->machines > 1 && search->moves >> BR_MOVE_MACHINES & 1 && br_rng_below(&rng, 2) == 0;
    for (uint32_t r = 0; machines && r < in->resources; r++)
        w->factor[r] = 0.05 + br_rng_unit(&rng);
    br_serial_set_weights(w->serial, machines ? w->factor : NULL);
    if (slot->move == BR_MOVE_PARALLEL) {
        br_disturb_tails(search->disturb, &rng, w->key);
        ok = improve_dispatch(search, w, &rng) && justify(search, w, true, slot);
        slot->placements = in->tasks;
    } else {
        enum br_direction direction = br_rng_below(&rng, 2) ? BR_BACKWARD : BR_FORWARD;
        int64_t limit = search->current.makespan + search->current.makespan / PROMISING;
        if (slot->move == BR_MOVE_WINDOW) {
            ok = br_window_pass(w->window, search->disturb, &search->current, direction, &rng,
                                limit, &w->first, run->stop);
        } else {
            br_disturb(search->disturb, slot->move, direction, &rng, w->key);
            ok = br_serial_pass(w->serial, direction, w->key, limit, &w->first, run->stop);
        }
        if (ok && w->first.makespan != INT64_MAX)
            ok = justify(search, w, direction == BR_FORWARD, slot);
    }
    slot->placements += br_serial_placements(w->serial) - before;
    if (!ok)
        atomic_store(br_stopped(run->stop) ? &search->stopped : &search->memory_out, true);
    return ok;
}

static bool improve_init_worker(struct worker *w, const struct improvement *search)
{
    const struct br_instance *in = search->in;
    w->serial = br_serial_create(in, search->run->reach);
    w->key = br_malloc(in->tasks * sizeof *w->key);
    w->factor = br_malloc((in->resources + 1) * sizeof *w->factor);
    bool first = br_schedule_init(&w->first, in), second = br_schedule_init(&w->second, in);
    if (w->serial && search->moves >> BR_MOVE_WINDOW & 1)
        w->window = br_window_create(in, search->run->reach, br_serial_placer(w->serial));
    return w->serial && w->key && w->factor && first && second &&
           (w->window || !(search->moves >> BR_MOVE_WINDOW & 1));
}

static void improve_finish_worker(struct worker *w)
{
    br_window_destroy(w->window);
    br_serial_destroy(w->serial);
    br_free(w->key);
    br_free(w->factor);
    br_schedule_finish(&w->first);
    br_schedule_finish(&w->second);
}

/* Makes the best of the round current if it is within the limit. */
static bool take_best(struct improvement *search, struct br_improve_report *report)
{
    struct br_run *run = search->run;
    struct slot *best = &search->slot[0];
    for (uint32_t k = 0; k < search->trials; k++) {
        struct slot *slot = &search->slot[k];
        run->spent += slot->placements;
        run->counters.moves_placements += slot->placements;
        run->counters.moves_given_up += slot->schedule.makespan == INT64_MAX;
        report->tried[slot->move]++;
        if (br_schedule_better(&slot->schedule, &best->schedule))
            best = slot;
    }
    report->trials += search->trials;
    assert(best->schedule.makespan >= run->lower_bound);
    if (best->schedule.makespan > search->limit)
        return false;
    const struct br_schedule *leader = &run->elite->entry[0].schedule;
    bool gained = best->schedule.makespan < leader->makespan;
    bool better = br_schedule_better(&best->schedule, leader);
    br_schedule_swap(&search->current, &best->schedule);
    memset(search->current.subset, 'S', search->in->tasks);
    if (gained)
        report->gained[best->move]++;
    if (better)
        br_elite_lead(run->elite, &search->current, "improved");
    if (gained)
        br_run_found(run, search->current.makespan, br_move_name(best->move));
    return gained;
}

static void improve_run_rounds(struct improvement *search, struct br_improve_report *report)
{
    struct br_run *run = search->run;
    const struct br_elite *elite = run->elite;
    uint64_t round = (uint64_t)search->trials * PASSES * search->in->tasks;
    uint64_t patience =
        run->placements ? (run->placements - run->spent) / round / RESTARTS : PATIENCE;
    uint32_t quiet = 0;
    if (patience > PATIENCE)
        patience = PATIENCE;
    while (!br_run_met(run, elite->entry[0].schedule.makespan) &&
           (run->placements == 0 || run->spent + round <= run->placements)) {
        if (quiet > patience) {
            /* Takes in turn the best schedule, and one of those from which it did not come. */
            uint32_t turn = (uint32_t)report->restarts++;
            uint32_t from = turn % 2 ? 0 : turn / 2 % elite->count;
            br_schedule_copy(&search->current, &elite->entry[from].schedule);
            quiet = 0;
        }
        br_disturb_base(search->disturb, &search->current);
        int64_t leader = elite->entry[0].schedule.makespan;
        search->limit = leader + leader / TOLERANCE;
        if (search->limit < search->current.makespan)
            search->limit = search->current.makespan;
        for (uint32_t k = 0; k < search->trials; k++)
            search->slot[k].schedule.makespan = INT64_MAX;
        br_parallel(run->threads, search->trials, run_trial, search);
        if (atomic_load(&search->memory_out) || atomic_load(&search->stopped) ||
            br_stopped(run->stop)) {
            run->stopped = true;
            return;
        }
        quiet = take_best(search, report) ? 0 : quiet + 1;
        search->round++;
        report->rounds++;
        if (run->placements)
            br_run_step(run, (double)run->spent / (double)run->placements);
    }
}

bool br_improve(struct br_run *run, uint32_t moves, struct br_improve_report *report)
{
    const struct br_instance *in = run->in;
    struct br_improve_report own;
    struct improvement search = {
        .run = run, .in = in, .moves = moves, .trials = in->tasks > LARGE ? FEWER : TRIALS};
    uint32_t threads = run->threads < TRIALS ? run->threads : TRIALS;
    if (!report)
        report = &own;
    *report = (struct br_improve_report){0};
    for (uint32_t m = 0; m < BR_MOVE_KINDS; m++)
        if (moves >> m & 1)
            search.allowed[search.kinds++] = m;
    search.worker = br_calloc(threads, sizeof *search.worker);
    search.disturb = br_disturb_create(in, run->reach);
    bool ok = br_schedule_init(&search.current, in) && search.worker && search.disturb;
    for (uint32_t k = 0; k < TRIALS; k++)
        ok &= br_schedule_init(&search.slot[k].schedule, in);
    for (uint32_t k = 0; ok && k < threads; k++)
        ok = improve_init_worker(&search.worker[k], &search);
    if (ok && search.kinds) {
        br_schedule_copy(&search.current, &run->elite->entry[0].schedule);
        improve_run_rounds(&search, report);
        run->counters.moves_rounds += report->rounds;
        run->counters.moves_trials += report->trials;
        run->counters.moves_restarts += report->restarts;
        for (uint32_t m = 0; m < BR_MOVE_KINDS; m++)
            run->counters.moves_gained += report->gained[m];
        ok = !atomic_load(&search.memory_out);
    }
    for (uint32_t k = 0; search.worker && k < threads; k++)
        improve_finish_worker(&search.worker[k]);
    br_free(search.worker);
    br_disturb_destroy(search.disturb);
    for (uint32_t k = 0; k < TRIALS; k++)
        br_schedule_finish(&search.slot[k].schedule);
    br_schedule_finish(&search.current);
    return ok;
}
