/* The two solvers for a lower bound: the linear program's, and the exact solver of jobs on one
 * machine. */
#ifndef BR_CLI_BOUNDS_BOUND_CLAUSES_H
#define BR_CLI_BOUNDS_BOUND_CLAUSES_H

#include "base/stop.h"
#include "cli/bounds/lp_bound.h"
#include "planner/model/certificate.h"
#include "planner/search/exact_bound.h"

/* Asks both, as far as the settings let (with_lp: also the linear program), until *stop is set.
 * Fills what became of the linear program, and whether the exact solver had bounds whose proofs it
 * could not keep. Returns the exact solver's certificate, not checked; NULL: the job is not one for
 * it. */
struct br_certificate *cli_bound_clauses(const struct cli_settings *settings,
                                         const struct br_input *input, const struct br_instance *in,
                                         bool with_lp, const struct br_stop *stop,
                                         struct cli_progress *progress, struct cli_lp_bound *lp,
                                         bool *lost);

#endif
