/* The job as the network sees it: edges by stage, and the ports of machines. */
#ifndef BR_PLANNER_NETWORK_JOB_H
#define BR_PLANNER_NETWORK_JOB_H

#include "planner/instance/instance.h"

struct br_network_job {
    struct br_arena arena;
    const struct br_dag *dag; /* these three borrowed; stages and tasks are numbered alike */
    const struct br_cluster *cluster;
    const struct br_instance *in;
    uint32_t *out_first, *out; /* stages + 1, and numbers of edges by parent */
    uint32_t *into_first, *into;
    int64_t *up, *down;      /* by machine, bytes a second */
    uint32_t *machine_class; /* by machine */
};

/* `in` is NULL if nobody asks what a machine holds, and how fast ports are. BR_BAD_INPUT if a port
 * has no rate though the job carries bytes. */
enum br_status br_network_job_init(struct br_network_job *job, const struct br_dag *dag,
                                   const struct br_cluster *cluster, const struct br_instance *in,
                                   struct br_diag *diag);
void br_network_job_finish(struct br_network_job *job);

/* Does a machine of that number hold a task of the stage? O(resources). */
bool br_network_holds(const struct br_network_job *job, uint32_t machine, uint32_t stage);

#endif
