/* The words of options that take a choice, if several sub-commands have the option. */
#ifndef BR_CLI_COMMON_CHOICES_H
#define BR_CLI_COMMON_CHOICES_H

#include "base/text/named.h"

extern const struct br_names cli_efforts, cli_plan_bounds, cli_jobservers, cli_transfers,
    cli_colours, cli_layouts, cli_node_kinds, cli_frag_scores, cli_places;

#endif
