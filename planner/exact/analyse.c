/* What a conflict teaches: the first unique implication point [Marques99], over bounds.
 *
 * A set of literals that cannot all be true is kept as, for each side, the bound that it needs;
 * of two bounds of one side the higher says both. The trail is taken back entry by entry; where an
 * entry had made a needed literal true, the reason for it takes its place, until one literal of the
 * conflict's level is left. So reasons see the bounds as they were. */
#include "planner/exact/lcg.h"

#define CLAUSE_DECAY 0.999
#define NODE_DECAY 0.95
#define NO_NEED INT32_MIN

static bool add_reason(struct br_lcg *s, struct br_lcg_literal l)
{
    return br_lcg_add_literal(s, &s->reason, &s->reason_count, &s->reason_room, l);
}

static bool explain_clause(struct br_lcg *s, const struct br_lcg_literal *literal, uint32_t size,
                           struct br_lcg_literal l)
{
    for (uint32_t k = 0; k < size; k++)
        if ((literal[k].side != l.side || literal[k].bound < l.bound) &&
            !add_reason(s, br_lcg_negation(literal[k])))
            return false;
    return true;
}

bool br_lcg_explain(struct br_lcg *s, struct br_lcg_literal l, uint32_t why, int32_t at,
                    uint32_t entry)
{
    s->reason_count = 0;
    switch (br_lcg_kind(why)) {
    case BR_LCG_CLAUSE: {
        struct br_lcg_clause *c = br_lcg_clause_at(s, br_lcg_number(why));
        return explain_clause(s, c->literal, c->size, l);
    }
    case BR_LCG_ARC: {
        const struct br_lcg_arc *arc = &s->arc[br_lcg_number(why)];
        return add_reason(s, (struct br_lcg_literal){arc->from, l.bound - arc->lag});
    }
    case BR_LCG_PROFILE:
        return br_lcg_explain_profile(s, l, at, entry);
    default:
        return true;
    }
}

/* The bound that the side had when the level began. */
static int32_t at_level_begin(const struct br_lcg *s, uint32_t side)
{
    return br_lcg_value_before(s, side, s->level_start[s->level].trail);
}

/* Adds what the conflict needs; *open counts those of the level. */
static void need(struct br_lcg *s, struct br_lcg_literal l, uint32_t *open)
{
    if (s->root[l.side] >= l.bound) {
        if (s->proof)
            br_lcg_rest_on_root(s, l);
        return;
    }
    int32_t old = s->need[l.side];
    if (old >= l.bound)
        return;
    int32_t begin = at_level_begin(s, l.side);
    if (old == NO_NEED)
        s->needed[s->needed_count++] = l.side;
    if (l.bound > begin && (old == NO_NEED || old <= begin))
        (*open)++;
    s->need[l.side] = l.bound;
}

static void need_reasons(struct br_lcg *s, uint32_t why, uint32_t *open)
{
    for (uint32_t k = 0; k < s->reason_count; k++)
        need(s, s->reason[k], open);
    if (br_lcg_kind(why) != BR_LCG_CLAUSE)
        return;
    struct br_lcg_clause *c = br_lcg_clause_at(s, br_lcg_number(why));
    br_lcg_bump_clause(s, c);
    if (s->proof)
        br_lcg_rest_on_lemma(s, c->lemma);
}

static void bump(struct br_lcg *s, struct br_lcg_literal l)
{
    bool negated;
    uint32_t node = br_lcg_node_find(s, l, &negated);
    if (node != BR_LCG_NONE)
        br_lcg_bump_node(s, node);
}

/* What the conflict itself rests on. False when memory is out. */
static bool begin(struct br_lcg *s, uint32_t *open)
{
    struct br_lcg_literal l = s->failed_literal;
    if (!br_lcg_explain(s, l, s->failed_why, s->failed_at, s->trail_count))
        return false;
    if (l.side != BR_LCG_NONE && !add_reason(s, br_lcg_negation(l)))
        return false;
    *open = 0;
    need_reasons(s, s->failed_why, open);
    return true;
}

/* Where the conflict needs nothing of the present level it was there before: goes back to where
 * it came up, and counts what it needs of that. */
static void go_to_conflict(struct br_lcg *s, uint32_t *open)
{
    uint32_t level = 0;
    for (uint32_t k = 0; k < s->needed_count; k++) {
        struct br_lcg_literal l = {s->needed[k], s->need[s->needed[k]]};
        uint32_t e = br_lcg_entry_of(s, l);
        if (s->trail[e].level > level)
            level = s->trail[e].level;
    }
    br_lcg_backtrack(s, level);
    for (uint32_t k = 0; k < s->needed_count && level > 0; k++)
        *open += s->need[s->needed[k]] > at_level_begin(s, s->needed[k]);
}

static void forget_needs(struct br_lcg *s)
{
    for (uint32_t k = 0; k < s->needed_count; k++)
        s->need[s->needed[k]] = NO_NEED;
    s->needed_count = 0;
}

/* Takes the trail back to the first unique implication point; its side, NONE when memory is out. */
static uint32_t resolve(struct br_lcg *s, uint32_t open)
{
    for (;;) {
        struct br_lcg_entry e = s->trail[s->trail_count - 1];
        int32_t needed = s->need[e.side];
        if (needed <= e.before) { /* NO_NEED is below everything */
            br_lcg_undo(s);
            continue;
        }
        if (open == 1)
            return e.side;
        struct br_lcg_literal l = {e.side, needed};
        br_lcg_undo(s);
        bump(s, l);
        if (!br_lcg_explain(s, l, e.why, e.at, s->trail_count))
            return BR_LCG_NONE;
        /* The side may be needed again, for less. It stays on the list. */
        open--;
        s->need[e.side] = NO_NEED;
        for (uint32_t k = s->needed_count; k-- > 0;)
            if (s->needed[k] == e.side) {
                s->needed[k] = s->needed[--s->needed_count];
                break;
            }
        need_reasons(s, e.why, &open);
    }
}

/* Whether others among the needs imply that of the side, by the reason for its entry: each literal
 * of it must be needed at least as high, by a bound that was reached before. */
static bool implied(struct br_lcg *s, uint32_t side)
{
    struct br_lcg_literal l = {side, s->need[side]};
    uint32_t e = br_lcg_entry_of(s, l);
    const struct br_lcg_entry *entry = &s->trail[e];
    uint32_t kind = br_lcg_kind(entry->why);
    if (kind == BR_LCG_DECISION || !br_lcg_explain(s, l, entry->why, entry->at, e))
        return false;
    for (uint32_t k = 0; k < s->reason_count; k++) {
        struct br_lcg_literal r = s->reason[k];
        if (s->root[r.side] >= r.bound)
            continue;
        if (r.side == side || s->need[r.side] < r.bound ||
            br_lcg_value_before(s, r.side, e) < s->need[r.side])
            return false;
    }
    if (s->proof) {
        if (kind == BR_LCG_CLAUSE)
            br_lcg_rest_on_lemma(s, br_lcg_clause_at(s, br_lcg_number(entry->why))->lemma);
        for (uint32_t k = 0; k < s->reason_count; k++)
            if (s->root[s->reason[k].side] >= s->reason[k].bound)
                br_lcg_rest_on_root(s, s->reason[k]);
    }
    return true;
}

/* The lemma: the negations of the needs that others do not imply, the asserting one first, then one
 * of the highest level left. False when memory is out. */
static bool collect(struct br_lcg *s, uint32_t first, uint32_t *back, uint32_t *glue)
{
    s->lemma_count = 0;
    s->stamps++;
    *back = 0;
    *glue = 1;
    for (uint32_t k = 0; k < s->needed_count; k++) /* each sees all needs */
        s->implied[s->needed[k]] = s->needed[k] != first && implied(s, s->needed[k]);
    if (!br_lcg_add_literal(s, &s->lemma, &s->lemma_count, &s->lemma_room,
                            br_lcg_negation((struct br_lcg_literal){first, s->need[first]})))
        return false;
    for (uint32_t k = 0; k < s->needed_count; k++) {
        uint32_t side = s->needed[k];
        if (side == first || s->implied[side])
            continue;
        struct br_lcg_literal l = {side, s->need[side]};
        uint32_t level = s->trail[br_lcg_entry_of(s, l)].level;
        if (!br_lcg_add_literal(s, &s->lemma, &s->lemma_count, &s->lemma_room, br_lcg_negation(l)))
            return false;
        if (s->level_start[level].stamp != s->stamps) {
            s->level_start[level].stamp = s->stamps;
            ++*glue;
        }
        if (level > *back) {
            *back = level;
            struct br_lcg_literal swap = s->lemma[1];
            s->lemma[1] = s->lemma[s->lemma_count - 1];
            s->lemma[s->lemma_count - 1] = swap;
        }
    }
    return true;
}

bool br_lcg_learn(struct br_lcg *s)
{
    uint32_t open, back, glue, first, why;
    s->conflicts++;
    s->antecedent_count = 0;
    if (s->level == 0) {
        br_lcg_record_end(s);
        return false;
    }
    if (!begin(s, &open))
        return false;
    if (open == 0)
        go_to_conflict(s, &open);
    if (s->level == 0) { /* it was there at the root, and all that it rests on is noted */
        forget_needs(s);
        if (s->proof && !s->proof->end)
            s->proof->end = br_lcg_record(s, NULL, 0);
        return false;
    }
    first = resolve(s, open);
    if (first == BR_LCG_NONE || !collect(s, first, &back, &glue))
        return false;
    forget_needs(s);
    s->literals += s->lemma_count;
    uint32_t lemma = br_lcg_record(s, s->lemma, s->lemma_count);
    br_lcg_backtrack(s, back);
    if (s->lemma_count > 1) {
        uint32_t clause = br_lcg_clause_add(s, glue, lemma);
        if (clause == BR_LCG_NONE)
            return false;
        why = br_lcg_why(BR_LCG_CLAUSE, clause);
    } else {
        why = br_lcg_why(BR_LCG_LEMMA, lemma);
    }
    s->node_step /= NODE_DECAY;
    s->clause_step /= CLAUSE_DECAY;
    if (br_lcg_push(s, s->lemma[0].side, s->lemma[0].bound, why, 0))
        return true;
    if (s->level == 0 && !s->failed)
        br_lcg_record_end(s);
    return false;
}
