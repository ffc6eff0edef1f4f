/* Targets as ninja's command line writes them. */
#ifndef BR_CLI_BUILD_TARGETS_H
#define BR_CLI_BUILD_TARGETS_H

#include "parsers/ninja/build.h"

/* Replaces targets that end with '^' ("source.c^") by the first output of the first statement that
 * reads that file; others stay. *list has options->targets texts, and is the caller's to free with
 * them; NULL: no target ends so. BR_BAD_INPUT if nothing reads one; BR_SYSTEM. */
enum br_status cli_resolve_targets(const struct br_ninja_options *options, char ***list,
                                   struct br_diag *diag);
void cli_free_targets(char **list, uint32_t targets);

#endif
