/* The trail is taken back entry by entry; where an entry had made a needed literal true, the reason
 * for it takes its place, until one literal of the conflict's level is left. So reasons see the
 * bounds as they were. */
#include "planner/exact/analysis.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"

#define NO_NEED INT32_MIN

bool br_lcg_analysis_init(struct br_lcg_analysis *a, struct br_lcg_engine *engine,
                          struct br_lcg_branching *branching, struct br_lcg_proof *proof)
{
    *a = (struct br_lcg_analysis){.engine = engine, .branching = branching, .proof = proof};
    uint32_t sides = engine->trail.sides;
    a->need = br_arena_array(&engine->arena, sides, sizeof *a->need);
    a->needed = br_arena_array(&engine->arena, sides, sizeof *a->needed);
    a->implied = br_arena_array(&engine->arena, sides, sizeof *a->implied);
    for (uint32_t side = 0; a->need && side < sides; side++)
        a->need[side] = NO_NEED;
    return a->need && a->needed && a->implied;
}

void br_lcg_analysis_finish(struct br_lcg_analysis *a)
{
    br_free(a->lemma.item);
    br_free(a->stamp);
}

/* --- the needs ------------------------------------------------------------------------------- */

/* The bound that the side had when the level began. */
static int32_t at_level_begin(const struct br_lcg_trail *trail, uint32_t side)
{
    return br_lcg_value_before(trail, side, trail->level_start[trail->level]);
}

/* Adds a need; *open counts the sides whose need came true in the present level. */
static void need(struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t *open)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    assert(br_lcg_true(trail, l));
    if (br_lcg_true_at_root(trail, l)) {
        br_lcg_proof_rest_on_root(a->proof, l);
        return;
    }
    int32_t old = a->need[l.side];
    if (old >= l.bound)
        return;
    int32_t begin = at_level_begin(trail, l.side);
    if (old == NO_NEED)
        a->needed[a->needed_count++] = l.side;
    if (l.bound > begin && (old == NO_NEED || old <= begin))
        (*open)++;
    a->need[l.side] = l.bound;
}

static void need_explanation(struct br_lcg_analysis *a, uint32_t reason, uint32_t *open)
{
    const struct br_lcg_literals *explanation = &a->engine->explanation;
    for (uint32_t k = 0; k < explanation->count; k++)
        need(a, explanation->item[k], open);
    if (br_lcg_kind(reason) != BR_LCG_CLAUSE)
        return;
    struct br_lcg_clause *c = br_lcg_clause_at(&a->engine->clauses, br_lcg_number(reason));
    br_lcg_clause_bump(&a->engine->clauses, c);
    br_lcg_proof_rest_on_lemma(a->proof, c->lemma);
}

static struct br_lcg_literal literal_of(const struct br_lcg_analysis *a, uint32_t side)
{
    return (struct br_lcg_literal){side, a->need[side]};
}

static uint32_t level_of(const struct br_lcg_analysis *a, uint32_t side)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    return trail->entry[br_lcg_entry_of(trail, literal_of(a, side))].level;
}

static void forget_needs(struct br_lcg_analysis *a)
{
    for (uint32_t k = 0; k < a->needed_count; k++)
        a->need[a->needed[k]] = NO_NEED;
    a->needed_count = 0;
}

/* --- the unique implication point ------------------------------------------------------------ */

/* Needs what the conflict itself rests on. False when memory is out. */
static bool begin(struct br_lcg_analysis *a, uint32_t *open)
{
    assert(a->needed_count == 0);
    if (!br_lcg_explain_conflict(a->engine))
        return false;
    *open = 0;
    need_explanation(a, a->engine->trail.conflict.reason, open);
    br_lcg_proof_rest_on_span(a->proof, a->engine->trail.conflict.reason,
                              a->engine->trail.conflict.at);
    return true;
}

/* A conflict that needs nothing of the present level was there before: goes back to the level where
 * it came up, and counts the needs that came true in it. */
static void go_to_conflict(struct br_lcg_analysis *a, uint32_t *open)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    uint32_t level = 0;
    for (uint32_t k = 0; k < a->needed_count; k++) {
        uint32_t other = level_of(a, a->needed[k]);
        level = other > level ? other : level;
    }
    br_lcg_backtrack(a->branching, level);
    for (uint32_t k = 0; k < a->needed_count && level > 0; k++)
        *open += a->need[a->needed[k]] > at_level_begin(trail, a->needed[k]);
}

static void drop_need(struct br_lcg_analysis *a, uint32_t side)
{
    uint32_t k = a->needed_count - 1;
    while (a->needed[k] != side)
        k--;
    a->needed[k] = a->needed[--a->needed_count];
    a->need[side] = NO_NEED;
}

/* Takes the trail back to the first unique implication point; its side, NONE when memory is out. */
static uint32_t resolve(struct br_lcg_analysis *a, uint32_t open)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    for (;;) {
        assert(open > 0 && trail->count > trail->level_start[trail->level]);
        struct br_lcg_entry e = trail->entry[trail->count - 1];
        int32_t needed = a->need[e.side];
        if (needed <= e.before) { /* NO_NEED is below everything */
            br_lcg_undo(a->branching);
            continue;
        }
        if (open == 1)
            return e.side;
        struct br_lcg_literal l = {e.side, needed};
        br_lcg_undo(a->branching);
        br_lcg_branching_bump(a->branching, l);
        if (!br_lcg_explain(a->engine, l, e.reason, e.at, trail->count))
            return BR_LCG_NONE;
        open--;
        drop_need(a, e.side); /* it may be needed again, for less */
        need_explanation(a, e.reason, &open);
    }
}

/* --- the lemma ------------------------------------------------------------------------------- */

/* Whether others among the needs imply that of the side, by the reason for its entry: each literal
 * of it must be needed at least as high, by a bound that was reached before. */
static bool implied(struct br_lcg_analysis *a, uint32_t side)
{
    struct br_lcg_engine *engine = a->engine;
    const struct br_lcg_trail *trail = &engine->trail;
    const struct br_lcg_literals *explanation = &engine->explanation;
    struct br_lcg_literal l = literal_of(a, side);
    uint32_t number = br_lcg_entry_of(trail, l);
    const struct br_lcg_entry *entry = &trail->entry[number];
    uint32_t kind = br_lcg_kind(entry->reason);
    if (kind == BR_LCG_DECISION || !br_lcg_explain(engine, l, entry->reason, entry->at, number))
        return false;
    for (uint32_t k = 0; k < explanation->count; k++) {
        struct br_lcg_literal r = explanation->item[k];
        if (br_lcg_true_at_root(trail, r))
            continue;
        if (r.side == side || a->need[r.side] < r.bound ||
            br_lcg_value_before(trail, r.side, number) < a->need[r.side])
            return false;
    }
    if (!a->proof)
        return true;
    if (kind == BR_LCG_CLAUSE)
        br_lcg_proof_rest_on_lemma(
            a->proof, br_lcg_clause_at(&engine->clauses, br_lcg_number(entry->reason))->lemma);
    for (uint32_t k = 0; k < explanation->count; k++)
        if (br_lcg_true_at_root(trail, explanation->item[k]))
            br_lcg_proof_rest_on_root(a->proof, explanation->item[k]);
    return true;
}

/* Room for a stamp of every level. False when memory is out. */
static bool reserve_stamps(struct br_lcg_analysis *a, uint32_t levels)
{
    while (a->stamp_room < levels) {
        uint32_t old = a->stamp_room;
        if (!br_grow(&a->stamp, old, &a->stamp_room, sizeof *a->stamp)) {
            a->engine->trail.memory_out = true;
            return false;
        }
        memset(a->stamp + old, 0, (a->stamp_room - old) * sizeof *a->stamp);
    }
    return true;
}

/* Appends the negation of the side's need to the lemma. False when memory is out. */
static bool append(struct br_lcg_analysis *a, uint32_t side)
{
    return br_lcg_append(&a->engine->trail, &a->lemma, br_lcg_negation(literal_of(a, side)));
}

/* The lemma: the negations of the needs that others do not imply, that of `first` first, then one
 * of the highest level left, which is *back; *glue counts the levels. False when memory is out. */
static bool collect(struct br_lcg_analysis *a, uint32_t first, uint32_t *back, uint32_t *glue)
{
    a->lemma.count = 0;
    a->stamps++;
    *back = 0;
    *glue = 1;
    for (uint32_t k = 0; k < a->needed_count; k++) /* each sees all needs */
        a->implied[a->needed[k]] = a->needed[k] != first && implied(a, a->needed[k]);
    if (!reserve_stamps(a, a->engine->trail.level + 1) || !append(a, first))
        return false;
    for (uint32_t k = 0; k < a->needed_count; k++) {
        uint32_t side = a->needed[k];
        if (side == first || a->implied[side])
            continue;
        uint32_t level = level_of(a, side);
        assert(level > 0 && level < a->engine->trail.level);
        if (!append(a, side))
            return false;
        if (a->stamp[level] != a->stamps) {
            a->stamp[level] = a->stamps;
            ++*glue;
        }
        if (level > *back) {
            *back = level;
            struct br_lcg_literal swap = a->lemma.item[1];
            a->lemma.item[1] = a->lemma.item[a->lemma.count - 1];
            a->lemma.item[a->lemma.count - 1] = swap;
        }
    }
    return true;
}

/* Whether all literals of the lemma from the given one on are false. */
static bool lemma_false(const struct br_lcg_analysis *a, uint32_t from)
{
    for (uint32_t k = from; k < a->lemma.count; k++)
        if (!br_lcg_false(&a->engine->trail, a->lemma.item[k]))
            return false;
    return true;
}

/* Stores the lemma, which has the given number on record, and makes its first literal true. False
 * when memory is out. */
static bool use_lemma(struct br_lcg_analysis *a, uint32_t glue, uint32_t lemma)
{
    struct br_lcg_engine *engine = a->engine;
    struct br_lcg_literal asserted = a->lemma.item[0];
    uint32_t reason = br_lcg_reason(BR_LCG_LEMMA, lemma);
    if (a->lemma.count > 1) {
        for (uint32_t k = 0; k < a->lemma.count; k++)
            if (!br_lcg_branching_admit(a->branching, a->lemma.item[k]))
                return false;
        uint32_t clause = br_lcg_clause_add(&engine->clauses, &a->lemma, glue, lemma);
        if (clause == BR_LCG_NONE)
            return false;
        reason = br_lcg_reason(BR_LCG_CLAUSE, clause);
    }
    br_lcg_branching_decay(a->branching);
    br_lcg_clauses_decay(&engine->clauses);
    return br_lcg_push(&engine->trail, asserted.side, asserted.bound, reason, 0);
}

bool br_lcg_learn(struct br_lcg_analysis *a)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    uint32_t open, back, glue;
    a->conflicts++;
    br_lcg_proof_begin(a->proof);
    if (trail->level == 0) {
        br_lcg_proof_record_end(a->proof);
        return false;
    }
    if (!begin(a, &open))
        return false;
    if (open == 0)
        go_to_conflict(a, &open);
    if (trail->level == 0) { /* it was there at the root, and all that it rests on is noted */
        forget_needs(a);
        br_lcg_proof_record_noted_end(a->proof);
        return false;
    }
    uint32_t first = resolve(a, open);
    if (first == BR_LCG_NONE || !collect(a, first, &back, &glue))
        return false;
    br_costly_assert(lemma_false(a, 0));
    forget_needs(a);
    a->literals += a->lemma.count;
    uint32_t lemma = br_lcg_proof_record(a->proof, &a->lemma);
    br_lcg_backtrack(a->branching, back);
    assert(trail->level == back && !br_lcg_true(trail, a->lemma.item[0]) &&
           !br_lcg_false(trail, a->lemma.item[0]));
    br_costly_assert(lemma_false(a, 1));
    return use_lemma(a, glue, lemma);
}
