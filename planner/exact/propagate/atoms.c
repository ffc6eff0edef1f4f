/* The table of atoms, and for each variable an index of its atoms, sorted for binary search. */
#include "planner/exact/propagate/atoms.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"

/* The widest range of bounds that is kept directly, for each variable. */
enum { WIDTH_MAX = 2048 };

bool br_lcg_atoms_init(struct br_lcg_atoms *a, uint32_t variables, struct br_arena *arena)
{
    *a = (struct br_lcg_atoms){.variables = variables};
    a->index = br_arena_array(arena, variables, sizeof *a->index);
    return a->index != NULL;
}

void br_lcg_atoms_finish(struct br_lcg_atoms *a)
{
    for (uint32_t v = 0; a->index && v < a->variables; v++) {
        br_free(a->index[v].bound);
        br_free(a->index[v].atom);
        br_free(a->index[v].direct);
    }
    br_free(a->atom);
}

uint32_t br_lcg_atoms_search(const struct br_lcg_atom_index *index, int32_t bound)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (index->bound[middle] > bound)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Variable and bound t of the atom [variable >= t] that the literal is or negates. */
static int32_t atom_bound(struct br_lcg_literal l, uint32_t *variable, bool *negated)
{
    *variable = l.side / 2;
    *negated = l.side & 1;
    return *negated ? 1 - l.bound : l.bound;
}

uint32_t br_lcg_atom_find(const struct br_lcg_atoms *a, struct br_lcg_literal l, bool *negated)
{
    uint32_t variable;
    int32_t bound = atom_bound(l, &variable, negated);
    const struct br_lcg_atom_index *index = &a->index[variable];
    if (index->width > 0) {
        int64_t place = (int64_t)bound - index->first;
        return place >= 0 && place < index->width ? index->direct[place].atom : BR_LCG_NONE;
    }
    uint32_t k = br_lcg_atoms_search(index, bound);
    return k > 0 && index->bound[k - 1] == bound ? index->atom[k - 1] : BR_LCG_NONE;
}

/* Puts the atoms by bound, with room for half as many bounds again on either side. */
static void atoms_spread(struct br_lcg_atom_index *index)
{
    int64_t width = (int64_t)index->bound[index->count - 1] - index->bound[0] + 1;
    int64_t margin = width / 2 + 4;
    struct br_lcg_atom_direct *direct = NULL;
    if (width + 2 * margin <= WIDTH_MAX && index->bound[0] >= INT32_MIN + margin)
        direct = br_malloc((size_t)(width + 2 * margin) * sizeof *direct);
    br_free(index->direct);
    index->direct = direct;
    index->width = direct ? (uint32_t)(width + 2 * margin) : 0;
    index->first = direct ? (int32_t)(index->bound[0] - margin) : 0;
    for (uint32_t place = 0, k = 0; direct && place < index->width; place++) {
        bool here = k < index->count && index->bound[k] - index->first == (int32_t)place;
        direct[place].atom = here ? index->atom[k++] : BR_LCG_NONE;
        direct[place].above = k;
    }
}

/* Puts a new atom by its bound, for which there is room. */
static void atoms_put(struct br_lcg_atom_index *index, uint32_t place, uint32_t atom)
{
    index->direct[place].atom = atom;
    for (; place < index->width; place++)
        index->direct[place].above++;
}

uint32_t br_lcg_atom_make(struct br_lcg_atoms *a, struct br_lcg_literal l, bool *negated)
{
    uint32_t variable, found = br_lcg_atom_find(a, l, negated);
    if (found != BR_LCG_NONE)
        return found;
    int32_t bound = atom_bound(l, &variable, negated);
    struct br_lcg_atom_index *index = &a->index[variable];
    uint32_t k = br_lcg_atoms_above(index, bound), room = index->room;
    if (!br_grow(&a->atom, a->count, &a->room, sizeof *a->atom) ||
        !br_grow(&index->bound, index->count, &room, sizeof *index->bound) ||
        !br_grow(&index->atom, index->count, &index->room, sizeof *index->atom))
        return BR_LCG_NONE;
    memmove(index->bound + k + 1, index->bound + k, (index->count - k) * sizeof *index->bound);
    memmove(index->atom + k + 1, index->atom + k, (index->count - k) * sizeof *index->atom);
    index->bound[k] = bound;
    index->atom[k] = a->count;
    index->count++;
    int64_t place = (int64_t)bound - index->first;
    if (index->width > 0 && place >= 0 && place < index->width)
        atoms_put(index, (uint32_t)place, a->count);
    else if (index->width > 0 || index->count == 1)
        atoms_spread(index);
    a->atom[a->count] = (struct br_lcg_atom){variable, bound};
    return a->count++;
}
