/* Bits of ranks under a tree with ranges of demands; branch and bound from its root. */
#include "runtime/enforcer/jobs/ready.h"

#include <math.h>
#include <string.h>

#include "base/invariant.h"
#include "runtime/enforcer/jobs/offers.h"

enum { BITS = 64 /* of a word */ };

/* Least and most demands below a node. */
static const int64_t *ready_least(const struct br_ready_form *form, uint32_t node)
{
    return node >= form->leaves ? form->demand + (size_t)(node - form->leaves) * form->width
                                : form->range + (size_t)node * 2 * form->width;
}

static const int64_t *most(const struct br_ready_form *form, uint32_t node)
{
    return ready_least(form, node) + (node >= form->leaves ? 0 : form->width);
}

/* The kind of the leftmost leaf below the node; there may be none with this number. */
static uint32_t first_kind(const struct br_ready_form *form, uint32_t node)
{
    while (node < form->leaves)
        node *= 2;
    return node - form->leaves;
}

static void fill_ranges(struct br_ready_form *form)
{
    uint32_t width = form->width;
    for (uint32_t node = form->leaves - 1; node > 0; node--) {
        uint32_t left = 2 * node, right = left + 1;
        /* A node without kinds never has a ready task, so its range is never read. */
        if (first_kind(form, left) >= form->kinds)
            continue;
        if (first_kind(form, right) >= form->kinds)
            right = left;
        int64_t *range = form->range + (size_t)node * 2 * width;
        const int64_t *a = ready_least(form, left), *b = ready_least(form, right);
        const int64_t *c = most(form, left), *d = most(form, right);
        for (uint32_t r = 0; r < width; r++) {
            range[r] = a[r] < b[r] ? a[r] : b[r];
            range[width + r] = c[r] > d[r] ? c[r] : d[r];
        }
    }
}

/* The ranks of each kind, ascending; count: by kind, all 0. */
static void ready_fill_places(struct br_ready_form *form, uint32_t *count)
{
    for (uint32_t k = 0; k < form->tasks; k++) {
        uint32_t kind = form->rank_kind[k];
        form->place[k] = count[kind]++;
        form->rank[form->kind[kind].first + form->place[k]] = k;
    }
}

bool br_ready_form_init(struct br_ready_form *form, struct br_arena *arena, uint32_t kinds,
                        uint32_t width, const int64_t *demand, const uint32_t *rank_kind,
                        const uint32_t *size, uint32_t tasks)
{
    *form = (struct br_ready_form){.kinds = kinds, .width = width, .tasks = tasks, .leaves = 1};
    form->demand = demand;
    form->rank_kind = rank_kind;
    while (form->leaves < kinds)
        form->leaves *= 2;
    uint32_t places = 0, *count;
    if (!BR_ARRAY(arena, kinds, form->kind) || !BR_ARRAY(arena, kinds, count))
        return false;
    for (uint32_t kind = 0; kind < kinds; kind++) {
        uint32_t own = size[kind] / BITS + 1;
        form->kind[kind] = (struct br_ready_kind){places, form->words, form->somes, own / BITS + 1};
        places += size[kind];
        form->words += own;
        form->somes += form->kind[kind].somes;
    }
    assert(places == tasks);
    if (!BR_ARRAY(arena, tasks, form->rank) || !BR_ARRAY(arena, tasks, form->place) ||
        !BR_ARRAY(arena, (size_t)form->leaves * 2 * width, form->range))
        return false;
    ready_fill_places(form, count);
    fill_ranges(form);
    return true;
}

/* The least rank - 1 of the kind that is ready, or BR_NO_RANK. */
static uint32_t ready_first_rank(const struct br_ready *ready, uint32_t kind)
{
    const struct br_ready_kind *own = &ready->form->kind[kind];
    for (uint32_t s = 0; s < own->somes; s++) {
        uint64_t some = ready->some[own->some + s];
        if (!some)
            continue;
        uint32_t word = s * BITS + (uint32_t)__builtin_ctzll(some);
        assert(ready->bits[own->word + word]);
        uint32_t bit = (uint32_t)__builtin_ctzll(ready->bits[own->word + word]);
        return ready->form->rank[own->first + word * BITS + bit];
    }
    return BR_NO_RANK;
}

/* Do the kind's bits mark its ready ranks, and does every node above it hold the least rank below?
 */
static bool kind_is_sound(const struct br_ready *ready, uint32_t kind)
{
    const struct br_ready_kind *own = &ready->form->kind[kind];
    uint32_t end =
        kind + 1 < ready->form->kinds ? ready->form->kind[kind + 1].first : ready->form->tasks;
    uint32_t best = BR_NO_RANK, node = kind + ready->form->leaves;
    for (uint32_t at = end; at-- > own->first;) {
        uint32_t k = ready->form->rank[at], place = at - own->first, word = place / BITS;
        bool bit = ready->bits[own->word + word] >> place % BITS & 1;
        bool some = ready->some[own->some + word / BITS] >> word % BITS & 1;
        if (bit != ready->is_ready[k] || (bit && !some) || ready->form->place[k] != place ||
            ready->form->rank_kind[k] != kind)
            return false;
        best = bit ? k : best;
    }
    if (ready->best[node] != best || ready_first_rank(ready, kind) != best)
        return false;
    for (node /= 2; node; node /= 2) {
        uint32_t a = ready->best[2 * node], b = ready->best[2 * node + 1];
        if (ready->best[node] != (a < b ? a : b))
            return false;
    }
    return true;
}

/* Updates the kind's path in the tree. */
static void refresh(struct br_ready *ready, uint32_t kind)
{
    uint32_t node = kind + ready->form->leaves;
    ready->best[node] = ready_first_rank(ready, kind);
    for (node /= 2; node; node /= 2) {
        uint32_t a = ready->best[2 * node], b = ready->best[2 * node + 1], best = a < b ? a : b;
        if (ready->best[node] == best)
            break;
        ready->best[node] = best;
    }
    br_costly_assert(kind_is_sound(ready, kind));
}

static void ready_note(struct br_ready *ready, uint32_t k)
{
    assert(ready->is_changed[k] || ready->changes < ready->form->tasks);
    if (!ready->is_changed[k])
        ready->changed[ready->changes++] = k;
    ready->is_changed[k] = true;
}

void br_ready_add(struct br_ready *ready, uint32_t k)
{
    uint32_t kind = ready->form->rank_kind[k], place = ready->form->place[k], word = place / BITS;
    const struct br_ready_kind *own = &ready->form->kind[kind];
    assert(!ready->is_ready[k]);
    ready->is_ready[k] = true;
    ready->bits[own->word + word] |= UINT64_C(1) << place % BITS;
    ready->some[own->some + word / BITS] |= UINT64_C(1) << word % BITS;
    ready_note(ready, k);
    if (k < ready->best[kind + ready->form->leaves])
        refresh(ready, kind);
    assert(ready->best[kind + ready->form->leaves] <= k);
}

void br_ready_remove(struct br_ready *ready, uint32_t k)
{
    uint32_t kind = ready->form->rank_kind[k], place = ready->form->place[k], word = place / BITS;
    const struct br_ready_kind *own = &ready->form->kind[kind];
    assert(ready->is_ready[k]);
    ready->is_ready[k] = false;
    uint64_t left = ready->bits[own->word + word] &= ~(UINT64_C(1) << place % BITS);
    if (!left)
        ready->some[own->some + word / BITS] &= ~(UINT64_C(1) << word % BITS);
    ready_note(ready, k);
    if (k == ready->best[kind + ready->form->leaves])
        refresh(ready, kind);
    assert(ready->best[kind + ready->form->leaves] != k);
}

uint32_t br_ready_best(const struct br_ready *ready, uint32_t kind)
{
    return ready->best[kind + ready->form->leaves];
}

uint32_t br_ready_count(const struct br_ready *ready, uint32_t kind)
{
    const struct br_ready_kind *own = &ready->form->kind[kind];
    uint32_t end = kind + 1 < ready->form->kinds ? own[1].word : ready->form->words, count = 0;
    for (uint32_t word = own->word; word < end; word++)
        count += (uint32_t)__builtin_popcountll(ready->bits[word]);
    return count;
}

bool br_ready_kind_fits(const struct br_ready *ready, uint32_t kind, const int64_t *room)
{
    return br_demand_fits(ready->form->demand + (size_t)kind * ready->form->width, room,
                          ready->form->width);
}

static double ready_bound_of(const struct br_ready *ready, const int64_t *room,
                             const struct br_ready_walk *walk, uint32_t node)
{
    if (ready->best[node] == BR_NO_RANK ||
        !br_demand_fits(ready_least(ready->form, node), room, ready->form->width))
        return -INFINITY;
    return walk->bound(walk->context, ready->best[node], most(ready->form, node));
}

static void ready_search(const struct br_ready *ready, const int64_t *room,
                         const struct br_ready_walk *walk, uint32_t node)
{
    if (node >= ready->form->leaves) {
        walk->visit(walk->context, node - ready->form->leaves);
        return;
    }
    uint32_t first = 2 * node, second = first + 1;
    double a = ready_bound_of(ready, room, walk, first),
           b = ready_bound_of(ready, room, walk, second);
    /* Among equal bounds the one with the smaller rank, so that the order does not depend on the
     * kinds.
     */
    if (b > a || (b == a && ready->best[second] < ready->best[first])) {
        first = second, second = 2 * node;
        a = b;
    }
    if (a > -INFINITY)
        ready_search(ready, room, walk, first);
    /* The candidates from the first subtree may rule out the second. */
    if (ready_bound_of(ready, room, walk, second) > -INFINITY)
        ready_search(ready, room, walk, second);
}

void br_ready_search(const struct br_ready *ready, const int64_t *room,
                     const struct br_ready_walk *walk)
{
    if (ready_bound_of(ready, room, walk, 1) > -INFINITY)
        ready_search(ready, room, walk, 1);
}
