/* Domains and the trail: the bounds of all variables, how each of them rose and why, and the way
 * back.
 *
 * Variables are the starts of the tasks, the makespan, which of two rivals is first, on several
 * machines whether a task is on one of them, and whether a task takes a way. A decision opens a
 * level; all that follows from it belongs to the level and is taken back with it. Level 0 is the
 * root: its bounds hold for good. The trail is also the queue of the bounds that propagation has
 * not seen yet. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_TRAIL_H
#define BR_PLANNER_EXACT_PROPAGATE_TRAIL_H

#include <assert.h>

#include "base/process/stop.h"
#include "planner/exact/propagate/literal.h"
#include "planner/exact/propagate/problem.h"

/* The reason why a bound rose: the kind in the upper bits, a number below them. */
enum {
    BR_LCG_KIND_SHIFT = 28,
    BR_LCG_DECISION = 0,
    BR_LCG_ROOT,     /* supposed at the root: no schedule as long as the best is looked for */
    BR_LCG_CLAUSE,   /* number: place of a learned clause, see clauses.h */
    BR_LCG_LEMMA,    /* number: of a lemma on record in the proof */
    BR_LCG_ARC,      /* number: of an arc, see precedence.h */
    BR_LCG_ORDER,    /* number: the side that says which of two rivals is first, see order.h */
    BR_LCG_PROFILE,  /* `at`: the tick at which the task does not fit */
    BR_LCG_MACHINES, /* machines that it fits, see machines.h */
    BR_LCG_ENERGY,   /* a span with too much to do; `at` is its end, see energy.h */
    BR_LCG_WAYS,     /* ways that tasks can take, see ways.h */
};
static inline uint32_t br_lcg_reason(uint32_t kind, uint32_t number)
{
    return kind << BR_LCG_KIND_SHIFT | number;
}
static inline uint32_t br_lcg_kind(uint32_t reason)
{
    return reason >> BR_LCG_KIND_SHIFT;
}
static inline uint32_t br_lcg_number(uint32_t reason)
{
    return reason & ((UINT32_C(1) << BR_LCG_KIND_SHIFT) - 1);
}

/* One rise of a bound. */
struct br_lcg_entry {
    uint32_t side;
    int32_t value, before;
    uint32_t previous; /* entry of the same side, or NONE */
    uint32_t level;
    uint32_t reason;
    int32_t at;
};

/* A bound that could not rise. If the literal's side is NONE, the conflict is in the profile, or in
 * a span of time: at the tick `at` tasks that run in any case demand more than the capacity, or in
 * a span that ends there they have more to do than that. */
struct br_lcg_conflict {
    struct br_lcg_literal literal;
    uint32_t reason;
    int32_t at;
};

struct br_lcg_trail {
    uint32_t tasks, sides, makespan; /* the makespan's variable, after the tasks' */
    int32_t *now, *root;             /* by side: the bound, and the bound at level 0 */
    int32_t *seen;                   /* by side: the bound up to which propagation has seen it */
    uint32_t *latest;                /* by side: its latest entry, or NONE */
    struct br_lcg_entry *entry;
    uint32_t count, room;
    uint32_t head;         /* entries before it have been propagated */
    uint32_t *level_start; /* by level from 1 on: number of entries when it was opened */
    uint32_t level, level_room;
    struct br_lcg_conflict conflict; /* the latest */
    /* Set if any layer runs out of memory. The solver is useless then, except for what it has
     * found. */
    bool memory_out;
    /* May be NULL. Raised, propagation ends before its fixed point, and goes on from there when it
     * is called again: windows of a million ticks take minutes. */
    const struct br_stop *stop;
    bool lost; /* with memory_out: an explanation was not found, while memory is not out */
};

/* Bounds of the problem, with nothing propagated; arrays that never grow are the arena's. False
 * when memory is out; finish is fine in any case. */
bool br_lcg_trail_init(struct br_lcg_trail *t, const struct br_lcg_problem *p,
                       struct br_arena *arena);
void br_lcg_trail_finish(struct br_lcg_trail *t);

static inline int32_t br_lcg_lower(const struct br_lcg_trail *t, uint32_t variable)
{
    return t->now[2 * variable];
}
static inline int32_t br_lcg_upper(const struct br_lcg_trail *t, uint32_t variable)
{
    return -t->now[2 * variable + 1];
}
static inline bool br_lcg_true(const struct br_lcg_trail *t, struct br_lcg_literal l)
{
    return t->now[l.side] >= l.bound;
}
static inline bool br_lcg_false(const struct br_lcg_trail *t, struct br_lcg_literal l)
{
    return t->now[l.side ^ 1] > -l.bound;
}
static inline bool br_lcg_true_at_root(const struct br_lcg_trail *t, struct br_lcg_literal l)
{
    return t->root[l.side] >= l.bound;
}

/* Makes a literal true that is not true yet. False if it is false, with the conflict noted, or when
 * memory is out. */
bool br_lcg_raise(struct br_lcg_trail *t, struct br_lcg_literal l, uint32_t reason, int32_t at);
/* As br_lcg_raise; does nothing if the literal is true already. */
static inline bool br_lcg_push(struct br_lcg_trail *t, uint32_t side, int32_t bound,
                               uint32_t reason, int32_t at)
{
    return t->now[side] >= bound ||
           br_lcg_raise(t, (struct br_lcg_literal){side, bound}, reason, at);
}

/* Opens a level. False when memory is out. */
bool br_lcg_trail_open_level(struct br_lcg_trail *t);
/* Takes the latest entry back and returns it; valid until the next rise. */
static inline const struct br_lcg_entry *br_lcg_trail_undo(struct br_lcg_trail *t)
{
    assert(t->count > 0);
    const struct br_lcg_entry *e = &t->entry[--t->count];
    assert(t->latest[e->side] == t->count && t->now[e->side] == e->value);
    t->now[e->side] = e->before;
    t->latest[e->side] = e->previous;
    if (t->seen[e->side] > e->before)
        t->seen[e->side] = e->before;
    return e;
}
/* Closes all levels above the given one, whose entries have been taken back. */
void br_lcg_trail_close_levels(struct br_lcg_trail *t, uint32_t level);

/* The next side in the queue whose bound propagation has not seen: marks it as seen and returns its
 * number, and in *before the bound that was seen last. NONE if there is none. */
static inline uint32_t br_lcg_trail_next(struct br_lcg_trail *t, int32_t *before)
{
    while (t->head < t->count) {
        uint32_t side = t->entry[t->head++].side;
        *before = t->seen[side];
        assert(*before <= t->now[side]); /* no bound falls unseen */
        if (*before < t->now[side]) {
            t->seen[side] = t->now[side];
            return side;
        }
    }
    return BR_LCG_NONE;
}

/* The entry that made a true literal true; NONE if it holds from the beginning. O(entries of the
 * side). */
uint32_t br_lcg_entry_of(const struct br_lcg_trail *t, struct br_lcg_literal l);
/* The side's bound before the entry was made. O(entries of the side). */
int32_t br_lcg_value_before(const struct br_lcg_trail *t, uint32_t side, uint32_t entry);

/* Appends to the list. False when memory is out. */
bool br_lcg_append(struct br_lcg_trail *t, struct br_lcg_literals *list, struct br_lcg_literal l);

#endif
