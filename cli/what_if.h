/* Bounds on changed clusters. */
#ifndef BR_CLI_WHAT_IF_H
#define BR_CLI_WHAT_IF_H

#include "cli/common.h"
#include "emit/curve.h"

/* The core's bound on one cluster. */
struct cli_point {
    bool feasible; /* else some task fits no machine */
    int64_t bound_ns;
    const char *method; /* static storage */
};

enum br_status cli_point_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct cli_point *point, struct br_diag *diag);
/* The same on the cluster after one change, such as "cpu+25%". BR_USAGE where it makes no sense. */
enum br_status cli_point_try(const struct br_dag *dag, const struct br_cluster *cluster,
                             const char *change, struct cli_point *point, struct br_diag *diag);

/* bound --what-if: the bound as a curve over changes of the cluster. */
enum br_status cli_what_if(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag);
/* bound --explain; the certificate may be NULL. */
enum br_status cli_explain_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                                 const struct br_certificate *certificate, struct br_diag *diag);

#endif
