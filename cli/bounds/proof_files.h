/* bound --proof: the proof of a bound in a form that other checkers accept. */
#ifndef BR_CLI_BOUNDS_PROOF_FILES_H
#define BR_CLI_BOUNDS_PROOF_FILES_H

#include "cli/options/settings.h"
#include "emit/proofs/veripb.h"
#include "parsers/parsers.h"
#include "planner/search/bound/best_bound.h"

extern const struct br_names cli_proof_formats;

/* What became of the files. */
struct cli_proof {
    enum br_status status;
    struct br_diag diag;
    struct br_proof_size size;
};

/* Writes the two files of the form, such as NAME.opb and NAME.pbp, where -o gives NAME. BR_NO in
 * words if the proof has no such form; no file is left then. */
enum br_status cli_write_proof(const struct cli_settings *settings, const struct br_input *input,
                               const struct br_bound_result *result, struct br_proof_size *size,
                               struct br_diag *diag);
/* Prints how large they are, unless the settings are quiet, or gives the fault. */
enum br_status cli_tell_proof(const struct cli_settings *settings,
                              const struct br_bound_result *result, const struct cli_proof *proof,
                              struct br_diag *diag);

#endif
