/* Changes of a cluster, and the bound on what they make of it. */
#ifndef BR_CLI_BOUNDS_CHANGE_H
#define BR_CLI_BOUNDS_CHANGE_H

#include <bigrocks/bound.h>

#include "planner/model/cluster/cluster.h"

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
    const char *cls;      /* borrowed; of machines of this class alone; NULL: of every class */
    const char *resource; /* borrowed; NULL: the number of machines */
    char sign;            /* + - = */
    bool percent;         /* of what there is; not with = */
    struct br_decimal amount;
};

/* The changed cluster, the caller's. BR_USAGE if no such cluster is possible. */
enum br_status cli_changed_cluster(const struct br_cluster *old, const struct cli_change *change,
                                   struct br_cluster **cluster, struct br_diag *diag);

/* The core's bound on the changed cluster. BR_USAGE if no such cluster is possible. */
enum br_status cli_point_try(const struct br_dag *dag, const struct br_cluster *cluster,
                             const struct cli_change *change, struct cli_point *point,
                             struct br_diag *diag);

/* Applies two changes, one after the other. */
enum br_status cli_point_try_both(const struct br_dag *dag, const struct br_cluster *cluster,
                                  const struct cli_change change[2], struct cli_point *point,
                                  struct br_diag *diag);

#endif
