/* Trimming goes back from the refutation to all on which it rests, and leaves out the rest of the
 * record. The lemmas kept are numbered anew. */
#include "planner/exact/proof.h"

#include "base/collections/memory.h"

struct trimmer {
    const struct br_lcg_proof *proof;
    struct br_lcg_engine *engine;
    int32_t bound;
    bool *lemma_needed, *entry_needed;
    uint32_t *stack, stacked;
    uint32_t *number; /* by lemma: its number in the trimmed proof */
};

static void need_lemma(struct trimmer *t, uint32_t lemma)
{
    if (lemma == 0 || t->lemma_needed[lemma])
        return;
    t->lemma_needed[lemma] = true;
    t->stack[t->stacked++] = lemma;
}

static void need_entry(struct trimmer *t, uint32_t entry)
{
    if (t->entry_needed[entry])
        return;
    t->entry_needed[entry] = true;
    t->stack[t->stacked++] = entry | BR_LCG_ROOT_ENTRY;
}

static void need_literal(struct trimmer *t, struct br_lcg_literal l)
{
    uint32_t e = br_lcg_entry_of(&t->engine->trail, l);
    if (e != BR_LCG_NONE)
        need_entry(t, e);
}

static void need_hints(struct trimmer *t, uint32_t lemma)
{
    const struct br_lcg_proof *p = t->proof;
    for (uint32_t k = p->hint_first[lemma]; k < p->hint_first[lemma + 1]; k++) {
        if (p->hint[k] & BR_LCG_ROOT_ENTRY)
            need_entry(t, p->hint[k] & ~BR_LCG_ROOT_ENTRY);
        else if (!(p->hint[k] & BR_LCG_SPAN))
            need_lemma(t, p->hint[k]);
    }
}

/* False when memory is out. */
static bool need_reason(struct trimmer *t, uint32_t number)
{
    struct br_lcg_engine *engine = t->engine;
    const struct br_lcg_entry *e = &engine->trail.entry[number];
    struct br_lcg_literal l = {e->side, e->value};
    assert(e->level == 0 && br_lcg_kind(e->reason) != BR_LCG_CLAUSE);
    if (br_lcg_kind(e->reason) == BR_LCG_LEMMA) {
        need_lemma(t, br_lcg_number(e->reason));
        return true;
    }
    if (!br_lcg_explain(engine, l, e->reason, e->at, number))
        return false;
    for (uint32_t k = 0; k < engine->explanation.count; k++)
        need_literal(t, engine->explanation.item[k]);
    return true;
}

/* Needs all on which the lemmas and entries on the stack rest. False when memory is out. */
static bool trace(struct trimmer *t)
{
    while (t->stacked > 0) {
        uint32_t top = t->stack[--t->stacked];
        if (!(top & BR_LCG_ROOT_ENTRY))
            need_hints(t, top);
        else if (!need_reason(t, top & ~BR_LCG_ROOT_ENTRY))
            return false;
    }
    return true;
}

static uint32_t trim_size_of(const struct br_lcg_proof *p, uint32_t lemma)
{
    return p->literal_first[lemma + 1] - p->literal_first[lemma];
}

/* Adds the span up to the bound, by which all tasks have ended. */
static void trim_write_span(const struct trimmer *t, struct br_lcg_span s,
                            struct br_proof_clause *out)
{
    int32_t to = s.to < t->bound ? s.to : t->bound - 1;
    if (s.from < to)
        out->span[out->spans++] = (struct br_proof_span){s.from, to};
}

/* The number of the variable in the proof. */
static uint32_t trim_number_of(const struct trimmer *t, uint32_t variable)
{
    const struct br_lcg_problem *p = t->engine->order.p;
    if (p->machines > 1 || variable < br_lcg_order_of(p, 0))
        return variable;
    const struct br_lcg_rivals *pair = &p->rivals[variable - br_lcg_order_of(p, 0)];
    return br_proof_order(p->tasks, pair->first, pair->second);
}

/* The lemma in the proof's terms; literals that say that a task starts too late for the bound are
 * false from the beginning. */
static bool trim_write(const struct trimmer *t, uint32_t lemma, struct br_arena *arena,
                       struct br_proof_clause *out)
{
    const struct br_lcg_proof *p = t->proof;
    uint32_t hints = p->hint_first[lemma + 1] - p->hint_first[lemma];
    out->literal = br_arena_array(arena, trim_size_of(p, lemma), sizeof *out->literal);
    out->hint = br_arena_array(arena, hints, sizeof *out->hint);
    out->span = br_arena_array(arena, hints, sizeof *out->span);
    if (!out->literal || !out->hint || !out->span)
        return false;
    for (uint32_t k = p->literal_first[lemma]; k < p->literal_first[lemma + 1]; k++) {
        struct br_lcg_literal l = p->literal[k];
        bool upper = l.side & 1;
        int32_t time = upper ? -l.bound : l.bound;
        bool start = l.side / 2 <= t->engine->trail.makespan;
        if (start && !upper && time >= t->bound)
            continue;
        out->literal[out->literals++] = (struct br_proof_literal){
            trim_number_of(t, l.side / 2), upper, !start || time < t->bound ? time : t->bound};
    }
    /* Found backwards, so the first is the one that fails. Single literals hold without being
     * named. */
    for (uint32_t k = p->hint_first[lemma + 1]; k-- > p->hint_first[lemma];) {
        uint32_t hint = p->hint[k];
        if (!(hint & BR_LCG_ROOT_ENTRY) && (hint & BR_LCG_SPAN)) {
            trim_write_span(t, p->span[hint & ~BR_LCG_SPAN], out);
            continue;
        }
        if ((hint & BR_LCG_ROOT_ENTRY) || hint == 0 || trim_size_of(p, hint) == 1)
            continue;
        bool twice = false;
        for (uint32_t i = 0; i < out->hints && !twice; i++)
            twice = out->hint[i] == t->number[hint];
        if (!twice)
            out->hint[out->hints++] = t->number[hint];
    }
    return true;
}

static bool trim_write_all(struct trimmer *t, struct br_arena *arena,
                           struct br_proof_clause **clause, uint32_t *clauses)
{
    uint32_t count = 0;
    for (uint32_t k = 1; k < t->proof->count; k++)
        if (t->lemma_needed[k])
            t->number[k] = count++;
    *clause = br_arena_array(arena, count, sizeof **clause);
    if (!*clause)
        return false;
    for (uint32_t k = 1; k < t->proof->count; k++)
        if (t->lemma_needed[k] && !trim_write(t, k, arena, &(*clause)[t->number[k]]))
            return false;
    *clauses = count;
    return true;
}

bool br_lcg_proof_trim(const struct br_lcg_proof *p, int32_t bound, struct br_arena *arena,
                       struct br_proof_clause **clause, uint32_t *clauses)
{
    if (!p || p->lost || p->engine->trail.memory_out)
        return false;
    const struct br_lcg_trail *trail = &p->engine->trail;
    assert(trail->level == 0);
    struct trimmer t = {.proof = p, .engine = p->engine, .bound = bound};
    t.lemma_needed = br_calloc(p->count, sizeof *t.lemma_needed);
    t.number = br_calloc(p->count, sizeof *t.number);
    t.entry_needed = br_calloc((size_t)trail->count + 1, sizeof *t.entry_needed);
    t.stack = br_malloc(((size_t)p->count + trail->count) * sizeof *t.stack);
    bool ok = t.lemma_needed && t.number && t.entry_needed && t.stack;
    if (ok) {
        if (p->end)
            need_lemma(&t, p->end);
        else
            need_literal(&t, (struct br_lcg_literal){2 * trail->makespan, bound});
        ok = trace(&t) && trim_write_all(&t, arena, clause, clauses);
    }
    br_free(t.lemma_needed);
    br_free(t.number);
    br_free(t.entry_needed);
    br_free(t.stack);
    return ok;
}
