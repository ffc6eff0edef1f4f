/* bound --proof: the proof of a bound in a form that other checkers accept. */
#ifndef BR_CLI_BOUNDS_VERIPB_H
#define BR_CLI_BOUNDS_VERIPB_H

#include "cli/options/settings.h"
#include "parsers/parsers.h"
#include "planner/search/bound/best_bound.h"

extern const struct br_names cli_proof_formats;

/* Writes NAME.opb and NAME.pbp, where -o gives NAME, and says how large they are unless the
 * settings are quiet. BR_NO in words if the proof has no such form; no file is left then. */
enum br_status cli_write_proof(const struct cli_settings *settings, const struct br_input *input,
                               const struct br_bound_result *result, struct br_diag *diag);

#endif
