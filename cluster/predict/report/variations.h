/* Writing how durations vary over time and over space, for `bigrocks predict --variation`. */
#ifndef BR_CLUSTER_PREDICT_REPORT_VARIATIONS_H
#define BR_CLUSTER_PREDICT_REPORT_VARIATIONS_H

#include <stdio.h>

#include "base/text/named.h"
#include "cluster/predict/variation.h"

/* All borrowed. */
struct br_variations {
    const struct br_workload *workload; /* cases have the job numbers, from `first` on */
    uint32_t first;
    uint32_t features;
    const char *const *feature; /* names of the features used */
    uint32_t windows;           /* at least one; they share what is over space */
    const struct br_variation *variation;
};

/* The formats. */
extern const struct br_names br_variations_formats;

/* Writes them. BR_USAGE for an unknown format; BR_SYSTEM if writing fails or memory is out. */
enum br_status br_emit_variations(const char *format, const struct br_variations *variations,
                                  FILE *out, struct br_diag *diag);

#endif
