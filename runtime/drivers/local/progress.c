/* Reports the progress of the run ten times a second, and does other work due as often. */
#include "runtime/drivers/local/driver.h"

static void skip_started(struct br_driver_job *job)
{
    const struct br_plan *plan = job->plan;
    while (job->plan_head < plan->tasks && job->started[plan->order[job->plan_head]])
        job->plan_head++;
}

/* The time left by the plan, from the run's position in it: the first task that has not been
 * started, or an earlier position in a running one. So a run ahead of its plan is reported as such.
 */
static int64_t local_progress_predict(struct br_driver *driver, struct br_driver_job *job)
{
    const struct br_plan *plan = job->plan;
    const int64_t now_ns = driver->now_ns;
    int64_t end_ns = now_ns, at_ns = 0;
    if (!plan)
        return 0;
    skip_started(job);
    bool all = job->plan_head == plan->tasks;
    if (!all)
        at_ns = plan->start_ns[plan->order[job->plan_head]];
    for (uint32_t k = 0; k < driver->slots.count; k++) {
        const struct br_slot *slot = &driver->slots.slot[k];
        if (slot->process.pid <= 0)
            continue;
        int64_t duration_ns = job->work.dag->duration_ns[slot->task];
        int64_t past_ns = now_ns - slot->start_ns;
        if (past_ns > duration_ns)
            past_ns = duration_ns;
        if (now_ns + duration_ns - past_ns > end_ns)
            end_ns = now_ns + duration_ns - past_ns;
        if (plan->start_ns[slot->task] + past_ns < at_ns)
            at_ns = plan->start_ns[slot->task] + past_ns;
    }
    return all ? end_ns : now_ns + plan->makespan_ns - at_ns;
}

/* The only job of the run; NULL if there are several, or may be. */
static struct br_driver_job *only_job(const struct br_driver *driver)
{
    return driver->jobs == 1 && !driver->source && !driver->over ? driver->job[0] : NULL;
}

void br_driver_tick(struct br_driver *driver)
{
    if (driver->now_ns - driver->reaped_ns >= BR_DRIVER_TICK_NS) {
        br_family_reap(&(struct br_own){br_slots_has, &driver->slots});
        br_driver_watch_left(driver);
        driver->reaped_ns = driver->now_ns;
    }
    if (driver->now_ns - driver->synced_ns >= BR_DRIVER_TICK_NS || !driver->slots.running) {
        br_driver_note(driver, br_journal_sync(&driver->work.journal, driver->work.diag));
        driver->synced_ns = driver->now_ns;
    }
    if (!driver->work.options->tick || driver->now_ns - driver->ticked_ns < BR_DRIVER_TICK_NS)
        return;
    struct br_driver_job *only = only_job(driver);
    driver->ticked_ns = driver->now_ns;
    driver->work.options->tick(
        driver->work.options->context,
        &(struct br_run_state){
            .runtime = driver->runtime,
            .jobs = driver->jobs,
            .over = driver->over,
            .tasks = (uint32_t)driver->work.tasks,
            .finished = driver->work.result->resumed + driver->work.result->finished,
            .running = driver->slots.running,
            .failed = driver->work.result->failed,
            .now_ns = driver->now_ns,
            .predicted_ns = only ? local_progress_predict(driver, only) : -1,
        });
}
