#include "cluster/simulate/joint/scene.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/invariant.h"

bool br_scene_init(struct br_joint_scene *scene, const struct br_cluster *cluster,
                   const struct br_capacities *capacities)
{
    uint32_t machines = cluster->machines, width = capacities->scale.resources;
    *scene = (struct br_joint_scene){
        .capacities = capacities, .machines = machines, .resources = width, .step = 1};
    scene->free = calloc((size_t)machines * width + 1, sizeof *scene->free);
    scene->away = calloc(machines, sizeof *scene->away);
    scene->is_changed = calloc(machines, sizeof *scene->is_changed);
    scene->changed = calloc(machines, sizeof *scene->changed);
    if (!scene->free || !scene->away || !scene->is_changed || !scene->changed)
        return false;
    for (uint32_t m = 0; m < machines; m++)
        memcpy(scene->free + (size_t)m * width,
               capacities->capacity + (size_t)capacities->machine_class[m] * width,
               width * sizeof *scene->free);
    return true;
}

void br_scene_finish(struct br_joint_scene *scene)
{
    for (uint32_t k = 0; k < scene->slot_room; k++)
        free(scene->live[k].block);
    free(scene->live);
    free(scene->free);
    free(scene->away);
    free(scene->is_changed);
    free(scene->changed);
    free(scene->open);
    free(scene->owed);
    free(scene->wants);
    *scene = (struct br_joint_scene){0};
}

bool br_scene_share(struct br_joint_scene *scene, const struct br_scene_sharing *sharing)
{
    if (!scene->owed) {
        scene->owed = calloc(sharing->groups, sizeof *scene->owed);
        scene->wants = calloc(sharing->groups, sizeof *scene->wants);
    }
    scene->sharing = sharing;
    return scene->owed && scene->wants;
}

/* ---- Places for jobs ---- */

static size_t block_size(const struct br_joint_job *job)
{
    return 4 * (size_t)job->stages + (job->pairs ? 2 : 1) * (size_t)job->tasks;
}

static bool reach_slots(struct br_joint_scene *scene, uint32_t slots)
{
    while (scene->slot_room < slots) {
        uint32_t before = scene->slot_room;
        if (!br_grow(&scene->live, before, &scene->slot_room, sizeof *scene->live))
            return false;
        memset(scene->live + before, 0, (scene->slot_room - before) * sizeof *scene->live);
    }
    return true;
}

static bool reach_open(struct br_joint_scene *scene, uint32_t opens)
{
    while (scene->open_room < opens)
        if (!br_grow(&scene->open, scene->open_room, &scene->open_room, sizeof *scene->open))
            return false;
    return true;
}

bool br_scene_seat(struct br_joint_scene *scene, uint32_t slot, const struct br_joint_job *job)
{
    size_t size = block_size(job);
    uint32_t stages = job->stages;
    if (!reach_slots(scene, slot + 1))
        return false;
    struct br_scene_live *live = &scene->live[slot];
    if (live->block_room < size) {
        uint32_t *block = malloc(size * sizeof *block);
        if (!block)
            return false;
        free(live->block);
        live->block = block;
        live->block_room = size;
    }
    live->job = job;
    live->waits = live->block;
    live->left = live->waits + stages;
    live->ready_first = live->left + stages;
    live->ready_end = live->ready_first + stages;
    live->ready = live->ready_end + stages;
    live->task_waits = live->ready + job->tasks;
    assert(live->task_waits + (job->pairs ? job->tasks : 0) == live->block + size);
    return true;
}

bool br_scene_copy(struct br_joint_scene *to, const struct br_joint_scene *from)
{
    assert(to->machines == from->machines && to->resources == from->resources);
    if (!reach_slots(to, from->slots) || !reach_open(to, from->open_room))
        return false;
    if (from->sharing && !br_scene_share(to, from->sharing))
        return false;
    if (from->sharing)
        memcpy(to->owed, from->owed, from->sharing->groups * sizeof *to->owed);
    for (uint32_t k = 0; k < to->slots; k++)
        to->live[k].job = NULL;
    to->slots = from->slots;
    for (uint32_t k = 0; k < from->slots; k++) {
        const struct br_scene_live *live = &from->live[k];
        if (!live->job)
            continue;
        if (!br_scene_seat(to, k, live->job))
            return false;
        memcpy(to->live[k].block, live->block, block_size(live->job) * sizeof *live->block);
        to->live[k].tasks_left = live->tasks_left;
        to->live[k].to_start = live->to_start;
        to->live[k].work_left = live->work_left;
        to->live[k].total_work_left = live->total_work_left;
    }
    memcpy(to->free, from->free, (size_t)to->machines * to->resources * sizeof *to->free);
    memcpy(to->away, from->away, to->machines * sizeof *to->away);
    memcpy(to->is_changed, from->is_changed, to->machines * sizeof *to->is_changed);
    memcpy(to->changed, from->changed, from->changes * sizeof *to->changed);
    if (from->opens)
        memcpy(to->open, from->open, from->opens * sizeof *to->open);
    to->changes = from->changes;
    to->any_fresh = from->any_fresh;
    to->opens = from->opens;
    to->sorted = 0;
    to->step = from->step;
    return true;
}

/* ---- What happens ---- */

static void open_stage(struct br_joint_scene *scene, uint32_t slot, uint32_t stage)
{
    assert(scene->opens < scene->open_room); /* which holds all stages of all jobs */
    scene->open[scene->opens++] =
        (struct br_scene_open){slot, stage, scene->live[slot].job->stage[stage].demand, true};
    scene->any_fresh = true;
}

void br_scene_make_ready(struct br_joint_scene *scene, uint32_t slot, uint32_t stage, uint32_t task)
{
    struct br_scene_live *live = &scene->live[slot];
    assert(!live->waits[stage] && live->job->task_stage[task] == stage);
    if (!br_scene_is_open(live, stage))
        open_stage(scene, slot, stage);
    assert(live->ready_end[stage] - live->job->stage[stage].first < live->job->stage[stage].tasks);
    live->ready[live->ready_end[stage]++] = task;
}

void br_scene_release(struct br_joint_scene *scene, uint32_t slot, uint32_t stage)
{
    const struct br_scene_live *live = &scene->live[slot];
    const struct br_joint_stage *what = &live->job->stage[stage];
    for (uint32_t k = what->first; k < what->first + what->tasks; k++) {
        uint32_t task = live->job->longest[k];
        if ((!what->pairs || !live->task_waits[task]) && br_scene_holds(scene, what, task))
            br_scene_make_ready(scene, slot, stage, task);
    }
}

static bool joint_scene_reserve(struct br_joint_scene *scene, const struct br_joint_job *job)
{
    uint64_t stages = job->stages;
    for (uint32_t k = 0; k < scene->slots; k++)
        stages += scene->live[k].job ? scene->live[k].job->stages : 0;
    return stages <= UINT32_MAX && reach_open(scene, (uint32_t)stages);
}

bool br_scene_arrive(struct br_joint_scene *scene, const struct br_joint_job *job, uint32_t *slot)
{
    uint32_t k = 0;
    while (k < scene->slots && scene->live[k].job)
        k++;
    if (!joint_scene_reserve(scene, job) || !br_scene_seat(scene, k, job))
        return false;
    scene->slots += k == scene->slots;
    *slot = k;
    struct br_scene_live *live = &scene->live[k];
    live->tasks_left = live->to_start = job->tasks;
    live->work_left = job->work;
    live->total_work_left = job->total_work;
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_stage *stage = &job->stage[s];
        live->waits[s] = stage->barriers;
        live->left[s] = stage->tasks;
        live->ready_first[s] = live->ready_end[s] = stage->first;
        for (uint32_t t = 0; job->pairs && t < stage->tasks; t++)
            live->task_waits[stage->first + t] = stage->pairs;
    }
    for (uint32_t s = 0; s < job->stages; s++)
        if (!live->waits[s])
            br_scene_release(scene, k, s);
    return true;
}

void br_scene_retire(struct br_joint_scene *scene, uint32_t slot)
{
    assert(scene->live[slot].to_start == 0);
    assert(scene->live[slot].job && !scene->live[slot].tasks_left);
    scene->live[slot].job = NULL;
}

static void mark_changed(struct br_joint_scene *scene, uint32_t machine)
{
    assert(scene->is_changed[machine] || scene->changes < scene->machines);
    if (!scene->is_changed[machine])
        scene->changed[scene->changes++] = machine;
    scene->is_changed[machine] = true;
}

void br_scene_move(struct br_joint_scene *scene, uint32_t machine, bool there)
{
    scene->away[machine] = !there;
    if (there)
        mark_changed(scene, machine);
}

/* The failed task is the first of its stage to start again. */
static void again(struct br_joint_scene *scene, uint32_t slot, uint32_t stage, uint32_t task)
{
    struct br_scene_live *live = &scene->live[slot];
    const struct br_joint_stage *what = &live->job->stage[stage];
    if (!br_scene_is_open(live, stage))
        open_stage(scene, slot, stage);
    assert(live->ready_first[stage] > what->first); /* it had been taken from the queue */
    live->ready[--live->ready_first[stage]] = task;
    live->to_start++;
    double lasts_ns = (double)br_joint_lasts(live->job, task);
    live->work_left += what->share * lasts_ns;
    live->total_work_left += what->sum * lasts_ns;
}

void br_scene_end(struct br_joint_scene *scene, uint32_t slot, uint32_t task, uint32_t machine,
                  bool failed)
{
    struct br_scene_live *live = &scene->live[slot];
    const struct br_joint_job *job = live->job;
    uint32_t s = job->task_stage[task];
    const struct br_joint_stage *stage = &job->stage[s];
    for (uint32_t r = 0; r < scene->resources; r++)
        scene->free[(size_t)machine * scene->resources + r] += stage->demand[r];
    mark_changed(scene, machine);
    if (!br_scene_holds(scene, stage, task))
        return;
    if (failed) {
        again(scene, slot, s, task);
        return;
    }
    assert(live->left[s] && live->tasks_left);
    bool last = --live->left[s] == 0;
    live->tasks_left--;
    for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++) {
        uint32_t child = job->arc[a].stage;
        assert(job->arc[a].one_to_one || live->waits[child]);
        if (job->arc[a].one_to_one) {
            uint32_t next = job->stage[child].first + task - stage->first;
            assert(live->task_waits[next] > 0);
            if (--live->task_waits[next] == 0 && !live->waits[child])
                br_scene_make_ready(scene, slot, child, next);
        } else if (last && --live->waits[child] == 0) {
            br_scene_release(scene, slot, child);
        }
    }
}
