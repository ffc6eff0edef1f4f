/* Options for the look of pictures. */
#ifndef BR_CLI_PLANNING_PICTURE_H
#define BR_CLI_PLANNING_PICTURE_H

#include "cli/options/settings.h"
#include "emit/emit.h"

/* Fills the fields of the input that are for pictures. BR_USAGE if the format (NULL: none) does not
 * support an option. */
enum br_status cli_picture(const struct cli_output_settings *settings, const char *format,
                           struct br_emit_input *input, struct br_diag *diag);

#endif
