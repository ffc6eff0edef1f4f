/* Writing tables of the time left, and comparisons of their forecasts. */
#ifndef BR_CLUSTER_DEADLINE_REPORT_TABLE_H
#define BR_CLUSTER_DEADLINE_REPORT_TABLE_H

#include <stdio.h>

#include "base/text/named.h"
#include "runtime/deadline/trials/trial.h"

/* The formats. */
extern const struct br_names br_table_formats;

/* Writes the table as text, csv, json or svg. BR_USAGE for others; BR_SYSTEM if writing fails. */
enum br_status br_emit_table(const char *format, const struct br_deadline_table *table, FILE *out,
                             struct br_diag *diag);
/* Writes the comparison of the table's forecasts as text, csv or json. */
enum br_status br_emit_trials(const char *format, const struct br_deadline_table *table,
                              const struct br_trials *trials, FILE *out, struct br_diag *diag);

/* Parts of the forms, one per file. */
void br_table_text(const struct br_deadline_table *table, const int64_t *amdahl_ns, FILE *out);
void br_table_svg(const struct br_deadline_table *table, FILE *out);
void br_trials_text(const struct br_deadline_table *table, const struct br_trials *trials,
                    FILE *out);
/* "tokens" or "percents"; "plain" or "planned". */
const char *br_allocation_name(enum br_allocation kind);
const char *br_order_name(uint32_t layer);

#endif
