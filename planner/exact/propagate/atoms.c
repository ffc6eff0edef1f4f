/* The table of atoms, and for each variable an index of its atoms, sorted for binary search. */
#include "planner/exact/propagate/atoms.h"

#include "base/collections/grow.h"

bool br_lcg_atoms_init(struct br_lcg_atoms *a, uint32_t variables, struct br_arena *arena)
{
    *a = (struct br_lcg_atoms){.variables = variables};
    a->index = br_arena_array(arena, variables, sizeof *a->index);
    return a->index != NULL;
}

void br_lcg_atoms_finish(struct br_lcg_atoms *a)
{
    for (uint32_t v = 0; a->index && v < a->variables; v++) {
        free(a->index[v].bound);
        free(a->index[v].atom);
    }
    free(a->atom);
}

uint32_t br_lcg_atoms_above(const struct br_lcg_atom_index *index, int32_t bound)
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
    uint32_t k = br_lcg_atoms_above(index, bound);
    return k > 0 && index->bound[k - 1] == bound ? index->atom[k - 1] : BR_LCG_NONE;
}

uint32_t br_lcg_atom_make(struct br_lcg_atoms *a, struct br_lcg_literal l, bool *negated)
{
    uint32_t variable;
    int32_t bound = atom_bound(l, &variable, negated);
    struct br_lcg_atom_index *index = &a->index[variable];
    uint32_t k = br_lcg_atoms_above(index, bound), room = index->room;
    if (k > 0 && index->bound[k - 1] == bound)
        return index->atom[k - 1];
    if (!br_grow(&a->atom, a->count, &a->room, sizeof *a->atom) ||
        !br_grow(&index->bound, index->count, &room, sizeof *index->bound) ||
        !br_grow(&index->atom, index->count, &index->room, sizeof *index->atom))
        return BR_LCG_NONE;
    memmove(index->bound + k + 1, index->bound + k, (index->count - k) * sizeof *index->bound);
    memmove(index->atom + k + 1, index->atom + k, (index->count - k) * sizeof *index->atom);
    index->bound[k] = bound;
    index->atom[k] = a->count;
    index->count++;
    a->atom[a->count] = (struct br_lcg_atom){variable, bound};
    return a->count++;
}
