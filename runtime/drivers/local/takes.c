/* Jobs come to the run, are passed to the enforcer, and go when nothing of them can run any more.
 * The journal records a job before its tasks, and forgets it last. */
#include "runtime/drivers/local/driver.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/grow.h"
#include "base/invariant.h"
#include "base/text/diag.h"
#include "runtime/enforcer/decide.h"

/* Most jobs taken at once, so that tasks are served in between. */
enum { TAKEN_AT_ONCE = 16 };

/* ---- Groups ---- */

static enum br_status takes_add_group(struct br_driver *driver, const char *name, double weight,
                                      uint32_t *group, struct br_diag *diag)
{
    if (!br_grow(&driver->group, driver->groups, &driver->group_room, sizeof *driver->group))
        return br_fail_memory(diag);
    char *copy = strdup(name);
    enum br_status status = copy ? br_runtime_add_group(driver->runtime, name, weight, group, diag)
                                 : br_fail_memory(diag);
    if (status) {
        free(copy);
        return status;
    }
    /* The enforcer's group 0 always exists, without a name of ours. */
    assert(*group == driver->groups + 1);
    driver->group[driver->groups++] = copy;
    return BR_OK;
}

/* The enforcer's number of the group, which is added with the weight 1 if it is unknown. */
static enum br_status takes_find_group(struct br_driver *driver, const char *name, uint32_t *group,
                                       struct br_diag *diag)
{
    *group = 0;
    if (!name)
        return BR_OK;
    for (uint32_t k = 0; k < driver->groups; k++)
        if (strcmp(driver->group[k], name) == 0) {
            *group = k + 1;
            return BR_OK;
        }
    return takes_add_group(driver, name, 1, group, diag);
}

/* ---- A job comes ---- */

static void takes_release(struct br_driver_job *job)
{
    br_job_work_finish(&job->work);
    free(job);
}

/* The job, with its commands checked; not known to the enforcer yet. */
static enum br_status takes_make(struct br_driver *driver, struct br_run_job *from,
                                 struct br_driver_job **made, struct br_diag *diag)
{
    struct br_driver_job *job = calloc(1, sizeof *job);
    *made = job;
    if (!job)
        return br_fail_memory(diag);
    enum br_status status = br_job_work_init(&job->work, &driver->work, from, diag);
    struct br_arena *arena = &job->work.arena;
    if (!status) {
        job->attempts = br_arena_array(arena, from->dag->tasks, sizeof *job->attempts);
        job->started = br_arena_array(arena, from->dag->tasks, sizeof *job->started);
        job->fate = br_arena_array(arena, from->dag->tasks, sizeof *job->fate);
        job->plan = from->plan;
        if (driver->work.options->limit_memory)
            job->limit_bytes = br_run_limits(arena, from->dag);
        if (!job->attempts || !job->started || !job->fate ||
            (driver->work.options->limit_memory && !job->limit_bytes))
            status = br_fail_memory(diag);
    }
    return status ? status : br_driver_read_frees(job, diag);
}

enum br_status br_driver_submit(struct br_driver *driver, struct br_driver_job *job,
                                const struct br_dag *dag, const struct br_plan *plan,
                                struct br_diag *diag)
{
    uint32_t group, number;
    enum br_status status = takes_find_group(driver, job->work.job->group, &group, diag);
    if (!status)
        status =
            br_runtime_take(driver->runtime, dag, plan, group, BR_READY_BY_EDGES, &number, diag);
    if (status)
        return status;
    while (number >= driver->job_room) {
        uint32_t before = driver->job_room;
        if (!br_grow(&driver->job, before, &driver->job_room, sizeof *driver->job)) {
            br_runtime_retire(driver->runtime, number, NULL);
            return br_fail_memory(diag);
        }
        memset(driver->job + before, 0, (driver->job_room - before) * sizeof *driver->job);
    }
    assert(!driver->job[number]);
    job->number = number;
    driver->job[number] = job;
    return BR_OK;
}

static enum br_status takes_submit(struct br_driver *driver, struct br_driver_job *job,
                                   struct br_diag *diag)
{
    const struct br_run_job *from = job->work.job;
    enum br_status status = br_driver_submit(driver, job, from->dag, from->plan, diag);
    driver->jobs += !status;
    return status;
}

/* Tasks finished by an earlier run are done here, too. */
static enum br_status takes_go_on(struct br_driver *driver, struct br_driver_job *job)
{
    enum br_status status = BR_OK;
    br_work_count_job(&driver->work, &job->work);
    for (uint32_t t = 0; t < job->work.dag->tasks && !status; t++)
        if (job->work.known.done[t]) {
            job->started[t] = true;
            job->fate[t] = BR_FATE_DONE;
            status = br_runtime_finished(driver->runtime, job->number, t, driver->work.diag);
        }
    br_driver_touch(driver, job);
    return status;
}

static enum br_status take_all(struct br_driver *driver, const struct br_run_jobs *jobs,
                               struct br_job_work **work)
{
    struct br_diag *diag = driver->work.diag;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < jobs->count && !status; k++) {
        struct br_driver_job *job;
        status = takes_make(driver, &jobs->job[k], &job, diag);
        if (!status)
            status = takes_submit(driver, job, diag);
        if (status && job)
            takes_release(job);
        else if (!status)
            work[k] = &job->work;
    }
    if (!status)
        status = br_work_open_journal(&driver->work, work, jobs->count);
    for (uint32_t number = 0; number < driver->job_room && !status; number++)
        if (driver->job[number])
            status = takes_go_on(driver, driver->job[number]);
    return status;
}

enum br_status br_driver_take_first(struct br_driver *driver, const struct br_run_jobs *jobs)
{
    const struct br_run_options *options = driver->work.options;
    enum br_status status = BR_OK;
    uint32_t group;
    for (uint32_t k = 0; k < options->groups && !status; k++)
        status = takes_add_group(driver, options->group[k].name, options->group[k].weight, &group,
                                 driver->work.diag);
    if (status)
        return status;
    if (!jobs)
        return br_work_open_journal(&driver->work, NULL, 0);
    struct br_job_work **work = calloc((size_t)jobs->count + 1, sizeof(struct br_job_work *));
    status = work ? take_all(driver, jobs, work) : br_fail_memory(driver->work.diag);
    free(work);
    return status;
}

/* A job that comes during the run. A fault in it alone does not fail the run. */
static void local_take(struct br_driver *driver, struct br_run_job *from)
{
    struct br_driver_job *job;
    struct br_diag diag = {0};
    enum br_status status = takes_make(driver, from, &job, &diag);
    if (!status && !br_environment_fit(&driver->environment, from))
        status = br_fail_memory(&diag);
    if (!status)
        status = takes_submit(driver, job, &diag);
    bool known = !status;
    if (!status)
        status = br_work_add_job(&driver->work, &job->work, &diag);
    if (!status) {
        br_driver_note(driver, takes_go_on(driver, job));
        return;
    }
    if (known) {
        br_runtime_retire(driver->runtime, job->number, NULL);
        driver->job[job->number] = NULL;
        assert(driver->jobs > 0);
        driver->jobs--;
    }
    if (job)
        takes_release(job);
    if (status == BR_SYSTEM) { /* the next job would fail as well */
        *driver->work.diag = diag;
        br_driver_note(driver, status);
    } else {
        driver->source->refused(driver->source->context, from, &diag);
    }
}

bool br_driver_take_more(struct br_driver *driver)
{
    const struct br_run_source *source = driver->source;
    struct br_run_job *job;
    bool any = false;
    if (!source || driver->closing)
        return false;
    while (!driver->settled && !driver->closing) {
        if ((job = source->earlier(source->context))) {
            local_take(driver, job);
            continue;
        }
        br_driver_note(driver, br_journal_settle(&driver->work.journal, driver->work.diag));
        driver->settled = true;
    }
    for (int k = 0; k < TAKEN_AT_ONCE && !driver->closing; k++) {
        if (!(job = source->next(source->context, &driver->more)))
            break;
        local_take(driver, job);
        any = true;
    }
    return any;
}

/* ---- A job goes ---- */

void br_driver_touch(struct br_driver *driver, struct br_driver_job *job)
{
    if (job->touched)
        return;
    job->touched = true;
    job->next = driver->touched;
    driver->touched = job;
}

static void takes_let_go(struct br_driver *driver, struct br_driver_job *job)
{
    const struct br_run_source *source = driver->source;
    uint32_t number = job->work.known.number;
    assert(driver->job[job->number] == job);
    br_driver_note(driver, br_runtime_retire(driver->runtime, job->number, driver->work.diag));
    driver->job[job->number] = NULL;
    driver->over++;
    if (source) {
        br_driver_end_job_strays(driver, job);
        if (source->over(source->context, job->work.job))
            br_driver_note(driver,
                           br_journal_drop(&driver->work.journal, number, driver->work.diag));
    }
    takes_release(job);
}

bool br_driver_let_go(struct br_driver *driver)
{
    bool any = false;
    /* A job that was stopped is not over. */
    while (driver->touched && !driver->closing) {
        struct br_driver_job *job = driver->touched;
        driver->touched = job->next;
        job->touched = false;
        struct br_job_state state = br_runtime_job(driver->runtime, job->number);
        if (state.ready || state.running)
            continue;
        takes_let_go(driver, job);
        any = true;
    }
    return any;
}

void br_driver_drop_jobs(struct br_driver *driver)
{
    for (uint32_t number = 0; number < driver->job_room; number++)
        if (driver->job[number])
            takes_release(driver->job[number]);
    for (uint32_t k = 0; k < driver->groups; k++)
        free(driver->group[k]);
    free(driver->group);
    for (uint32_t k = 0; k < driver->lefts; k++)
        free(driver->left[k].job);
    free(driver->left);
    free(driver->job);
}
