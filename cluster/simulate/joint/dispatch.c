/* The order of stages, a start, and how well something packs. */
#include "cluster/simulate/joint/dispatch.h"

#include <assert.h>

static const double NOTHING = 1e-9; /* so small a share of a job's work is none but rounding */

static bool joint_dispatch_goes_first(const struct br_dispatch *d, struct br_scene_open a,
                                      struct br_scene_open b)
{
    const uint32_t *place = d->order->place;
    if (a.slot != b.slot)
        return place[a.slot] < place[b.slot];
    const struct br_joint_stage *stage = d->scene->live[a.slot].job->stage;
    uint8_t within = d->order->within[a.slot];
    return stage[a.stage].rank[within] < stage[b.stage].rank[within];
}

void br_dispatch_sort(const struct br_dispatch *d)
{
    struct br_joint_scene *scene = d->scene;
    struct br_scene_open *open = scene->open;
    assert(scene->sorted <= scene->opens);
    for (uint32_t k = scene->sorted; k < scene->opens; k++) {
        struct br_scene_open one = open[k];
        uint32_t at = k;
        for (; at && joint_dispatch_goes_first(d, one, open[at - 1]); at--)
            open[at] = open[at - 1];
        open[at] = one;
        scene->looks += k - at + 1;
    }
}

void br_dispatch_start(const struct br_dispatch *d, struct br_scene_open open, uint32_t machine)
{
    struct br_joint_scene *scene = d->scene;
    struct br_scene_live *live = &scene->live[open.slot];
    const struct br_joint_stage *stage = &live->job->stage[open.stage];
    int64_t *room = scene->free + (size_t)machine * scene->resources;
    assert(br_scene_is_open(live, open.stage) && live->to_start);
    assert(machine < scene->machines && !scene->away[machine]);
    uint32_t task = live->ready[live->ready_first[open.stage]++];
    live->to_start--;
    assert(live->job->task_stage[task] == open.stage);
    double lasts_ns = (double)br_joint_lasts(live->job, task) * scene->step;
    for (uint32_t r = 0; r < scene->resources; r++)
        room[r] -= stage->demand[r];
    live->work_left -= stage->share * lasts_ns;
    live->total_work_left -= stage->sum * lasts_ns;
    d->start(d->context, open.slot, task, machine);
}

double br_dispatch_eta(const struct br_joint_scene *scene, double factor)
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
static double packing_of(const struct br_joint_scene *scene, const int64_t *demand,
                         uint32_t machine)
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

double br_dispatch_score(const struct br_joint_scene *scene, struct br_scene_open open,
                         uint32_t machine, double eta)
{
    const struct br_scene_live *live = &scene->live[open.slot];
    return packing_of(scene, live->job->stage[open.stage].demand, machine) -
           eta * live->total_work_left / live->job->weight;
}
