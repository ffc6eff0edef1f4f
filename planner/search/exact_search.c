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

enum {
    DOWN,
    UP,
    SOLVERS,
    SLICE = 200,       /* conflicts, the first */
    SLICE_MOST = 8000, /* and the longest */
    FEW = 3,           /* ticks that are left, at most, where DOWN works alone */
    TICKS = 10000,     /* so many more make a conflict take as long again */
    TASKS = 60,        /* up to which a conflict costs BR_EXACT_SEARCH_CONFLICT for each */
    BEYOND = 4,        /* and for each of the others */
};

const char br_exact_search_method[] = "lazy clause generation";

struct br_exact_search {
    const struct br_instance *in;
    struct br_exact *solver[SOLVERS];
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
    uint64_t more = in->machines == 1 && upper > TICKS ? (uint64_t)upper / TICKS : 0;
    uint64_t beyond = in->tasks > TASKS ? in->tasks - TASKS : 0;
    return (1 + more) * (BR_EXACT_SEARCH_CONFLICT * (in->tasks - beyond) + BEYOND * beyond);
}

struct br_exact_search *br_exact_search_create(const struct br_instance *in, int64_t upper,
                                               int64_t lower)
{
    struct br_exact_search *s = br_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->in = in;
    s->slice = SLICE;
    s->conflict = conflict_cost(in, upper);
    bool ok = br_schedule_init(&s->found, in);
    for (uint32_t k = 0; k < SOLVERS; k++) {
        s->solver[k] = br_exact_create(in, upper, true);
        ok = ok && s->solver[k];
        if (s->solver[k])
            br_exact_set_lower(s->solver[k], lower);
    }
    if (ok)
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
static void exact_search_exchange(struct br_exact_search *s, struct br_run *run)
{
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_schedule *first = &run->elite->entry[0].schedule;
        int64_t upper = br_exact_upper(s->solver[k]), lower = br_exact_lower(s->solver[k]);
        run->spent += (br_exact_counts(s->solver[k]).conflicts - s->before[k]) * s->conflict;
        if (lower > run->lower_bound)
            run->lower_bound = lower;
        if (upper < first->makespan &&
            br_exact_schedule(s->solver[k], s->found.start, s->found.machine)) {
            br_schedule_measure(&s->found, s->in);
            br_elite_lead(run->elite, &s->found, "exact");
            br_run_found(run, s->found.makespan, br_exact_search_method);
        }
    }
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(s->solver[k], run->elite->entry[0].schedule.makespan);
        br_exact_set_lower(s->solver[k], run->lower_bound);
    }
}

static bool has_worked(const struct br_exact_search *s)
{
    uint64_t conflicts = 0;
    for (uint32_t k = 0; k < SOLVERS; k++)
        conflicts += br_exact_counts(s->solver[k]).conflicts - s->before[k];
    return conflicts > 0;
}

/* The number of solvers that work, counted from DOWN. */
static uint32_t working(const struct br_run *run)
{
    return run->elite->entry[0].schedule.makespan - run->lower_bound > FEW ? SOLVERS : 1;
}

bool br_exact_search_run(struct br_exact_search *s, struct br_run *run)
{
    int64_t upper = run->elite->entry[0].schedule.makespan;
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(s->solver[k], upper);
        br_exact_set_lower(s->solver[k], run->lower_bound);
    }
    s->stop = run->stop;
    while (run->elite->entry[0].schedule.makespan > run->lower_bound) {
        s->working = working(run);
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
        exact_search_exchange(s, run);
        if (atomic_load(&s->memory_out))
            return false;
        if (!has_worked(s)) /* neither solver is of use any more */
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
    for (uint32_t k = 0; k < SOLVERS; k++)
        br_exact_count(s->solver[k], counters);
}

bool br_exact_search_prove(const struct br_exact_search *s, const struct br_instance *whole,
                           int64_t bound, struct br_arena *arena, struct br_proof *proof)
{
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_proof made = {.kind = BR_PROOF_CLAUSES, .bound = bound};
        if (br_exact_proven(s->solver[k]) < bound)
            continue; /* it was told of the bound, or knows none as good */
        if (br_proof_set_part(arena, whole, s->in, &made) &&
            br_exact_proof(s->solver[k], arena, &made.clause, &made.clauses)) {
            *proof = made;
            return true;
        }
    }
    return false;
}
