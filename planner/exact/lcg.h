/* The solver's state, shared by the files of this folder and by nobody else.
 *
 * Variables are the tasks' starts and, last, the makespan. Each has two bounds, kept alike: for
 * variable v, side 2v counts the lower bound and side 2v + 1 the negated upper bound, so that both
 * only ever rise while the search goes down and fall when it comes back. A literal is a side and
 * the value that its bound must have reached; all literals that there can be exist without being
 * stored. Those that occur in learned clauses have a node, which holds what watches them and how
 * often they mattered.
 */
#ifndef BR_PLANNER_EXACT_LCG_H
#define BR_PLANNER_EXACT_LCG_H

#include "base/grow.h"
#include "base/rng.h"
#include "base/stop.h"
#include "planner/exact/problem.h"

#define BR_LCG_NONE UINT32_MAX

struct br_lcg_literal {
    uint32_t side;
    int32_t bound; /* true where cur[side] >= bound */
};

/* Why a bound rose: the kind in the upper bits, a number below them. */
enum {
    BR_LCG_KIND_SHIFT = 29,
    BR_LCG_DECISION = 0,
    BR_LCG_ROOT,    /* supposed at the root: no schedule as long as the best is looked for */
    BR_LCG_CLAUSE,  /* number: place in the arena of clauses */
    BR_LCG_LEMMA,   /* number: of a clause on record in the proof */
    BR_LCG_ARC,     /* number: the arc */
    BR_LCG_PROFILE, /* `at`: the tick at which the task does not fit */
};
static inline uint32_t br_lcg_why(uint32_t kind, uint32_t number)
{
    return kind << BR_LCG_KIND_SHIFT | number;
}
static inline uint32_t br_lcg_kind(uint32_t why)
{
    return why >> BR_LCG_KIND_SHIFT;
}
static inline uint32_t br_lcg_number(uint32_t why)
{
    return why & ((UINT32_C(1) << BR_LCG_KIND_SHIFT) - 1);
}

struct br_lcg_entry {
    uint32_t side;
    int32_t value, before;
    uint32_t previous; /* entry of the same side, or NONE */
    uint32_t level;
    uint32_t why;
    int32_t at;
};

/* An arc as a side sees it: when `from` reaches b, `to` reaches b + lag. */
struct br_lcg_arc {
    uint32_t from, to;
    int32_t lag;
};

struct br_lcg_watch {
    uint32_t clause;
    struct br_lcg_literal blocker; /* another literal of the clause */
};

/* Watches of one literal: a piece of the pool of watches. */
struct br_lcg_list {
    uint32_t first, count, room;
};

/* [start >= bound] of a variable, and its negation. */
struct br_lcg_node {
    uint32_t variable;
    int32_t bound;
    uint32_t heap_place; /* or NONE */
    bool phase;          /* what it was last */
    double activity;
    struct br_lcg_list watch[2]; /* clauses that watch it, and that watch its negation */
};

/* The nodes of a variable, by bound. */
struct br_lcg_index {
    int32_t *bound;
    uint32_t *node;
    uint32_t count, room;
};

/* A clause in the arena: a header of words, then literals. The first two are watched. */
struct br_lcg_clause {
    uint32_t size, glue;
    uint32_t lemma; /* number on record */
    float activity;
    struct br_lcg_literal literal[];
};
enum { BR_LCG_HEADER_WORDS = 4 };

struct br_lcg_level {
    uint32_t trail, parts;
    uint32_t stamp; /* of the last lemma that had a literal of the level */
};

/* Compulsory part of a task before it grew. */
struct br_lcg_part {
    uint32_t task;
    int32_t from, to;
};

struct br_lcg_interval {
    int32_t from, to;
};
enum { BR_LCG_INTERVALS = 8 };

struct br_lcg_proof;

struct br_lcg {
    const struct br_exact_problem *p;
    uint32_t tasks, variables, sides, makespan; /* makespan: its variable */
    struct br_arena arena;                      /* what never grows */
    bool failed;                                /* memory is out */

    /* Bounds and how they came about. */
    int32_t *cur, *root; /* by side: now, and at level 0 */
    int32_t *told;       /* by side: up to which value arcs and clauses know */
    uint32_t *top;       /* by side: latest entry */
    struct br_lcg_entry *trail;
    uint32_t trail_count, trail_room, head;
    struct br_lcg_level *level_start;
    uint32_t level, level_room;

    /* What failed: the side could not reach the bound, or, where side is NONE, there is more on the
     * pool at one tick than it holds, or a clause has no true literal left. */
    struct br_lcg_literal failed_literal;
    uint32_t failed_why;
    int32_t failed_at;

    /* Precedence. */
    uint32_t *arc_first; /* by side */
    struct br_lcg_arc *arc;

    /* Time-table: what is free after all compulsory parts, which parts those are, and which tasks
     * have moved since. */
    uint64_t *free;
    int32_t *part_from, *part_to; /* by task */
    struct br_lcg_part *parts;
    uint32_t parts_count, parts_room;
    uint32_t *dirty, dirty_count;
    bool *is_dirty;

    /* Clauses. */
    uint32_t *words; /* the arena */
    uint32_t words_count, words_room;
    uint32_t *learned, learned_count, learned_room;
    struct br_lcg_watch *watches; /* the pool; free pieces are chained by size */
    uint32_t watches_count, watches_room, free_piece[32];
    double clause_step;

    /* Nodes, and a heap of those that are open, the most active first. */
    struct br_lcg_node *node;
    uint32_t node_count, node_room;
    struct br_lcg_index *index; /* by variable */
    uint32_t *heap, heap_count, heap_room;
    double node_step;

    /* Analysis. */
    int32_t *need;                  /* by side: what the conflict rests on, or INT32_MIN */
    uint32_t *needed, needed_count; /* the sides that are needed */
    bool *implied;                  /* by side: others imply it */
    struct br_lcg_literal *reason;
    uint32_t reason_count, reason_room;
    struct br_lcg_literal *lemma;
    uint32_t lemma_count, lemma_room;
    uint32_t *recency, *candidate; /* scratch of explanations */
    uint32_t stamps;
    uint32_t *antecedent, antecedent_count, antecedent_room;

    struct br_lcg_proof *proof; /* NULL: nothing is recorded */

    /* Search. */
    struct br_rng rng;
    uint64_t conflicts, decisions, propagations, restarts, literals;
    uint64_t restart_at, reduce_at;
    uint64_t luby, reductions;
    int32_t supposed; /* makespan to suppose at level 1, or INT32_MAX */
};

static inline int32_t br_lcg_lower(const struct br_lcg *s, uint32_t variable)
{
    return s->cur[2 * variable];
}
static inline int32_t br_lcg_upper(const struct br_lcg *s, uint32_t variable)
{
    return -s->cur[2 * variable + 1];
}
static inline struct br_lcg_literal br_lcg_negation(struct br_lcg_literal l)
{
    return (struct br_lcg_literal){l.side ^ 1, 1 - l.bound};
}
static inline bool br_lcg_true(const struct br_lcg *s, struct br_lcg_literal l)
{
    return s->cur[l.side] >= l.bound;
}
static inline bool br_lcg_false(const struct br_lcg *s, struct br_lcg_literal l)
{
    return s->cur[l.side ^ 1] > -l.bound;
}

/* --- trail.c: bounds ------------------------------------------------------------------------ */

/* Makes the literal true for the given reason; false where it is false already, with the conflict
 * filled, or when memory is out. */
bool br_lcg_raise(struct br_lcg *s, uint32_t side, int32_t bound, uint32_t why, int32_t at);
/* The same where nothing needs to be done for a literal that is true already. */
static inline bool br_lcg_push(struct br_lcg *s, uint32_t side, int32_t bound, uint32_t why,
                               int32_t at)
{
    return s->cur[side] >= bound || br_lcg_raise(s, side, bound, why, at);
}
/* Opens a level. False when memory is out. */
bool br_lcg_new_level(struct br_lcg *s);
/* Takes the latest entry back. */
void br_lcg_undo(struct br_lcg *s);
/* Goes back to the level. */
void br_lcg_backtrack(struct br_lcg *s, uint32_t level);
/* The entry that made a true literal true: NONE for the values at the beginning. */
uint32_t br_lcg_entry_of(const struct br_lcg *s, struct br_lcg_literal l);
/* The side's bound before the entry was made. */
int32_t br_lcg_value_before(const struct br_lcg *s, uint32_t side, uint32_t entry);
/* Room for one more in a scratch array of literals. */
bool br_lcg_add_literal(struct br_lcg *s, struct br_lcg_literal **list, uint32_t *count,
                        uint32_t *room, struct br_lcg_literal l);

/* --- node.c: literals that matter ----------------------------------------------------------- */

/* The node of the literal's variable and bound, made where there is none; NONE when memory is out.
 * *negated tells which of the two the literal is. */
uint32_t br_lcg_node_make(struct br_lcg *s, struct br_lcg_literal l, bool *negated);
/* The same, but NONE where there is none. */
uint32_t br_lcg_node_find(const struct br_lcg *s, struct br_lcg_literal l, bool *negated);
/* The first node of a variable with a bound above the given, in its index. */
uint32_t br_lcg_index_above(const struct br_lcg_index *index, int32_t bound);
void br_lcg_bump_node(struct br_lcg *s, uint32_t node);
void br_lcg_heap_insert(struct br_lcg *s, uint32_t node);
/* The most active node that is open, or NONE. */
uint32_t br_lcg_heap_pop(struct br_lcg *s);

/* --- clause.c ------------------------------------------------------------------------------- */

static inline struct br_lcg_clause *br_lcg_clause_at(const struct br_lcg *s, uint32_t place)
{
    return (struct br_lcg_clause *)(s->words + place);
}
/* Stores and watches the lemma of the analysis, at least two literals; NONE when memory is out. */
uint32_t br_lcg_clause_add(struct br_lcg *s, uint32_t glue, uint32_t lemma);
/* Tells the clauses that the side has risen from `before` to `now`. */
bool br_lcg_clauses_told(struct br_lcg *s, uint32_t side, int32_t before, int32_t now);
void br_lcg_bump_clause(struct br_lcg *s, struct br_lcg_clause *clause);
/* Drops the less useful half of the clauses; at level 0. */
void br_lcg_reduce(struct br_lcg *s);

/* --- timetable.c ---------------------------------------------------------------------------- */

static inline void br_lcg_mark_dirty(struct br_lcg *s, uint32_t task)
{
    if (!s->is_dirty[task]) {
        s->is_dirty[task] = true;
        s->dirty[s->dirty_count++] = task;
    }
}
/* One round over what has moved; bounds that rise are on the trail afterwards. */
bool br_lcg_timetable(struct br_lcg *s);
/* Takes parts back that were made at or above the given count. */
void br_lcg_parts_undo(struct br_lcg *s, uint32_t count);
/* Adds to s->reason why the task (NONE: nothing beyond the parts) cannot run at a tick: the parts
 * of the others, as they were before the entry. The literal is that which was derived. */
bool br_lcg_explain_profile(struct br_lcg *s, struct br_lcg_literal l, int32_t at, uint32_t entry);

/* --- propagate.c ---------------------------------------------------------------------------- */

/* Everything that follows; false in a conflict, or when memory is out (see failed). */
bool br_lcg_propagate(struct br_lcg *s);

/* --- analyse.c ------------------------------------------------------------------------------ */

/* Learns from the conflict: goes back to where the learned clause makes a literal true, and makes
 * it. False where the conflict needs no decision: nothing is feasible; or when memory is out. */
bool br_lcg_learn(struct br_lcg *s);
/* s->reason: literals, true before the entry, that imply l for the given reason. */
bool br_lcg_explain(struct br_lcg *s, struct br_lcg_literal l, uint32_t why, int32_t at,
                    uint32_t entry);

/* --- proof.c: what certificates are made of -------------------------------------------------- */

struct br_lcg_proof {
    bool lost; /* memory is out, or the record would be too long: it is of no use any more */
    /* Lemmas by number, from 1 on: clauses in the order in which they were learned. */
    uint32_t *literal_first, *hint_first; /* count + 1 */
    uint32_t count, room, hint_room;
    struct br_lcg_literal *literal;
    uint32_t literals, literals_room;
    uint32_t *hint; /* numbers of lemmas, or entries of the root with the upper bit set */
    uint32_t hints, hints_room;
    uint32_t end; /* the lemma without literals, or 0 */
};
#define BR_LCG_ROOT_ENTRY (UINT32_C(1) << 31)

/* Begins to record; false when memory is out. */
bool br_lcg_record_begin(struct br_lcg *s);
void br_lcg_record_finish(struct br_lcg *s);
/* Notes that the lemma to come rests on another lemma, or on a literal that is true at the root. */
void br_lcg_rest_on_lemma(struct br_lcg *s, uint32_t lemma);
void br_lcg_rest_on_root(struct br_lcg *s, struct br_lcg_literal l);
/* The same for a clause whose other literals are all false at the root. */
void br_lcg_rest_on_clause(struct br_lcg *s, const struct br_lcg_clause *clause,
                           struct br_lcg_literal but);
/* Records a lemma that rests on what was noted; its number. */
uint32_t br_lcg_record(struct br_lcg *s, const struct br_lcg_literal *literal, uint32_t count);
/* Records that what failed at the root refutes everything. */
void br_lcg_record_end(struct br_lcg *s);
/* trim.c: the lemmas that the refutation of makespans below `bound` needs. */
bool br_lcg_trim(struct br_lcg *s, int32_t bound, struct br_arena *arena,
                 struct br_proof_clause **clause, uint32_t *clauses);

/* --- search.c ------------------------------------------------------------------------------- */

enum br_lcg_end {
    BR_LCG_BUDGET,
    BR_LCG_SOLUTION,   /* all starts are fixed; still at the solution's level */
    BR_LCG_INFEASIBLE, /* nothing is feasible under what holds at the root */
    BR_LCG_RAISED,     /* the makespan's bound at the root has risen above what was supposed */
};
enum br_lcg_end br_lcg_search(struct br_lcg *s, uint64_t conflicts, const struct br_stop *stop);

/* --- lcg.c ---------------------------------------------------------------------------------- */

struct br_lcg *br_lcg_create(const struct br_exact_problem *problem, uint64_t seed);
void br_lcg_destroy(struct br_lcg *s);

#endif
