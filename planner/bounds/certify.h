/* Certificates of the combinatorial bounds. */
#ifndef BR_PLANNER_BOUNDS_CERTIFY_H
#define BR_PLANNER_BOUNDS_CERTIFY_H

#include "planner/bounds/bounds.h"
#include "planner/bounds/measure.h"
#include "planner/instance/certificate.h"

/* The best combinatorial bound of the job (br_bounds_sum) with its certificate, not yet checked;
 * NULL when memory is out. */
struct br_certificate *br_certify(const struct br_instance *whole);
/* As br_certify with this effort. */
struct br_certificate *br_certify_by(const struct br_instance *whole,
                                     const struct br_bounds_effort *effort);
/* As br_certify_by if the bounds are known, and were found with this effort. */
struct br_certificate *br_certify_parts(const struct br_parts *parts,
                                        const struct br_bounds *bounds,
                                        const struct br_bounds_effort *effort);
/* Fills the proof that no plan of the part is shorter than `ticks`, as found by br_bounds_best; all
 * memory is the arena's. False when memory is out, also if ticks says so (-1). */
bool br_certify_part(struct br_arena *arena, const struct br_instance *whole,
                     const struct br_instance *part, int64_t ticks, struct br_proof *proof);
/* As br_certify_part for a bound found with this effort. If the flag has been raised since, a
 * smaller bound may be proven: br_proof_ticks. */
bool br_certify_part_by(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *part, int64_t ticks,
                        const struct br_bounds_effort *effort, struct br_proof *proof);
/* Writes claims into the proof: those that give the windows of br_windows_init with the rounds of
 * stages and all measures. False when memory is out. */
bool br_certify_windows(struct br_arena *arena, const struct br_instance *whole,
                        const struct br_instance *part, struct br_proof *proof);
/* Adds a measure of the part to the proof, as that of its energy or rounds. False when memory is
 * out. */
bool br_proof_add_measure(struct br_arena *arena, const struct br_instance *whole,
                          const struct br_instance *part, const struct br_measure *measure,
                          struct br_proof *proof);
/* Drops the measures that the proof and its cases do not use; its claims change in place, and no
 * other proof may have them. */
void br_proof_drop_measures(struct br_proof *proof);

#endif
