/* Writing a history: all its jobs, or one job with its stages. */
#ifndef BR_STORE_REPORT_HISTORIES_H
#define BR_STORE_REPORT_HISTORIES_H

#include <stdio.h>

#include "store/history/gather.h"

/* Names of the formats, for k = 0, 1, ..., and a line on each; NULL past the end. */
const char *br_histories_format(uint32_t k);
const char *br_histories_summary(uint32_t k);

/* Writes what was gathered. BR_USAGE for an unknown format; BR_SYSTEM if writing fails. */
enum br_status br_emit_history(const char *format, const struct br_gathered *gathered, FILE *out,
                               struct br_diag *diag);

#endif
