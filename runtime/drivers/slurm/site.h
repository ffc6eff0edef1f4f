/* The site that a job's tasks run on. Internal to this room. */
#ifndef BR_RUNTIME_DRIVERS_SLURM_SITE_H
#define BR_RUNTIME_DRIVERS_SLURM_SITE_H

#include "base/collections/arena.h"
#include "runtime/drivers/slurm/slurm.h"

struct br_slurm_site {
    struct br_slurm_need *need; /* by stage; from the arena */
    int64_t share_mib; /* memory of a processor, for jobs that demand none; 0: they ask for none */
};

/* Asks Slurm. options->note is told what it will not keep: resources that it does not know, and an
 * order by --nice. False if memory is out. */
bool br_slurm_site_ask(struct br_slurm_site *site, struct br_arena *arena, const struct br_dag *dag,
                       const struct br_cluster *cluster, const struct br_run_options *options);

#endif
