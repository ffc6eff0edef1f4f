/* The heap keeps atoms that may be open. An atom that bounds have decided stays until it comes to
 * the top. It comes back when the bound that decided it is taken back. */
#include "planner/exact/branching.h"

#include "base/collections/grow.h"
#include "base/collections/memory.h"
#include "base/invariant.h"

#define ACTIVITY_LIMIT 1e100
#define DECAY 0.95

bool br_lcg_branching_init(struct br_lcg_branching *b, struct br_lcg_engine *engine)
{
    *b = (struct br_lcg_branching){.engine = engine, .step = 1};
    return !engine->ways.p || BR_ARRAY(&engine->arena, engine->trail.sides / 2, b->hint);
}

void br_lcg_branching_finish(struct br_lcg_branching *b)
{
    br_free(b->merit);
    br_free(b->heap);
}

/* --- the heap: the more active above, ties by age, the older above --------------------------- */

static bool above(const struct br_lcg_branching *b, uint32_t x, uint32_t y)
{
    return b->merit[x].activity > b->merit[y].activity ||
           (b->merit[x].activity == b->merit[y].activity && x < y);
}

static void branching_put(struct br_lcg_branching *b, uint32_t place, uint32_t atom)
{
    b->heap[place] = atom;
    b->merit[atom].heap_place = place;
}

static void sift_up(struct br_lcg_branching *b, uint32_t place)
{
    uint32_t atom = b->heap[place];
    while (place > 0 && above(b, atom, b->heap[(place - 1) / 2])) {
        branching_put(b, place, b->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    branching_put(b, place, atom);
}

static void sift_down(struct br_lcg_branching *b, uint32_t place)
{
    uint32_t atom = b->heap[place];
    for (uint32_t child; (child = 2 * place + 1) < b->heap_count; place = child) {
        if (child + 1 < b->heap_count && above(b, b->heap[child + 1], b->heap[child]))
            child++;
        if (!above(b, b->heap[child], atom))
            break;
        branching_put(b, place, b->heap[child]);
    }
    branching_put(b, place, atom);
}

static void branching_insert(struct br_lcg_branching *b, uint32_t atom)
{
    assert(b->heap_count < b->count);
    branching_put(b, b->heap_count++, atom);
    sift_up(b, b->heap_count - 1);
}

static uint32_t branching_pop(struct br_lcg_branching *b)
{
    uint32_t atom = b->heap[0], last = b->heap[--b->heap_count];
    b->merit[atom].heap_place = BR_LCG_NONE;
    if (b->heap_count > 0) {
        branching_put(b, 0, last);
        sift_down(b, 0);
    }
    return atom;
}

static bool branching_is_open(const struct br_lcg_engine *e, uint32_t atom)
{
    const struct br_lcg_atom *a = &e->atoms.atom[atom];
    return br_lcg_lower(&e->trail, a->variable) < a->bound &&
           br_lcg_upper(&e->trail, a->variable) >= a->bound;
}

/* Is every open atom in the heap, at the place that it records? */
static bool heap_holds(const struct br_lcg_branching *b)
{
    for (uint32_t k = 0; k < b->count; k++) {
        uint32_t place = b->merit[k].heap_place;
        if (place == BR_LCG_NONE ? branching_is_open(b->engine, k)
                                 : place >= b->heap_count || b->heap[place] != k)
            return false;
    }
    return b->count == b->engine->atoms.count;
}

/* --- activities ------------------------------------------------------------------------------ */

static void bump(struct br_lcg_branching *b, uint32_t atom)
{
    b->merit[atom].activity += b->step;
    if (b->merit[atom].activity > ACTIVITY_LIMIT) {
        for (uint32_t k = 0; k < b->count; k++)
            b->merit[k].activity /= ACTIVITY_LIMIT;
        b->step /= ACTIVITY_LIMIT;
    }
    if (b->merit[atom].heap_place != BR_LCG_NONE)
        sift_up(b, b->merit[atom].heap_place);
}

bool br_lcg_branching_admit(struct br_lcg_branching *b, struct br_lcg_literal l)
{
    struct br_lcg_engine *e = b->engine;
    bool negated;
    assert(b->count == e->atoms.count);
    uint32_t atom = BR_LCG_NONE;
    if (br_grow(&b->merit, b->count, &b->room, sizeof *b->merit) &&
        br_grow(&b->heap, b->count, &b->heap_room, sizeof *b->heap))
        atom = br_lcg_atom_make(&e->atoms, l, &negated);
    if (atom == BR_LCG_NONE) {
        e->trail.memory_out = true;
        return false;
    }
    if (atom == b->count) {
        const struct br_lcg_atom *made = &e->atoms.atom[atom];
        b->merit[b->count++] = (struct br_lcg_merit){
            .heap_place = BR_LCG_NONE, .phase = b->hint && b->hint[made->variable] >= made->bound};
        branching_insert(b, atom);
    }
    bump(b, atom);
    return true;
}

void br_lcg_branching_bump(struct br_lcg_branching *b, struct br_lcg_literal l)
{
    bool negated;
    uint32_t atom = br_lcg_atom_find(&b->engine->atoms, l, &negated);
    if (atom != BR_LCG_NONE)
        bump(b, atom);
}

void br_lcg_branching_decay(struct br_lcg_branching *b)
{
    b->step /= DECAY;
}

/* --- machines -------------------------------------------------------------------------------- */

/* Stores the clause of the literals that can be true. If it is only one, it is true from the
 * beginning. False when memory is out. */
static bool branching_store(struct br_lcg_branching *b, struct br_lcg_literals *clause)
{
    struct br_lcg_trail *trail = &b->engine->trail;
    uint32_t open = 0;
    for (uint32_t k = 0; k < clause->count; k++) {
        if (br_lcg_true(trail, clause->item[k]))
            return true;
        if (!br_lcg_false(trail, clause->item[k]))
            clause->item[open++] = clause->item[k];
    }
    clause->count = open;
    if (open == 1)
        return br_lcg_raise(trail, clause->item[0], br_lcg_reason(BR_LCG_LEMMA, 0), 0);
    for (uint32_t k = 0; k < open; k++)
        if (!br_lcg_branching_admit(b, clause->item[k]))
            return false;
    return open == 0 || br_lcg_clause_add(&b->engine->clauses, clause, 1, 0) != BR_LCG_NONE;
}

static bool branching_add(struct br_lcg_branching *b, struct br_lcg_literals *clause, uint32_t task,
                          uint32_t machine, bool is)
{
    uint32_t on = br_lcg_on(b->engine->machines.p, task, machine);
    return br_lcg_append(&b->engine->trail, clause,
                         (struct br_lcg_literal){2 * on + !is, is ? 1 : 0});
}

/* The task is on some machine, and not on two. It is on a machine with a twin only if a task before
 * it is on the twin. */
static bool branching_assign(struct br_lcg_branching *b, struct br_lcg_literals *clause,
                             uint32_t task)
{
    const struct br_lcg_problem *p = b->engine->machines.p;
    bool ok = true;
    clause->count = 0;
    for (uint32_t m = 0; m < p->machines && ok; m++)
        ok = branching_add(b, clause, task, m, true);
    ok = ok && branching_store(b, clause);
    for (uint32_t m = 1; m < p->machines; m++)
        for (uint32_t n = 0; n < m && ok; n++) {
            clause->count = 0;
            ok = branching_add(b, clause, task, m, false) &&
                 branching_add(b, clause, task, n, false) && branching_store(b, clause);
        }
    for (uint32_t m = 0; m < p->machines && ok; m++) {
        if (p->twin[m] == m)
            continue;
        clause->count = 0;
        ok = branching_add(b, clause, task, m, false);
        for (uint32_t t = 0; t < task && ok; t++)
            ok = !br_lcg_is_assigned(p, t) || branching_add(b, clause, t, p->twin[m], true);
        ok = ok && branching_store(b, clause);
    }
    return ok;
}

bool br_lcg_branching_assign(struct br_lcg_branching *b)
{
    const struct br_lcg_problem *p = b->engine->machines.p;
    struct br_lcg_literals clause = {0};
    bool ok = true;
    for (uint32_t t = 0; p && t < p->tasks && ok; t++)
        ok = !br_lcg_is_assigned(p, t) || branching_assign(b, &clause, t);
    for (uint32_t k = 0; k < b->count; k++)
        b->merit[k].phase = true;
    br_free(clause.item);
    return ok;
}

/* --- ways ------------------------------------------------------------------------------------ */

static bool is_preferred(const struct br_lcg_branching *b, uint32_t way, uint32_t other)
{
    const struct br_lcg_ways *c = &b->engine->ways;
    const int32_t hint = b->hint[br_lcg_ways_variable(c, way)],
                  others = b->hint[br_lcg_ways_variable(c, other)];
    return hint != others ? hint > others : c->p->duration[way] < c->p->duration[other];
}

/* The task that can start earliest of those that have neither a start nor one way left; it takes
 * the way of the hint, or the shortest. */
static bool choose_way(const struct br_lcg_branching *b, struct br_lcg_literal *l)
{
    const struct br_lcg_ways *c = &b->engine->ways;
    const struct br_lcg_trail *trail = &b->engine->trail;
    uint32_t best = BR_LCG_NONE, chosen = BR_LCG_NONE;
    for (uint32_t t = 0; c->p && t < trail->tasks; t++) {
        const int32_t lower = br_lcg_lower(trail, t);
        uint32_t left = 0, way = BR_LCG_NONE;
        if (best != BR_LCG_NONE && lower >= br_lcg_lower(trail, best))
            continue;
        for (uint32_t k = c->p->first[t]; k < c->p->first[t + 1]; k++) {
            if (br_lcg_upper(trail, br_lcg_ways_variable(c, k)) == 0)
                continue;
            left++;
            if (way == BR_LCG_NONE || is_preferred(b, k, way))
                way = k;
        }
        if (left > 1 || lower < br_lcg_upper(trail, t)) {
            best = t;
            chosen = left > 1 ? way : BR_LCG_NONE;
        }
    }
    *l =
        (struct br_lcg_literal){chosen != BR_LCG_NONE ? 2 * br_lcg_ways_variable(c, chosen) : 0, 1};
    return chosen != BR_LCG_NONE;
}

/* --- decisions ------------------------------------------------------------------------------- */

/* On several machines: the first task in time that has a start but no machine, and the first
 * machine on which it may be. */
static bool choose_machine(const struct br_lcg_branching *b, struct br_lcg_literal *l)
{
    const struct br_lcg_trail *trail = &b->engine->trail;
    const struct br_lcg_problem *p = b->engine->machines.p;
    uint32_t best = BR_LCG_NONE;
    for (uint32_t t = 0; p && t < trail->tasks; t++) {
        if (!br_lcg_is_assigned(p, t) || br_lcg_lower(trail, t) != br_lcg_upper(trail, t) ||
            (best != BR_LCG_NONE && br_lcg_lower(trail, t) >= br_lcg_lower(trail, best)))
            continue;
        for (uint32_t m = 0; m < p->machines; m++) {
            uint32_t on = br_lcg_on(p, t, m);
            if (br_lcg_lower(trail, on) == br_lcg_upper(trail, on))
                continue;
            *l = (struct br_lcg_literal){2 * on, 1};
            best = t;
            break;
        }
    }
    return best != BR_LCG_NONE;
}

/* The open start that can be earliest; among ties that with the least slack. */
static uint32_t earliest_task(const struct br_lcg_trail *trail)
{
    uint32_t best = BR_LCG_NONE;
    for (uint32_t t = 0; t < trail->tasks; t++) {
        int32_t lower = br_lcg_lower(trail, t), upper = br_lcg_upper(trail, t);
        if (lower == upper)
            continue;
        if (best == BR_LCG_NONE || lower < br_lcg_lower(trail, best) ||
            (lower == br_lcg_lower(trail, best) && upper < br_lcg_upper(trail, best)))
            best = t;
    }
    return best;
}

bool br_lcg_branching_choose(struct br_lcg_branching *b, bool by_activity, struct br_lcg_literal *l)
{
    const struct br_lcg_trail *trail = &b->engine->trail;
    br_costly_assert(trail->level > 1 || heap_holds(b));
    while (by_activity && b->heap_count > 0) {
        uint32_t atom = branching_pop(b);
        if (branching_is_open(b->engine, atom)) {
            *l = br_lcg_atom_literal(&b->engine->atoms, atom, !b->merit[atom].phase);
            return true;
        }
    }
    if (choose_machine(b, l) || choose_way(b, l))
        return true;
    uint32_t task = earliest_task(trail);
    if (task == BR_LCG_NONE)
        return false;
    *l = (struct br_lcg_literal){2 * task + 1, -br_lcg_lower(trail, task)};
    return true;
}

bool br_lcg_decide(struct br_lcg_branching *b, struct br_lcg_literal l)
{
    struct br_lcg_trail *trail = &b->engine->trail;
    b->decisions++;
    assert(!br_lcg_true(trail, l) && !br_lcg_false(trail, l));
    return br_lcg_trail_open_level(trail) &&
           br_lcg_raise(trail, l, br_lcg_reason(BR_LCG_DECISION, 0), 0);
}

/* --- the way back ---------------------------------------------------------------------------- */

void br_lcg_undo(struct br_lcg_branching *b)
{
    const struct br_lcg_entry *e = br_lcg_trail_undo(&b->engine->trail);
    int32_t above_bound, upto;
    const struct br_lcg_atom_index *index =
        br_lcg_atoms_decided(&b->engine->atoms, e->side, e->before, e->value, &above_bound, &upto);
    if (!index)
        return;
    bool phase = !(e->side & 1); /* a lower bound made its atoms true, an upper bound false */
    for (uint32_t k = br_lcg_atoms_above(index, above_bound);
         k < index->count && index->bound[k] <= upto; k++) {
        struct br_lcg_merit *merit = &b->merit[index->atom[k]];
        merit->phase = phase;
        if (merit->heap_place == BR_LCG_NONE)
            branching_insert(b, index->atom[k]);
    }
}

void br_lcg_backtrack(struct br_lcg_branching *b, uint32_t level)
{
    struct br_lcg_trail *trail = &b->engine->trail;
    if (level >= trail->level)
        return; /* the queue stays as it is */
    uint32_t start = trail->level_start[level + 1];
    while (trail->count > start)
        br_lcg_undo(b);
    br_lcg_engine_close_levels(b->engine, level);
}
