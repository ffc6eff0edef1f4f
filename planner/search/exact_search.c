/* Two solvers [Ohrimenko09] [Schutt11], since two threads are the rule. They take slices of so many
 * conflicts side by side and tell each other the bounds in between, so that nothing depends on
 * their pace. */
#include "planner/search/exact_search.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "planner/exact/exact.h"

enum {
    DOWN,
    UP,
    SOLVERS,
    SLICE = 200,       /* conflicts, the first */
    SLICE_MOST = 8000, /* and the longest */
};

const char br_close_method[] = "lazy clause generation";

struct br_close {
    const struct br_instance *in;
    struct br_exact *solver[SOLVERS];
    uint64_t slice;
    struct br_schedule found;
    /* The slice at hand. */
    const volatile int *stop;
    uint64_t before[SOLVERS];
    atomic_bool memory_out, optimal;
};

struct br_close *br_close_create(const struct br_instance *in, uint64_t seed, int64_t upper,
                                 int64_t lower)
{
    struct br_close *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->in = in;
    c->slice = SLICE;
    bool ok = br_schedule_init(&c->found, in);
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_exact_options options = {.seed = seed + k, .proof = true};
        c->solver[k] = br_exact_create(in, upper, NULL, &options);
        ok = ok && c->solver[k];
        if (c->solver[k])
            br_exact_set_lower(c->solver[k], lower);
    }
    if (ok)
        return c;
    br_close_destroy(c);
    return NULL;
}

void br_close_destroy(struct br_close *c)
{
    if (!c)
        return;
    for (uint32_t k = 0; k < SOLVERS; k++)
        br_exact_destroy(c->solver[k]);
    br_schedule_finish(&c->found);
    free(c);
}

static bool run_slice(void *context, uint32_t worker, uint32_t index)
{
    struct br_close *c = context;
    enum br_exact_goal goal = index == DOWN ? BR_EXACT_SHORTER : BR_EXACT_BOUND;
    struct br_exact *x = c->solver[index];
    uint64_t end = c->before[index] + c->slice, now;
    while ((now = br_exact_counts(x).conflicts) < end && !br_stopped(c->stop)) {
        enum br_exact_result result = br_exact_solve(x, goal, end - now, c->stop);
        if (result == BR_EXACT_MEMORY)
            atomic_store(&c->memory_out, true);
        if (result == BR_EXACT_OPTIMAL)
            atomic_store(&c->optimal, true);
        if (result == BR_EXACT_MEMORY || result == BR_EXACT_OPTIMAL || result == BR_EXACT_OPEN)
            break;
    }
    return true;
}

/* Keeps the shorter schedule of the two, and tells both what either has found. */
static void exchange(struct br_close *c, struct br_run *run)
{
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_schedule *first = &run->elite->entry[0].schedule;
        int64_t upper = br_exact_upper(c->solver[k]), lower = br_exact_lower(c->solver[k]);
        run->spent += (br_exact_counts(c->solver[k]).conflicts - c->before[k]) * BR_CLOSE_CONFLICT *
                      (uint64_t)c->in->tasks;
        if (lower > run->lower_bound)
            run->lower_bound = lower;
        if (upper < first->makespan && br_exact_schedule(c->solver[k], c->found.start)) {
            br_schedule_measure(&c->found, c->in);
            br_elite_lead(run->elite, &c->found, "exact");
            br_run_found(run, c->found.makespan, br_close_method);
        }
    }
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(c->solver[k], run->elite->entry[0].schedule.makespan);
        br_exact_set_lower(c->solver[k], run->lower_bound);
    }
}

bool br_close_run(struct br_close *c, struct br_run *run)
{
    int64_t upper = run->elite->entry[0].schedule.makespan;
    for (uint32_t k = 0; k < SOLVERS; k++) {
        br_exact_set_upper(c->solver[k], upper);
        br_exact_set_lower(c->solver[k], run->lower_bound);
    }
    c->stop = run->stop;
    while (run->elite->entry[0].schedule.makespan > run->lower_bound) {
        uint64_t cost = SOLVERS * c->slice * BR_CLOSE_CONFLICT * c->in->tasks;
        if (run->placements && run->spent >= run->placements)
            break;
        if (run->placements && cost > run->placements - run->spent)
            c->slice = (run->placements - run->spent) /
                       ((uint64_t)SOLVERS * BR_CLOSE_CONFLICT * c->in->tasks);
        if (c->slice == 0)
            break;
        for (uint32_t k = 0; k < SOLVERS; k++)
            c->before[k] = br_exact_counts(c->solver[k]).conflicts;
        br_parallel(run->threads, SOLVERS, run_slice, c);
        exchange(c, run);
        if (atomic_load(&c->memory_out))
            return false;
        if (br_stopped(run->stop)) {
            run->stopped = true;
            break;
        }
        if (run->placements)
            br_run_step(run, (double)run->spent / (double)run->placements);
        c->slice = 2 * c->slice < SLICE_MOST ? 2 * c->slice : SLICE_MOST;
    }
    c->slice = c->slice < SLICE ? SLICE : c->slice;
    return true;
}

bool br_close_prove(const struct br_close *c, const struct br_instance *whole, int64_t bound,
                    struct br_arena *arena, struct br_proof *proof)
{
    for (uint32_t k = 0; k < SOLVERS; k++) {
        struct br_proof made = {.kind = BR_PROOF_CLAUSES, .bound = bound};
        if (br_exact_proven(c->solver[k]) < bound)
            continue; /* it was told of the bound, or knows none as good */
        if (br_proof_set_part(arena, whole, c->in, &made) &&
            br_exact_proof(c->solver[k], arena, &made.clause, &made.clauses)) {
            *proof = made;
            return true;
        }
    }
    return false;
}
