/* The bound of a plan whose parts have been planned, and its proof. */
#ifndef BR_PLANNER_SEARCH_PROVING_H
#define BR_PLANNER_SEARCH_PROVING_H

#include "planner/bounds/bounds.h"
#include "planner/instance/certificate.h"
#include "planner/instance/part.h"
#include "planner/instance/plan.h"
#include "planner/search/search.h"
#include "planner/search/bound/watch.h"

struct br_proving {
    const struct br_dag *dag;
    const struct br_watch *watch;
    struct br_bounds bounds;       /* by arguments without a search, by part */
    struct br_certificate *proofs; /* by searches, by part; NULL before the first */
    bool proven_parts;             /* some part has one */
};

/* Room for the bounds of so many parts; the dag and the watch are set by the caller. False when
 * memory is out (finish is still fine). */
bool br_proving_init(struct br_proving *proving, uint32_t parts);
void br_proving_finish(struct br_proving *proving);
/* Keeps the search's proof of the bound of part k, if br_certify would not find as good a one. */
void br_proving_take(struct br_proving *proving, const struct br_parts *parts, uint32_t k,
                     const struct br_search *search);
/* The same, if it has none yet, with the proof of another search, of the part without its noise. */
void br_proving_take_rounded(struct br_proving *proving, const struct br_parts *parts, uint32_t k,
                             const struct br_search *search, const struct br_search *rounded);
/* The bound on the whole: that of the parts as the search has left them, or one by arguments
 * without a search if that is as good, since it is simpler to prove. False when memory is out. */
bool br_proving_sum_up(struct br_proving *proving, const struct br_parts *parts,
                       struct br_plan *plan);
/* Proves the bound, or leaves a note in the plan that says why it is not proven. Once. */
void br_proving_prove(struct br_proving *proving, const struct br_instance *in,
                      const struct br_parts *parts, struct br_plan *plan);
/* The note of a plan if there was no time to prove its bound. */
extern const char br_proving_no_time[];

#endif
