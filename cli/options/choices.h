/* The words of options that take a choice, if several sub-commands have the option. */
#ifndef BR_CLI_OPTIONS_CHOICES_H
#define BR_CLI_OPTIONS_CHOICES_H

#include "base/text/named.h"

enum { CLI_BOUND_FULL = 2 }; /* of cli_plan_bounds */
enum cli_run_place { CLI_HERE, CLI_SLURM, CLI_SLURM_JOBS, CLI_SLURM_STEPS };
enum cli_jobserver_kind { CLI_JOBSERVER_PIPE, CLI_JOBSERVER_FIFO, CLI_JOBSERVER_NONE };
enum { CLI_HOLD_NOTHING, CLI_HOLD_MEMORY };

/* Rows are numbered by the enums of the values that they stand for. */
extern const struct br_names cli_efforts, cli_plan_bounds, cli_jobservers, cli_transfers, cli_holds,
    cli_colours, cli_layouts, cli_node_kinds, cli_frag_scores, cli_places;

#endif
