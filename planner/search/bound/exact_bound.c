/* Raises the bounds of the parts in turns, each from the best bound that is known of it. */
#include "planner/search/bound/exact_bound.h"

#include "base/collections/memory.h"
#include "base/process/stop.h"
#include "planner/bounds/bounds.h"
#include "planner/bounds/certify.h"
#include "planner/exact/exact.h"
#include "planner/instance/part.h"
#include "planner/instance/rounding.h"
#include "planner/schedule/heuristic.h"
#include "planner/schedule/schedule.h"
#include "planner/search/bound/retime.h"

/* On jobs of more tasks than this, conflicts take long and prove little. */
enum { TASKS_MAX = 2000, TURN = 500, TICKS = 10000 };
/* The limits on several machines. */
enum { MACHINES_MAX = 8, MACHINES_TASKS_MAX = 64 };

/* A part at work; without a solver it is left as it is. */
struct raise {
    const struct br_instance *part;
    struct br_exact *exact;
    int64_t rounding, upper; /* the solver's rounding; the makespan of a known schedule */
    uint64_t conflicts;      /* of solvers before it */
    uint64_t decisions;      /* the most */
    int64_t known;           /* the bound that the combinatorial bounds, or others, prove */
    struct br_proof kept;    /* by a solver before it; bound 0: none */
    bool open, met;
};

/* The makespan of a quick schedule; any would do as the horizon. False when memory is out. */
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

bool br_exact_is_met(const struct br_instance *in, int64_t ticks)
{
    int64_t upper;
    return quick_makespan(in, &upper) && upper <= ticks;
}

/* A decision looks through the tasks, and on one machine at the profile, which is kept tick by
 * tick.
 */
static uint64_t most_decisions(const struct br_instance *part, int64_t upper, uint64_t work)
{
    uint64_t more = part->machines == 1 ? (uint64_t)upper / TICKS : 0;
    return work ? work / ((1 + more) * part->tasks) : UINT64_MAX;
}

/* Makes a solver with that rounding, unless it is 0. Without one the part is not for the solver. */
static void exact_bound_open(struct raise *r, int64_t rounding, uint64_t work)
{
    r->rounding = rounding;
    r->exact = rounding ? br_exact_create(r->part, r->upper, rounding, true) : NULL;
    r->open = r->exact != NULL;
    if (r->exact) {
        r->decisions = most_decisions(r->part, r->upper / rounding, work);
        br_exact_limit_decisions(r->exact, r->decisions);
    }
}

/* False when memory is out. */
static bool exact_bound_begin(struct raise *r, const struct br_instance *part, int64_t known,
                              uint64_t work)
{
    *r = (struct raise){.part = part, .known = known};
    if (!quick_makespan(part, &r->upper))
        return false;
    r->met = r->upper <= known;
    if (!r->met)
        exact_bound_open(r, br_rounding(part, r->upper, 0), work);
    return true;
}

/* The shortest schedule known, if the solver has found one: its length. False when memory is out.
 */
static bool exact_bound_retime(struct raise *r)
{
    struct br_reach reach;
    struct br_schedule schedule = {0};
    bool ok = br_reach_init(&reach, r->part) && br_schedule_init(&schedule, r->part);
    const bool made = ok && br_exact_schedule(r->exact, schedule.start, schedule.machine);
    ok = ok && (!made || br_retime(r->part, &reach, &schedule));
    if (ok && made && schedule.makespan < r->upper)
        r->upper = schedule.makespan;
    br_schedule_finish(&schedule);
    br_reach_finish(&reach);
    return ok;
}

/* Keeps the proof of a solver whose rounded job is closed. If more than the slack is left between
 * the bounds of the true one, a solver with less rounding goes on. */
static void exact_bound_refine(struct raise *r, struct br_exact_effort *effort,
                               struct br_arena *arena)
{
    int64_t proven = br_exact_proven(r->exact);
    struct br_proof proof;
    r->open = false;
    if (proven > r->known) {
        if (!br_exact_proof(r->exact, arena, &proof)) {
            effort->lost = true;
            return;
        }
        r->kept = proof;
        r->known = proven;
    }
    r->met = exact_bound_retime(r) &&
             r->upper - r->known <= br_rounding_slack(r->upper, effort->tolerance);
    if (r->met)
        return;
    r->conflicts += br_exact_counts(r->exact).conflicts;
    br_exact_count(r->exact, &effort->counters);
    br_exact_destroy(r->exact);
    r->exact = NULL;
    exact_bound_open(r, br_rounding(r->part, r->upper, r->rounding), effort->work);
    if (r->exact)
        br_exact_aim(r->exact, r->upper - br_rounding_slack(r->upper, effort->tolerance));
}

/* Conflicts, with those of solvers before this one. */
static uint64_t exact_bound_spent(const struct raise *r)
{
    return r->conflicts + (r->exact ? br_exact_counts(r->exact).conflicts : 0);
}

/* One turn. Returns whether it has raised the bound above the known one. */
static bool exact_bound_turn(struct raise *r, struct br_exact_effort *effort,
                             struct br_arena *arena)
{
    int64_t before = br_exact_proven(r->exact);
    uint64_t left = effort->conflicts - exact_bound_spent(r), conflicts = left < TURN ? left : TURN;
    br_exact_set_lower(r->exact, r->known);
    enum br_exact_result result = br_exact_solve(r->exact, BR_EXACT_BOUND, conflicts, effort->stop);
    r->met = result == BR_EXACT_OPTIMAL;
    r->open = result != BR_EXACT_OPTIMAL && result != BR_EXACT_MEMORY && result != BR_EXACT_LOST &&
              exact_bound_spent(r) < effort->conflicts &&
              br_exact_counts(r->exact).decisions < r->decisions;
    int64_t now = br_exact_proven(r->exact), known = r->known;
    if (r->met && r->rounding > 1)
        exact_bound_refine(r, effort, arena);
    return now > before && now > known;
}

static void exact_bound_listen(struct raise *r, const struct br_certificate *c, uint32_t part,
                               const struct br_exact_effort *effort)
{
    const struct br_certificate *others = effort->others ? effort->others(effort->context) : NULL;
    const struct br_proof *proof = others ? br_certificate_same_part(c, others, part) : NULL;
    if (proof && br_proof_ticks(proof) > r->known)
        r->known = br_proof_ticks(proof);
}

static void raise_all(struct raise *raise, struct br_certificate *c, struct br_exact_effort *effort)
{
    bool any = true;
    while (any && !br_stopped(effort->stop)) {
        bool risen = false;
        uint64_t most = 0;
        any = false;
        for (uint32_t k = 0; k < c->parts; k++) {
            if (!raise[k].open)
                continue;
            exact_bound_listen(&raise[k], c, k, effort);
            risen |= exact_bound_turn(&raise[k], effort, &c->arena);
            const uint64_t spent = raise[k].open ? exact_bound_spent(&raise[k]) : 0;
            most = spent > most ? spent : most;
            any |= raise[k].open;
        }
        if (any && effort->goes_on && !effort->goes_on(effort->context, most, risen))
            break;
    }
}

/* The ticks of the shortest schedule of a part that is met. */
static int64_t exact_bound_upper(const struct raise *r)
{
    const bool exactly = r->exact && r->rounding == 1;
    const int64_t proven = exactly ? br_exact_proven(r->exact) : 0;
    return !exactly ? r->upper : proven > r->known ? proven : r->known;
}

static void exact_bound_write_proof(struct raise *r, struct br_arena *arena, struct br_proof *proof,
                                    bool *lost)
{
    struct br_proof raised = r->kept;
    if (r->exact && br_exact_proven(r->exact) > r->known &&
        !br_exact_proof(r->exact, arena, &raised)) {
        *lost = true;
        raised = r->kept;
    }
    if (br_proof_ticks(&raised) <= br_proof_ticks(proof))
        return;
    raised.stages = proof->stages;
    raised.stage = proof->stage;
    *proof = raised;
}

struct br_certificate *br_exact_certify(const struct br_instance *whole,
                                        struct br_exact_effort *effort)
{
    struct br_parts parts;
    effort->met = effort->lost = false;
    effort->counters = (struct br_counters){0};
    if (whole->machines > MACHINES_MAX || effort->conflicts == 0 ||
        br_parts_create(whole, &parts, NULL))
        return NULL;
    effort->counters.parts = parts.count;
    struct br_certificate *c = br_certificate_create(whole->tick_ns, parts.count);
    struct raise *raise = br_calloc(parts.count, sizeof *raise);
    bool ok = c && raise, any = false;
    for (uint32_t k = 0; ok && k < parts.count; k++) {
        const struct br_bounds_effort all = {.enough = INT64_MAX, .stop = effort->stop};
        int64_t core = br_bounds_by(parts.part[k], &all).ticks;
        ok = br_certify_part_by(&c->arena, whole, parts.part[k], core, &all, &c->part[k]);
        if (!ok || parts.part[k]->tasks > (whole->machines > 1 ? MACHINES_TASKS_MAX : TASKS_MAX))
            continue;
        any = true;
        ok = exact_bound_begin(&raise[k], parts.part[k], br_proof_ticks(&c->part[k]), effort->work);
    }
    if (ok && any)
        raise_all(raise, c, effort);
    effort->met = ok && any;
    effort->upper = 0;
    for (uint32_t k = 0; raise && k < parts.count; k++) {
        effort->met &= raise[k].met;
        effort->upper += exact_bound_upper(&raise[k]);
        if (ok && any)
            exact_bound_write_proof(&raise[k], &c->arena, &c->part[k], &effort->lost);
        if (raise[k].exact)
            br_exact_count(raise[k].exact, &effort->counters);
        br_exact_destroy(raise[k].exact);
    }
    br_free(raise);
    br_parts_finish(&parts);
    if (ok && any)
        return c;
    br_certificate_destroy(c);
    return NULL;
}
