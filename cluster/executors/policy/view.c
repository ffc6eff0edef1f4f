/* A view that a caller keeps. */
#include "cluster/executors/policy/view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"

#define NONE BR_EXECUTORS_NONE

void br_view_init(struct br_view *kept, uint32_t executors)
{
    *kept = (struct br_view){0};
    kept->view.options.executors = executors;
    kept->view.group = (struct br_executor_group){.job = NONE, .stage = NONE, .executor = NONE};
}

void br_view_finish(struct br_view *kept)
{
    for (uint32_t j = 0; j < kept->view.jobs; j++)
        br_waves_destroy(kept->waves[j]);
    free(kept->waves);
    free(kept->stale);
    free(kept->view.job);
    free(kept->view.live);
    free(kept->view.stage);
    free(kept->view.ready);
    *kept = (struct br_view){0};
}

/* ---- Jobs that come and go ---- */

static uint32_t room_for(uint32_t room, uint32_t least)
{
    uint32_t next = room + room / 2 + 16;
    return next > least ? next : least;
}

static bool view_make_room(struct br_view *kept, uint32_t jobs, uint32_t stages)
{
    struct br_executors *view = &kept->view;
    if (jobs > kept->job_room) {
        uint32_t room = room_for(kept->job_room, jobs);
        if (!br_enlarge(&kept->waves, room, sizeof(struct br_waves *)) ||
            !br_enlarge(&kept->stale, room, sizeof *kept->stale) ||
            !br_enlarge(&view->job, room, sizeof *view->job) ||
            !br_enlarge(&view->live, room, sizeof *view->live))
            return false;
        kept->job_room = room;
    }
    if (stages > kept->stage_room) {
        uint32_t room = room_for(kept->stage_room, stages);
        if (!br_enlarge(&view->stage, room, sizeof *view->stage) ||
            !br_enlarge(&view->ready, room, sizeof *view->ready))
            return false;
        kept->stage_room = room;
    }
    return true;
}

bool br_view_add(struct br_view *kept, struct br_waves *waves, uint32_t *job)
{
    struct br_executors *view = &kept->view;
    uint32_t number = 0, jobs = view->jobs;
    while (number < jobs && kept->waves[number])
        number++;
    if (waves->stages >= NONE - view->stages ||
        !view_make_room(kept, number == jobs ? jobs + 1 : jobs, view->stages + waves->stages))
        return false;
    view->jobs = number == jobs ? jobs + 1 : jobs;
    kept->waves[number] = waves;
    view->job[number] = (struct br_executor_job){.waves = waves,
                                                 .end_ns = -1,
                                                 .first_stage = view->stages,
                                                 .stages = waves->stages,
                                                 .place = view->live_jobs};
    view->live[view->live_jobs++] = number;
    assert(view->live_jobs <= view->jobs);
    for (uint32_t s = 0; s < waves->stages; s++) {
        view->stage[view->stages++] = (struct br_executor_stage){
            .job = number,
            .waves = &waves->stage[s],
            .tasks = waves->stage[s].tasks,
            .place = NONE,
        };
        br_view_touch_stage(kept, view->stages - 1);
    }
    *job = number;
    return true;
}

void br_view_remove(struct br_view *kept, uint32_t job)
{
    struct br_executors *view = &kept->view;
    const struct br_executor_job gone = view->job[job];
    assert(kept->waves[job]);
    uint32_t behind = gone.first_stage + gone.stages;
    assert(behind <= view->stages && view->live[gone.place] == job);
    memmove(&view->stage[gone.first_stage], &view->stage[behind],
            (view->stages - behind) * sizeof *view->stage);
    view->stages -= gone.stages;
    view->live_jobs--;
    for (uint32_t k = gone.place; k < view->live_jobs; k++) {
        view->live[k] = view->live[k + 1];
        view->job[view->live[k]].place = k;
    }
    for (uint32_t k = 0; k < view->live_jobs; k++)
        if (view->job[view->live[k]].first_stage > gone.first_stage)
            view->job[view->live[k]].first_stage -= gone.stages;
    br_waves_destroy(kept->waves[job]);
    kept->waves[job] = NULL;
    view->job[job] = (struct br_executor_job){.place = NONE, .changed = ++view->changes};
    view->ended_jobs++;
    kept->changed = true;
}

/* ---- What follows ---- */

void br_view_touch_job(struct br_view *kept, uint32_t job)
{
    kept->view.job[job].changed = ++kept->view.changes;
    kept->stale[job] = kept->changed = true;
}

void br_view_touch_stage(struct br_view *kept, uint32_t stage)
{
    assert(stage < kept->view.stages);
    br_view_touch_job(kept, kept->view.stage[stage].job);
    kept->view.stage[stage].changed = kept->view.changes;
}

static bool is_saturated(const struct br_executor_stage *stage)
{
    return stage->started + stage->coming >= stage->tasks;
}

/* Parents that are not saturated, and that have not ended, of each stage of the job. */
static void view_count_parents(struct br_executors *view, uint32_t job)
{
    const struct br_executor_job *of = &view->job[job];
    struct br_executor_stage *stage = &view->stage[of->first_stage];
    for (uint32_t s = 0; s < of->stages; s++)
        stage[s].unsaturated = stage[s].open = 0;
    for (uint32_t s = 0; s < of->stages; s++)
        for (uint32_t k = 0; k < stage[s].waves->children; k++) {
            struct br_executor_stage *child =
                &stage[of->waves->child[stage[s].waves->first_child + k]];
            child->unsaturated += !is_saturated(&stage[s]);
            child->open += stage[s].ended < stage[s].tasks;
        }
}

static void recount(struct br_executors *view, uint32_t job)
{
    struct br_executor_job *of = &view->job[job];
    view_count_parents(view, job);
    of->ended = 0;
    of->to_start = 0;
    of->left_us = 0;
    for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
        struct br_executor_stage *stage = &view->stage[s];
        assert(stage->ended <= stage->started && stage->started <= stage->tasks);
        uint32_t to_start = stage->tasks - stage->started;
        stage->running = stage->started - stage->ended;
        of->ended += stage->ended == stage->tasks;
        of->to_start += to_start;
        of->left_us += stage->waves->mean_us * to_start;
        stage->changed = of->changed;
    }
}

void br_view_refresh(struct br_view *kept)
{
    struct br_executors *view = &kept->view;
    if (!kept->changed)
        return;
    kept->changed = false;
    view->ready_stages = 0;
    for (uint32_t k = 0; k < view->live_jobs; k++) {
        uint32_t job = view->live[k];
        struct br_executor_job *of = &view->job[job];
        if (kept->stale[job])
            recount(view, job);
        kept->stale[job] = false;
        of->ready = 0;
        for (uint32_t s = of->first_stage; s < of->first_stage + of->stages; s++) {
            struct br_executor_stage *stage = &view->stage[s];
            bool ready = stage->unsaturated == 0 && !is_saturated(stage);
            stage->place = ready ? view->ready_stages : NONE;
            if (ready)
                view->ready[view->ready_stages++] = s;
            of->ready += ready;
        }
    }
}
