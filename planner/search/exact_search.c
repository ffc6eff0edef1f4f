/* Two solvers [Ohrimenko09] [Schutt11], since two threads are the rule. They take slices of so many
 * conflicts side by side and exchange the bounds in between, so that nothing depends on their pace.
 * If one tick is left between the bounds, both would refute the same makespan, with nearly the same
 * clauses; if few are left, each of them would have to, sooner or later, and raising the bound by
 * one takes nearly as long. Then the solver that looks for shorter schedules works alone. */
#include "planner/search/exact_search.h"

#include <stdatomic.h>

#include "base/collections/memory.h"
#include "base/process/parallel.h"
#include "base/process/stop.h"
#include "planner/exact/exact.h"
#include "planner/instance/rounding.h"
#include "planner/search/bound/retime.h"
#include "planner/shop/shop.h"

enum {
    DOWN,
    UP,
    SOLVERS,
    SLICE = 200,       /* conflicts, the first */
    SLICE_MOST = 8000, /* and the longest */
    FEW = 3,           /* ticks that are left, at most, when DOWN works alone */
    TICKS = 10000,     /* so many more make a conflict take as long again */
    TASKS = 60,        /* up to which a conflict costs BR_EXACT_SEARCH_CONFLICT for each */
    BEYOND = 4,        /* and for each of the others */
    SHOP = 80,         /* shops of more tasks have a cost of their own */
};

const char br_exact_search_method[] = "lazy clause generation";

struct br_exact_search {
    const struct br_instance *in;
    struct br_exact *solver[SOLVERS];
    int64_t seen[SOLVERS];    /* the makespan of the solver's schedule that was looked at last */
    struct br_exact *coarser; /* the solver of the best bound before, with durations rounded more */
    struct br_counters past;  /* the work of solvers that are gone */
    int64_t rounding;         /* of the solvers, in ticks */
    double tolerance;         /* the share of the makespan that counts as closed, if rounded */
    bool rounded;             /* the ticks as they are would be too many */
    uint64_t slice, conflict; /* placements that one counts for */
    struct br_schedule found;
    /* The slice at hand. */
    const struct br_stop *stop;
    uint32_t working; /* solvers: all, or DOWN alone */
    uint64_t before[SOLVERS];
    atomic_bool memory_out, optimal;
};

/* On one machine the profile is kept tick by tick. Beyond this many tasks a conflict takes hardly
 * longer. */
static uint64_t conflict_cost(const struct br_instance *in, int64_t upper)
{
    if (in->tasks > SHOP && br_shop_suits(in))
        return (uint64_t)BR_EXACT_SEARCH_SHOP * in->tasks;
    uint64_t more = in->machines == 1 && upper > TICKS ? (uint64_t)upper / TICKS : 0;
    uint64_t beyond = in->tasks > TASKS ? in->tasks - TASKS : 0;
    return (1 + more) * (BR_EXACT_SEARCH_CONFLICT * (in->tasks - beyond) + BEYOND * beyond);
}

/* Makes the solvers. False if the instance does not suit them, or memory is out. */
static bool exact_search_open(struct br_exact_search *s, int64_t rounding, int64_t upper,
                              int64_t lower)
{
    bool ok = true;
    s->conflict = conflict_cost(s->in, upper / rounding);
    s->rounding = rounding;
    for (uint32_t k = 0; k < SOLVERS; k++) {
        s->solver[k] = br_exact_create(s->in, upper, rounding, true);
        s->seen[k] = INT64_MAX;
        ok = ok && s->solver[k];
        if (s->solver[k])
            br_exact_set_lower(s->solver[k], lower);
    }
    return ok;
}

/* Takes the solvers away, and keeps the one of the best bound, for its proof. */
static void exact_search_close(struct br_exact_search *s)
{
    atomic_store(&s->optimal, false);
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_exact *x = s->solver[k];
        s->solver[k] = NULL;
        if (!x)
            continue;
        br_exact_count(x, &s->past);
        if (!s->coarser || br_exact_proven(x) > br_exact_proven(s->coarser)) {
            br_exact_destroy(s->coarser);
            s->coarser = x;
        } else {
            br_exact_destroy(x);
        }
    }
}

bool br_exact_search_rounds(const struct br_exact_search *s)
{
    return s->rounded;
}

static int64_t exact_search_slack(const struct br_exact_search *s, int64_t makespan)
{
    return s->rounded ? br_rounding_slack(makespan, s->tolerance) : 0;
}

void br_exact_search_aim(struct br_exact_search *s, int64_t makespan)
{
    if (s->rounded && s->solver[UP])
        br_exact_aim(s->solver[UP], makespan - exact_search_slack(s, makespan));
}

int64_t br_exact_search_proven(const struct br_exact_search *s, int64_t rounding)
{
    int64_t most = 0;
    for (uint32_t k = 0; s && k <= SOLVERS; k++) {
        const struct br_exact *x = k < SOLVERS ? s->solver[k] : s->coarser;
        if (x && br_exact_rounding(x) == rounding && br_exact_proven_rounded(x) > most)
            most = br_exact_proven_rounded(x);
    }
    return most;
}

/* Goes on with durations that are rounded less. False if that is no use, or memory is out. */
static bool exact_search_refine(struct br_exact_search *s, const struct br_run *run)
{
    const int64_t upper = run->elite->entry[0].schedule.makespan;
    const int64_t rounding = br_rounding(s->in, upper, s->rounding);
    if (!rounding)
        return false;
    exact_search_close(s);
    if (!exact_search_open(s, rounding, upper, run->lower_bound)) {
        exact_search_close(s); /* the bounds so far are all */
        return false;
    }
    br_exact_search_aim(s, upper);
    return true;
}

struct br_exact_search *br_exact_search_create(const struct br_instance *in, int64_t upper,
                                               int64_t lower, double tolerance)
{
    struct br_exact_search *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->in = in;
    s->slice = SLICE;
    s->tolerance = tolerance;
    const int64_t rounding = br_rounding(in, upper, 0);
    s->rounded = rounding > 1;
    if (br_schedule_init(&s->found, in) && rounding && exact_search_open(s, rounding, upper, lower))
        return s;
    br_exact_search_destroy(s);
    return NULL;
}

void br_exact_search_destroy(struct br_exact_search *s)
{
    if (!s)
        return;
    for (uint32_t k = 0; k < SOLVERS; k++)
        br_exact_destroy(s->solver[k]);
    br_exact_destroy(s->coarser);
    br_schedule_finish(&s->found);
    br_free(s);
}

static bool run_slice(void *context, uint32_t worker, uint32_t index)
{
    struct br_exact_search *s = context;
    enum br_exact_goal goal = index == DOWN ? BR_EXACT_SHORTER : BR_EXACT_BOUND;
    struct br_exact *x = s->solver[index];
    uint64_t end = s->before[index] + s->slice, now;
    while ((now = br_exact_counts(x).conflicts) < end && !br_stopped(s->stop)) {
        enum br_exact_result result = br_exact_solve(x, goal, end - now, s->stop);
        if (result == BR_EXACT_MEMORY)
            atomic_store(&s->memory_out, true);
        if (result == BR_EXACT_OPTIMAL)
            atomic_store(&s->optimal, true);
        if (result != BR_EXACT_FOUND && result != BR_EXACT_RAISED)
            break;
    }
    return true;
}

/* Keeps the shorter schedule of the two, and tells both what either has found. */
static bool exact_search_exchange(struct br_exact_search *s, struct br_run *run)
{
    bool ok = true;
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_schedule *first = &run->elite->entry[0].schedule;
        int64_t upper = br_exact_upper(s->solver[k]), lower = br_exact_lower(s->solver[k]);
        run->spent += (br_exact_counts(s->solver[k]).conflicts - s->before[k]) * s->conflict;
        if (lower > run->lower_bound)
            run->lower_bound = lower;
        if (upper >= first->makespan || upper == s->seen[k])
            continue;
        s->seen[k] = upper;
        if (!br_exact_schedule(s->solver[k], s->found.start, s->found.machine))
            continue;
        if (s->rounding == 1)
            br_schedule_measure(&s->found, s->in);
        else
            ok = ok && br_retime(s->in, run->reach, &s->found);
        if (ok && s->found.makespan < first->makespan) {
            br_elite_lead(run->elite, &s->found, "exact");
            br_run_found(run, s->found.makespan, br_exact_search_method);
        }
    }
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(s->solver[k], run->elite->entry[0].schedule.makespan);
        br_exact_set_lower(s->solver[k], run->lower_bound);
    }
    return ok;
}

static bool has_worked(const struct br_exact_search *s)
{
    uint64_t conflicts = 0;
    for (uint32_t k = 0; k < SOLVERS; k++)
        conflicts += br_exact_counts(s->solver[k]).conflicts - s->before[k];
    return conflicts > 0;
}

/* The number of solvers that work, counted from DOWN. */
static uint32_t working(const struct br_exact_search *s, const struct br_run *run)
{
    int64_t gap = run->elite->entry[0].schedule.makespan - run->lower_bound;
    return gap / s->rounding > FEW ? SOLVERS : 1;
}

bool br_exact_search_run(struct br_exact_search *s, struct br_run *run)
{
    int64_t upper = run->elite->entry[0].schedule.makespan;
    if (!s->solver[DOWN])
        return true; /* no finer rounding was of use */
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(s->solver[k], upper);
        br_exact_set_lower(s->solver[k], run->lower_bound);
    }
    s->stop = run->stop;
    while (!br_run_met(run, run->elite->entry[0].schedule.makespan)) {
        s->working = working(s, run);
        uint64_t cost = s->working * s->slice * s->conflict;
        if (run->placements && run->spent >= run->placements)
            break;
        if (run->placements && cost > run->placements - run->spent)
            s->slice = (run->placements - run->spent) / (s->working * s->conflict);
        if (s->slice == 0)
            break;
        for (uint32_t k = 0; k < SOLVERS; k++)
            s->before[k] = br_exact_counts(s->solver[k]).conflicts;
        br_parallel(run->threads, s->working, run_slice, s);
        if (!exact_search_exchange(s, run) || atomic_load(&s->memory_out))
            return false;
        run->slack = exact_search_slack(s, run->elite->entry[0].schedule.makespan);
        if (s->rounding > 1 && atomic_exchange(&s->optimal, false)) {
            if (br_run_met(run, run->elite->entry[0].schedule.makespan) ||
                !exact_search_refine(s, run))
                break;
        } else if (!has_worked(s)) /* neither solver is of use any more */
            break;
        if (br_stopped(run->stop)) {
            run->stopped = true;
            break;
        }
        if (run->placements)
            br_run_step(run, (double)run->spent / (double)run->placements);
        s->slice = 2 * s->slice < SLICE_MOST ? 2 * s->slice : SLICE_MOST;
    }
    s->slice = s->slice < SLICE ? SLICE : s->slice;
    return true;
}

void br_exact_search_count(const struct br_exact_search *s, struct br_counters *counters)
{
    br_counters_add(counters, &s->past);
    for (uint32_t k = 0; k < SOLVERS && s->solver[k]; k++)
        br_exact_count(s->solver[k], counters);
}

bool br_exact_search_prove(const struct br_exact_search *s, const struct br_instance *whole,
                           int64_t bound, struct br_arena *arena, struct br_proof *proof)
{
    for (uint32_t k = 0; k <= SOLVERS; k++) {
        struct br_exact *x = k < SOLVERS ? s->solver[k] : s->coarser;
        struct br_proof made;
        if (!x || br_exact_proven(x) < bound)
            continue; /* it was told of the bound, or knows none as good */
        if (!br_exact_proof(x, arena, &made) || !br_proof_set_part(arena, whole, s->in, &made))
            continue;
        if (br_exact_rounding(x) == 1)
            made.bound = bound;
        *proof = made;
        return true;
    }
    return false;
}
