/* Numbers in attributes of files, with a diagnostic that shows the text. The caller sets the place
 * (br_value_place). */
#ifndef BR_PARSERS_TEXT_VALUE_H
#define BR_PARSERS_TEXT_VALUE_H

#include "base/numbers/decimal.h"
#include "base/text/diag.h"

/* Later faults are at this place. diag may be NULL. */
void br_value_place(struct br_diag *diag, struct br_pos pos);

/* Digits only, up to 4294967295. Messages use `name` and `owner`, such as "tasks" and "stage
 * 'map'". */
enum br_status br_value_count(const char *text, const char *name, const char *owner,
                              uint32_t *value, struct br_diag *diag);
/* Seconds of 0 or more, as nanoseconds. */
enum br_status br_value_seconds(const char *text, const char *name, const char *owner, int64_t *ns,
                                struct br_diag *diag);
/* One of two words, such as "yes" and "no": is it the first? */
enum br_status br_value_choice(const char *text, const char *name, const char *owner,
                               const char *first, const char *second, bool *is_first,
                               struct br_diag *diag);
/* A decimal of 0 or more, with a suffix (KiB, ..., G) if `suffixed`. Writes the plain form, for
 * br_dag_add_demand and br_cluster_add_capacity. */
enum br_status br_value_amount(const char *text, const char *name, const char *owner,
                               char plain[BR_DECIMAL_TEXT], struct br_diag *diag);
/* A whole number of bytes of 0 or more, also with a suffix (KiB, ..., G). */
enum br_status br_value_bytes(const char *text, const char *owner, int64_t *bytes,
                              struct br_diag *diag);
/* A rate of a port in bytes a second, at least 1: a number of bytes as above, or of bits with kbit,
 * Mbit, Gbit or Tbit. */
enum br_status br_value_rate(const char *text, const char *name, const char *owner, int64_t *rate,
                             struct br_diag *diag);

#endif
