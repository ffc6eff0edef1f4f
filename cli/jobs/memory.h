/* What commands demand that nobody has measured: as --demand says, or as others of their kind. */
#ifndef BR_CLI_JOBS_MEMORY_H
#define BR_CLI_JOBS_MEMORY_H

#include "cli/common/demands.h"
#include "parsers/parsers.h"
#include "predict/history/history.h"

/* Gives commands whose names fit a pattern what it says of cpu and mem, whatever was measured.
 * BR_USAGE if it says anything else. */
enum br_status cli_apply_demands(const struct cli_demands *demands, struct br_input *input,
                                 struct br_diag *diag);

/* How the memory of a job is known. */
struct cli_memory_report {
    uint32_t commands;
    uint32_t guessed, unknown; /* of the commands: as others of their rule, and not at all */
    int64_t most_bytes;        /* that was guessed */
};
/* Gives commands of a build of ninja whose memory is not known (they have no demand for it) the
 * largest that the history (NULL: there is none) knows of their rule: of those with inputs of half
 * to twice the size, if these are three, else of all. A job that is no such build, and one whose
 * machine counts no memory, stays as it is. */
enum br_status cli_guess_memory(struct br_history *history, struct br_input *input,
                                struct cli_memory_report *report, struct br_diag *diag);
/* Says it. The cluster is what somebody has asked to be kept; NULL: nobody has. */
void cli_say_memory(const struct cli_memory_report *report, const struct br_cluster *cluster);

#endif
