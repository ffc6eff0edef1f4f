/* Writing how long a job takes with how much of a resource, as a table or as a picture. */
#ifndef BR_EMIT_PICTURES_STORAGE_CURVE_H
#define BR_EMIT_PICTURES_STORAGE_CURVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/roles.h"
#include "base/text/named.h"

/* An amount of the resource. */
struct br_stored_amount {
    struct br_decimal amount;
    int64_t units;                  /* the same as a whole number of a least amount */
    char text[BR_ROLE_AMOUNT_TEXT]; /* for people */
};

/* A plan that never holds more than the limit. */
struct br_stored_point {
    struct br_stored_amount limit;
    int64_t makespan_ns;
    int64_t lower_bound_ns; /* of all plans within the limit */
    const char *method, *bound_method;
};

struct br_stored_curve {
    const char *job, *resource;
    struct br_stored_amount peak, bound; /* of all orders: the least found, and its bound */
    const char *method, *bound_method;
    uint32_t points; /* the last has the best makespan; 0: there is no plan */
    const struct br_stored_point *point;
};

/* The formats. The caller writes "text" itself. */
extern const struct br_names br_stored_formats;
/* Writes it as csv, json or svg. BR_USAGE for others; BR_SYSTEM if writing fails. */
enum br_status br_emit_stored(const char *format, const struct br_stored_curve *curve, FILE *out,
                              struct br_diag *diag);

#endif
