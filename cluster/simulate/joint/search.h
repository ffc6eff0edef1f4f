/* Searches the order in which the jobs that are there go first, and the order of the stages within
 * each, by looking ahead. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_SEARCH_H
#define BR_CLUSTER_SIMULATE_JOINT_SEARCH_H

#include "base/numbers/rng.h"
#include "cluster/simulate/joint/forward.h"

#define BR_JOINT_NEW UINT32_MAX /* the place of a job that has had none */

struct br_joint_row; /* jobs in an order, as lists */

struct br_joint_search {
    struct br_forward forward;
    struct br_rng rng;
    uint64_t budget;  /* placements a search, beside some a task; 0: by the remaining work alone */
    uint64_t allowed; /* of the search that goes on */
    struct br_joint_row *best, *tried;
    struct br_joint_row *listed; /* the best that is not by packing */
    struct br_joint_order order; /* of the one that is being tried */
    uint32_t room;
    uint64_t most;       /* placements of a run */
    uint64_t spent;      /* of the last search */
    int64_t until_ns;    /* where runs are cut */
    double first, value; /* of the best order to begin with, and of the one found */
    double listed_value;
    uint64_t trials, improvements;
};

bool br_joint_search_init(struct br_joint_search *search, const struct br_cluster *cluster,
                          const struct br_capacities *capacities, uint64_t budget, uint64_t seed);
void br_joint_search_finish(struct br_joint_search *search);

/* Makes room for searches from the scene, until another job comes to it. False when memory is out.
 */
bool br_joint_search_reserve(struct br_joint_search *search, const struct br_joint_scene *scene);
/* Finds an order for the jobs of the scene, as good as the one given at least, by the runs of
 * forward.h. order: those of the last search, BR_JOINT_NEW for jobs that came since; receives what
 * was found. */
void br_joint_search_run(struct br_joint_search *search, const struct br_joint_scene *scene,
                         const struct br_forward_task *running, uint32_t count, int64_t now_ns,
                         struct br_joint_order *order);

#endif
