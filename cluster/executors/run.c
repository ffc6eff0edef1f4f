/* Time and decisions. [Mao19, 6.2]
 *
 * Differs from the authors' simulator, where that leaves executors without a word:
 *   - executors that wait for a stage whose parents still run count for it, so no others are sent
 *     after them;
 *   - executors that are idle in a job, or free, are asked for again once a stage has become ready,
 *     a job has arrived or one has ended; there free ones wait for the next arrival;
 *   - an executor that finds its stage full when it arrives is asked for; there it goes to the next
 *     best stage. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/executors/core.h"

/* ---- Groups ---- */

static void executors_run_open_group(struct br_executors_core *core, struct br_executor_group group)
{
    assert(group.count && core->seen.group.count == 0);
    core->seen.group = group;
    core->seen.round++;
}

/* Asks about the idle executors of the job, or the free, of the first class of which some may be of
 * use: so the smallest go first, and large ones are left if small ones will do. False: none is.
 */
static bool ask_for(struct br_executors_core *core, uint32_t job)
{
    const struct br_executor_list *idle = job == NONE ? core->free : core->job[job].idle;
    for (uint32_t cls = 0; cls < core->classes; cls++)
        if (idle[cls].count && idle[cls].asked < core->news) {
            executors_run_open_group(
                core, (struct br_executor_group){idle[cls].count, job, NONE, NONE, cls});
            return true;
        }
    return false;
}

/* Idle executors that may be of use: those of the current job, then the free, then others'. */
static bool ask_idle(struct br_executors_core *core)
{
    const struct br_executors *seen = &core->seen;
    if (seen->ready_stages == 0)
        return false;
    if (core->current != NONE && ask_for(core, core->current))
        return true;
    if (ask_for(core, NONE))
        return true;
    for (uint32_t k = 0; core->resting && k < seen->live_jobs; k++)
        if (ask_for(core, seen->live[k]))
            return true;
    return false;
}

static bool executors_run_any_selectable(const struct br_executors *seen)
{
    for (uint32_t k = 0; k < seen->ready_stages; k++)
        if (br_executors_selectable(seen, seen->ready[k]))
            return true;
    return false;
}

/* The rest of the group stays. */
static void stay(struct br_executors_core *core)
{
    struct br_executor_group *group = &core->seen.group;
    if (group->stage == NONE) {
        if (group->job == NONE)
            core->free[group->cls].asked = core->news;
        else
            core->job[group->job].idle[group->cls].asked = core->news;
        group->count = 0;
        return;
    }
    if (group->executor != NONE) {
        br_executors_rest(core, group->executor, core->news);
        group->executor = NONE;
        group->count--;
    }
    if (group->count)
        br_executors_promise(core, group->stage, group->cls, BR_EXECUTORS_STAY, group->count);
    group->count = 0;
}

static void executors_run_assign(struct br_executors_core *core, uint32_t stage, uint32_t count)
{
    struct br_executor_group *group = &core->seen.group;
    assert(count && count <= group->count);
    group->count -= count;
    if (group->stage == NONE) {
        while (count--) {
            uint32_t executor = br_executors_take(core, group->job, group->cls);
            core->executor[executor].heard = core->arrived;
            br_executors_send(core, executor, stage);
        }
        return;
    }
    if (group->executor != NONE) {
        uint32_t executor = group->executor;
        group->executor = NONE;
        count--;
        core->executor[executor].heard = core->arrived;
        br_executors_send(core, executor, stage);
    }
    if (count)
        br_executors_promise(core, group->stage, group->cls, stage, count);
}

void br_executors_decide(struct br_executors *sim, uint32_t stage, uint32_t limit)
{
    struct br_executors_core *core = (struct br_executors_core *)sim;
    assert(sim->group.count);
    sim->decisions++;
    if (stage == BR_EXECUTORS_STAY) {
        stay(core);
        return;
    }
    assert(stage < sim->stages && br_executors_selectable(sim, stage));
    uint32_t held = br_executors_held(sim, sim->stage[stage].job);
    uint32_t count = limit > held ? limit - held : 1, need = br_executors_need(&sim->stage[stage]);
    if (count > need)
        count = need;
    if (count > sim->group.count)
        count = sim->group.count;
    sim->stage[stage].round = sim->round;
    executors_run_assign(core, stage, count);
}

/* ---- Events ---- */

static void executors_run_end_job(struct br_executors_core *core, uint32_t job)
{
    struct br_executors *seen = &core->seen;
    struct br_executor_job *at = &seen->job[job];
    assert(at->end_ns < 0 && seen->live[at->place] == job);
    assert(at->to_start == 0);
    at->end_ns = seen->now_ns;
    seen->live_jobs--;
    for (uint32_t k = at->place; k < seen->live_jobs; k++) {
        seen->live[k] = seen->live[k + 1];
        seen->job[seen->live[k]].place = k;
    }
    at->place = NONE;
    seen->ended_jobs++;
    assert(seen->live_jobs + seen->ended_jobs == core->arrived);
    br_executors_mark_job(core, job);
    br_executors_dismiss(core, job);
    core->news++;
    if (core->record) {
        core->record->end_ns[job] = seen->now_ns;
        core->record->finished++;
    }
}

/* The executor has ended a task of a stage that has none left to start. */
static void executors_run_leave(struct br_executors_core *core, uint32_t executor, uint32_t stage,
                                bool opened)
{
    struct br_executors *seen = &core->seen;
    uint32_t job = seen->stage[stage].job;
    bool kept = br_executors_keep(core, executor, stage);
    if (opened) {
        for (uint32_t cls = 0; cls < core->classes; cls++)
            core->job[job].idle[cls].asked = 0;
        br_executors_release(core, job);
    }
    if (kept)
        return;
    if (opened || seen->job[job].end_ns >= 0) {
        br_executors_rest(core, executor, 0);
        return;
    }
    uint32_t cls = core->executor[executor].cls, running = core->stage[stage].cls[cls].running;
    executors_run_open_group(core,
                             (struct br_executor_group){running + 1, job, stage, executor, cls});
}

/* Is the executor, which has just ended a task, to be asked about, though its stage has more? Not
 * if others are coming for all that is left, since nobody could send it back then. */
static bool yields(const struct br_executors_core *core, uint32_t executor)
{
    const struct br_executor *at = &core->executor[executor];
    return core->seen.options.yields && at->heard != core->arrived &&
           br_executors_need(&core->seen.stage[at->stage]);
}

static void executors_run_end_task(struct br_executors_core *core, uint32_t executor)
{
    struct br_executors *seen = &core->seen;
    struct br_executor *at = &core->executor[executor];
    uint32_t stage = at->stage, job = seen->stage[stage].job;
    struct br_executor_stage *of = &seen->stage[stage];
    bool opened = false;
    assert(seen->now_ns >= at->since_ns);
    seen->busy_ns += seen->now_ns - at->since_ns;
    if (core->record)
        br_executors_record(core, executor);
    core->current = job;
    assert(of->running && of->ended < of->started && !at->moving);
    assert(core->stage[stage].cls[at->cls].running > 0);
    of->running--;
    core->stage[stage].cls[at->cls].running--;
    if (++of->ended == of->tasks) {
        opened = br_executors_close(core, stage);
        if (++seen->job[job].ended == seen->job[job].stages)
            executors_run_end_job(core, job);
    }
    br_executors_touch(core, stage);
    if (of->started == of->tasks)
        executors_run_leave(core, executor, stage, opened);
    else if (yields(core, executor))
        br_executors_rest(core, executor, 0);
    else
        br_executors_start(core, executor, stage);
}

static void end_move(struct br_executors_core *core, uint32_t executor)
{
    struct br_executors *seen = &core->seen;
    struct br_executor *at = &core->executor[executor];
    uint32_t stage = at->stage, job = seen->stage[stage].job;
    assert(at->moving && seen->stage[stage].coming && seen->job[job].coming);
    at->moving = false;
    seen->stage[stage].coming--;
    seen->job[job].coming--;
    core->current = job;
    if (seen->job[job].end_ns < 0) {
        at->job = job;
        seen->job[job].executors++;
        br_executors_settle(core, executor, stage);
    } else {
        br_executors_rest(core, executor, 0);
    }
    br_executors_touch(core, stage);
}

static void executors_run_arrive(struct br_executors_core *core)
{
    struct br_executors *seen = &core->seen;
    assert(core->arrived < seen->jobs);
    uint32_t job = core->arrived++;
    seen->job[job].place = seen->live_jobs;
    assert(seen->live_jobs <= job);
    seen->live[seen->live_jobs++] = job;
    br_executors_mark_job(core, job);
    br_executors_open(core, job);
}

static void executors_run_advance(struct br_executors *seen, int64_t time_ns)
{
    assert(time_ns >= seen->now_ns);
    seen->jobs_time_ns += (time_ns - seen->now_ns) * seen->live_jobs;
    seen->now_ns = time_ns;
}

/* The next thing that happens; of one moment first what executors do. False: nothing does. */
static bool executors_run_step(struct br_executors_core *core)
{
    struct br_executors *seen = &core->seen;
    int64_t arrival_ns =
        core->arrived < seen->jobs ? core->arrival[core->arrived].arrival_ns : BR_NEVER;
    int64_t event_ns = core->events ? core->event[0].time_ns : BR_NEVER;
    int64_t time_ns = event_ns <= arrival_ns ? event_ns : arrival_ns;
    if (time_ns > core->until_ns && core->until_ns != BR_NEVER) {
        executors_run_advance(seen, core->until_ns);
        return false;
    }
    if (time_ns == BR_NEVER)
        return false;
    executors_run_advance(seen, time_ns);
    if (event_ns <= arrival_ns) {
        uint32_t executor = br_executors_due(core);
        if (core->executor[executor].moving)
            end_move(core, executor);
        else
            executors_run_end_task(core, executor);
        return true;
    }
    while (core->arrived < seen->jobs && core->arrival[core->arrived].arrival_ns == time_ns)
        executors_run_arrive(core);
    return true;
}

bool br_executors_next(struct br_executors *sim)
{
    struct br_executors_core *core = (struct br_executors_core *)sim;
    while (!core->ended && !core->status) {
        if (sim->group.count) {
            if (executors_run_any_selectable(sim))
                return true;
            stay(core);
        }
        if (ask_idle(core))
            continue;
        if (sim->ended_jobs == sim->jobs || !executors_run_step(core))
            core->ended = true;
    }
    if (core->record) {
        core->record->end_of_all_ns = sim->now_ns;
        core->record->events = core->sequence + core->arrived;
    }
    return false;
}

enum br_status br_executors_status(const struct br_executors *sim)
{
    return ((const struct br_executors_core *)sim)->status;
}

uint32_t br_executors_missed(const struct br_executors *sim)
{
    uint32_t missed = 0;
    for (uint32_t j = 0; j < sim->jobs && sim->job[j].arrival_ns <= sim->now_ns; j++) {
        const struct br_executor_job *job = &sim->job[j];
        int64_t end_ns = job->end_ns < 0 ? sim->now_ns : job->end_ns;
        missed += job->deadline_ns && end_ns > job->deadline_ns;
    }
    return missed;
}

/* ---- Life ---- */

struct br_executors *br_executors_create(const struct br_executors_options *options)
{
    struct br_executors_core *core = calloc(1, sizeof *core);
    uint32_t executors = options->executors;
    assert(executors);
    if (!core)
        return NULL;
    core->seen.options = *options;
    core->classes = options->classes ? options->classes : 1;
    assert(core->classes <= BR_EXECUTOR_CLASSES);
    core->executor = calloc(executors, sizeof *core->executor);
    core->promise = calloc(executors, sizeof *core->promise);
    core->event = calloc(executors, sizeof *core->event);
    if (core->executor && core->promise && core->event)
        return (struct br_executors *)core;
    br_executors_destroy((struct br_executors *)core);
    return NULL;
}

void br_executors_destroy(struct br_executors *sim)
{
    struct br_executors_core *core = (struct br_executors_core *)sim;
    if (!core)
        return;
    free(core->executor);
    free(core->promise);
    free(core->event);
    free(core->arrival);
    free(core->job);
    free(core->stage);
    free(core->seen.job);
    free(core->seen.live);
    free(core->seen.stage);
    free(core->seen.ready);
    free(core);
}

bool br_executors_make_room(struct br_executors_core *core, uint32_t jobs, uint32_t stages)
{
    struct br_executors *seen = &core->seen;
    if (jobs > core->job_room) {
        core->job_room = 0;
        free(core->arrival);
        free(core->job);
        free(seen->job);
        free(seen->live);
        core->arrival = malloc(jobs * sizeof *core->arrival);
        core->job = malloc(jobs * sizeof *core->job);
        seen->job = malloc(jobs * sizeof *seen->job);
        seen->live = malloc(jobs * sizeof *seen->live);
        if (!core->arrival || !core->job || !seen->job || !seen->live)
            return false;
        core->job_room = jobs;
    }
    if (stages > core->stage_room) {
        core->stage_room = 0;
        free(core->stage);
        free(seen->stage);
        free(seen->ready);
        core->stage = malloc(stages * sizeof *core->stage);
        seen->stage = malloc(stages * sizeof *seen->stage);
        seen->ready = malloc(stages * sizeof *seen->ready);
        if (!core->stage || !seen->stage || !seen->ready)
            return false;
        core->stage_room = stages;
    }
    return true;
}

static void executors_run_begin_job(struct br_executors_core *core, uint32_t number,
                                    uint32_t first_stage)
{
    const struct br_executors_arrival *arrival = &core->arrival[number];
    const struct br_waves *waves = arrival->waves;
    core->job[number] = (struct br_executor_job_inside){0};
    core->seen.job[number] = (struct br_executor_job){
        .waves = waves,
        .arrival_ns = arrival->arrival_ns,
        .end_ns = -1,
        .deadline_ns = arrival->deadline_ns,
        .seed = arrival->seed,
        .first_stage = first_stage,
        .stages = waves->stages,
        .place = NONE,
        .to_start = waves->tasks,
        .left_us = waves->work_us,
    };
    for (uint32_t s = 0; s < waves->stages; s++) {
        const struct br_wave_stage *stage = &waves->stage[s];
        struct br_executor_stage_inside *inside = &core->stage[first_stage + s];
        *inside = (struct br_executor_stage_inside){0};
        for (uint32_t cls = 0; cls < core->classes; cls++)
            inside->cls[cls].first_promise = NONE;
        core->seen.stage[first_stage + s] = (struct br_executor_stage){
            .job = number,
            .waves = stage,
            .tasks = stage->tasks,
            .unsaturated = stage->parents,
            .open = stage->parents,
            .place = NONE,
        };
        if (arrival->request)
            core->seen.stage[first_stage + s].request = arrival->request[s];
        assert(core->seen.stage[first_stage + s].request.cls < core->classes);
    }
}

static void begin_executors(struct br_executors_core *core)
{
    const struct br_executors_options *options = &core->seen.options;
    uint32_t executors = options->executors, cls = 0, of_class = 0;
    memset(core->free, 0, sizeof core->free);
    core->unused_promise = 0;
    for (uint32_t e = 0; e < executors; e++, of_class++) {
        if (options->classes && of_class == options->cls[cls].executors) {
            cls++;
            of_class = 0;
        }
        assert(cls < core->classes);
        core->promise[e].next = e + 1 < executors ? e + 1 : NONE;
        core->executor[e] =
            (struct br_executor){.job = NONE, .stage = NONE, .last = NONE, .cls = cls};
        br_executors_rest(core, e, 0);
    }
    assert(core->seen.free == executors);
}

enum br_status br_executors_reset(struct br_executors *sim,
                                  const struct br_executors_arrival *arrival, uint32_t jobs,
                                  const struct br_executors_run *run, struct br_diag *diag)
{
    struct br_executors_core *core = (struct br_executors_core *)sim;
    uint64_t stages = 0;
    assert(jobs);
    for (uint32_t j = 0; j < jobs; j++) {
        stages += arrival[j].waves->stages;
        assert(j == 0 || arrival[j].arrival_ns >= arrival[j - 1].arrival_ns);
    }
    if (stages >= NONE || !br_executors_make_room(core, jobs, (uint32_t)stages))
        return br_fail_memory(diag);
    memcpy(core->arrival, arrival, jobs * sizeof *arrival);
    core->record = run ? run->record : NULL;
    core->span_room = 0;
    core->until_ns = run ? run->until_ns : BR_NEVER;
    core->arrived = core->events = core->resting = 0;
    core->current = NONE;
    core->sequence = 0;
    core->news = 1;
    core->ended = false;
    core->status = BR_OK;
    *sim = (struct br_executors){
        .options = sim->options,
        .jobs = jobs,
        .job = sim->job,
        .stages = (uint32_t)stages,
        .stage = sim->stage,
        .live = sim->live,
        .ready = sim->ready,
        .group = {.job = NONE, .stage = NONE, .executor = NONE},
    };
    uint32_t first_stage = 0;
    for (uint32_t j = 0; j < jobs; j++) {
        executors_run_begin_job(core, j, first_stage);
        first_stage += arrival[j].waves->stages;
    }
    assert(first_stage == sim->stages);
    begin_executors(core);
    if (!core->record)
        return BR_OK;
    *core->record = (struct br_outcome){.jobs = jobs};
    core->record->end_ns = malloc(jobs * sizeof *core->record->end_ns);
    if (!core->record->end_ns)
        return br_fail_memory(diag);
    for (uint32_t j = 0; j < jobs; j++)
        core->record->end_ns[j] = -1;
    return BR_OK;
}
