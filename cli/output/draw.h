/* Pictures as PDF and PNG, made of SVG by rsvg-convert, the program of librsvg. */
#ifndef BR_CLI_OUTPUT_DRAW_H
#define BR_CLI_OUTPUT_DRAW_H

#include "base/text/diag.h"

/* "pdf" or "png" if the path (NULL: none) ends so, else NULL. */
const char *cli_drawn_form(const char *path);
/* BR_SYSTEM, with a hint at what to install, if rsvg-convert is not along PATH. */
enum br_status cli_draw_check(const char *form, struct br_diag *diag);
/* Draws the SVG in the file `svg`, which can be sought in, and writes it in the form to `out`.
 * Equal pictures give equal bytes from the same librsvg and fonts. BR_SYSTEM, with the program's
 * message, if rsvg-convert fails. */
enum br_status cli_draw(const char *form, int svg, int out, struct br_diag *diag);

#endif
