/* The counters of --stats. */
#ifndef BR_CLI_TERMINAL_STATS_H
#define BR_CLI_TERMINAL_STATS_H

#include <stdbool.h>
#include <stdio.h>

#include "planner/instance/counters.h"

/* Writes the counters: for people one per line, without those that are 0; as JSON one object with
 * all of them, by kind. */
void cli_stats_print(FILE *out, const struct br_counters *counters, bool json);

#endif
