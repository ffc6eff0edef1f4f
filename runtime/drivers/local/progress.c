/* How far the run is, told ten times a second, and what else is due as often. */
#include "runtime/drivers/local/driver.h"

static void skip_started(struct br_driver *driver)
{
    const struct br_plan *plan = driver->plan;
    while (driver->plan_head < plan->tasks && driver->started[plan->order[driver->plan_head]])
        driver->plan_head++;
}

void br_driver_enter_plan(struct br_driver *driver)
{
    const struct br_plan *plan = driver->plan;
    if (!plan)
        return;
    skip_started(driver);
    if (driver->plan_head < plan->tasks)
        driver->plan_ns = plan->start_ns[plan->order[driver->plan_head]];
}

/* The plan's makespan, and how late the first task is that has not been started. */
static int64_t predict(struct br_driver *driver)
{
    const struct br_plan *plan = driver->plan;
    int64_t end_ns = driver->now_ns;
    if (!plan)
        return 0;
    skip_started(driver);
    if (driver->plan_head < plan->tasks) {
        int64_t late_ns =
            driver->now_ns + driver->plan_ns - plan->start_ns[plan->order[driver->plan_head]];
        return plan->makespan_ns - driver->plan_ns + (late_ns > 0 ? late_ns : 0);
    }
    for (uint32_t k = 0; k < driver->slots.count; k++) {
        const struct br_slot *slot = &driver->slots.slot[k];
        if (slot->process.pid > 0 &&
            slot->start_ns + driver->work.dag->duration_ns[slot->task] > end_ns)
            end_ns = slot->start_ns + driver->work.dag->duration_ns[slot->task];
    }
    return end_ns;
}

void br_driver_tick(struct br_driver *driver)
{
    if (driver->now_ns - driver->reaped_ns >= BR_DRIVER_TICK_NS) {
        br_family_reap(&(struct br_own){br_slots_has, &driver->slots});
        driver->reaped_ns = driver->now_ns;
    }
    if (driver->now_ns - driver->synced_ns >= BR_DRIVER_TICK_NS || !driver->slots.running) {
        br_driver_note(driver, br_journal_sync(&driver->work.journal, driver->work.diag));
        driver->synced_ns = driver->now_ns;
    }
    if (!driver->work.options->tick || driver->now_ns - driver->ticked_ns < BR_DRIVER_TICK_NS)
        return;
    driver->ticked_ns = driver->now_ns;
    driver->work.options->tick(
        driver->work.options->context,
        &(struct br_run_state){
            .runtime = driver->runtime,
            .tasks = driver->work.dag->tasks,
            .finished = driver->work.result->resumed + driver->work.result->finished,
            .running = driver->slots.running,
            .failed = driver->work.result->failed,
            .now_ns = driver->now_ns,
            .predicted_ns = predict(driver),
        });
}
