/* The record grows by one lemma for each conflict, until it would be too long. */
#include "planner/exact/proof.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"

/* 256 MiB of literals at most. */
enum { LITERALS_MAX = 1 << 25, HINTS_MAX = 1 << 26 };

struct br_lcg_proof *br_lcg_proof_create(struct br_lcg_engine *engine)
{
    struct br_lcg_proof *p = br_calloc(1, sizeof *p);
    /* Lemma 0 stands for none. */
    if (!p || !br_grow(&p->literal_first, 1, &p->room, sizeof *p->literal_first) ||
        !br_grow(&p->hint_first, 1, &p->hint_room, sizeof *p->hint_first)) {
        br_lcg_proof_destroy(p);
        return NULL;
    }
    p->engine = engine;
    p->literal_first[0] = p->literal_first[1] = 0;
    p->hint_first[0] = p->hint_first[1] = 0;
    p->count = 1;
    return p;
}

void br_lcg_proof_destroy(struct br_lcg_proof *p)
{
    if (!p)
        return;
    br_free(p->literal_first);
    br_free(p->hint_first);
    br_free(p->literal);
    br_free(p->hint);
    br_free(p->antecedent);
    br_free(p->span);
    br_free(p);
}

static bool recording(const struct br_lcg_proof *p)
{
    return p && !p->lost;
}

static void exact_proof_note(struct br_lcg_proof *p, uint32_t antecedent)
{
    if (!br_grow(&p->antecedent, p->antecedents, &p->antecedents_room, sizeof *p->antecedent)) {
        p->lost = true;
        return;
    }
    p->antecedent[p->antecedents++] = antecedent;
}

void br_lcg_proof_begin(struct br_lcg_proof *p)
{
    if (p)
        p->antecedents = 0;
}

void br_lcg_proof_rest_on_lemma(struct br_lcg_proof *p, uint32_t lemma)
{
    if (!recording(p))
        return;
    assert(lemma < p->count);
    exact_proof_note(p, lemma);
}

void br_lcg_proof_rest_on_root(struct br_lcg_proof *p, struct br_lcg_literal l)
{
    if (!recording(p))
        return;
    assert(br_lcg_true_at_root(&p->engine->trail, l));
    uint32_t e = br_lcg_entry_of(&p->engine->trail, l);
    if (e != BR_LCG_NONE)
        exact_proof_note(p, e | BR_LCG_ROOT_ENTRY);
}

void br_lcg_proof_rest_on_span(struct br_lcg_proof *p, uint32_t reason, int32_t at)
{
    if (!recording(p) || br_lcg_kind(reason) != BR_LCG_ENERGY)
        return;
    if (!br_grow(&p->span, p->spans, &p->spans_room, sizeof *p->span)) {
        p->lost = true;
        return;
    }
    p->span[p->spans] = br_lcg_energy_span(reason, at);
    exact_proof_note(p, p->spans++ | BR_LCG_SPAN);
}

/* Makes room for the lemma and its antecedents. False when memory is out, or the record would be
 * too long. */
static bool exact_proof_reserve(struct br_lcg_proof *p, uint32_t literals)
{
    while (p->literals + literals > p->literals_room)
        if (p->literals_room > LITERALS_MAX ||
            !br_grow(&p->literal, p->literals_room, &p->literals_room, sizeof *p->literal))
            return false;
    while (p->hints + p->antecedents > p->hints_room)
        if (p->hints_room > HINTS_MAX ||
            !br_grow(&p->hint, p->hints_room, &p->hints_room, sizeof *p->hint))
            return false;
    return br_grow(&p->literal_first, p->count + 1, &p->room, sizeof *p->literal_first) &&
           br_grow(&p->hint_first, p->count + 1, &p->hint_room, sizeof *p->hint_first);
}

static uint32_t exact_proof_record(struct br_lcg_proof *p, const struct br_lcg_literal *literal,
                                   uint32_t count)
{
    if (!recording(p))
        return 0;
    if (!exact_proof_reserve(p, count)) {
        p->lost = true;
        return 0;
    }
    if (count > 0)
        memcpy(p->literal + p->literals, literal, count * sizeof *literal);
    if (p->antecedents > 0)
        memcpy(p->hint + p->hints, p->antecedent, p->antecedents * sizeof *p->antecedent);
    p->literals += count;
    p->hints += p->antecedents;
    p->antecedents = 0;
    p->literal_first[p->count + 1] = p->literals;
    p->hint_first[p->count + 1] = p->hints;
    return p->count++;
}

uint32_t br_lcg_proof_record(struct br_lcg_proof *p, const struct br_lcg_literals *lemma)
{
    return exact_proof_record(p, lemma->item, lemma->count);
}

void br_lcg_proof_record_root(struct br_lcg_proof *p)
{
    if (!p)
        return;
    struct br_lcg_trail *trail = &p->engine->trail;
    assert(trail->level == 0);
    for (; p->root < trail->count; p->root++) {
        struct br_lcg_entry *e = &trail->entry[p->root];
        if (br_lcg_kind(e->reason) != BR_LCG_CLAUSE)
            continue;
        /* The other literals of the clause are all false at the root. */
        const struct br_lcg_clause *clause =
            br_lcg_clause_at(&p->engine->clauses, br_lcg_number(e->reason));
        struct br_lcg_literal l = {e->side, e->value};
        br_lcg_proof_rest_on_lemma(p, clause->lemma);
        for (uint32_t k = 0; k < clause->size; k++)
            if (!br_lcg_follows(l, clause->literal[k]))
                br_lcg_proof_rest_on_root(p, br_lcg_negation(clause->literal[k]));
        e->reason = br_lcg_reason(BR_LCG_LEMMA, exact_proof_record(p, &l, 1));
    }
}

void br_lcg_proof_record_noted_end(struct br_lcg_proof *p)
{
    if (p && !p->end)
        p->end = exact_proof_record(p, NULL, 0);
}

void br_lcg_proof_record_end(struct br_lcg_proof *p)
{
    if (!recording(p) || p->end)
        return;
    struct br_lcg_engine *engine = p->engine;
    uint32_t reason = engine->trail.conflict.reason;
    int32_t at = engine->trail.conflict.at;
    assert(engine->trail.level == 0);
    br_lcg_proof_begin(p);
    if (!br_lcg_explain_conflict(engine)) {
        p->lost = true;
        return;
    }
    if (br_lcg_kind(reason) == BR_LCG_CLAUSE)
        br_lcg_proof_rest_on_lemma(
            p, br_lcg_clause_at(&engine->clauses, br_lcg_number(reason))->lemma);
    if (br_lcg_kind(reason) == BR_LCG_LEMMA)
        br_lcg_proof_rest_on_lemma(p, br_lcg_number(reason));
    br_lcg_proof_rest_on_span(p, reason, at);
    for (uint32_t k = 0; k < engine->explanation.count; k++)
        br_lcg_proof_rest_on_root(p, engine->explanation.item[k]);
    p->end = exact_proof_record(p, NULL, 0);
}
