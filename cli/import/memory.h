/* Demands of commands that nobody has measured: from --demand, or from others of their kind. */
#ifndef BR_CLI_IMPORT_MEMORY_H
#define BR_CLI_IMPORT_MEMORY_H

#include "cli/options/demands.h"
#include "parsers/parsers.h"
#include "store/history/history.h"

/* Gives commands whose names fit a pattern its cpu and mem, whatever was measured. BR_USAGE if the
 * pattern gives anything else. */
enum br_status cli_apply_demands(const struct cli_demands *demands, struct br_input *input,
                                 struct br_diag *diag);

/* How the memory of a job's commands is known. */
struct cli_memory_report {
    uint32_t commands;
    uint32_t guessed, unknown; /* number of commands: guessed by their rule, and unknown */
    int64_t most_bytes;        /* the largest guess */
};
/* Gives commands of a ninja build whose memory is unknown (no demand for it) the largest value that
 * the history (NULL: there is none) has for their rule: among commands with inputs of half to twice
 * the size, if there are three, else among all. A job that is no such build, and one whose machine
 * counts no memory, stays unchanged. */
enum br_status cli_guess_memory(struct br_history *history, struct br_input *input,
                                struct cli_memory_report *report, struct br_diag *diag);
/* Prints it. The cluster is the limit that somebody wants kept; NULL: nobody does. */
void cli_say_memory(const struct cli_memory_report *report, const struct br_cluster *cluster);

#endif
