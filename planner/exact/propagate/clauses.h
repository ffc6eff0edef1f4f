/* The store of learned clauses: an arena of them, for each atom the clauses that watch it, and the
 * reduction of the store to its more useful part. */
#ifndef BR_PLANNER_EXACT_PROPAGATE_CLAUSES_H
#define BR_PLANNER_EXACT_PROPAGATE_CLAUSES_H

#include "planner/exact/propagate/atoms.h"
#include "planner/exact/propagate/trail.h"

/* Clauses of at most this many levels are kept for good. */
enum { BR_LCG_GLUE_KEPT = 4 };

/* A clause in the arena: a header of words, then literals. The first two are watched: after all is
 * propagated they are not false, or some literal of the clause is true. */
struct br_lcg_clause {
    uint32_t size;
    uint32_t glue;  /* number of levels of its literals, the fewest so far */
    uint32_t lemma; /* its number on record, 0 if nothing is recorded */
    float activity;
    struct br_lcg_literal literal[];
};

struct br_lcg_watch {
    uint32_t clause;
    struct br_lcg_literal blocker; /* another literal of the clause */
};

/* The clauses that watch an atom, and those that watch its negation: pieces of the pool below. */
struct br_lcg_watchers {
    struct br_lcg_piece {
        uint32_t first, count, room;
    } of[2];
};

struct br_lcg_clauses {
    const struct br_lcg_atoms *atoms; /* borrowed */
    struct br_lcg_trail *trail;       /* borrowed */
    uint32_t *words;                  /* the arena; a clause's place counts its words */
    uint32_t words_count, words_room;
    uint32_t *learned, learned_count, learned_room; /* places of all clauses */
    struct br_lcg_watchers *watchers;               /* by atom */
    uint32_t watchers_count, watchers_room;
    struct br_lcg_watch *watches; /* the pool; free pieces are chained by size */
    uint32_t watches_count, watches_room, free_piece[32];
    double step; /* added to the activity of a clause that takes part in a conflict */
};

void br_lcg_clauses_init(struct br_lcg_clauses *c, const struct br_lcg_atoms *atoms,
                         struct br_lcg_trail *trail);
void br_lcg_clauses_finish(struct br_lcg_clauses *c);

static inline struct br_lcg_clause *br_lcg_clause_at(const struct br_lcg_clauses *c, uint32_t place)
{
    assert(place < c->words_count);
    return (struct br_lcg_clause *)(c->words + place);
}
/* Stores a clause of at least two literals that have atoms; the first two are watched from now on.
 * Returns its place; NONE when memory is out. */
uint32_t br_lcg_clause_add(struct br_lcg_clauses *c, const struct br_lcg_literals *literals,
                           uint32_t glue, uint32_t lemma);
/* Tells the clauses that the side has risen from `before` to `now`; the bounds that they imply are
 * on the trail afterwards. False in a conflict, or when memory is out. */
bool br_lcg_clauses_propagate(struct br_lcg_clauses *c, uint32_t side, int32_t before, int32_t now);
/* Notes that the clause took part in a conflict, and that a conflict has passed. */
void br_lcg_clause_bump(struct br_lcg_clauses *c, struct br_lcg_clause *clause);
void br_lcg_clauses_decay(struct br_lcg_clauses *c);
/* Drops the less useful half of the clauses, and those that hold at the root; at level 0. Places
 * change: the trail's reasons become lemmas. */
void br_lcg_clauses_reduce(struct br_lcg_clauses *c);
/* Are all clauses watched correctly after all is propagated? O(literals stored). */
bool br_lcg_clauses_hold(const struct br_lcg_clauses *c);

#endif
