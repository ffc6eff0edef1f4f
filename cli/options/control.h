/* Options of the control loops of jobs with deadlines, for `run` and `simulate`. */
#ifndef BR_CLI_OPTIONS_CONTROL_H
#define BR_CLI_OPTIONS_CONTROL_H

#include "cli/options/settings.h"
#include "runtime/deadline/control.h"

/* Reads them over the defaults. BR_USAGE: a number is out of its range. */
enum br_status cli_control_read(const struct cli_control_settings *options,
                                struct br_control_options *control, struct br_diag *diag);

/* Reads --utility, "SECONDS:VALUE,..." in seconds after a job's start: one for all jobs, or one for
 * each with '/' between them. Fills utility[0 .. jobs - 1]. The deadline of a utility is the last
 * time at which it still has its full value. BR_USAGE: a wrong number of them, a utility that
 * rises, or one that never falls. */
enum br_status cli_utilities_read(const char *list, struct br_utility *utility, uint32_t jobs,
                                  struct br_diag *diag);

#endif
