#include "cluster/simulate/joint/forward.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/heap.h"
#include "base/collections/sort.h"
#include "base/invariant.h"

enum { NUMBERS_A_PLACEMENT = 64 /* that are copied in the time of a placement */ };

/* Ends of one moment in the order in which the engine tells them. */
static bool forward_before(const struct br_joint_scene *scene, const struct br_forward_task *a,
                           const struct br_forward_task *b)
{
    if (a->at_ns != b->at_ns)
        return a->at_ns < b->at_ns;
    if (a->slot != b->slot)
        return scene->live[a->slot].job->number < scene->live[b->slot].job->number;
    return a->task < b->task;
}

BR_HEAP(end, struct br_forward_task, const struct br_joint_scene *, forward_before, 4)

bool br_forward_init(struct br_forward *forward, const struct br_cluster *cluster,
                     const struct br_capacities *capacities)
{
    *forward = (struct br_forward){0};
    return br_scene_init(&forward->base, cluster, capacities) &&
           br_scene_init(&forward->trial, cluster, capacities);
}

void br_forward_finish(struct br_forward *forward)
{
    br_scene_finish(&forward->base);
    br_scene_finish(&forward->trial);
    free(forward->running);
    free(forward->end);
    free(forward->left);
    free(forward->end_ns);
    *forward = (struct br_forward){0};
}

static bool forward_reach(struct br_forward_task **array, uint32_t *room, uint64_t count)
{
    if (count <= *room)
        return true;
    uint64_t larger = count + count / 2;
    struct br_forward_task *made =
        larger <= UINT32_MAX ? realloc(*array, larger * sizeof *made) : NULL;
    if (!made)
        return false;
    *array = made;
    *room = (uint32_t)larger;
    return true;
}

bool br_forward_reserve(struct br_forward *forward, const struct br_joint_scene *scene)
{
    uint64_t tasks = 0, numbers = 0;
    for (uint32_t k = 0; k < scene->slots; k++)
        if (scene->live[k].job) {
            tasks += scene->live[k].job->tasks;
            numbers += scene->live[k].block_room;
        }
    forward->cost = numbers / NUMBERS_A_PLACEMENT + 1;
    if (scene->slots > forward->left_room) {
        uint32_t room = 2 * scene->slots;
        free(forward->left);
        free(forward->end_ns);
        forward->left = calloc(2 * (size_t)room, sizeof *forward->left);
        forward->end_ns = calloc(room, sizeof *forward->end_ns);
        forward->left_room = forward->left && forward->end_ns ? room : 0;
    }
    return forward->left_room && forward_reach(&forward->running, &forward->run_room, tasks) &&
           forward_reach(&forward->end, &forward->end_room, tasks) &&
           br_scene_copy(&forward->base, scene) && br_scene_copy(&forward->trial, scene);
}

/* ---- The scene to begin with ---- */

static uint32_t thinned(uint32_t tasks, uint32_t step)
{
    return tasks / step + (tasks % step != 0);
}

/* Takes every step-th ready task of the stage. */
static void thin_ready(struct br_joint_scene *base, uint32_t slot, uint32_t s,
                       const struct br_scene_live *from)
{
    struct br_scene_live *live = &base->live[slot];
    const struct br_joint_stage *stage = &from->job->stage[s];
    live->ready_first[s] = live->ready_end[s] = from->ready_first[s];
    assert(from->ready_first[s] <= from->ready_end[s]);
    for (uint32_t k = from->ready_first[s]; k < from->ready_end[s]; k++)
        if (br_scene_holds(base, stage, from->ready[k]))
            live->ready[live->ready_end[s]++] = from->ready[k];
}

/* Tasks of the stage that the scene holds and that neither run nor have ended. */
static uint32_t forward_count_waiting(const struct br_joint_scene *base,
                                      const struct br_scene_live *live, uint32_t s)
{
    const struct br_joint_stage *stage = &live->job->stage[s];
    uint32_t count = live->ready_end[s] - live->ready_first[s];
    if (live->waits[s])
        return thinned(stage->tasks, base->step);
    for (uint32_t t = 0; stage->pairs && t < stage->tasks; t += base->step)
        count += live->task_waits[stage->first + t] > 0;
    return count;
}

static void thin_job(struct br_joint_scene *base, uint32_t slot, const struct br_scene_live *from)
{
    struct br_scene_live *live = &base->live[slot];
    live->tasks_left = live->to_start = 0;
    for (uint32_t s = 0; s < from->job->stages; s++) {
        if (base->step == 1) {
            live->tasks_left += live->left[s];
            live->to_start = from->to_start;
            continue;
        }
        thin_ready(base, slot, s, from);
        live->left[s] = from->left[s] ? forward_count_waiting(base, live, s) : 0;
        assert(live->left[s] <= from->left[s]);
        live->tasks_left += live->left[s];
        live->to_start += live->left[s];
    }
}

/* The stages of which nothing is left but what the scene does not hold count as ended. */
static void end_stages(struct br_joint_scene *base, uint32_t slot, const struct br_scene_live *from)
{
    struct br_scene_live *live = &base->live[slot];
    const struct br_joint_job *job = live->job;
    for (uint32_t s = 0; s < job->stages; s++) {
        const struct br_joint_stage *stage = &job->stage[s];
        if (live->left[s] || !from->left[s])
            continue;
        for (uint32_t a = stage->first_child; a < stage->first_child + stage->children; a++) {
            uint32_t child = job->arc[a].stage;
            assert(job->arc[a].one_to_one || live->waits[child]);
            if (!job->arc[a].one_to_one && --live->waits[child] == 0)
                br_scene_release(base, slot, child);
        }
    }
}

static void forward_add_running(struct br_forward *forward, const struct br_forward_task *one)
{
    struct br_joint_scene *base = &forward->base;
    struct br_scene_live *live = &base->live[one->slot];
    const struct br_joint_job *job = live->job;
    uint32_t s = job->task_stage[one->task];
    bool held = br_scene_holds(base, &job->stage[s], one->task);
    int64_t lasts_ns = br_joint_lasts(job, one->task), gone_ns = forward->start_ns - one->at_ns;
    assert(one->at_ns <= forward->start_ns);
    if (!held && one->machine % base->step) /* neither its end nor its room matters */
        return;
    if (lasts_ns < gone_ns)
        lasts_ns = gone_ns + gone_ns / 2 + 1;
    struct br_forward_task task = *one;
    task.at_ns = one->at_ns > INT64_MAX / 2 - lasts_ns ? INT64_MAX / 2 : one->at_ns + lasts_ns;
    if (base->step > 1 && held) {
        live->left[s]++;
        live->tasks_left++;
    }
    assert(forward->runs < forward->run_room);
    end_push(base, forward->running, &forward->runs, task);
}

void br_forward_begin(struct br_forward *forward, const struct br_joint_scene *scene,
                      const struct br_forward_task *running, uint32_t count, int64_t now_ns,
                      uint32_t step)
{
    struct br_joint_scene *base = &forward->base;
    forward->start_ns = now_ns;
    forward->runs = 0;
    bool copied = br_scene_copy(base, scene); /* into what has been reserved */
    assert(copied);
    (void)copied;
    assert(step > 0 && base->slots <= forward->left_room);
    base->step = step;
    for (uint32_t m = 0; m < base->machines; m++)
        base->away[m] = scene->away[m] || m % step;
    for (uint32_t k = 0; k < base->slots; k++)
        if (base->live[k].job)
            thin_job(base, k, &scene->live[k]);
    /* Stages of which the scene holds no ready task are closed. */
    base->opens = 0;
    for (uint32_t k = 0; k < scene->opens; k++) {
        struct br_scene_open open = scene->open[k];
        const struct br_scene_live *live = &base->live[open.slot];
        if (live->ready_first[open.stage] < live->ready_end[open.stage])
            base->open[base->opens++] = open;
    }
    for (uint32_t k = 0; k < count; k++)
        forward_add_running(forward, &running[k]);
    for (uint32_t k = 0; step > 1 && k < base->slots; k++)
        if (base->live[k].job)
            end_stages(base, k, &scene->live[k]);
}

/* ---- A run ---- */

static double forward_seconds(double ns)
{
    return ns * 1e-9;
}

static void forward_start(void *context, uint32_t slot, uint32_t task, uint32_t machine)
{
    struct br_forward *forward = context;
    int64_t lasts_ns = br_joint_lasts(forward->trial.live[slot].job, task);
    assert(lasts_ns >= 0);
    int64_t at_ns =
        forward->now_ns > INT64_MAX / 2 - lasts_ns ? INT64_MAX / 2 : forward->now_ns + lasts_ns;
    const struct br_joint_job *job = forward->trial.live[slot].job;
    forward->waited += forward_seconds(job->stage[job->task_stage[task]].share * (double)lasts_ns *
                                       forward->trial.step) *
                       forward_seconds((double)(forward->now_ns - forward->start_ns));
    assert(forward->ends < forward->end_room);
    end_push(&forward->trial, forward->end, &forward->ends,
             (struct br_forward_task){at_ns, slot, task, machine});
    forward->starts++;
}

/* All ends of the next moment. */
static void forward_step_on(struct br_forward *forward)
{
    assert(forward->ends && forward->end[0].at_ns >= forward->now_ns);
    forward->now_ns = forward->end[0].at_ns;
    while (forward->ends && forward->end[0].at_ns == forward->now_ns) {
        struct br_forward_task task = forward->end[0];
        assert(forward->trial.live[task.slot].job);
        end_pop(&forward->trial, forward->end, &forward->ends);
        br_scene_end(&forward->trial, task.slot, task.task, task.machine, false);
        if (!forward->trial.live[task.slot].tasks_left)
            forward->end_ns[task.slot] = forward->now_ns;
    }
}

/* The longest path of the job from any stage that has not ended. */
static int64_t path_left(const struct br_scene_live *live)
{
    int64_t most = 0;
    for (uint32_t s = 0; s < live->job->stages; s++)
        if (live->left[s] && live->job->stage[s].tail_ns > most)
            most = live->job->stage[s].tail_ns;
    return most;
}

/* Jobs that are left end one after another. */
static void guess_ends(struct br_forward *forward, const struct br_joint_order *order)
{
    struct br_joint_scene *trial = &forward->trial;
    struct br_sort_item *left = forward->left;
    uint32_t count = 0;
    double work_ns = 0;
    for (uint32_t k = 0; k < trial->slots; k++)
        if (trial->live[k].job && trial->live[k].tasks_left)
            left[count++] = (struct br_sort_item){order->place[k], k};
    assert(count <= forward->left_room);
    forward->cut = count > 0;
    br_sort(left, left + count, count);
    for (uint32_t k = 0; k < count; k++) {
        const struct br_scene_live *live = &trial->live[left[k].item];
        int64_t path_ns = path_left(live);
        double left_ns = live->work_left > 0 ? live->work_left : 0;
        forward->waited +=
            forward_seconds(left_ns) *
            forward_seconds((double)(forward->now_ns - forward->start_ns) + work_ns + left_ns / 2);
        work_ns += left_ns;
        double lasts_ns = work_ns > (double)path_ns ? work_ns : (double)path_ns;
        forward->end_ns[left[k].item] =
            lasts_ns < 0x1p61 ? forward->now_ns + (int64_t)lasts_ns : INT64_MAX;
    }
}

static uint64_t forward_spent(const struct br_forward *forward)
{
    return forward->starts + forward->trial.looks / BR_FORWARD_LOOKS;
}

double br_forward_run(struct br_forward *forward, const struct br_joint_order *order, uint64_t most,
                      int64_t until_ns)
{
    struct br_joint_scene *trial = &forward->trial;
    double sum = 0;
    bool copied = br_scene_copy(trial, &forward->base);
    assert(copied);
    (void)copied;
    if (forward->runs)
        memcpy(forward->end, forward->running, forward->runs * sizeof *forward->end);
    assert(forward->runs <= forward->end_room && trial->slots <= forward->left_room);
    forward->ends = forward->runs;
    forward->now_ns = forward->start_ns;
    forward->starts = trial->looks = 0;
    forward->waited = 0;
    for (uint32_t k = 0; k < trial->slots; k++)
        forward->end_ns[k] = forward->now_ns;
    br_scene_dispatch(trial, order, forward_start, forward);
    while (forward->ends && forward_spent(forward) < most && forward->end[0].at_ns <= until_ns) {
        forward_step_on(forward);
        br_scene_dispatch(trial, order, forward_start, forward);
    }
    forward->spent = forward_spent(forward);
    guess_ends(forward, order);
    for (uint32_t k = 0; k < trial->slots; k++)
        if (trial->live[k].job)
            sum += trial->live[k].job->weight *
                   forward_seconds((double)(forward->end_ns[k] - forward->start_ns));
    return sum + forward->press * forward->waited;
}
