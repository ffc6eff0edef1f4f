/* Writing the results of `bigrocks coflow`: one trace of coflows under some policies. */
#ifndef BR_CLUSTER_COFLOW_REPORT_COFLOWS_H
#define BR_CLUSTER_COFLOW_REPORT_COFLOWS_H

#include <stdio.h>

#include "base/text/named.h"
#include "cluster/coflow/coflow_outcome.h"

/* One policy. All borrowed. */
struct br_coflow_result {
    const char *policy; /* as the user named it */
    const struct br_coflow_outcome *outcome;
    struct br_coflow_figures figures;
    double lower_bound_s; /* a bound below every policy's average completion time; NAN: unknown */
};

struct br_coflow_study {
    const struct br_coflows *trace;
    const char *clock;
    double port_rate; /* bytes a millisecond */
    uint32_t results;
    const struct br_coflow_result *result;
    /* Also write seconds of the computer; without them equal studies give equal bytes. */
    bool times;
};

/* The formats. */
extern const struct br_names br_coflow_formats;
/* Writes the study. BR_USAGE for an unknown format; BR_SYSTEM if writing fails or memory is out. */
enum br_status br_emit_coflows(const char *format, const struct br_coflow_study *study, FILE *out,
                               struct br_diag *diag);

#endif
