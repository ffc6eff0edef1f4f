/* Between two dispatches nothing that is ready and not held fits anywhere. So a stage is tried on
 * machines that something has left, and on all only when its first task has just become ready, or
 * its job has been held. */
#include "simulate/joint/scene.h"

#include <math.h>

#include "base/invariant.h"

enum { SMALL = 16 };

static const double NOTHING = 1e-9; /* so small a share of a job's work is none but rounding */

struct dispatch {
    struct br_scene *scene;
    const struct br_joint_order *order;
    void (*start)(void *context, uint32_t slot, uint32_t task, uint32_t machine);
    void *context;
    /* Demands of which more is ready than fits anywhere; what demands no less does not fit. */
    const int64_t *too_much[SMALL];
    uint32_t count;
    bool held; /* some stage was passed over, so may fit somewhere at the next dispatch */
};

static bool goes_first(const struct dispatch *d, struct br_scene_open a, struct br_scene_open b)
{
    const uint32_t *place = d->order->place;
    if (a.slot != b.slot)
        return place[a.slot] < place[b.slot];
    const struct br_joint_stage *stage = d->scene->live[a.slot].job->stage;
    uint8_t within = d->order->within[a.slot];
    return stage[a.stage].rank[within] < stage[b.stage].rank[within];
}

static void sort_open(const struct dispatch *d)
{
    struct br_scene_open *open = d->scene->open;
    for (uint32_t k = 1; k < d->scene->opens; k++) {
        struct br_scene_open one = open[k];
        uint32_t at = k;
        for (; at && goes_first(d, one, open[at - 1]); at--)
            open[at] = open[at - 1];
        open[at] = one;
    }
}

static bool fits(const struct br_scene *scene, const int64_t *demand, uint32_t machine)
{
    const int64_t *room = scene->free + (size_t)machine * scene->resources;
    for (uint32_t r = 0; r < scene->resources; r++)
        if (demand[r] > 0 && demand[r] > room[r])
            return false;
    return !scene->away[machine];
}

static bool is_too_much(const struct dispatch *d, const int64_t *demand)
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

/* The first ready task of the stage starts on the machine. */
static void start_one(const struct dispatch *d, struct br_scene_open open, uint32_t machine)
{
    struct br_scene *scene = d->scene;
    struct br_scene_live *live = &scene->live[open.slot];
    const struct br_joint_stage *stage = &live->job->stage[open.stage];
    int64_t *room = scene->free + (size_t)machine * scene->resources;
    uint32_t task = live->ready[live->ready_first[open.stage]++];
    live->to_start--;
    double lasts_ns = (double)live->job->duration_ns[task] * scene->step;
    for (uint32_t r = 0; r < scene->resources; r++)
        room[r] -= stage->demand[r];
    live->work_left -= stage->share * lasts_ns;
    live->total_work_left -= stage->sum * lasts_ns;
    d->start(d->context, open.slot, task, machine);
}

/* ---- By the order ---- */

/* Starts tasks of the stage on the machine while there are some and they fit. */
static void fill(const struct dispatch *d, struct br_scene_open open, uint32_t machine)
{
    const struct br_scene *scene = d->scene;
    const struct br_scene_live *live = &scene->live[open.slot];
    const struct br_joint_stage *stage = &live->job->stage[open.stage];
    while (br_scene_is_open(live, open.stage) && fits(scene, stage->demand, machine))
        start_one(d, open, machine);
}

/* Does the job wait until one before it has started all its tasks? */
static bool is_held(const struct dispatch *d, uint32_t slot)
{
    const struct br_joint_order *order = d->order;
    uint32_t behind = order->behind ? order->behind[slot] : BR_SCENE_FREE;
    return behind != BR_SCENE_FREE && order->place[behind] < order->place[slot] &&
           d->scene->live[behind].job && d->scene->live[behind].to_start;
}

/* Returns whether the stage has ready tasks left. */
static bool serve(struct dispatch *d, struct br_scene_open open)
{
    struct br_scene *scene = d->scene;
    struct br_scene_live *live = &scene->live[open.slot];
    const int64_t *demand = live->job->stage[open.stage].demand;
    if (is_held(d, open.slot)) {
        live->fresh[open.stage] = true;
        d->held = true;
        return true;
    }
    bool fresh = live->fresh[open.stage];
    live->fresh[open.stage] = false;
    if (fresh && is_too_much(d, demand))
        return true;
    for (uint32_t m = 0; fresh && m < scene->machines && br_scene_is_open(live, open.stage);
         m += scene->step)
        fill(d, open, m);
    for (uint32_t c = 0; !fresh && c < scene->changes; c++)
        fill(d, open, scene->changed[c]);
    bool left = br_scene_is_open(live, open.stage);
    if (left && d->count < SMALL)
        d->too_much[d->count++] = demand;
    return left;
}

static void serve_in_order(struct dispatch *d)
{
    struct br_scene *scene = d->scene;
    uint32_t kept = 0;
    sort_open(d);
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        if (serve(d, open))
            scene->open[kept++] = open;
    }
    scene->opens = kept;
}

/* ---- By packing ---- */

/* What brings the work that a job has left onto the scale of packing: the factor x the mean packing
 * of a task on a machine / the mean work left, over the jobs that have tasks to start; 0 where
 * there are no two. */
static double find_eta(const struct br_scene *scene, double factor)
{
    double work = 0, packing = 0, tasks = 0;
    uint32_t jobs = 0;
    for (uint32_t k = 0; k < scene->slots; k++) {
        const struct br_scene_live *live = &scene->live[k];
        if (!live->job || live->total_work_left <= NOTHING * live->job->total_work)
            continue;
        jobs++;
        work += live->total_work_left;
        packing += live->job->packing;
        tasks += live->job->tasks;
    }
    return jobs < 2 ? 0 : factor * (packing * scene->machines / tasks) / (work / jobs);
}

/* The dot product of the demand and what is free, as shares of the machine. */
static double packing_of(const struct br_scene *scene, const int64_t *demand, uint32_t machine)
{
    const int64_t *room = scene->free + (size_t)machine * scene->resources;
    const int64_t *capacity = scene->capacities->capacity +
                              (size_t)scene->capacities->machine_class[machine] * scene->resources;
    double sum = 0;
    for (uint32_t r = 0; r < scene->resources; r++)
        if (room[r] > 0 && demand[r] > 0)
            sum +=
                ((double)demand[r] / (double)capacity[r]) * ((double)room[r] / (double)capacity[r]);
    return sum;
}

/* The machine takes what packs best, less the work that its job has left, while anything fits; of
 * equal ones what goes first in the order. `fresh`: of stages alone that have just become ready. */
static void pack(const struct dispatch *d, uint32_t machine, double eta, bool fresh)
{
    const struct br_scene *scene = d->scene;
    for (;;) {
        const struct br_scene_open *best = NULL;
        double most = -INFINITY;
        for (uint32_t k = 0; k < scene->opens; k++) {
            const struct br_scene_open *open = &scene->open[k];
            const struct br_scene_live *live = &scene->live[open->slot];
            const int64_t *demand = live->job->stage[open->stage].demand;
            if (!br_scene_is_open(live, open->stage) || (fresh && !live->fresh[open->stage]) ||
                !fits(scene, demand, machine))
                continue;
            double score = packing_of(scene, demand, machine) -
                           eta * live->total_work_left / live->job->weight;
            if (score > most) {
                most = score;
                best = open;
            }
        }
        if (!best)
            return;
        start_one(d, *best, machine);
    }
}

static void serve_by_packing(struct dispatch *d)
{
    struct br_scene *scene = d->scene;
    double eta = find_eta(scene, d->order->eta);
    uint32_t kept = 0;
    sort_open(d);
    for (uint32_t c = 0; c < scene->changes; c++)
        pack(d, scene->changed[c], eta, false);
    for (uint32_t m = 0; scene->any_fresh && m < scene->machines; m += scene->step)
        if (!scene->is_changed[m])
            pack(d, m, eta, true);
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        scene->live[open.slot].fresh[open.stage] = false;
        if (br_scene_is_open(&scene->live[open.slot], open.stage))
            scene->open[kept++] = open;
    }
    scene->opens = kept;
}

void br_scene_dispatch(struct br_scene *scene, const struct br_joint_order *order,
                       void (*start)(void *context, uint32_t slot, uint32_t task, uint32_t machine),
                       void *context)
{
    struct dispatch d = {.scene = scene, .order = order, .start = start, .context = context};
    if ((scene->changes || scene->any_fresh) && order->eta > 0)
        serve_by_packing(&d);
    else if (scene->changes || scene->any_fresh)
        serve_in_order(&d);
    for (uint32_t c = 0; c < scene->changes; c++)
        scene->is_changed[scene->changed[c]] = false;
    scene->changes = 0;
    scene->any_fresh = d.held;
}
