/* The options of control loops of jobs with deadlines, for `run` and `simulate`. */
#ifndef BR_CLI_COMMON_CONTROL_H
#define BR_CLI_COMMON_CONTROL_H

#include "cli/common/settings.h"
#include "runtime/deadline/control.h"

/* Reads them over the defaults. BR_USAGE: a number out of its range. */
enum br_status cli_control_read(const struct cli_control_settings *options,
                                struct br_control_options *control, struct br_diag *diag);

#endif
