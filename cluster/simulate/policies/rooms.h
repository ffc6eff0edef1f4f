/* The free room of machines: finds the first machine that a demand fits on, by a bitmap (bitmap.h).
 * The bitmap is brought up to date when it is asked, since most machines on which a task ends take
 * another one before that. */
#ifndef BR_CLUSTER_SIMULATE_POLICIES_ROOMS_H
#define BR_CLUSTER_SIMULATE_POLICIES_ROOMS_H

#include "runtime/enforcer/jobs/capacities.h"
#include "cluster/simulate/policies/bitmap.h"

struct br_rooms {
    uint32_t width, machines;
    int64_t *most;   /* by resource: of the largest machine */
    int64_t *amount; /* [machine * width]: free, also if the machine is away */
    bool *away;
    struct br_bitmap bitmap; /* of what was free on the machines when it last followed */
    /* Machines that have changed since. If one of them has got room (`more`), the bitmap may miss
     * it; room that is gone costs a comparison at most. */
    uint32_t *changed, changes;
    bool *is_changed, more;
};

/* All machines empty. False when memory is out. */
bool br_rooms_init(struct br_rooms *rooms, const struct br_cluster *cluster,
                   const struct br_capacities *capacities);
void br_rooms_finish(struct br_rooms *rooms);

/* The free room of the machine, by resource; borrowed. */
static inline const int64_t *br_rooms_free(const struct br_rooms *rooms, uint32_t machine)
{
    return rooms->amount + (size_t)machine * rooms->width;
}
/* The machine leaves: nothing fits there. Or it returns. */
void br_rooms_move(struct br_rooms *rooms, uint32_t machine, bool there);
/* Takes the demand from the machine (sign -1), or gives it back (+1). O(width). */
void br_rooms_change(struct br_rooms *rooms, uint32_t machine, const int64_t *demand, int sign);
/* Does it fit there? What demands nothing of a resource fits, however little of that is free. */
bool br_rooms_fit(const struct br_rooms *rooms, uint32_t machine, const int64_t *demand);
/* The first machine from this one on that it fits on, or UINT32_MAX. O(width x machines / 64), and
 * a comparison for each machine that only nearly has the room; now and then what the machines that
 * have changed cost. */
uint32_t br_rooms_first(struct br_rooms *rooms, const int64_t *demand, uint32_t from);

#endif
