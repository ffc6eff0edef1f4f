/* Certificates of the combinatorial bounds: for each part, the simplest kind that proves its
 * bound. */
#include "planner/bounds/certify.h"

#include <assert.h>
#include <stdlib.h>

#include "planner/bounds/bounds.h"
#include "planner/bounds/closure.h"
#include "planner/bounds/rounds.h"
#include "planner/instance/part.h"
#include "planner/instance/remainder.h"
#include "planner/instance/rounding.h"

/* The longest chain of links: whole stages with their rounds, single tasks along one-to-one edges.
 */
struct chain {
    const struct br_instance *in;
    int64_t *stage_end, *task_end;   /* the longest chain that ends with it */
    uint32_t *stage_from;            /* link before it: a stage, */
    uint32_t *stage_task;            /* or a task of it */
    uint32_t *task_from, *task_task; /* the same for tasks */
};
#define NONE UINT32_MAX

static bool chain_init(struct chain *c, const struct br_instance *in, struct br_arena *arena)
{
    *c = (struct chain){.in = in};
    c->stage_end = br_arena_array(arena, in->stages, sizeof *c->stage_end);
    c->stage_from = br_arena_array(arena, in->stages, sizeof *c->stage_from);
    c->stage_task = br_arena_array(arena, in->stages, sizeof *c->stage_task);
    c->task_end = br_arena_array(arena, in->tasks, sizeof *c->task_end);
    c->task_from = br_arena_array(arena, in->tasks, sizeof *c->task_from);
    c->task_task = br_arena_array(arena, in->tasks, sizeof *c->task_task);
    return c->stage_end && c->stage_from && c->stage_task && c->task_end && c->task_from &&
           c->task_task;
}

/* The best chain that ends in the stage: with the whole of it, or with a task. */
static int64_t best_end(const struct chain *c, uint32_t s, uint32_t *task)
{
    const struct br_instance *in = c->in;
    int64_t best = c->stage_end[s];
    *task = NONE;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++)
        if (c->task_end[t] > best) {
            best = c->task_end[t];
            *task = t - in->stage_first[s];
        }
    return best;
}

static void chain_visit(struct chain *c, uint32_t s, int64_t *best, uint32_t *best_task,
                        int64_t *scratch)
{
    const struct br_instance *in = c->in;
    int64_t base = 0;
    uint32_t from = NONE, task = NONE;
    for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
        uint32_t p = in->parent[a].stage;
        if (!in->parent[a].one_to_one && (best[p] > base || from == NONE)) {
            base = best[p];
            from = p;
            task = best_task[p];
        }
    }
    c->stage_end[s] = base + br_stage_waves(in, s, scratch);
    c->stage_from[s] = from;
    c->stage_task[s] = task;
    for (uint32_t t = in->stage_first[s]; t < in->stage_first[s + 1]; t++) {
        uint32_t i = t - in->stage_first[s];
        int64_t ahead = base;
        c->task_from[t] = from;
        c->task_task[t] = task;
        for (uint32_t a = in->parent_first[s]; a < in->parent_first[s + 1]; a++) {
            uint32_t other = in->stage_first[in->parent[a].stage] + i;
            if (in->parent[a].one_to_one &&
                (c->task_end[other] > ahead || c->task_from[t] == NONE)) {
                ahead = c->task_end[other];
                c->task_from[t] = in->parent[a].stage;
                c->task_task[t] = i;
            }
        }
        c->task_end[t] = ahead + in->duration[t];
    }
    best[s] = best_end(c, s, &best_task[s]);
}

/* The number in the job of a stage of the part. */
static uint32_t certify_origin(const struct br_instance *whole, const struct br_instance *part,
                               uint32_t s)
{
    return whole->task_stage[part->task_origin[part->stage_first[s]]];
}

/* Writes the chain that ends with the stage. False when memory is out. */
static bool certify_write_chain(struct br_arena *arena, const struct chain *c,
                                const struct br_instance *whole, uint32_t s, uint32_t task,
                                struct br_proof *proof)
{
    const struct br_instance *in = c->in;
    for (int write = 0; write < 2; write++) {
        uint32_t at = s, i = task, links = 0;
        while (at != NONE) {
            if (write)
                proof->link[proof->links - 1 - links] =
                    (struct br_proof_link){certify_origin(whole, in, at), i};
            links++;
            uint32_t t = i == NONE ? 0 : in->stage_first[at] + i;
            uint32_t next = i == NONE ? c->stage_from[at] : c->task_from[t];
            i = i == NONE ? c->stage_task[at] : c->task_task[t];
            at = next;
        }
        if (write)
            break;
        proof->links = links;
        proof->link = br_arena_array(arena, links, sizeof *proof->link);
        if (!proof->link)
            return false;
    }
    proof->kind = BR_PROOF_PATH;
    return true;
}

/* The longest chain as a proof if it reaches the proof's bound. If there is no time for more, the
 * bound falls to the chain. */
static bool certify_path(struct br_arena *arena, const struct br_instance *whole,
                         const struct br_instance *in, const struct br_stop *stop,
                         struct br_proof *proof, bool *done)
{
    struct br_arena own = {0};
    struct chain c;
    int64_t *best = br_arena_array(&own, in->stages, sizeof *best), longest = -1;
    uint32_t *best_task = br_arena_array(&own, in->stages, sizeof *best_task), last = 0;
    int64_t *scratch = br_arena_array(&own, in->tasks, sizeof *scratch);
    bool ok = chain_init(&c, in, &own) && best && best_task && scratch;
    for (uint32_t k = 0; ok && k < in->stages; k++) {
        uint32_t s = in->topological[k];
        chain_visit(&c, s, best, best_task, scratch);
        if (best[s] > longest) {
            longest = best[s];
            last = s;
        }
    }
    if (ok && longest < proof->bound && br_stopped(stop))
        proof->bound = longest;
    *done = ok && longest >= proof->bound;
    if (*done)
        ok = certify_write_chain(arena, &c, whole, last, best_task[last], proof);
    br_arena_finish(&own);
    return ok;
}

static bool copy_measure(struct br_arena *arena, const struct br_instance *whole,
                         const struct br_instance *in, const struct br_measure *m,
                         struct br_proof_measure *out)
{
    *out = (struct br_proof_measure){0};
    if (m->kind == BR_MEASURE_RESOURCE) {
        out->resource = in->resource_origin[m->resource];
        if (m->unit)
            out->unit = br_decimal_unscale(m->unit, in->resource_digits[m->resource]);
        return true;
    }
    out->kind = m->kind;
    for (uint32_t s = 0; s < in->stages; s++)
        out->stages += m->weight[s] > 0;
    out->stage = br_arena_array(arena, out->stages, sizeof *out->stage);
    out->weight = br_arena_array(arena, out->stages, sizeof *out->weight);
    for (uint32_t s = 0, k = 0; out->stage && out->weight && s < in->stages; s++)
        if (m->weight[s] > 0) {
            out->weight[k] = m->weight[s];
            out->stage[k++] = certify_origin(whole, in, s);
        }
    return out->stage && out->weight;
}

bool br_proof_add_measure(struct br_arena *arena, const struct br_instance *whole,
                          const struct br_instance *part, const struct br_measure *measure,
                          struct br_proof *proof)
{
    struct br_proof_measure *all = br_arena_array(arena, proof->measures + 1, sizeof *all);
    if (!all)
        return false;
    for (uint32_t m = 0; m < proof->measures; m++)
        all[m] = proof->measure[m];
    proof->energy = proof->measures++;
    proof->measure = all;
    return copy_measure(arena, whole, part, measure, &all[proof->energy]);
}

void br_proof_drop_measures(struct br_proof *proof)
{
    bool energy = proof->kind == BR_PROOF_ENERGY || proof->kind == BR_PROOF_ROUNDS;
    uint32_t kept = 0;
    for (uint32_t m = 0; m < proof->measures; m++) {
        bool used = energy && proof->energy == m;
        for (int write = 0; write < 2 && (used || !write); write++) {
            for (uint32_t k = 0; k < proof->passes; k++) {
                struct br_proof_pass *pass = &proof->pass[k];
                for (uint32_t i = 0; i < pass->heads + pass->tails; i++) {
                    struct br_proof_claim *claim =
                        i < pass->heads ? &pass->head[i] : &pass->tail[i - pass->heads];
                    used |= claim->measure == m;
                    if (write && claim->measure == m)
                        claim->measure = kept;
                }
            }
        }
        if (!used)
            continue;
        if (energy && proof->energy == m)
            proof->energy = kept;
        proof->measure[kept++] = proof->measure[m];
    }
    proof->measures = kept;
    for (uint32_t k = 0; k < proof->cases; k++)
        br_proof_drop_measures(proof->when[k].proof);
}

static bool copy_reasons(struct br_arena *arena, const struct br_instance *whole,
                         const struct br_instance *in, const struct br_window_reason *reason,
                         struct br_proof_claim **claim, uint32_t *claims)
{
    *claims = 0;
    for (uint32_t s = 0; s < in->stages; s++)
        *claims += reason[s].at > 0;
    *claim = br_arena_array(arena, *claims, sizeof **claim);
    for (uint32_t s = 0, k = 0; *claim && s < in->stages; s++)
        if (reason[s].at > 0)
            (*claim)[k++] =
                (struct br_proof_claim){certify_origin(whole, in, s), reason[s].at, reason[s].from,
                                        reason[s].at - 1, reason[s].measure};
    return *claim != NULL;
}

/* Moves the measures that are in use to the front, and drops the others. */
static bool compact(struct br_arena *arena, const struct br_instance *whole,
                    const struct br_instance *in, const struct br_measures *ms,
                    struct br_proof *proof)
{
    uint32_t *number = br_arena_array(arena, ms->count, sizeof *number);
    if (!number)
        return false;
    for (int write = 0; write < 2; write++) {
        struct br_proof_pass *pass = proof->pass;
        for (uint32_t k = 0; pass && k < pass->heads + pass->tails; k++) {
            struct br_proof_claim *claim =
                k < pass->heads ? &pass->head[k] : &pass->tail[k - pass->heads];
            if (write)
                claim->measure = number[claim->measure] - 1;
            else
                number[claim->measure] = 1;
        }
        bool energy = proof->kind == BR_PROOF_ENERGY || proof->kind == BR_PROOF_ROUNDS;
        if (energy && write)
            proof->energy = number[proof->energy] - 1;
        else if (energy)
            number[proof->energy] = 1;
        if (write)
            return true;
        assert(proof->measures == 0);
        for (uint32_t m = 0; m < ms->count; m++)
            if (number[m])
                number[m] = ++proof->measures;
        proof->measure = br_arena_array(arena, proof->measures, sizeof *proof->measure);
        for (uint32_t m = 0; proof->measure && m < ms->count; m++)
            if (number[m] &&
                !copy_measure(arena, whole, in, &ms->measure[m], &proof->measure[number[m] - 1]))
                return false;
        if (!proof->measure)
            return false;
    }
    return true;
}

static bool copy_claims(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *in, const struct br_measures *measures,
                        const struct br_windows *windows, struct br_proof *proof)
{
    struct br_proof_pass *pass = br_arena_array(arena, 1, sizeof *pass);
    if (!pass || !copy_reasons(arena, whole, in, windows->head_reason, &pass->head, &pass->heads) ||
        !copy_reasons(arena, whole, in, windows->tail_reason, &pass->tail, &pass->tails))
        return false;
    if (pass->heads + pass->tails > 0) {
        proof->pass = pass;
        proof->passes = 1;
    }
    return compact(arena, whole, in, measures, proof);
}

bool br_certify_windows(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *in, struct br_proof *proof)
{
    struct br_measures measures = {0};
    struct br_windows windows = {0};
    bool ok = br_measures_init(&measures, in, false) &&
              br_windows_init(&windows, in, BR_LENGTH_WAVES, &measures) &&
              copy_claims(arena, whole, in, &measures, &windows, proof);
    br_windows_finish(&windows);
    br_measures_finish(&measures);
    return ok;
}

/* The windows with or without the claims' additions, and the energy within them. The proof's bound
 * falls to their bound if that is less. */
static bool certify_energy(struct br_arena *arena, const struct br_instance *whole,
                           const struct br_instance *in, const struct br_measures *measures,
                           bool claims, struct br_proof *proof, bool *done)
{
    struct br_windows windows = {0};
    struct br_energy energy = {0};
    bool ok = br_windows_init(&windows, in, BR_LENGTH_WAVES, claims ? measures : NULL);
    int64_t ticks = ok ? windows.ticks : 0;
    if (ok && ticks < proof->bound)
        ticks = br_windows_energy(&windows, in, measures, ticks, proof->bound, &energy);
    ok = ok && ticks >= 0;
    bool rounds = ok && ticks < proof->bound && in->stages <= BR_CLOSURE_STAGES;
    if (rounds) {
        struct br_energy found;
        ticks = br_windows_rounds(&windows, in, measures, ticks, &found);
        ok = ticks >= 0;
        rounds = found.measure != NULL;
        energy = rounds ? found : energy;
    }
    *done = ok && (claims || ticks >= proof->bound);
    if (*done) {
        proof->bound = ticks < proof->bound ? ticks : proof->bound;
        proof->kind = rounds ? BR_PROOF_ROUNDS : energy.measure ? BR_PROOF_ENERGY : BR_PROOF_WINDOW;
        if (energy.measure) {
            proof->energy = (uint32_t)(energy.measure - measures->measure);
            proof->from = energy.head;
            proof->to = proof->bound - 1 - energy.tail;
            assert(0 <= proof->from && proof->from < proof->to);
        }
        for (uint32_t s = 0; s < in->stages; s++)
            if (windows.stage_head[s] + windows.length[s] + windows.stage_tail[s] == windows.ticks)
                proof->at = certify_origin(whole, in, s);
        ok = copy_claims(arena, whole, in, measures, &windows, proof);
    }
    br_windows_finish(&windows);
    return ok;
}

/* All work by capacity, without heads and tails. */
static bool certify_work(struct br_arena *arena, const struct br_instance *whole,
                         const struct br_instance *in, struct br_proof *proof, bool *done)
{
    struct br_arena own = {0};
    struct br_measures measures = {0};
    struct br_energy energy = {0};
    struct br_windows none = {
        .stage_head = br_arena_array(&own, in->stages, sizeof *none.stage_head),
        .head_reason = br_arena_array(&own, in->stages, sizeof *none.head_reason)};
    none.stage_tail = none.stage_head;
    none.tail_reason = none.head_reason;
    bool ok = none.stage_head && none.head_reason && br_measures_init(&measures, in, true);
    int64_t ticks = ok ? br_windows_energy(&none, in, &measures, 0, proof->bound, &energy) : -1;
    ok = ok && ticks >= 0;
    *done = ok && energy.measure && ticks >= proof->bound;
    if (*done) {
        proof->kind = BR_PROOF_ENERGY;
        proof->energy = (uint32_t)(energy.measure - measures.measure);
        proof->from = 0;
        proof->to = proof->bound - 1;
        ok = copy_claims(arena, whole, in, &measures, &none, proof);
    }
    br_measures_finish(&measures);
    br_arena_finish(&own);
    return ok;
}

bool br_certify_part(struct br_arena *arena, const struct br_instance *whole,
                     const struct br_instance *part, int64_t ticks, struct br_proof *proof)
{
    return br_certify_part_by(arena, whole, part, ticks, &(struct br_bounds_effort){0}, proof);
}

static bool certify_argue(struct br_arena *arena, const struct br_instance *whole,
                          const struct br_instance *part, int64_t ticks,
                          const struct br_bounds_effort *effort, struct br_proof *proof)
{
    struct br_measures measures = {0};
    bool done = false;
    *proof = (struct br_proof){.bound = ticks};
    bool ok = ticks >= 0 && br_proof_set_part(arena, whole, part, proof) &&
              certify_path(arena, whole, part, effort->stop, proof, &done);
    if (ok && !done && effort->cheap)
        ok = certify_work(arena, whole, part, proof, &done);
    if (!ok || done)
        return ok;
    ok = br_measures_begin(&measures, part, false, effort->stop);
    for (int claims = 0; ok && !done && claims < 2; claims++)
        ok = certify_energy(arena, whole, part, &measures, claims, proof, &done);
    br_measures_finish(&measures);
    return ok;
}

/* The least bound of the job with this rounding that gives so many ticks, or one that does not. */
static int64_t certify_rounded_bound(const struct br_instance *part, int64_t rounding,
                                     int64_t ticks, int64_t *rest)
{
    struct br_remainders remainders;
    br_remainders_init(&remainders, part, rounding);
    int64_t bound = ticks / rounding;
    while (bound > 0 &&
           (bound - 1) * rounding + br_remainders_least(&remainders, bound - 1) >= ticks)
        bound--;
    *rest = br_remainders_least(&remainders, bound);
    br_remainders_finish(&remainders);
    return bound;
}

/* Proves the bound by durations rounded down. *proven says whether that much could be proven. False
 * when memory is out. */
static bool certify_round(struct br_arena *arena, const struct br_instance *whole,
                          const struct br_instance *part, int64_t rounding, int64_t ticks,
                          const struct br_bounds_effort *effort, struct br_proof *proof,
                          bool *proven)
{
    int64_t rest;
    const int64_t bound = certify_rounded_bound(part, rounding, ticks, &rest);
    if (bound * rounding + rest < ticks)
        return true;
    struct br_instance *rounded = br_instance_round(part, rounding);
    bool ok = rounded &&
              certify_argue(arena, part == whole ? rounded : whole, rounded, bound, effort, proof);
    br_instance_destroy(rounded);
    proof->rounding = rounding;
    proof->rest = ok && proof->bound == bound ? rest : 0;
    *proven = ok && br_proof_ticks(proof) >= ticks;
    return ok;
}

bool br_certify_part_by(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *part, int64_t ticks,
                        const struct br_bounds_effort *effort, struct br_proof *proof)
{
    const int64_t rounding = ticks > 0 && !effort->unrounded ? br_rounding_noise(part) : 1;
    bool proven = false;
    if (rounding > 1) { /* a path of true durations is found sooner */
        *proof = (struct br_proof){.bound = ticks};
        if (!br_proof_set_part(arena, whole, part, proof) ||
            !certify_path(arena, whole, part, effort->stop, proof, &proven))
            return false;
        if (proven)
            return true;
    }
    if (rounding > 1 && !certify_round(arena, whole, part, rounding, ticks, effort, proof, &proven))
        return false;
    return proven || certify_argue(arena, whole, part, ticks, effort, proof);
}

/* A path through the whole job as the proof in one part, if it is as long as `sum`. */
static bool certify_by_path(struct br_certificate *c, const struct br_instance *whole, int64_t sum)
{
    struct br_proof proof = {.bound = sum};
    bool done;
    bool ok = certify_path(&c->arena, whole, whole, NULL, &proof, &done);
    if (ok && done) {
        c->part[0] = proof;
        c->parts = 1;
    }
    return ok;
}

/* The whole in one part; kept if it is as good as the parts are together. */
static bool certify_whole(struct br_certificate *c, const struct br_instance *whole,
                          int64_t whole_ticks, int64_t sum, const struct br_bounds_effort *effort)
{
    struct br_proof proof;
    if (!br_certify_part_by(&c->arena, whole, whole, whole_ticks, effort, &proof))
        return false;
    if (br_proof_ticks(&proof) >= sum) {
        c->part[0] = proof;
        c->parts = 1;
    }
    return true;
}

/* The proofs of all parts, and in `sum` what they prove together. */
static bool certify_each(struct br_certificate *c, const struct br_parts *parts,
                         const struct br_bounds *bounds, const struct br_bounds_effort *effort,
                         int64_t *sum)
{
    *sum = 0;
    for (uint32_t k = 0; k < parts->count; k++) {
        if (!br_certify_part_by(&c->arena, parts->whole, parts->part[k], bounds->part[k].ticks,
                                effort, &c->part[k]))
            return false;
        *sum += br_proof_ticks(&c->part[k]);
    }
    return true;
}

/* A path through the whole says all that many parts do, and is found sooner. */
static bool certify_all(struct br_certificate *c, const struct br_parts *parts,
                        const struct br_bounds *bounds, const struct br_bounds_effort *effort)
{
    const struct br_instance *whole = parts->whole;
    const int64_t whole_ticks = bounds->whole.ticks;
    int64_t sum = 0, proven;
    for (uint32_t k = 0; k < parts->count; k++)
        sum += bounds->part[k].ticks;
    if (parts->count > 1 && whole_ticks < sum) {
        if (!certify_by_path(c, whole, sum))
            return false;
        if (c->parts == 1)
            return true;
    }
    if (!certify_each(c, parts, bounds, effort, &proven))
        return false;
    if (parts->count == 1)
        return true;
    if (whole_ticks >= proven)
        return certify_whole(c, whole, whole_ticks, proven, effort);
    return proven == sum || certify_by_path(c, whole, proven);
}

struct br_certificate *br_certify_parts(const struct br_parts *parts,
                                        const struct br_bounds *bounds,
                                        const struct br_bounds_effort *effort)
{
    struct br_certificate *c = br_certificate_create(parts->whole->tick_ns, parts->count);
    if (c && certify_all(c, parts, bounds, effort))
        return c;
    br_certificate_destroy(c);
    return NULL;
}

struct br_certificate *br_certify(const struct br_instance *whole)
{
    return br_certify_by(whole, &(struct br_bounds_effort){.enough = INT64_MAX});
}

struct br_certificate *br_certify_by(const struct br_instance *whole,
                                     const struct br_bounds_effort *effort)
{
    struct br_certificate *c = NULL;
    struct br_parts parts;
    struct br_bounds bounds;
    if (br_parts_create(whole, &parts, NULL))
        return NULL;
    if (br_bounds_find(&bounds, &parts, effort))
        c = br_certify_parts(&parts, &bounds, effort);
    br_bounds_finish(&bounds);
    br_parts_finish(&parts);
    return c;
}
