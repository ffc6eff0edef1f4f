/* Clauses lie in an arena. The watches of a literal lie in a pool of pieces whose sizes are powers
 * of two, so a list that grows costs no allocation. */
#include "planner/exact/propagate/clauses.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/invariant.h"

enum { WORDS_MAX = 1 << 28, HEADER_WORDS = 4, SIZES = 32 };
#define ACTIVITY_LIMIT 1e20f
#define DECAY 0.999

_Static_assert(sizeof(struct br_lcg_clause) == HEADER_WORDS * sizeof(uint32_t), "the header");

static void forget_pieces(struct br_lcg_clauses *c)
{
    c->watches_count = 0;
    for (uint32_t k = 0; k < SIZES; k++)
        c->free_piece[k] = BR_LCG_NONE;
}

void br_lcg_clauses_init(struct br_lcg_clauses *c, const struct br_lcg_atoms *atoms,
                         struct br_lcg_trail *trail)
{
    *c = (struct br_lcg_clauses){.atoms = atoms, .trail = trail, .step = 1};
    forget_pieces(c);
}

void br_lcg_clauses_finish(struct br_lcg_clauses *c)
{
    br_free(c->words);
    br_free(c->learned);
    br_free(c->watchers);
    br_free(c->watches);
}

/* The memory, enlarged if `used` and `more` elements of `size` bytes exceed its room. NULL when
 * memory is out or it would be too long; then it is as before. */
static void *propagate_clauses_reserve(void *memory, uint32_t used, uint32_t more, uint32_t *room,
                                       size_t size)
{
    uint64_t wanted = (uint64_t)*room + *room / 2 + more;
    if (used + more <= *room)
        return memory;
    void *larger = wanted > WORDS_MAX ? NULL : br_realloc(memory, wanted * size);
    if (larger)
        *room = (uint32_t)wanted;
    return larger;
}

/* --- watches --------------------------------------------------------------------------------- */

/* Moves the list to a piece of the next size. False when memory is out. */
static bool grow_piece(struct br_lcg_clauses *c, struct br_lcg_piece *list)
{
    uint32_t size = 1, room = 2;
    while (room <= list->room) {
        room *= 2;
        size++;
    }
    uint32_t piece = c->free_piece[size];
    if (piece != BR_LCG_NONE) {
        c->free_piece[size] = c->watches[piece].clause;
    } else {
        struct br_lcg_watch *watches = propagate_clauses_reserve(c->watches, c->watches_count, room,
                                                                 &c->watches_room, sizeof *watches);
        if (!watches) {
            c->trail->memory_out = true;
            return false;
        }
        c->watches = watches;
        piece = c->watches_count;
        c->watches_count += room;
    }
    if (list->room > 0) {
        memcpy(c->watches + piece, c->watches + list->first, list->count * sizeof *c->watches);
        c->watches[list->first].clause = c->free_piece[size - 1];
        c->free_piece[size - 1] = list->first;
    }
    list->first = piece;
    list->room = room;
    return true;
}

static bool propagate_clauses_watch(struct br_lcg_clauses *c, struct br_lcg_literal l,
                                    uint32_t place, struct br_lcg_literal blocker)
{
    bool negated;
    uint32_t atom = br_lcg_atom_find(c->atoms, l, &negated);
    assert(atom < c->watchers_count);
    struct br_lcg_piece *list = &c->watchers[atom].of[negated];
    if (list->count == list->room && !grow_piece(c, list))
        return false;
    c->watches[list->first + list->count++] = (struct br_lcg_watch){place, blocker};
    return true;
}

/* Gives the new atoms their lists of watches. */
static bool admit_atoms(struct br_lcg_clauses *c)
{
    for (; c->watchers_count < c->atoms->count; c->watchers_count++) {
        if (!br_grow(&c->watchers, c->watchers_count, &c->watchers_room, sizeof *c->watchers))
            return false;
        c->watchers[c->watchers_count] = (struct br_lcg_watchers){0};
    }
    return true;
}

/* --- the arena ------------------------------------------------------------------------------- */

/* As br_lcg_clause_at, also while clauses move. */
static inline struct br_lcg_clause *at(const struct br_lcg_clauses *c, uint32_t place)
{
    return (struct br_lcg_clause *)(c->words + place);
}

static uint32_t words_of(uint32_t size)
{
    return HEADER_WORDS + 2 * size;
}

/* Watches the first two literals. */
static bool watch_clause(struct br_lcg_clauses *c, uint32_t place)
{
    const struct br_lcg_literal *l = at(c, place)->literal;
    return propagate_clauses_watch(c, l[0], place, l[1]) &&
           propagate_clauses_watch(c, l[1], place, l[0]);
}

uint32_t br_lcg_clause_add(struct br_lcg_clauses *c, const struct br_lcg_literals *literals,
                           uint32_t glue, uint32_t lemma)
{
    uint32_t words = words_of(literals->count), place = c->words_count;
    assert(literals->count >= 2);
    uint32_t *arena =
        propagate_clauses_reserve(c->words, c->words_count, words, &c->words_room, sizeof *arena);
    if (!arena)
        goto failed;
    c->words = arena;
    if (!br_grow(&c->learned, c->learned_count, &c->learned_room, sizeof *c->learned) ||
        !admit_atoms(c))
        goto failed;
    struct br_lcg_clause *clause = at(c, place);
    *clause = (struct br_lcg_clause){
        .size = literals->count, .glue = glue, .lemma = lemma, .activity = (float)c->step};
    memcpy(clause->literal, literals->item, literals->count * sizeof *literals->item);
    if (!watch_clause(c, place))
        goto failed;
    c->words_count += words;
    c->learned[c->learned_count++] = place;
    return place;
failed:
    c->trail->memory_out = true;
    return BR_LCG_NONE;
}

void br_lcg_clause_bump(struct br_lcg_clauses *c, struct br_lcg_clause *clause)
{
    clause->activity += (float)c->step;
    if (clause->activity > ACTIVITY_LIMIT) {
        for (uint32_t k = 0; k < c->learned_count; k++)
            at(c, c->learned[k])->activity /= ACTIVITY_LIMIT;
        c->step /= ACTIVITY_LIMIT;
    }
}

void br_lcg_clauses_decay(struct br_lcg_clauses *c)
{
    c->step /= DECAY;
}

/* --- propagation ----------------------------------------------------------------------------- */

static inline bool same(struct br_lcg_literal a, struct br_lcg_literal b)
{
    return a.side == b.side && a.bound == b.bound;
}

/* The first watch from number k on whose blocker is not true. */
static inline uint32_t unsettled(const struct br_lcg_trail *trail, const struct br_lcg_watch *list,
                                 uint32_t k, uint32_t count)
{
    while (k < count && br_lcg_true(trail, list[k].blocker))
        k++;
    return k;
}

/* The number of the literal to watch next, besides the two that are watched: the first that is
 * true, since it stays true for long, else the first that is not false; the size if all are
 * false. */
static inline uint32_t to_watch(const struct br_lcg_trail *trail,
                                const struct br_lcg_clause *clause)
{
    uint32_t k = 2, open;
    while (k < clause->size && br_lcg_false(trail, clause->literal[k]))
        k++;
    for (open = k; k < clause->size; k++)
        if (br_lcg_true(trail, clause->literal[k]))
            return k;
    return open;
}

/* The atom, or its negation, has become false. Each clause that watches it either watches another
 * literal that is not false, or makes its last one true. The blocker of most clauses is true, and
 * true literals stay so meanwhile. So the next clause to look at is known, and prefetched one
 * ahead. */
static bool propagate_clauses_visit(struct br_lcg_clauses *c, uint32_t atom, bool negated)
{
    struct br_lcg_trail *trail = c->trail;
    struct br_lcg_literal gone = br_lcg_atom_literal(c->atoms, atom, negated);
    struct br_lcg_piece *piece = &c->watchers[atom].of[negated];
    struct br_lcg_watch *list = c->watches + piece->first;
    uint32_t count = piece->count, kept = 0, k = 0, next = unsettled(trail, list, 0, count);
    bool ok = true;
    assert(br_lcg_false(trail, gone));
    for (;;) {
        if (kept < k)
            memmove(list + kept, list + k, (next - k) * sizeof *list);
        kept += next - k;
        if (next == count)
            break;
        struct br_lcg_watch w = list[next];
        k = next + 1;
        next = unsettled(trail, list, k, count);
        if (next < count)
            __builtin_prefetch(at(c, list[next].clause)->literal);
        if (br_lcg_true(trail, w.blocker)) {
            list[kept++] = w;
            continue;
        }
        struct br_lcg_clause *clause = at(c, w.clause);
        struct br_lcg_literal *l = clause->literal, other;
        if (same(l[0], gone)) {
            l[0] = l[1];
            l[1] = gone;
        }
        br_costly_assert(same(l[1], gone));
        other = l[0];
        if (!same(other, w.blocker) && br_lcg_true(trail, other)) {
            list[kept++] = (struct br_lcg_watch){w.clause, other};
            continue;
        }
        uint32_t i = to_watch(trail, clause);
        if (i < clause->size) {
            l[1] = l[i];
            l[i] = gone;
            ok = propagate_clauses_watch(c, l[1], w.clause, other);
            list = c->watches + piece->first; /* the pool may have moved */
        } else {
            list[kept++] = (struct br_lcg_watch){w.clause, other};
            ok = br_lcg_push(trail, other.side, other.bound, br_lcg_reason(BR_LCG_CLAUSE, w.clause),
                             0);
        }
        if (!ok)
            next = count;
    }
    piece->count = kept;
    return ok;
}

bool br_lcg_clauses_propagate(struct br_lcg_clauses *c, uint32_t side, int32_t before, int32_t now)
{
    /* A lower bound makes [start >= t] true for t up to it, an upper bound false for t beyond. */
    int32_t above, upto;
    const struct br_lcg_atom_index *index =
        br_lcg_atoms_decided(c->atoms, side, before, now, &above, &upto);
    bool lower = !(side & 1);
    if (!index)
        return true;
    for (uint32_t k = br_lcg_atoms_above(index, above); k < index->count && index->bound[k] <= upto;
         k++)
        if (c->watchers[index->atom[k]].of[lower].count &&
            !propagate_clauses_visit(c, index->atom[k], lower))
            return false;
    return true;
}

/* A false literal may be watched only while another literal of the clause is true. */
static bool watched_well(const struct br_lcg_trail *trail, const struct br_lcg_clause *clause)
{
    for (uint32_t k = 0; k < clause->size; k++)
        if (br_lcg_true(trail, clause->literal[k]))
            return true;
    return !br_lcg_false(trail, clause->literal[0]) && !br_lcg_false(trail, clause->literal[1]);
}

bool br_lcg_clauses_hold(const struct br_lcg_clauses *c)
{
    for (uint32_t k = 0; k < c->learned_count; k++)
        if (!watched_well(c->trail, at(c, c->learned[k])))
            return false;
    return true;
}

/* --- reduction ------------------------------------------------------------------------------- */

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
    return a->place < b->place ? 1 : -1; /* the younger one */
}

static bool holds_at_root(const struct br_lcg_trail *trail, const struct br_lcg_clause *clause)
{
    for (uint32_t k = 0; k < clause->size; k++)
        if (br_lcg_true_at_root(trail, clause->literal[k]))
            return true;
    return false;
}

/* Only the proof asks for reasons at the root, and it knows clauses by their lemmas. */
static void forget_reasons(struct br_lcg_clauses *c)
{
    struct br_lcg_trail *trail = c->trail;
    for (uint32_t e = 0; e < trail->count; e++)
        if (br_lcg_kind(trail->entry[e].reason) == BR_LCG_CLAUSE)
            trail->entry[e].reason =
                br_lcg_reason(BR_LCG_LEMMA, at(c, br_lcg_number(trail->entry[e].reason))->lemma);
}

/* Marks the clauses to drop by a glue of 0, which none has otherwise. False when memory is out;
 * then nothing is marked. */
static bool mark_less_useful(struct br_lcg_clauses *c)
{
    struct merit *merit = br_malloc((c->learned_count + 1) * sizeof *merit);
    uint32_t count = 0;
    if (!merit)
        return false;
    for (uint32_t k = 0; k < c->learned_count; k++) {
        struct br_lcg_clause *clause = at(c, c->learned[k]);
        assert(clause->glue > 0);
        if (holds_at_root(c->trail, clause))
            clause->glue = 0;
        else if (clause->glue > BR_LCG_GLUE_KEPT)
            merit[count++] = (struct merit){clause->activity, clause->glue, c->learned[k]};
    }
    br_sort_by(merit, count, sizeof *merit, by_merit);
    for (uint32_t k = count / 2; k < count; k++)
        at(c, merit[k].place)->glue = 0;
    br_free(merit);
    return true;
}

void br_lcg_clauses_reduce(struct br_lcg_clauses *c)
{
    uint32_t kept = 0;
    assert(c->trail->level == 0);
    br_costly_assert(br_lcg_clauses_hold(c));
    if (!mark_less_useful(c))
        return; /* another time, perhaps */
    forget_reasons(c);
    for (uint32_t k = 0; k < c->watchers_count; k++)
        c->watchers[k] = (struct br_lcg_watchers){0};
    forget_pieces(c);
    c->words_count = 0;
    for (uint32_t k = 0; k < c->learned_count; k++) {
        const struct br_lcg_clause *clause = at(c, c->learned[k]);
        if (clause->glue == 0)
            continue;
        uint32_t words = words_of(clause->size), place = c->words_count;
        memmove(c->words + place, clause, words * sizeof *c->words);
        c->learned[kept++] = place;
        c->words_count += words;
        if (!watch_clause(c, place))
            return;
    }
    c->learned_count = kept;
}
