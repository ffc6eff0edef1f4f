/* The proof of a lower bound: the record of all learned clauses, with the origins of each, and its
 * trimming to the part that a bound needs.
 *
 * Each lemma follows from the arcs, the time-table, the bounds at the root and a few lemmas before
 * it, by propagation alone: suppose all its literals false, propagate, and there is a conflict. So
 * a checker needs no search [Goldberg03]. Bounds at the root that a clause forced are lemmas of one
 * literal. */
#ifndef BR_PLANNER_EXACT_PROOF_H
#define BR_PLANNER_EXACT_PROOF_H

#include "planner/exact/propagate/engine.h"
#include "planner/instance/certificate.h"

struct br_lcg_proof {
    struct br_lcg_engine *engine; /* borrowed */
    bool lost; /* memory is out, or the record would be too long: it is useless from then on */
    /* Lemmas by number, from 1 on: clauses in the order in which they were learned. */
    uint32_t *literal_first, *hint_first; /* count + 1 */
    uint32_t count, room, hint_room;
    struct br_lcg_literal *literal;
    uint32_t literals, literals_room;
    uint32_t *hint; /* numbers of lemmas, or with a bit below set entries of the root or spans */
    uint32_t hints, hints_room;
    struct br_lcg_span *span; /* the span in which a conflict was found */
    uint32_t spans, spans_room;
    uint32_t end;  /* the lemma without literals, or 0 */
    uint32_t root; /* entries at the root before this one are recorded */
    /* Hints for the next lemma. */
    uint32_t *antecedent, antecedents, antecedents_room;
};
#define BR_LCG_ROOT_ENTRY (UINT32_C(1) << 31)
#define BR_LCG_SPAN (UINT32_C(1) << 30)

/* An empty record; NULL when memory is out. All functions below take NULL as the proof of a solver
 * that records nothing. */
struct br_lcg_proof *br_lcg_proof_create(struct br_lcg_engine *engine);
void br_lcg_proof_destroy(struct br_lcg_proof *proof);

/* Begins a lemma; it rests on nothing yet. */
void br_lcg_proof_begin(struct br_lcg_proof *proof);
/* Notes that the lemma rests on another lemma, or on a literal that is true at the root. */
void br_lcg_proof_rest_on_lemma(struct br_lcg_proof *proof, uint32_t lemma);
void br_lcg_proof_rest_on_root(struct br_lcg_proof *proof, struct br_lcg_literal l);
/* Notes the span in which the conflict, of that reason and place, was found, if it was in one. */
void br_lcg_proof_rest_on_span(struct br_lcg_proof *proof, uint32_t reason, int32_t at);
/* Records the lemma; returns its number, 0 if nothing is recorded. */
uint32_t br_lcg_proof_record(struct br_lcg_proof *proof, const struct br_lcg_literals *lemma);
/* Records the bounds at the root that clauses have forced; at level 0, after everything is
 * propagated or in conflict. */
void br_lcg_proof_record_root(struct br_lcg_proof *proof);
/* Records that the present conflict, at the root, refutes everything. */
void br_lcg_proof_record_end(struct br_lcg_proof *proof);
/* As br_lcg_proof_record_end if everything on which the conflict rests has been noted. */
void br_lcg_proof_record_noted_end(struct br_lcg_proof *proof);

/* trim.c: the lemmas that the refutation of makespans below `bound` needs, in the arena; at level
 * 0. False if nothing was recorded, the record is lost, or memory is out. */
bool br_lcg_proof_trim(const struct br_lcg_proof *proof, int32_t bound, struct br_arena *arena,
                       struct br_proof_clause **clause, uint32_t *clauses);

#endif
