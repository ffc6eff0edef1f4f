/* Writing lower bounds on changed clusters, as a table or as a picture. */
#ifndef BR_EMIT_PICTURES_CURVE_H
#define BR_EMIT_PICTURES_CURVE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text/named.h"

struct br_curve_point {
    char label[240]; /* the change, such as "cpu+25%" */
    uint32_t series; /* points of one range are joined */
    bool feasible;   /* if false, some task fits no machine */
    int64_t bound_ns;
    const char *method;
};

struct br_curve {
    const char *job;
    int64_t now_ns; /* the bound on the given cluster */
    const char *now_method;
    int64_t path_ns; /* the critical path, a bound on every cluster */
    uint32_t points;
    const struct br_curve_point *point;
};

/* The formats. The caller writes "text" itself. */
extern const struct br_names br_curve_formats;
/* Writes it as csv, json or svg. BR_USAGE for others; BR_SYSTEM if writing fails. */
enum br_status br_emit_curve(const char *format, const struct br_curve *curve, FILE *out,
                             struct br_diag *diag);

#endif
