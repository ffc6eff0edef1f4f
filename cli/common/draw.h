/* Pictures in forms that others than browsers take, PDF and PNG, made of SVG by rsvg-convert, the
 * program of librsvg. */
#ifndef BR_CLI_COMMON_DRAW_H
#define BR_CLI_COMMON_DRAW_H

#include "base/text/diag.h"

/* "pdf" or "png" where the path (NULL: none) ends so, else NULL. */
const char *cli_drawn_form(const char *path);
/* BR_SYSTEM where rsvg-convert is not found along PATH, with what to install. */
enum br_status cli_draw_check(const char *form, struct br_diag *diag);
/* Draws the SVG in the file `svg`, which can be sought in, and writes it in the form to `out`.
 * Equal pictures give equal bytes from the same librsvg and fonts. BR_SYSTEM where rsvg-convert
 * fails, with what it says. */
enum br_status cli_draw(const char *form, int svg, int out, struct br_diag *diag);

#endif
