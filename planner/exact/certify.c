/* Bounds without a search for schedules: from the combinatorial bounds of the parts upwards. */
#include <stdlib.h>

#include "base/parallel.h"
#include "planner/certificate/certificate.h"
#include "planner/exact/exact.h"
#include "planner/heuristic.h"
#include "planner/part.h"
#include "planner/schedule.h"

/* Beyond so many tasks conflicts take long and prove little. Turns end where *stop is looked at. */
enum { TASKS_MAX = 2000, TURN = 500 };

/* Any schedule will do, to say up to when there is time. False when memory is out. */
static bool quick_makespan(const struct br_instance *in, int64_t *makespan)
{
    struct br_reach reach;
    struct br_schedule schedule = {0};
    bool ok = br_reach_init(&reach, in) && br_schedule_init(&schedule, in) &&
              br_heuristic_at(0)->run(&schedule, in, &reach, 1, NULL);
    *makespan = schedule.makespan;
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    return ok;
}

/* Raises the proof's bound where that succeeds. False when memory is out. */
static bool raise_part(const struct br_instance *part, uint64_t conflicts, const volatile int *stop,
                       struct br_arena *arena, struct br_proof *proof)
{
    int64_t upper;
    struct br_exact_options options = {.seed = 1, .proof = true};
    if (!quick_makespan(part, &upper))
        return false;
    struct br_exact *x = upper > proof->bound ? br_exact_create(part, upper, NULL, &options) : NULL;
    if (!x)
        return true; /* the bound is met, or the part is not for the solver */
    enum br_exact_result result = BR_EXACT_OPEN;
    uint64_t spent = 0;
    br_exact_set_lower(x, proof->bound);
    while (spent < conflicts && !br_stopped(stop) && result != BR_EXACT_OPTIMAL &&
           result != BR_EXACT_MEMORY) {
        uint64_t turn = conflicts - spent < TURN ? conflicts - spent : TURN;
        result = br_exact_solve(x, BR_EXACT_BOUND, turn, stop);
        spent = br_exact_counts(x).conflicts;
    }
    struct br_proof raised = {.kind = BR_PROOF_CLAUSES,
                              .bound = br_exact_proven(x),
                              .stages = proof->stages,
                              .stage = proof->stage};
    if (raised.bound > proof->bound && br_exact_proof(x, arena, &raised.clause, &raised.clauses))
        *proof = raised;
    br_exact_destroy(x);
    return true;
}

struct br_certificate *br_exact_certify(const struct br_instance *whole, uint64_t conflicts,
                                        const volatile int *stop)
{
    struct br_parts parts;
    if (whole->machines != 1 || br_parts_create(whole, &parts, NULL))
        return NULL;
    struct br_certificate *c = br_certificate_create(whole->tick_ns, parts.count);
    bool ok = c != NULL, any = false;
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const struct br_instance *part = parts.part[k];
        ok = br_certify_part(&c->arena, whole, part, &c->part[k]);
        if (!ok || part->tasks > TASKS_MAX)
            continue;
        any = true;
        ok = raise_part(part, conflicts, stop, &c->arena, &c->part[k]);
    }
    br_parts_finish(&parts);
    if (ok && any)
        return c;
    br_certificate_destroy(c);
    return NULL;
}
