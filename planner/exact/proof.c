/* The record of a proof: every clause learned, with what it was derived from.
 *
 * Each lemma follows from the arcs, the time-table, what is known at the root and a few lemmas
 * before it, by propagation alone: suppose all its literals false, propagate, and there is a
 * conflict. So a checker needs no search [Goldberg03]. Bounds at the root that a clause forced
 * are lemmas of one literal. */
#include "planner/exact/lcg.h"

/* 256 MiB of literals at most. */
enum { LITERALS_MAX = 1 << 25, HINTS_MAX = 1 << 26 };

bool br_lcg_record_begin(struct br_lcg *s)
{
    struct br_lcg_proof *proof = calloc(1, sizeof *proof);
    s->proof = proof;
    /* Lemma 0 is none. */
    if (!proof || !br_grow(&proof->literal_first, 1, &proof->room, sizeof *proof->literal_first) ||
        !br_grow(&proof->hint_first, 1, &proof->hint_room, sizeof *proof->hint_first))
        return false;
    proof->literal_first[0] = proof->literal_first[1] = 0;
    proof->hint_first[0] = proof->hint_first[1] = 0;
    proof->count = 1;
    return true;
}

void br_lcg_record_finish(struct br_lcg *s)
{
    if (!s->proof)
        return;
    free(s->proof->literal_first);
    free(s->proof->hint_first);
    free(s->proof->literal);
    free(s->proof->hint);
    free(s->proof);
}

static void note(struct br_lcg *s, uint32_t antecedent)
{
    if (!br_grow(&s->antecedent, s->antecedent_count, &s->antecedent_room, sizeof *s->antecedent)) {
        s->proof->lost = true;
        return;
    }
    s->antecedent[s->antecedent_count++] = antecedent;
}

void br_lcg_rest_on_lemma(struct br_lcg *s, uint32_t lemma)
{
    if (s->proof && !s->proof->lost)
        note(s, lemma);
}

void br_lcg_rest_on_root(struct br_lcg *s, struct br_lcg_literal l)
{
    if (!s->proof || s->proof->lost)
        return;
    uint32_t e = br_lcg_entry_of(s, l);
    if (e != BR_LCG_NONE)
        note(s, e | BR_LCG_ROOT_ENTRY);
}

void br_lcg_rest_on_clause(struct br_lcg *s, const struct br_lcg_clause *clause,
                           struct br_lcg_literal but)
{
    br_lcg_rest_on_lemma(s, clause->lemma);
    for (uint32_t k = 0; k < clause->size; k++)
        if (clause->literal[k].side != but.side || clause->literal[k].bound < but.bound)
            br_lcg_rest_on_root(s, br_lcg_negation(clause->literal[k]));
}

uint32_t br_lcg_record(struct br_lcg *s, const struct br_lcg_literal *literal, uint32_t count)
{
    struct br_lcg_proof *p = s->proof;
    if (!p || p->lost)
        return 0;
    while (!p->lost && p->literals + count > p->literals_room)
        p->lost = p->literals_room > LITERALS_MAX ||
                  !br_grow(&p->literal, p->literals_room, &p->literals_room, sizeof *p->literal);
    while (!p->lost && p->hints + s->antecedent_count > p->hints_room)
        p->lost = p->hints_room > HINTS_MAX ||
                  !br_grow(&p->hint, p->hints_room, &p->hints_room, sizeof *p->hint);
    p->lost = p->lost ||
              !br_grow(&p->literal_first, p->count + 1, &p->room, sizeof *p->literal_first) ||
              !br_grow(&p->hint_first, p->count + 1, &p->hint_room, sizeof *p->hint_first);
    if (p->lost)
        return 0;
    if (count > 0)
        memcpy(p->literal + p->literals, literal, count * sizeof *literal);
    if (s->antecedent_count > 0)
        memcpy(p->hint + p->hints, s->antecedent, s->antecedent_count * sizeof *s->antecedent);
    p->literals += count;
    p->hints += s->antecedent_count;
    s->antecedent_count = 0;
    p->literal_first[p->count + 1] = p->literals;
    p->hint_first[p->count + 1] = p->hints;
    return p->count++;
}

void br_lcg_record_end(struct br_lcg *s)
{
    struct br_lcg_literal l = s->failed_literal;
    if (!s->proof || s->proof->lost || s->proof->end)
        return;
    s->antecedent_count = 0;
    if (!br_lcg_explain(s, l, s->failed_why, s->failed_at, s->trail_count)) {
        s->proof->lost = true;
        return;
    }
    if (br_lcg_kind(s->failed_why) == BR_LCG_CLAUSE)
        br_lcg_rest_on_lemma(s, br_lcg_clause_at(s, br_lcg_number(s->failed_why))->lemma);
    if (br_lcg_kind(s->failed_why) == BR_LCG_LEMMA)
        br_lcg_rest_on_lemma(s, br_lcg_number(s->failed_why));
    for (uint32_t k = 0; k < s->reason_count; k++)
        br_lcg_rest_on_root(s, s->reason[k]);
    if (l.side != BR_LCG_NONE)
        br_lcg_rest_on_root(s, br_lcg_negation(l));
    s->proof->end = br_lcg_record(s, NULL, 0);
}
