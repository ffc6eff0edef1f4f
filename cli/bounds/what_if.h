/* Bounds on changed clusters. */
#ifndef BR_CLI_BOUNDS_WHAT_IF_H
#define BR_CLI_BOUNDS_WHAT_IF_H

#include <bigrocks/bound.h>

#include "cli/options/settings.h"
#include "emit/pictures/curve.h"
#include "parsers/parsers.h"
#include "planner/instance/instance.h"

/* The planner's bound on one cluster. */
struct cli_point {
    bool feasible; /* if false, some task fits no machine */
    int64_t bound_ns;
    const char *method; /* static storage */
};

enum br_status cli_point_bound(const struct br_dag *dag, const struct br_cluster *cluster,
                               struct cli_point *point, struct br_diag *diag);

/* One change of a resource on all machines, or of the number of machines. */
struct cli_change {
    const char *resource; /* borrowed; NULL: the number of machines of every class */
    char sign;            /* + - = */
    bool percent;         /* of what there is; not with = */
    struct br_decimal amount;
};

/* The core's bound on the changed cluster. BR_USAGE if no such cluster is possible. */
enum br_status cli_point_try(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct cli_change *change, struct cli_point *point,
                             struct br_diag *diag);

/* Applies two changes, one after the other. */
enum br_status cli_point_try_both(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct cli_change change[2], struct cli_point *point,
                                  struct br_diag *diag);

/* bound --what-if: the bound as a curve over changes of the cluster. */
enum br_status cli_what_if(const struct cli_settings *settings, const struct br_input *input,
                           struct br_diag *diag);
/* bound --explain. */
enum br_status cli_explain_bound(const struct br_input *input, const struct br_bound_result *result,
                                 struct br_diag *diag);

#endif
