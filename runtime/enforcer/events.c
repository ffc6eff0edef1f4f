/* What becomes of jobs and their tasks. */
#include "runtime/enforcer/model.h"

#include "base/invariant.h"
#include "base/text/diag.h"
#include "runtime/enforcer/board.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/stock.h"

/* ---- Jobs ---- */

/* Does a limit keep tasks of it back, now or later? */
static bool runtime_is_limited(const struct br_job *job)
{
    return job->most != BR_ANY || br_job_is_capped(job);
}

/* Are the group's counts the sums over its jobs? */
static bool group_is_sound(const struct br_runtime *runtime, uint32_t group)
{
    uint32_t live = 0, ready = 0;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        const struct br_job *job = runtime->job[j];
        if (!job || job->group != group)
            continue;
        live += job->state.waiting + job->state.ready + job->state.running;
        ready += br_job_standing(job);
    }
    return runtime->group[group].live == live && runtime->group[group].ready == ready;
}

/* Do the running tasks of the machine together hold what the machine's accounts say? */
static bool runtime_machine_is_sound(const struct br_runtime *runtime, uint32_t machine)
{
    for (uint32_t r = 0; r < runtime->resources && !runtime->pool.stocks; r++) {
        int64_t left = runtime->held[(size_t)machine * runtime->resources + r];
        for (uint32_t j = 0; j < runtime->jobs; j++)
            for (uint32_t t = 0; runtime->job[j] && t < runtime->job[j]->form->tasks; t++)
                if (runtime->job[j]->machine[t] == machine)
                    left -= br_job_demand(runtime->job[j], t, runtime->resources)[r];
        if (left)
            return false;
    }
    return true;
}

void br_runtime_recount(struct br_runtime *runtime, uint32_t number,
                        const struct br_job_state *before)
{
    struct br_job *job = runtime->job[number];
    struct br_group *group = &runtime->group[job->group];
    const struct br_job_state *now = &job->state;
    group->live += now->waiting + now->ready + now->running;
    assert(group->live >= before->waiting + before->ready + before->running);
    group->live -= before->waiting + before->ready + before->running;
    bool changed = job->held != (now->running >= job->most);
    uint32_t stood = job->standing;
    job->held = now->running >= job->most;
    changed |= br_job_bar(job, runtime->resources);
    job->standing = br_job_standing(job);
    group->ready += job->standing;
    assert(group->ready >= stood);
    group->ready -= stood;
    /* A group without tasks to start is owed nothing. */
    if (!group->live)
        group->deficit = 0;
    /* Not if more are ready than before: one may have gone as another came. */
    runtime->epoch += job->woken;
    job->woken = false;
    br_board_update(runtime, number);
    if (changed) {
        br_board_hold(runtime, number);
        runtime->epoch++; /* tasks kept back for its tasks, or tasks of it, may start */
    }
    br_costly_assert(group_is_sound(runtime, job->group));
    br_costly_assert(br_board_is_sound(runtime));
}

/* Adds the task's demand to what the machine's tasks hold, or takes it away. */
static void runtime_hold(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                         uint32_t machine, int sign)
{
    const int64_t *demand = br_job_demand(job, task, runtime->resources);
    int64_t *free = runtime->free + (size_t)machine * runtime->resources;
    int64_t *held = runtime->held + (size_t)machine * runtime->resources;
    int64_t below = 0;
    for (uint32_t r = 0; r < runtime->resources; r++) {
        free[r] -= sign * demand[r];
        below |= held[r] += sign * demand[r];
    }
    for (uint32_t r = 0; job->cap && r < runtime->resources; r++)
        below |= job->cap->used[r] += sign * demand[r];
    assert(below >= 0);
    (void)below;
    if (sign < 0) {
        br_vacancy_change(&runtime->vacancy, machine);
        runtime->pool.stirred = true;
    }
}

void br_runtime_place(struct br_runtime *runtime, uint32_t number, uint32_t task, uint32_t machine)
{
    struct br_job *job = runtime->job[number];
    struct br_job_state before = job->state;
    br_job_run(job, task, machine, runtime->now_ns);
    runtime_hold(runtime, job, task, machine, 1);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job) && runtime_machine_is_sound(runtime, machine));
}

static void runtime_release(struct br_runtime *runtime, struct br_job *job, uint32_t task)
{
    if (job->task_state[task] == BR_TASK_RUNNING)
        runtime_hold(runtime, job, task, job->machine[task], -1);
}

enum br_status br_runtime_retire(struct br_runtime *runtime, uint32_t number, struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job = br_runtime_find_job(runtime, number);
    if (!job)
        return br_fail(diag, BR_USAGE, NULL, "there is no job %u", number);
    if (job->stock)
        br_stock_retired(runtime, job);
    for (uint32_t t = 0; t < job->form->tasks && job->state.running && !job->stock; t++)
        runtime_release(runtime, job, t);
    struct br_job_state before = job->state;
    job->state = (struct br_job_state){0};
    if (runtime_is_limited(job))
        br_board_release_limited(runtime, job);
    br_runtime_recount(runtime, number, &before);
    br_board_drop(runtime, number);
    br_stock_destroy(job->stock);
    br_job_destroy(job);
    runtime->job[number] = NULL;
    if (number < runtime->taken)
        runtime->taken = number;
    while (runtime->jobs && !runtime->job[runtime->jobs - 1])
        runtime->jobs--;
    if (runtime->taken > runtime->jobs)
        runtime->taken = runtime->jobs;
    return BR_OK;
}

enum br_status br_runtime_close(struct br_runtime *runtime, uint32_t number, struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job = br_runtime_find_job(runtime, number);
    if (!job)
        return br_fail(diag, BR_USAGE, NULL, "there is no job %u", number);
    struct br_job_state before = job->state;
    enum br_status status = BR_OK;
    if (job->stock)
        status = br_stock_closed(runtime, job, diag);
    else
        br_job_close(job);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    runtime->epoch++; /* tasks kept back for its tasks may start */
    return status;
}

/* Updates the offers that limits keep back now. A job free of limits gives back its room. */
static void limits_have_changed(struct br_runtime *runtime, uint32_t number)
{
    struct br_job *job = runtime->job[number];
    struct br_job_state before = job->state;
    br_runtime_recount(runtime, number, &before);
    /* Only now, since offers in the trees have room from here on. */
    if (!runtime_is_limited(job))
        br_board_release_limited(runtime, job);
    br_costly_assert(br_job_is_sound(job));
}

enum br_status br_runtime_limit(struct br_runtime *runtime, uint32_t number, uint32_t most,
                                struct br_diag *diag)
{
    struct br_job *job = br_runtime_find_job(runtime, number);
    if (!job)
        return br_fail(diag, BR_USAGE, NULL, "there is no job %u", number);
    if (job->stock) {
        runtime->pool.stirred |= most > job->stock->most;
        job->stock->most = most;
        return BR_OK;
    }
    if (job->most == most)
        return BR_OK;
    if (!runtime_is_limited(job) && !br_board_reserve_limited(runtime, job))
        return br_fail_memory(diag);
    job->most = most;
    limits_have_changed(runtime, number);
    return BR_OK;
}

enum br_status br_runtime_cap(struct br_runtime *runtime, uint32_t number, uint32_t percent,
                              struct br_diag *diag)
{
    struct br_job *job = br_runtime_find_job(runtime, number);
    if (!job)
        return br_fail(diag, BR_USAGE, NULL, "there is no job %u", number);
    if (percent == (job->cap ? job->cap->percent : BR_ANY))
        return BR_OK;
    if (job->stock)
        return br_fail(diag, BR_USAGE, "limit its number of tasks",
                       "a job whose outputs are held, or that has shared resources or times, has "
                       "no limit in percents of the cluster");
    if (!br_job_watch_use(job, runtime->resources) ||
        (!runtime_is_limited(job) && !br_board_reserve_limited(runtime, job)))
        return br_fail_memory(diag);
    job->cap->percent = percent;
    for (uint32_t r = 0; br_job_is_capped(job) && r < runtime->resources; r++)
        job->cap->most[r] = (int64_t)((br_wide)runtime->scale.total[r] * percent / 100);
    limits_have_changed(runtime, number);
    return BR_OK;
}

/* ---- Tasks ---- */

static enum br_status runtime_find_task(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                        struct br_job **job, struct br_diag *diag)
{
    *job = br_runtime_find_job(runtime, number);
    if (!*job)
        return br_fail(diag, BR_USAGE, NULL, "there is no job %u", number);
    if (task >= (*job)->form->tasks)
        return br_fail(diag, BR_USAGE, NULL, "job %u has no task %u", number, task);
    return BR_OK;
}

static enum br_status fail_state(const struct br_job *job, uint32_t number, uint32_t task,
                                 const char *event, struct br_diag *diag)
{
    static const char *const states[] = {"waiting", "ready", "running", "finished", "failed"};
    return br_fail(diag, BR_USAGE, NULL, "task %u of job %u, which is %s, cannot be %s", task,
                   number, states[job->task_state[task]], event);
}

enum br_status br_runtime_ready(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (!job->by_event || job->stock || job->task_state[task] != BR_TASK_WAITING)
        return fail_state(job, number, task, "made ready", diag);
    if (!br_board_reserve_one(runtime))
        return br_fail_memory(diag);
    struct br_job_state before = job->state;
    br_job_ready(job, task);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    return BR_OK;
}

enum br_status br_runtime_withdrawn(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                    struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (!job->by_event || job->stock || job->task_state[task] != BR_TASK_READY)
        return fail_state(job, number, task, "withdrawn", diag);
    struct br_job_state before = job->state;
    br_job_withdraw(job, task);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    runtime->epoch++; /* tasks kept back for it may start */
    return BR_OK;
}

enum br_status br_runtime_started(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                  uint32_t machine, struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (machine >= runtime->machines)
        return br_fail(diag, BR_USAGE, NULL, "there is no machine %u", machine);
    if (job->task_state[task] > BR_TASK_RUNNING)
        return fail_state(job, number, task, "started", diag);
    if (job->task_state[task] == BR_TASK_RUNNING && job->machine[task] == machine)
        return BR_OK;
    struct br_job_state before = job->state;
    if (job->stock) {
        br_stock_started_outside(runtime, job, task, machine);
        br_runtime_recount(runtime, number, &before);
        return BR_OK;
    }
    runtime_release(runtime, job, task);
    br_job_run(job, task, machine, runtime->now_ns);
    runtime_hold(runtime, job, task, machine, 1);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job) && runtime_machine_is_sound(runtime, machine));
    return BR_OK;
}

enum br_status br_runtime_finished(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                   struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (job->task_state[task] > BR_TASK_RUNNING)
        return fail_state(job, number, task, "finished", diag);
    if (!br_board_reserve_children(runtime, job, task))
        return br_fail_memory(diag);
    struct br_job_state before = job->state;
    uint32_t machine = job->machine[task];
    if (job->stock) {
        br_stock_finished(runtime, job, task);
        br_runtime_recount(runtime, number, &before);
        return BR_OK;
    }
    runtime_release(runtime, job, task);
    br_job_finish(job, task);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    br_costly_assert(machine == BR_ANY || runtime_machine_is_sound(runtime, machine));
    return BR_OK;
}

enum br_status br_runtime_lasted(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                 int64_t lasted_ns, struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status || job->stock) /* such a job is not compared with others */
        return status;
    struct br_job_state before = job->state;
    if (!br_job_lasted(job, task, lasted_ns))
        return br_fail_memory(diag);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    return BR_OK;
}

enum br_status br_runtime_lost(struct br_runtime *runtime, uint32_t number, uint32_t task,
                               struct br_diag *diag)
{
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (job->task_state[task] != BR_TASK_FINISHED || job->stock || job->by_event || job->closed)
        return fail_state(job, number, task, "lost", diag);
    if (!br_board_reserve_one(runtime))
        return br_fail_memory(diag);
    struct br_job_state before = job->state;
    br_job_lose(job, task, runtime->now_ns);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job));
    runtime->epoch++; /* tasks kept back for those that wait again may start */
    return BR_OK;
}

enum br_status br_runtime_near(struct br_runtime *runtime, uint32_t number, uint32_t task,
                               uint32_t machine, struct br_diag *diag)
{
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    assert(runtime->data.share);
    if (status)
        return status;
    if (machine >= runtime->machines)
        return br_fail(diag, BR_USAGE, NULL, "there is no machine %u", machine);
    const struct br_near_task near = {number, task, job->submission};
    return br_near_add(&runtime->near, machine, near) ? BR_OK : br_fail_memory(diag);
}

enum br_status br_runtime_failed(struct br_runtime *runtime, uint32_t number, uint32_t task,
                                 bool again, struct br_diag *diag)
{
    BR_NEED(diag, runtime);
    struct br_job *job;
    enum br_status status = runtime_find_task(runtime, number, task, &job, diag);
    if (status)
        return status;
    if (job->task_state[task] != BR_TASK_RUNNING)
        return fail_state(job, number, task, "failed", diag);
    if (!br_board_reserve_one(runtime))
        return br_fail_memory(diag);
    struct br_job_state before = job->state;
    uint32_t machine = job->machine[task];
    if (job->stock) {
        enum br_status failed = br_stock_failed(runtime, job, task, again, diag);
        br_runtime_recount(runtime, number, &before);
        return failed;
    }
    runtime_release(runtime, job, task);
    br_job_fail(job, task, again, runtime->now_ns);
    br_runtime_recount(runtime, number, &before);
    br_costly_assert(br_job_is_sound(job) && runtime_machine_is_sound(runtime, machine));
    if (!again)
        runtime->epoch++; /* tasks kept back for its children may start */
    return BR_OK;
}
