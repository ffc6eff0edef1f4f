/* The trail is taken back entry by entry. If an entry had made a needed literal true, its reason
 * takes the literal's place, until one literal of the conflict's level is left. So reasons see the
 * bounds as they were. */
#include "planner/exact/analysis.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"

#define NO_NEED INT32_MIN

/* Depth to which reasons upon reasons are looked at. */
enum { DEPTH_MAX = 32 };

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
    br_free(a->reasons.item);
    br_free(a->mark);
    br_free(a->stamp);
}

/* --- the needs ------------------------------------------------------------------------------- */

/* The bound of the side when the level began. */
static int32_t at_level_begin(const struct br_lcg_trail *trail, uint32_t side)
{
    return br_lcg_value_before(trail, side, trail->level_start[trail->level]);
}

/* Adds a need; *open counts the sides whose need came true in the present level. */
static void exact_analysis_need(struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t *open)
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

/* Makes room for this many elements in the array whose address is given; new ones are 0. False when
 * memory is out. */
static bool exact_analysis_reserve(struct br_lcg_analysis *a, void *array, uint32_t *room,
                                   uint32_t wanted, size_t size)
{
    while (*room < wanted) {
        const uint32_t old = *room;
        char *memory;
        if (!br_grow(array, old, room, size)) {
            a->engine->trail.memory_out = true;
            return false;
        }
        memcpy(&memory, array, sizeof memory); /* for any type of pointer */
        memset(memory + old * size, 0, (*room - old) * size);
    }
    return true;
}

/* Counts the levels of an explaining clause again: if there are fewer now, the clause is worth more
 * than it seemed when it was learned [Audemard09]. */
static void count_levels(struct br_lcg_analysis *a, struct br_lcg_clause *clause)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    uint32_t levels = 0;
    a->stamps++;
    for (uint32_t k = 0; k < clause->size; k++) {
        struct br_lcg_literal l = br_lcg_negation(clause->literal[k]);
        if (!br_lcg_true(trail, l) || br_lcg_true_at_root(trail, l))
            continue; /* also the literal that it explains */
        uint32_t level = trail->entry[br_lcg_entry_of(trail, l)].level;
        levels += a->stamp[level] != a->stamps;
        a->stamp[level] = a->stamps;
    }
    if (levels > 0 && levels < clause->glue)
        clause->glue = levels;
}

static void need_explanation(struct br_lcg_analysis *a, uint32_t reason, uint32_t *open)
{
    const struct br_lcg_literals *explanation = &a->engine->explanation;
    for (uint32_t k = 0; k < explanation->count; k++)
        exact_analysis_need(a, explanation->item[k], open);
    if (br_lcg_kind(reason) != BR_LCG_CLAUSE)
        return;
    struct br_lcg_clause *c = br_lcg_clause_at(&a->engine->clauses, br_lcg_number(reason));
    br_lcg_clause_bump(&a->engine->clauses, c);
    if (c->glue > BR_LCG_GLUE_KEPT)
        count_levels(a, c);
    br_lcg_proof_rest_on_lemma(a->proof, c->lemma);
}

static struct br_lcg_literal literal_of(const struct br_lcg_analysis *a, uint32_t side)
{
    return (struct br_lcg_literal){side, a->need[side]};
}

static uint32_t exact_analysis_level_of(const struct br_lcg_analysis *a, uint32_t side)
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

/* Needs the literals on which the conflict itself rests. False when memory is out. */
static bool exact_analysis_begin(struct br_lcg_analysis *a, uint32_t *open)
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

/* A conflict that needs nothing of the present level existed before: goes back to the level of its
 * origin, and counts the needs that came true in it. */
static void go_to_conflict(struct br_lcg_analysis *a, uint32_t *open)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    uint32_t level = 0;
    for (uint32_t k = 0; k < a->needed_count; k++) {
        uint32_t other = exact_analysis_level_of(a, a->needed[k]);
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
static uint32_t exact_analysis_resolve(struct br_lcg_analysis *a, uint32_t open)
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

/* --- what others imply ----------------------------------------------------------------------- */

/* Puts the explanation of the literal, which the entry made true, upon the reasons. False if
 * nothing explains it, or when memory is out. */
static bool push_reasons(struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t number)
{
    struct br_lcg_engine *engine = a->engine;
    const struct br_lcg_entry *entry = &engine->trail.entry[number];
    if (br_lcg_kind(entry->reason) == BR_LCG_DECISION ||
        !br_lcg_explain(engine, l, entry->reason, entry->at, number))
        return false;
    for (uint32_t k = 0; k < engine->explanation.count; k++)
        if (!br_lcg_append(&engine->trail, &a->reasons, engine->explanation.item[k]))
            return false;
    return true;
}

/* Do the needs include that the literal was true before the entry? A need that came true later does
 * not count, so nothing implies itself. */
static bool is_needed(const struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t number)
{
    int32_t needed = a->need[l.side];
    return needed >= l.bound && br_lcg_value_before(&a->engine->trail, l.side, number) >= needed;
}

static bool reasons_implied(struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t number,
                            uint32_t depth);

/* Do the needs imply the literal, which was true before the entry? Not known beyond some depth. If
 * no literal of the level is needed, its decision would have to be implied. */
static bool exact_analysis_follows(struct br_lcg_analysis *a, struct br_lcg_literal l,
                                   uint32_t number, uint32_t depth)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    if (br_lcg_true_at_root(trail, l) || is_needed(a, l, number))
        return true;
    uint32_t own = br_lcg_entry_of(trail, l);
    const struct br_lcg_mark *mark = &a->mark[own];
    if (mark->implied == a->stamps && mark->bound >= l.bound)
        return true;
    if (mark->open == a->stamps || a->stamp[trail->entry[own].level] != a->stamps || depth == 0)
        return false;
    return reasons_implied(a, l, own, depth - 1);
}

/* Do the needs imply the whole explanation of the literal, which the entry made true? */
static bool reasons_implied(struct br_lcg_analysis *a, struct br_lcg_literal l, uint32_t number,
                            uint32_t depth)
{
    const uint32_t first = a->reasons.count;
    bool ok = push_reasons(a, l, number);
    for (uint32_t k = first; k < a->reasons.count && ok; k++)
        ok = exact_analysis_follows(a, a->reasons.item[k], number, depth);
    a->reasons.count = first;
    struct br_lcg_mark *mark = &a->mark[number];
    if (!ok) {
        mark->open = a->stamps;
    } else if (mark->implied != a->stamps || mark->bound < l.bound) {
        mark->implied = a->stamps;
        mark->bound = l.bound;
    }
    return ok;
}

/* Notes in the proof the reasons of the literal, which the needs imply. Also notes all that its
 * entry makes true, as far up as the needs imply that. False when memory is out. */
static bool note_reasons(struct br_lcg_analysis *a, struct br_lcg_literal l)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    const uint32_t number = br_lcg_entry_of(trail, l);
    const struct br_lcg_entry *entry = &trail->entry[number];
    struct br_lcg_mark *mark = &a->mark[number];
    const uint32_t first = a->reasons.count;
    assert(mark->implied == a->stamps && mark->bound >= l.bound);
    if (mark->noted == a->stamps)
        return true;
    mark->noted = a->stamps;
    if (br_lcg_kind(entry->reason) == BR_LCG_CLAUSE)
        br_lcg_proof_rest_on_lemma(
            a->proof, br_lcg_clause_at(&a->engine->clauses, br_lcg_number(entry->reason))->lemma);
    bool ok = push_reasons(a, (struct br_lcg_literal){entry->side, mark->bound}, number);
    for (uint32_t k = first; k < a->reasons.count && ok; k++) {
        struct br_lcg_literal r = a->reasons.item[k];
        if (br_lcg_true_at_root(trail, r))
            br_lcg_proof_rest_on_root(a->proof, r);
        else if (!is_needed(a, r, number))
            ok = note_reasons(a, r);
    }
    a->reasons.count = first;
    return ok;
}

/* Finds the needs that others imply, but not that of `first`. False when memory is out. */
static bool find_implied(struct br_lcg_analysis *a, uint32_t first)
{
    const struct br_lcg_trail *trail = &a->engine->trail;
    if (!exact_analysis_reserve(a, &a->mark, &a->mark_room, trail->count, sizeof *a->mark))
        return false;
    a->stamps++;
    for (uint32_t k = 0; k < a->needed_count; k++)
        a->stamp[exact_analysis_level_of(a, a->needed[k])] = a->stamps;
    for (uint32_t k = 0; k < a->needed_count; k++) { /* each sees all needs */
        const uint32_t side = a->needed[k];
        const struct br_lcg_literal l = literal_of(a, side);
        a->implied[side] =
            side != first && reasons_implied(a, l, br_lcg_entry_of(trail, l), DEPTH_MAX);
    }
    bool ok = !trail->memory_out;
    for (uint32_t k = 0; k < a->needed_count && a->proof && ok; k++)
        if (a->implied[a->needed[k]])
            ok = note_reasons(a, literal_of(a, a->needed[k]));
    return ok;
}

/* --- the lemma ------------------------------------------------------------------------------- */

/* Appends the negation of the side's need to the lemma. False when memory is out. */
static bool exact_analysis_append(struct br_lcg_analysis *a, uint32_t side)
{
    return br_lcg_append(&a->engine->trail, &a->lemma, br_lcg_negation(literal_of(a, side)));
}

/* Writes the lemma: the negations of the needs that others do not imply. That of `first` comes
 * first, then one of the highest level left, which is *back; *glue counts the levels. False when
 * memory is out. */
static bool exact_analysis_collect(struct br_lcg_analysis *a, uint32_t first, uint32_t *back,
                                   uint32_t *glue)
{
    a->lemma.count = 0;
    *back = 0;
    *glue = 1;
    if (!find_implied(a, first) || !exact_analysis_append(a, first))
        return false;
    a->stamps++;
    for (uint32_t k = 0; k < a->needed_count; k++) {
        uint32_t side = a->needed[k];
        if (side == first || a->implied[side])
            continue;
        uint32_t level = exact_analysis_level_of(a, side);
        assert(level > 0 && level < a->engine->trail.level);
        if (!exact_analysis_append(a, side))
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

/* Are all literals of the lemma from the given one on false? */
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
    if (!exact_analysis_reserve(a, &a->stamp, &a->stamp_room, trail->level + 1, sizeof *a->stamp) ||
        !exact_analysis_begin(a, &open))
        return false;
    if (open == 0)
        go_to_conflict(a, &open);
    if (trail->level == 0) { /* it held at the root, and all its reasons are noted */
        forget_needs(a);
        br_lcg_proof_record_noted_end(a->proof);
        return false;
    }
    uint32_t first = exact_analysis_resolve(a, open);
    if (first == BR_LCG_NONE || !exact_analysis_collect(a, first, &back, &glue))
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
