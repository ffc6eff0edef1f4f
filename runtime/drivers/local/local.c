/* One thread, one loop: collect what has ended, look at time limits, tell the enforcer, start what
 * it decides, wait.
 *
 * Processes are watched by descriptors, so that the wait is one epoll call whatever their number.
 * The journal has a task's start before the task, and its end before what depends on it starts.
 */
#include "runtime/drivers/local/local.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/text/diag.h"
#include "base/process/launch.h"
#include "runtime/drivers/local/driver.h"

enum { BATCH = 64 };

/* Collects all that has ended, so that what is left did run at looked_ns. */
static void look(struct br_driver *driver)
{
    struct epoll_event event[BATCH];
    int got;
    br_driver_wake(driver);
    while ((got = epoll_wait(driver->slots.epoll, event, BATCH, 0)) > 0)
        for (int k = 0; k < got; k++)
            br_driver_collect(driver, event[k].data.u32);
    br_driver_read_clock(driver);
}

static void loop(struct br_driver *driver)
{
    struct epoll_event event;
    for (;;) {
        look(driver);
        br_driver_watch_stops(driver);
        br_driver_start_all(driver);
        br_driver_tick(driver);
        if (!driver->slots.running)
            break;
        if (epoll_wait(driver->slots.epoll, &event, 1, br_driver_patience_ms(driver)) < 0 &&
            errno != EINTR) {
            br_driver_note(driver, br_fail(driver->work.diag, BR_SYSTEM, NULL, "epoll_wait: %s",
                                           strerror(errno)));
            driver->stopping = 1;
        }
    }
}

static enum br_status open_journal(struct br_driver *driver)
{
    enum br_status status = br_work_open_journal(&driver->work);
    for (uint32_t t = 0; t < driver->work.dag->tasks && !status; t++)
        if (driver->work.done[t]) {
            driver->started[t] = true;
            status = br_runtime_finished(driver->runtime, driver->job, t, driver->work.diag);
        }
    return status;
}

static enum br_status set_up(struct br_driver *driver)
{
    const struct br_run_options *options = driver->work.options;
    uint32_t tasks = driver->work.dag->tasks;
    driver->attempts = br_arena_array(&driver->work.arena, tasks, sizeof *driver->attempts);
    driver->started = br_arena_array(&driver->work.arena, tasks, sizeof *driver->started);
    if (!driver->attempts || !driver->started)
        return br_fail_memory(driver->work.diag);
    if (options->limit_memory) {
        driver->limit_bytes = br_run_limits(&driver->work.arena, driver->work.dag);
        if (!driver->limit_bytes)
            return br_fail_memory(driver->work.diag);
    }
    enum br_status status = br_run_runtime(driver->cluster, &options->runtime, options->overbook,
                                           &driver->runtime, driver->work.diag);
    if (!status)
        status = br_runtime_submit(driver->runtime, driver->work.dag, driver->plan, 0,
                                   BR_READY_BY_EDGES, &driver->job, driver->work.diag);
    if (!status)
        status = open_journal(driver);
    if (!status && !br_environment_init(&driver->environment, &driver->work.arena, driver->work.dag,
                                        driver->cluster,
                                        options->journal ? driver->work.journal.run
                                                         : strchr(driver->work.mark, '=') + 1,
                                        driver->work.mark))
        status = br_fail_memory(driver->work.diag);
    br_raise_descriptors(); /* two for each task */
    int error = br_slots_open(&driver->slots);
    if (!status && error)
        status = br_fail(driver->work.diag, BR_SYSTEM, NULL, "epoll_create: %s", strerror(error));
    return status;
}

enum br_status br_local_run(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan *plan, const struct br_run_options *options,
                            struct br_run_result *result, struct br_diag *diag)
{
    struct br_driver driver = {.cluster = cluster, .plan = plan};
    br_slots_init(&driver.slots, options->cgroups);
    enum br_status status = br_work_init(&driver.work, dag, options, result, diag);
    if (!status)
        status = set_up(&driver);
    if (!status) {
        br_driver_enter_plan(&driver);
        br_family_begin(&driver.family, driver.work.mark);
        br_work_begin(&driver.work);
        loop(&driver);
        br_driver_end_strays(&driver);
        br_family_end(&driver.family);
        status = driver.status;
    }
    status = br_work_finish(&driver.work, status);
    br_slots_finish(&driver.slots);
    br_runtime_destroy(driver.runtime);
    return status;
}
