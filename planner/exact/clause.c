/* Learned clauses: an arena of them, and for each literal the list of those that watch it, in a
 * pool of pieces whose sizes are powers of two, so that a list that grows costs no allocation. */
#include "planner/exact/lcg.h"

enum { WORDS_MAX = 1 << 29, GLUE_KEPT = 2 };
#define CLAUSE_LIMIT 1e20f

/* --- lists of watches ------------------------------------------------------------------------ */

static bool more_room(struct br_lcg *s, struct br_lcg_list *list)
{
    uint32_t size = 1, room = 2;
    while (room <= list->room) {
        room *= 2;
        size++;
    }
    uint32_t piece = s->free_piece[size];
    if (piece != BR_LCG_NONE) {
        s->free_piece[size] = s->watches[piece].clause;
    } else {
        if (s->watches_count + room > s->watches_room) {
            uint64_t wanted = (uint64_t)s->watches_room + s->watches_room / 2 + room;
            struct br_lcg_watch *larger =
                wanted > WORDS_MAX ? NULL : realloc(s->watches, wanted * sizeof *larger);
            if (!larger) {
                s->failed = true;
                return false;
            }
            s->watches = larger;
            s->watches_room = (uint32_t)wanted;
        }
        piece = s->watches_count;
        s->watches_count += room;
    }
    if (list->room > 0) {
        memcpy(s->watches + piece, s->watches + list->first, list->count * sizeof *s->watches);
        s->watches[list->first].clause = s->free_piece[size - 1];
        s->free_piece[size - 1] = list->first;
    }
    list->first = piece;
    list->room = room;
    return true;
}

static bool watch(struct br_lcg *s, struct br_lcg_literal l, uint32_t clause,
                  struct br_lcg_literal blocker)
{
    bool negated;
    uint32_t node = br_lcg_node_find(s, l, &negated);
    struct br_lcg_list *list = &s->node[node].watch[negated];
    if (list->count == list->room && !more_room(s, list))
        return false;
    s->watches[list->first + list->count++] = (struct br_lcg_watch){clause, blocker};
    return true;
}

/* --- the arena ------------------------------------------------------------------------------- */

static uint32_t words_of(uint32_t size)
{
    return BR_LCG_HEADER_WORDS + 2 * size;
}

uint32_t br_lcg_clause_add(struct br_lcg *s, uint32_t glue, uint32_t lemma)
{
    uint32_t words = words_of(s->lemma_count);
    if (s->words_count + words > s->words_room) {
        uint64_t wanted = (uint64_t)s->words_room + s->words_room / 2 + words;
        uint32_t *larger = wanted > WORDS_MAX ? NULL : realloc(s->words, wanted * sizeof *larger);
        if (!larger)
            goto failed;
        s->words = larger;
        s->words_room = (uint32_t)wanted;
    }
    if (!br_grow(&s->learned, s->learned_count, &s->learned_room, sizeof *s->learned))
        goto failed;
    for (uint32_t k = 0; k < s->lemma_count; k++) {
        bool negated;
        uint32_t node = br_lcg_node_make(s, s->lemma[k], &negated);
        if (node == BR_LCG_NONE)
            goto failed;
        br_lcg_bump_node(s, node);
    }
    uint32_t place = s->words_count;
    struct br_lcg_clause *c = br_lcg_clause_at(s, place);
    *c = (struct br_lcg_clause){
        .size = s->lemma_count, .glue = glue, .lemma = lemma, .activity = (float)s->clause_step};
    memcpy(c->literal, s->lemma, s->lemma_count * sizeof *s->lemma);
    if (!watch(s, c->literal[0], place, c->literal[1]) ||
        !watch(s, c->literal[1], place, c->literal[0]))
        goto failed;
    s->words_count += words;
    s->learned[s->learned_count++] = place;
    return place;
failed:
    s->failed = true;
    return BR_LCG_NONE;
}

void br_lcg_bump_clause(struct br_lcg *s, struct br_lcg_clause *clause)
{
    clause->activity += (float)s->clause_step;
    if (clause->activity > CLAUSE_LIMIT) {
        for (uint32_t k = 0; k < s->learned_count; k++)
            br_lcg_clause_at(s, s->learned[k])->activity /= CLAUSE_LIMIT;
        s->clause_step /= CLAUSE_LIMIT;
    }
}

/* --- propagation ----------------------------------------------------------------------------- */

static inline bool same(struct br_lcg_literal a, struct br_lcg_literal b)
{
    return a.side == b.side && a.bound == b.bound;
}

/* The literal has become false: each clause that watches it watches another that is not, or makes
 * its last one true. */
static bool visit(struct br_lcg *s, uint32_t node, bool negated)
{
    const struct br_lcg_node *n = &s->node[node];
    struct br_lcg_literal gone = {2 * n->variable, n->bound};
    if (negated)
        gone = br_lcg_negation(gone);
    uint32_t first = n->watch[negated].first, count = n->watch[negated].count, kept = 0, k = 0;
    bool ok = true;
    while (ok && k < count) {
        struct br_lcg_watch w = s->watches[first + k++];
        if (br_lcg_true(s, w.blocker)) {
            s->watches[first + kept++] = w;
            continue;
        }
        struct br_lcg_clause *c = br_lcg_clause_at(s, w.clause);
        struct br_lcg_literal *l = c->literal, other;
        if (same(l[0], gone)) {
            l[0] = l[1];
            l[1] = gone;
        }
        other = l[0];
        if (!same(other, w.blocker) && br_lcg_true(s, other)) {
            s->watches[first + kept++] = (struct br_lcg_watch){w.clause, other};
            continue;
        }
        uint32_t i = 2;
        while (i < c->size && br_lcg_false(s, l[i]))
            i++;
        if (i < c->size) {
            l[1] = l[i];
            l[i] = gone;
            ok = watch(s, l[1], w.clause, other);
            continue;
        }
        s->watches[first + kept++] = (struct br_lcg_watch){w.clause, other};
        ok = br_lcg_push(s, other.side, other.bound, br_lcg_why(BR_LCG_CLAUSE, w.clause), 0);
    }
    while (k < count)
        s->watches[first + kept++] = s->watches[first + k++];
    s->node[node].watch[negated].count = kept;
    return ok;
}

bool br_lcg_clauses_told(struct br_lcg *s, uint32_t side, int32_t before, int32_t now)
{
    /* A lower bound makes [start >= t] true for t up to it, an upper bound false for t beyond. */
    const struct br_lcg_index *index = &s->index[side / 2];
    bool lower = !(side & 1);
    int32_t above = lower ? before : -now, upto = lower ? now : -before;
    if (index->count == 0 || index->bound[index->count - 1] <= above || index->bound[0] > upto)
        return true;
    for (uint32_t k = br_lcg_index_above(index, above); k < index->count && index->bound[k] <= upto;
         k++)
        if (s->node[index->node[k]].watch[lower].count && !visit(s, index->node[k], lower))
            return false;
    return true;
}

/* --- forgetting ------------------------------------------------------------------------------ */

struct merit {
    float activity;
    uint32_t glue, place;
};

static int by_merit(const void *x, const void *y)
{
    const struct merit *a = x, *b = y;
    if (a->activity != b->activity)
        return a->activity > b->activity ? -1 : 1;
    if (a->glue != b->glue)
        return a->glue < b->glue ? -1 : 1;
    return a->place < b->place ? 1 : -1; /* the younger */
}

static bool satisfied(const struct br_lcg *s, const struct br_lcg_clause *c)
{
    for (uint32_t k = 0; k < c->size; k++)
        if (s->root[c->literal[k].side] >= c->literal[k].bound)
            return true;
    return false;
}

void br_lcg_reduce(struct br_lcg *s)
{
    struct merit *merit = malloc((s->learned_count + 1) * sizeof *merit);
    uint32_t count = 0, kept = 0;
    if (!merit)
        return; /* later, perhaps */
    /* Reasons at the root are asked for by nobody but the proof. */
    for (uint32_t e = 0; e < s->trail_count; e++)
        if (br_lcg_kind(s->trail[e].why) == BR_LCG_CLAUSE)
            s->trail[e].why = br_lcg_why(
                BR_LCG_LEMMA, br_lcg_clause_at(s, br_lcg_number(s->trail[e].why))->lemma);
    for (uint32_t k = 0; k < s->learned_count; k++) {
        struct br_lcg_clause *c = br_lcg_clause_at(s, s->learned[k]);
        if (satisfied(s, c))
            c->glue = 0; /* none has that */
        else if (c->glue > GLUE_KEPT)
            merit[count++] = (struct merit){c->activity, c->glue, s->learned[k]};
    }
    qsort(merit, count, sizeof *merit, by_merit);
    for (uint32_t k = count / 2; k < count; k++)
        br_lcg_clause_at(s, merit[k].place)->glue = 0;
    free(merit);

    for (uint32_t k = 0; k < s->node_count; k++)
        s->node[k].watch[0] = s->node[k].watch[1] = (struct br_lcg_list){0};
    s->watches_count = 0;
    for (uint32_t k = 0; k < sizeof s->free_piece / sizeof s->free_piece[0]; k++)
        s->free_piece[k] = BR_LCG_NONE;
    s->words_count = 0;
    for (uint32_t k = 0; k < s->learned_count; k++) {
        struct br_lcg_clause *c = br_lcg_clause_at(s, s->learned[k]);
        if (c->glue == 0)
            continue;
        uint32_t words = words_of(c->size), place = s->words_count;
        memmove(s->words + place, c, words * sizeof *s->words);
        s->learned[kept++] = place;
        s->words_count += words;
        c = br_lcg_clause_at(s, place);
        if (!watch(s, c->literal[0], place, c->literal[1]) ||
            !watch(s, c->literal[1], place, c->literal[0]))
            return;
    }
    s->learned_count = kept;
}
