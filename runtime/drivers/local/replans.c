/* Follows another plan of a running job. The job is submitted again to the enforcer, with the
 * states of its tasks, and the old one is forgotten: so the enforcer need not know that plans
 * change. */
#include "runtime/drivers/local/driver.h"

#include <assert.h>

#include "planner/eligibility/features.h"

/* Tells the enforcer, which has the job under the number, which tasks have ended or run. */
static enum br_status replans_catch_up(struct br_driver *driver, const struct br_driver_job *job,
                                       uint32_t number)
{
    struct br_diag *diag = driver->work.diag;
    enum br_status status = BR_OK;
    for (uint32_t t = 0; t < job->work.dag->tasks && !status; t++) {
        if (job->fate[t] == BR_FATE_DONE)
            status = br_runtime_finished(driver->runtime, number, t, diag);
        if (job->fate[t] == BR_FATE_FAILED) {
            status = br_runtime_started(driver->runtime, number, t, 0, diag);
            if (!status)
                status = br_runtime_failed(driver->runtime, number, t, false, diag);
        }
    }
    for (uint32_t k = 0; k < driver->slots.count && !status; k++) {
        const struct br_slot *slot = &driver->slots.slot[k];
        if (slot->process.pid > 0 && slot->job == job)
            status = br_runtime_started(driver->runtime, number, slot->task, slot->machine, diag);
    }
    return status;
}

/* The job is submitted before the old one is retired, so that there is always one. */
static enum br_status replans_follow(struct br_driver *driver, struct br_driver_job *job,
                                     const struct br_replan *replan)
{
    uint32_t before = job->number;
    enum br_status status =
        br_driver_submit(driver, job, replan->dag, replan->plan, driver->work.diag);
    if (status)
        return status;
    assert(job->number != before);
    status = replans_catch_up(driver, job, job->number);
    if (!status)
        status = br_runtime_retire(driver->runtime, before, driver->work.diag);
    driver->job[before] = NULL;
    job->plan = replan->plan;
    job->plan_head = 0;
    return status;
}

/* Such a job keeps its plan: what it holds would have to move to the new one. */
static bool has_features(const struct br_driver *driver, const struct br_driver_job *job)
{
    return br_features(job->work.dag, driver->cluster) & ~(unsigned)BR_FEATURE_DEADLINES;
}

void br_driver_replan(struct br_driver *driver)
{
    const struct br_run_options *options = driver->work.options;
    for (uint32_t k = 0; options->replan && k < driver->job_room && !driver->closing; k++) {
        struct br_driver_job *job = driver->job[k];
        struct br_replan replan;
        if (!job || job->closing || has_features(driver, job) ||
            !options->replan(options->context, job->work.job, &replan))
            continue;
        br_driver_note(driver, replans_follow(driver, job, &replan));
    }
}
