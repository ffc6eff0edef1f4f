/* Atoms: the statements [variable >= bound] that occur in learned clauses, each with its negation.
 *
 * Only these have a number, which they get when a clause first needs them. So clauses can be
 * watched, and branching can count how often a statement mattered [Ohrimenko09]. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_ATOMS_H
#define BR_PLANNER_EXACT_PROPAGATE_ATOMS_H

#include "base/collections/arena.h"
#include "planner/exact/propagate/literal.h"

struct br_lcg_atom {
    uint32_t variable;
    int32_t bound;
};

/* The atoms of a variable, by ascending bound. For each bound from `first` on it has the atom, or
 * NONE, and the place of the first one above. If bounds lie too far apart for that, width is 0. */
struct br_lcg_atom_index {
    int32_t *bound;
    uint32_t *atom;
    uint32_t count, room;
    struct br_lcg_atom_direct {
        uint32_t atom, above;
    } * direct;
    uint32_t width;
    int32_t first;
};

struct br_lcg_atoms {
    struct br_lcg_atom *atom;
    uint32_t count, room;
    uint32_t variables;
    struct br_lcg_atom_index *index; /* by variable */
};

/* No atoms. False when memory is out; finish is fine in any case. */
bool br_lcg_atoms_init(struct br_lcg_atoms *a, uint32_t variables, struct br_arena *arena);
void br_lcg_atoms_finish(struct br_lcg_atoms *a);

/* The atom that the literal is or negates (*negated), made if there is none; NONE when memory is
 * out. O(atoms of the variable) if it is made. */
uint32_t br_lcg_atom_make(struct br_lcg_atoms *a, struct br_lcg_literal l, bool *negated);
/* As br_lcg_atom_make, but NONE if there is none. O(1), or O(log atoms of the variable) if bounds
 * lie far apart. */
uint32_t br_lcg_atom_find(const struct br_lcg_atoms *a, struct br_lcg_literal l, bool *negated);
/* The atom, or its negation, as a literal. */
static inline struct br_lcg_literal br_lcg_atom_literal(const struct br_lcg_atoms *a, uint32_t atom,
                                                        bool negated)
{
    struct br_lcg_literal l = {2 * a->atom[atom].variable, a->atom[atom].bound};
    return negated ? br_lcg_negation(l) : l;
}

/* The first place in the index with a bound above the given one. O(1), or a search if bounds lie
 * far apart. */
uint32_t br_lcg_atoms_search(const struct br_lcg_atom_index *index, int32_t bound);
static inline uint32_t br_lcg_atoms_above(const struct br_lcg_atom_index *index, int32_t bound)
{
    int64_t place = (int64_t)bound - index->first;
    return place >= 0 && place < index->width ? index->direct[place].above
                                              : br_lcg_atoms_search(index, bound);
}
/* The index of the side's variable, if a change of the side's bound from `before` to `now` decides
 * some of its atoms: those with bounds in *above < bound <= *upto. NULL if it decides none. */
static inline const struct br_lcg_atom_index *br_lcg_atoms_decided(const struct br_lcg_atoms *a,
                                                                   uint32_t side, int32_t before,
                                                                   int32_t now, int32_t *above,
                                                                   int32_t *upto)
{
    const struct br_lcg_atom_index *index = &a->index[side / 2];
    *above = side & 1 ? -now : before;
    *upto = side & 1 ? -before : now;
    if (index->count == 0 || index->bound[index->count - 1] <= *above || index->bound[0] > *upto)
        return NULL;
    return index;
}

#endif
