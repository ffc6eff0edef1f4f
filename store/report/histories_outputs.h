/* The outputs of histories in files of their own. Internal to this room. */
#ifndef BR_STORE_REPORT_HISTORIES_OUTPUTS_H
#define BR_STORE_REPORT_HISTORIES_OUTPUTS_H

#include <stdio.h>

struct br_gathered;
void br_histories_svg(const struct br_gathered *gathered, FILE *out);

#endif
