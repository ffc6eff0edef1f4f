/* Writing a history: all its jobs, or one job with its stages. */
#ifndef BR_STORE_REPORT_HISTORIES_H
#define BR_STORE_REPORT_HISTORIES_H

#include <stdio.h>

#include "base/text/named.h"
#include "store/history/gather.h"

/* The formats. */
extern const struct br_names br_histories_formats;

/* Writes what was gathered. BR_USAGE for an unknown format; BR_SYSTEM if writing fails. */
enum br_status br_emit_history(const char *format, const struct br_gathered *gathered, FILE *out,
                               struct br_diag *diag);

#endif
