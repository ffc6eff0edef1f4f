/* Set-up and events of the enforcer. [Grandl16, 5] decide.c makes the decisions. */
#include "planner/eligibility/features.h"
#include "runtime/enforcer/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/diag.h"
#include "base/collections/grow.h"
#include "base/invariant.h"
#include "base/numbers/real.h"
#include "base/roles.h"
#include "planner/model/cluster/cluster.h"
#include "runtime/enforcer/board.h"
#include "runtime/enforcer/jobs/capacities.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/stock.h"

/* eta differs from BR_ETA_PAPER: a few large jobs dominate the mean of remaining work, so that at
 * x1 packing decides among the short ones. bench/notes/simulate.md has the measurements. */
struct br_runtime_options br_runtime_options_default(void)
{
    return (struct br_runtime_options){
        .policy = "graphene",
        .remote_penalty = 0.8,
        .eta_factor = 3,
        .kappa = 0.1,
        .fairness = BR_FAIR_DOMINANT,
        .bundle = 8,
        .keep_plan = true,
    };
}

/* ---- The cluster ---- */

static uint32_t runtime_find_resource(const struct br_runtime *runtime, const char *name)
{
    return br_scale_find(&runtime->scale, name);
}

static enum br_status fail_resource(const char *name, struct br_diag *diag)
{
    return br_fail(diag, BR_USAGE, "name a resource of the cluster",
                   "no machine has a resource '%.80s'", name);
}

static enum br_status take_cluster(struct br_runtime *runtime, const struct br_cluster *cluster,
                                   struct br_diag *diag)
{
    struct br_arena *arena = &runtime->arena;
    struct br_capacities found;
    enum br_status status = br_capacities_make(arena, cluster, &found, diag);
    if (status)
        return status;
    uint32_t resources = runtime->resources = found.scale.resources;
    size_t kinds = (size_t)cluster->classes * resources;
    size_t all = (size_t)cluster->machines * resources;
    double *scale;
    runtime->scale = found.scale;
    runtime->classes = cluster->classes;
    runtime->machines = cluster->machines;
    runtime->capacity = found.capacity;
    runtime->machine_class = found.machine_class;
    if (!BR_ARRAY(arena, kinds, runtime->extra) || !BR_ARRAY(arena, kinds, runtime->weight) ||
        !BR_ARRAY(arena, all, runtime->free) || !BR_ARRAY(arena, all, runtime->held) ||
        !BR_ARRAY(arena, cluster->machines, runtime->idle_at) ||
        !BR_ARRAY(arena, cluster->machines, runtime->away) ||
        !BR_ARRAY(arena, resources, runtime->room) || !BR_ARRAY(arena, resources, runtime->rest) ||
        !BR_ARRAY(arena, resources, scale) ||
        !BR_ARRAY(arena, 4 * ((size_t)resources + 1), runtime->bounds) ||
        !BR_ARRAY(arena, cluster->classes, runtime->kept) ||
        !br_vacancy_init(&runtime->vacancy, arena, cluster->machines, resources) ||
        !BR_ARRAY(arena, runtime->options.bundle, runtime->bundle))
        return br_fail_memory(diag);
    for (size_t k = 0; k < kinds; k++) {
        double capacity = (double)runtime->capacity[k];
        runtime->weight[k] = capacity > 0 ? 1 / (capacity * capacity) : 0;
    }
    for (uint32_t m = 0; m < cluster->machines; m++) {
        uint32_t c = runtime->machine_class[m];
        memcpy(runtime->free + (size_t)m * resources, runtime->capacity + (size_t)c * resources,
               resources * sizeof *runtime->free);
    }
    for (uint32_t r = 0; r < resources; r++)
        scale[r] = found.scale.total[r] > 0 ? cluster->machines / found.scale.total[r] : 0;
    runtime->scale.shareds = cluster->shareds;
    status = br_pool_init(&runtime->pool, arena, cluster, diag);
    runtime->scale.shared = runtime->pool.name;
    runtime->offers.width = resources;
    runtime->offers.scale = scale;
    runtime->slots = br_capacities_slots(&found, cluster);
    return status;
}

enum br_status br_runtime_create(const struct br_cluster *cluster,
                                 const struct br_runtime_options *options,
                                 struct br_runtime **created, struct br_diag *diag)
{
    BR_NEED(diag, cluster, created);
    struct br_runtime_options defaults = br_runtime_options_default();
    *created = NULL;
    if (!options)
        options = &defaults;
    if (!br_policy_find(options->policy))
        return br_fail_unnamed(diag, &br_policies, options->policy ? options->policy : "", SIZE_MAX,
                               "unknown policy '%.80s'", options->policy ? options->policy : "");
    if (!(options->remote_penalty >= 0 && options->remote_penalty <= 1) ||
        !(options->eta_factor >= 0 && isfinite(options->eta_factor)) || !(options->kappa > 0) ||
        !options->bundle ||
        (options->fairness != BR_FAIR_SLOTS && options->fairness != BR_FAIR_DOMINANT))
        return br_fail(diag, BR_USAGE, "start from br_runtime_options_default()",
                       "an option of the runtime is out of its range");
    if (!cluster->machines)
        return br_fail(diag, BR_USAGE, NULL, "the cluster has no machine");
    enum br_status status = br_features_refuse_cluster(
        cluster, BR_FEATURE_SHARED | BR_FEATURE_CALENDAR, "the enforcer", diag);
    if (status)
        return status;
    struct br_runtime *runtime = calloc(1, sizeof *runtime);
    if (!runtime)
        return br_fail_memory(diag);
    runtime->options = *options;
    runtime->policy = br_policy_find(options->policy);
    runtime->options.policy = runtime->policy->named.name;
    runtime->epoch = 1;
    runtime->kept_for = runtime->loose = BR_ANY;
    uint32_t group;
    status = take_cluster(runtime, cluster, diag);
    if (!status)
        status = br_runtime_add_group(runtime, "default", 1, &group, diag);
    if (status)
        br_runtime_destroy(runtime);
    else
        *created = runtime;
    return status;
}

void br_runtime_destroy(struct br_runtime *runtime)
{
    if (!runtime)
        return;
    for (uint32_t j = 0; j < runtime->jobs; j++) {
        if (runtime->job[j])
            br_stock_destroy(runtime->job[j]->stock);
        br_job_destroy(runtime->job[j]);
    }
    br_pool_finish(&runtime->pool);
    br_outlook_finish(&runtime->outlook);
    br_offers_finish(&runtime->offers);
    br_near_finish(&runtime->near);
    free(runtime->tree);
    free(runtime->job);
    free(runtime->group);
    br_arena_finish(&runtime->arena);
    free(runtime);
}

enum br_status br_runtime_overbook(struct br_runtime *runtime, const char *resource,
                                   uint32_t percent, struct br_diag *diag)
{
    BR_NEED(diag, runtime, resource);
    uint32_t r;
    enum br_status status = br_overbook_find(&runtime->scale, resource, percent, &r, diag);
    if (status)
        return status;
    for (uint32_t c = 0; c < runtime->classes; c++) {
        size_t at = (size_t)c * runtime->resources + r;
        runtime->extra[at] = br_overbook_extra(runtime->capacity[at], percent);
    }
    br_vacancy_change_all(&runtime->vacancy, 0);
    return BR_OK;
}

enum br_status br_runtime_data(struct br_runtime *runtime, const struct br_data *data,
                               struct br_diag *diag)
{
    assert(!runtime->jobs && !runtime->data.share);
    if (!br_near_init(&runtime->near, &runtime->arena, runtime->machines))
        return br_fail_memory(diag);
    runtime->data = *data;
    return BR_OK;
}

enum br_status br_runtime_add_group(struct br_runtime *runtime, const char *name, double weight,
                                    uint32_t *group, struct br_diag *diag)
{
    BR_NEED(diag, runtime, name, group);
    if (!(weight > 0) || !isfinite(weight))
        return br_fail(diag, BR_USAGE, NULL, "the weight of group '%.80s' is not above 0", name);
    char *copy = br_arena_text(&runtime->arena, name);
    if (!copy || !br_board_add_group(runtime) ||
        !br_grow(&runtime->group, runtime->groups, &runtime->group_room, sizeof *runtime->group))
        return br_fail_memory(diag);
    *group = runtime->groups++;
    runtime->group[*group] = (struct br_group){.name = copy, .weight = weight};
    return BR_OK;
}

/* ---- Jobs ---- */

static struct br_job *runtime_find_job(const struct br_runtime *runtime, uint32_t job)
{
    return job < runtime->jobs ? runtime->job[job] : NULL;
}

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
    struct br_job *job = runtime_find_job(runtime, number);
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
    struct br_job *job = runtime_find_job(runtime, number);
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
    struct br_job *job = runtime_find_job(runtime, number);
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
    struct br_job *job = runtime_find_job(runtime, number);
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
    *job = runtime_find_job(runtime, number);
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

enum br_status br_runtime_report(struct br_runtime *runtime, uint32_t machine, const char *resource,
                                 const char *text, struct br_diag *diag)
{
    BR_NEED(diag, runtime, resource, text);
    struct br_decimal amount;
    if (machine >= runtime->machines)
        return br_fail(diag, BR_USAGE, NULL, "there is no machine %u", machine);
    uint32_t r = runtime_find_resource(runtime, resource);
    if (r == UINT32_MAX)
        return fail_resource(resource, diag);
    if (br_decimal_parse_suffixed(text, &amount) != BR_DECIMAL_OK || amount.mantissa < 0)
        return br_fail(diag, BR_USAGE, NULL, "'%.80s' is not an amount of %.80s", text, resource);
    /* Digits beyond the scale are cut: less is free, never more. */
    while (-amount.exponent > runtime->scale.digits[r] && amount.mantissa) {
        amount.mantissa /= 10;
        amount.exponent++;
    }
    size_t at = (size_t)machine * runtime->resources + r;
    int64_t most =
        runtime->capacity[(size_t)runtime->machine_class[machine] * runtime->resources + r];
    int64_t free = 0;
    most -= runtime->held[at];
    if (!amount.mantissa)
        amount.exponent = 0;
    if (!br_decimal_scale(amount, runtime->scale.digits[r], &free) || free > most)
        free = most;
    if (free > runtime->free[at])
        br_vacancy_change(&runtime->vacancy, machine);
    runtime->pool.stirred = true;
    runtime->free[at] = free;
    return BR_OK;
}

void br_runtime_move(struct br_runtime *runtime, uint32_t machine, bool there)
{
    assert(machine < runtime->machines);
    runtime->away[machine] = !there;
    runtime->pool.stirred = true;
    br_vacancy_change(&runtime->vacancy, machine);
}

/* ---- Questions ---- */

struct br_job_state br_runtime_job(const struct br_runtime *runtime, uint32_t number)
{
    const struct br_job *job = runtime ? runtime_find_job(runtime, number) : NULL;
    return job ? job->state : (struct br_job_state){0};
}

double br_runtime_used(const struct br_runtime *runtime, uint32_t machine, const char *resource)
{
    if (!runtime || !resource)
        return 0;
    uint32_t r = runtime_find_resource(runtime, resource), width = runtime->resources;
    double held = 0, total;
    if (r == UINT32_MAX || (machine >= runtime->machines && machine != BR_ANY))
        return 0;
    if (machine == BR_ANY) {
        total = runtime->scale.total[r];
        for (uint32_t m = 0; m < runtime->machines; m++)
            held += (double)runtime->held[(size_t)m * width + r];
    } else {
        total = (double)runtime->capacity[(size_t)runtime->machine_class[machine] * width + r];
        held = (double)runtime->held[(size_t)machine * width + r];
    }
    return total > 0 ? held / total : 0;
}

int64_t br_runtime_next_ns(const struct br_runtime *runtime)
{
    if (!runtime || !runtime->pool.stocks)
        return INT64_MAX;
    return runtime->pool.stirred ? runtime->now_ns : runtime->pool.next_ns;
}

bool br_runtime_overrun(struct br_runtime *runtime, struct br_decision *overrun)
{
    for (uint32_t k = 0; runtime && overrun && k < runtime->pool.stocks; k++) {
        const uint32_t number = runtime->pool.member[k];
        uint32_t task;
        if (!br_stock_find_overrun(runtime, runtime->job[number], &task))
            continue;
        *overrun = (struct br_decision){number, task, runtime->job[number]->machine[task]};
        return true;
    }
    return false;
}

bool br_runtime_freed(struct br_runtime *runtime, struct br_freed *freed)
{
    for (uint32_t k = 0; runtime && freed && k < runtime->pool.stocks; k++) {
        struct br_stock *stock = runtime->job[runtime->pool.member[k]]->stock;
        if (stock->told == stock->freeds)
            continue;
        *freed = stock->freed[stock->told++];
        return true;
    }
    return false;
}

double br_runtime_deficit(const struct br_runtime *runtime, uint32_t group)
{
    return runtime && group < runtime->groups ? runtime->group[group].deficit : 0;
}
