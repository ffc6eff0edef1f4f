/* Starting what is ready: what the ways to do so share. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_DISPATCH_H
#define BR_CLUSTER_SIMULATE_JOINT_DISPATCH_H

#include "cluster/simulate/joint/scene.h"

enum { BR_DISPATCH_SMALL = 16 };

struct br_dispatch {
    struct br_joint_scene *scene;
    const struct br_joint_order *order;
    void (*start)(void *context, uint32_t slot, uint32_t task, uint32_t machine);
    void *context;
    /* Demands of which more is ready than fits anywhere; what demands no less does not fit. */
    const int64_t *too_much[BR_DISPATCH_SMALL];
    uint32_t count;
    bool held; /* some stage was passed over, so may fit somewhere at the next dispatch */
};

static inline bool br_dispatch_fits(const struct br_joint_scene *scene, const int64_t *demand,
                                    uint32_t machine)
{
    const int64_t *room = scene->free + (size_t)machine * scene->resources;
    for (uint32_t r = 0; r < scene->resources; r++)
        if (demand[r] > 0 && demand[r] > room[r])
            return false;
    return !scene->away[machine];
}

static inline bool br_dispatch_is_too_much(const struct br_dispatch *d, const int64_t *demand)
{
    for (uint32_t k = 0; k < d->count; k++) {
        uint32_t r = 0;
        while (r < d->scene->resources && d->too_much[k][r] <= demand[r])
            r++;
        if (r == d->scene->resources)
            return true;
    }
    return false;
}

/* Does the job wait until one before it has started all its tasks? */
static inline bool br_dispatch_holds(const struct br_dispatch *d, uint32_t slot)
{
    const struct br_joint_order *order = d->order;
    uint32_t behind = order->behind ? order->behind[slot] : BR_SCENE_FREE;
    return behind != BR_SCENE_FREE && order->place[behind] < order->place[slot] &&
           d->scene->live[behind].job && d->scene->live[behind].to_start;
}

/* Sorts the stages that have ready tasks. Only the last ones are new; the others are sorted
 * already. */
void br_dispatch_sort(const struct br_dispatch *d);
/* The first ready task of the stage starts on the machine. */
void br_dispatch_start(const struct br_dispatch *d, struct br_scene_open open, uint32_t machine);
/* The weight that brings a job's remaining work onto the scale of packing: the factor x the mean
 * packing of a task on a machine / the mean work left, over the jobs that have tasks to start; 0
 * for fewer than two. */
double br_dispatch_eta(const struct br_joint_scene *scene, double factor);
/* The packing score of the stage's demand on the machine, less its job's remaining work. */
double br_dispatch_score(const struct br_joint_scene *scene, struct br_scene_open open,
                         uint32_t machine, double eta);
/* Starts what is ready when groups share the scene: in the order, or by packing. */
void br_dispatch_fairly(struct br_dispatch *d);

#endif
