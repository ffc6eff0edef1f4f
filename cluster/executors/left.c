/* The rest of jobs. Between two measured numbers of executors a task's duration is the mean of the
 * simulator's draws. */
#include "cluster/executors/left.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

static void release_tasks(struct br_left_job *job)
{
    if (job->owner)
        free(job->task_ms);
    job->task_ms = NULL;
    job->owner = false;
}

static void left_release(struct br_left_job *job)
{
    release_tasks(job);
    free(job->work_ms);
    *job = (struct br_left_job){0};
}

static void left_release_all(struct br_left *left)
{
    for (uint32_t j = 0; j < left->room; j++)
        left_release(&left->job[j]);
}

void br_left_finish(struct br_left *left)
{
    left_release_all(left);
    free(left->job);
    free(left->try);
    free(left->path_ms);
    *left = (struct br_left){0};
}

void br_left_renew(struct br_left *left)
{
    for (uint32_t j = 0; j < left->room; j++)
        left->job[j].seen = UINT32_MAX;
}

/* ---- Room ---- */

/* Numbers to try: all that are small, then each some percent above the one before. */
static bool choose_tries(struct br_left *left, const struct br_executors *sim)
{
    if (left->executors == sim->options.executors && left->by_distance == sim->options.by_distance)
        return true;
    left_release_all(left);
    left->executors = left->tries = left->path_room = 0;
    for (uint32_t k = 1; k <= sim->options.executors; k += 1 + k / 64) {
        if (!br_grow(&left->try, left->tries, &left->try_room, sizeof *left->try))
            return false;
        left->try[left->tries++] = k;
    }
    assert(left->tries > 0);
    left->executors = sim->options.executors;
    left->by_distance = sim->options.by_distance;
    return true;
}

static bool left_make_room(struct br_left *left, uint32_t jobs, uint32_t stages)
{
    if (jobs > left->room) {
        uint32_t room = jobs + jobs / 2;
        if (!br_enlarge(&left->job, room, sizeof *left->job))
            return false;
        memset(left->job + left->room, 0, (room - left->room) * sizeof *left->job);
        left->room = room;
    }
    if (stages > left->path_room) {
        if (!br_enlarge(&left->path_ms, stages, left->tries * sizeof *left->path_ms))
            return false;
        left->path_room = stages;
    }
    return true;
}

/* Room for all jobs up to this one, of which nothing is known yet. */
static bool left_prepare(struct br_left *left, const struct br_executors *sim, uint32_t number)
{
    if (!choose_tries(left, sim) || !left_make_room(left, number + 1, sim->job[number].stages))
        return false;
    assert(number < left->room);
    struct br_left_job *job = &left->job[number];
    release_tasks(job);
    if (!job->work_ms)
        job->work_ms = malloc(2 * (size_t)left->tries * sizeof *job->work_ms);
    job->path_ms = job->work_ms ? job->work_ms + left->tries : NULL;
    job->seen = UINT32_MAX;
    return job->work_ms;
}

/* ---- Durations ---- */

/* How long a task lasts on so many executors, when that is drawn from two measured numbers. */
static double task_ms(const struct br_left *left, const struct br_waves *waves,
                      const double *mean_ms, uint32_t executors)
{
    uint32_t k = 0;
    while (k + 1 < waves->counts && waves->count[k] < executors)
        k++;
    assert(k < waves->counts);
    if (!k || waves->count[k] <= executors)
        return mean_ms[k];
    uint32_t before = waves->count[k - 1];
    assert(before < executors && executors < waves->count[k]);
    double share = (double)(executors - before) / (waves->count[k] - before);
    share = left->by_distance ? share : 1 - share;
    return mean_ms[k - 1] + (mean_ms[k] - mean_ms[k - 1]) * share;
}

/* Adds `weight` times what a task of the stage lasts in that wave, by number that is tried. */
static void add_wave(const struct br_left *left, const struct br_waves *waves, uint32_t stage,
                     enum br_wave wave, double weight, float *sum_ms)
{
    double mean_ms[BR_WAVE_COUNTS] = {0};
    for (uint32_t c = 0; c < waves->counts; c++)
        mean_ms[c] = br_waves_mean_ms(waves, stage, wave, waves->count[c]);
    for (uint32_t t = 0; t < left->tries; t++)
        sum_ms[t] += (float)(weight * task_ms(left, waves, mean_ms, left->try[t]));
}

static bool left_measure(struct br_left *left, const struct br_waves *waves,
                         struct br_left_job *job)
{
    size_t tries = left->tries;
    float *at = calloc((2 * (size_t)waves->stages + 1) * tries, sizeof *at);
    job->task_ms = at;
    job->owner = true;
    if (!at)
        return false;
    float *fresh_ms = at + 2 * waves->stages * tries;
    job->fresh_ms = fresh_ms;
    for (uint32_t s = 0; s < waves->stages; s++, at += 2 * tries) {
        double share = (double)waves->stage[s].tasks / (double)waves->tasks;
        add_wave(left, waves, s, BR_WAVE_FIRST, 1, at);
        add_wave(left, waves, s, BR_WAVE_REST, 1, at + tries);
        add_wave(left, waves, s, BR_WAVE_FRESH, share, fresh_ms);
        add_wave(left, waves, s, BR_WAVE_FIRST, -share, fresh_ms);
    }
    assert(at == fresh_ms);
    return true;
}

bool br_left_arrive(struct br_left *left, const struct br_executors *sim, uint32_t job)
{
    return left_prepare(left, sim, job) && left_measure(left, sim->job[job].waves, &left->job[job]);
}

bool br_left_begin(struct br_left *left, const struct br_executors *sim)
{
    for (uint32_t j = 0; j < sim->jobs; j++) {
        uint32_t same = 0;
        if (!left_prepare(left, sim, j))
            return false;
        while (same < j && sim->job[same].waves != sim->job[j].waves)
            same++;
        if (same < j) {
            left->job[j].task_ms = left->job[same].task_ms;
            left->job[j].fresh_ms = left->job[same].fresh_ms;
        } else if (!left_measure(left, sim->job[j].waves, &left->job[j])) {
            return false;
        }
    }
    return true;
}

/* ---- What is left ---- */

/* The longest path behind a stage. */
static void left_look_behind(struct br_left *left, const struct br_waves *waves, uint32_t stage)
{
    const struct br_wave_stage *of = &waves->stage[stage];
    float *path_ms = left->path_ms + (size_t)stage * left->tries;
    memset(path_ms, 0, left->tries * sizeof *path_ms);
    for (uint32_t c = 0; c < of->children; c++) {
        uint32_t child = waves->child[of->first_child + c];
        const float *child_ms = left->path_ms + (size_t)child * left->tries;
        for (uint32_t t = 0; t < left->tries; t++)
            path_ms[t] = path_ms[t] > child_ms[t] ? path_ms[t] : child_ms[t];
    }
}

/* Adds a stage of which tasks still run or are to start. */
static void left_add_stage(struct br_left *left, const struct br_executor_stage *at, uint32_t stage,
                           struct br_left_job *job)
{
    uint32_t tasks = at->tasks - at->started, running = at->started - at->ended;
    assert(at->ended <= at->started && at->started <= at->tasks);
    const float *first_ms = job->task_ms + 2 * (size_t)stage * left->tries;
    const float *rest_ms = first_ms + left->tries;
    float *path_ms = left->path_ms + (size_t)stage * left->tries;
    for (uint32_t t = 0; t < left->tries; t++) {
        uint32_t executors = left->try[t];
        uint32_t new_ones = running < executors ? executors - running : 0;
        uint32_t first = tasks < new_ones ? tasks : new_ones;
        double now_ms = left->running * (double)rest_ms[t];
        job->work_ms[t] += first * (double)first_ms[t] + (tasks - first) * (double)rest_ms[t];
        job->work_ms[t] += running * now_ms;
        if (tasks) {
            uint32_t more_waves = (tasks - 1) / executors;
            now_ms = (double)(first ? first_ms[t] : rest_ms[t]) + more_waves * (double)rest_ms[t];
        }
        path_ms[t] += (float)now_ms;
        if (job->path_ms[t] < (double)path_ms[t])
            job->path_ms[t] = (double)path_ms[t];
    }
}

const struct br_left_job *br_left_look(struct br_left *left, const struct br_executors *sim,
                                       uint32_t number)
{
    const struct br_executor_job *of = &sim->job[number];
    const struct br_waves *waves = of->waves;
    struct br_left_job *job = &left->job[number];
    assert(number < left->room && job->work_ms && job->task_ms);
    if (job->seen == of->changed)
        return job;
    job->seen = of->changed;
    memset(job->work_ms, 0, 2 * (size_t)left->tries * sizeof *job->work_ms);
    for (uint32_t v = waves->stages; v-- > 0;) {
        uint32_t s = waves->topological[v];
        const struct br_executor_stage *at = &sim->stage[of->first_stage + s];
        left_look_behind(left, waves, s);
        if (at->ended < at->tasks)
            left_add_stage(left, at, s, job);
    }
    return job;
}
