/* What the report says of what is held over time, of windows, releases and deadlines: data for
 * report_held.html. */
#ifndef BR_EMIT_PICTURES_HTML_HELD_H
#define BR_EMIT_PICTURES_HTML_HELD_H

#include <stdio.h>

#include "emit/write/input.h"

/* Writes `,"held": ..., "away": ..., "times": ...`; nothing for a job without features. */
enum br_status br_html_write_held(FILE *out, const struct br_emit_input *input,
                                  struct br_diag *diag);

#endif
