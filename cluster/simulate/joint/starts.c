/* Between two dispatches nothing that is ready and not held fits anywhere. So a stage is tried on
 * machines that something has left, and on all only when its first task has just become ready, or
 * its job has been held. */
#include <math.h>

#include "cluster/simulate/joint/dispatch.h"

/* ---- By the order ---- */

/* Starts tasks of the stage on the machine while there are some and they fit. */
static void joint_starts_fill(const struct br_dispatch *d, struct br_scene_open open,
                              uint32_t machine)
{
    const struct br_joint_scene *scene = d->scene;
    const struct br_scene_live *live = &scene->live[open.slot];
    while (br_dispatch_fits(scene, open.demand, machine) && br_scene_is_open(live, open.stage))
        br_dispatch_start(d, open, machine);
}

/* Returns whether the stage has ready tasks left. */
static bool joint_starts_serve(struct br_dispatch *d, struct br_scene_open *at)
{
    struct br_joint_scene *scene = d->scene;
    struct br_scene_open open = *at;
    const struct br_scene_live *live = &scene->live[open.slot];
    scene->looks++;
    at->fresh = br_dispatch_holds(d, open.slot);
    if (at->fresh) {
        d->held = true;
        return true;
    }
    if (open.fresh && br_dispatch_is_too_much(d, open.demand))
        return true;
    uint32_t m = 0;
    for (; open.fresh && m < scene->machines && br_scene_is_open(live, open.stage);
         m += scene->step)
        joint_starts_fill(d, open, m);
    for (uint32_t c = 0; !open.fresh && c < scene->changes; c++)
        joint_starts_fill(d, open, scene->changed[c]);
    scene->looks += open.fresh ? m / scene->step : scene->changes;
    bool left = br_scene_is_open(live, open.stage);
    if (left && d->count < BR_DISPATCH_SMALL)
        d->too_much[d->count++] = open.demand;
    return left;
}

static void serve_in_order(struct br_dispatch *d)
{
    struct br_joint_scene *scene = d->scene;
    uint32_t kept = 0;
    br_dispatch_sort(d);
    for (uint32_t k = 0; k < scene->opens; k++)
        if (joint_starts_serve(d, &scene->open[k]))
            scene->open[kept++] = scene->open[k];
    scene->opens = kept;
}

/* ---- By packing ---- */

/* The machine takes what packs best, less the work that its job has left, while anything fits; of
 * equal ones what goes first in the order. `fresh`: of stages alone that have just become ready. */
static void joint_starts_pack(const struct br_dispatch *d, uint32_t machine, double eta, bool fresh)
{
    struct br_joint_scene *scene = d->scene;
    for (;;) {
        const struct br_scene_open *best = NULL;
        double most = -INFINITY;
        scene->looks += scene->opens;
        for (uint32_t k = 0; k < scene->opens; k++) {
            const struct br_scene_open *open = &scene->open[k];
            if ((fresh && !open->fresh) || !br_dispatch_fits(scene, open->demand, machine) ||
                !br_scene_is_open(&scene->live[open->slot], open->stage))
                continue;
            double score = br_dispatch_score(scene, *open, machine, eta);
            if (score > most) {
                most = score;
                best = open;
            }
        }
        if (!best)
            return;
        br_dispatch_start(d, *best, machine);
    }
}

static void serve_by_packing(struct br_dispatch *d)
{
    struct br_joint_scene *scene = d->scene;
    double eta = br_dispatch_eta(scene, d->order->eta);
    uint32_t kept = 0;
    br_dispatch_sort(d);
    for (uint32_t c = 0; c < scene->changes; c++)
        joint_starts_pack(d, scene->changed[c], eta, false);
    for (uint32_t m = 0; scene->any_fresh && m < scene->machines; m += scene->step)
        if (!scene->is_changed[m])
            joint_starts_pack(d, m, eta, true);
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        open.fresh = false;
        if (br_scene_is_open(&scene->live[open.slot], open.stage))
            scene->open[kept++] = open;
    }
    scene->opens = kept;
}

void br_scene_dispatch(struct br_joint_scene *scene, const struct br_joint_order *order,
                       void (*start)(void *context, uint32_t slot, uint32_t task, uint32_t machine),
                       void *context)
{
    struct br_dispatch d = {.scene = scene, .order = order, .start = start, .context = context};
    if (!scene->changes && !scene->any_fresh)
        return;
    if (scene->sharing)
        br_dispatch_fairly(&d);
    else if (order->eta > 0)
        serve_by_packing(&d);
    else
        serve_in_order(&d);
    for (uint32_t c = 0; c < scene->changes; c++)
        scene->is_changed[scene->changed[c]] = false;
    scene->changes = 0;
    scene->any_fresh = d.held;
    scene->sorted = scene->opens;
}
