/* The look of pictures, as options ask for it. */
#ifndef BR_CLI_PLANNING_PICTURE_H
#define BR_CLI_PLANNING_PICTURE_H

#include "cli/common/settings.h"
#include "emit/emit.h"

/* Fills what of the input is for pictures. BR_USAGE where the format (NULL: none) does not
 * know what is asked for. */
enum br_status cli_picture(const struct cli_output_settings *settings, const char *format,
                           struct br_emit_input *input, struct br_diag *diag);

#endif
