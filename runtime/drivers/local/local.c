/* One thread, one loop: collect ended tasks, check time limits, tell the enforcer, start its
 * decisions, wait.
 *
 * Processes are watched by descriptors, so that the wait is one epoll call whatever their number.
 * The journal records a task's start before the task runs, and its end before its children start.
 */
#include "runtime/drivers/local/local.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/text/diag.h"
#include "base/process/launch.h"
#include "runtime/drivers/local/driver.h"

enum { BATCH = 64 };

/* Collects all ended tasks, so that the others were running at looked_ns. */
static void local_look(struct br_driver *driver)
{
    struct epoll_event event[BATCH];
    int got, ended;
    br_driver_wake(driver);
    do {
        ended = 0;
        got = epoll_wait(driver->slots.epoll, event, BATCH, 0);
        for (int k = 0; k < got; k++)
            if (event[k].data.u32 != BR_ANY) {
                br_driver_collect(driver, event[k].data.u32);
                ended++;
            }
    } while (ended);
    br_driver_read_clock(driver);
}

/* The time until a task may start, if it comes before the patience ends. */
static int until_ms(int64_t left_ns, int patience_ms)
{
    const int64_t left_ms = left_ns / 1000000 + 1;
    return patience_ms >= 0 && patience_ms < left_ms ? patience_ms
           : left_ms > 1000                          ? 1000
                                                     : (int)left_ms;
}

/* Tells of tasks that still run although their machine should be away. */
static void local_say_overruns(const struct br_driver *driver)
{
    const struct br_run_options *options = driver->work.options;
    struct br_decision late;
    while (br_runtime_overrun(driver->runtime, &late)) {
        char id[200], machine[200], text[600];
        if (!options->note)
            continue;
        br_dag_task_id(driver->job[late.job]->work.dag, late.task, id, sizeof id);
        br_cluster_machine_name(driver->cluster, late.machine, machine, sizeof machine);
        snprintf(text, sizeof text, "Task %s still runs, although machine %s is away now.", id,
                 machine);
        options->note(options->context, text);
    }
}

static void local_loop(struct br_driver *driver)
{
    struct epoll_event event;
    for (;;) {
        local_look(driver);
        br_driver_watch_stops(driver);
        bool moved = br_driver_take_more(driver);
        br_driver_replan(driver);
        br_driver_free_outputs(driver);
        br_driver_start_all(driver);
        br_driver_free_outputs(driver); /* tasks without a command have ended */
        local_say_overruns(driver);
        moved |= br_driver_let_go(driver);
        br_driver_tick(driver);
        const int64_t next_ns = br_runtime_next_ns(driver->runtime);
        if (!driver->slots.running &&
            (driver->closing || (!driver->more && !moved && next_ns == INT64_MAX)))
            break;
        int patience_ms = moved ? 0 : br_driver_patience_ms(driver);
        if (next_ns > driver->now_ns && next_ns != INT64_MAX)
            patience_ms = until_ms(next_ns - driver->now_ns, patience_ms);
        if (epoll_wait(driver->slots.epoll, &event, 1, patience_ms) < 0 && errno != EINTR) {
            br_driver_note(driver, br_fail(driver->work.diag, BR_SYSTEM, NULL, "epoll_wait: %s",
                                           strerror(errno)));
            driver->stopping = 1;
        }
    }
}

/* The descriptor that reports new jobs wakes the loop, too. */
static enum br_status watch_source(struct br_driver *driver)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = BR_ANY};
    int error = br_slots_open(&driver->slots);
    if (!error && driver->source && driver->source->watch >= 0 &&
        epoll_ctl(driver->slots.epoll, EPOLL_CTL_ADD, driver->source->watch, &event))
        error = errno;
    return error ? br_fail(driver->work.diag, BR_SYSTEM, NULL, "epoll: %s", strerror(error))
                 : BR_OK;
}

static enum br_status local_set_up(struct br_driver *driver, const struct br_run_jobs *jobs)
{
    const struct br_run_options *options = driver->work.options;
    enum br_status status = br_run_runtime(driver->cluster, &options->runtime, options->overbook,
                                           &driver->runtime, driver->work.diag);
    if (!status)
        status = br_driver_take_first(driver, jobs);
    if (!status && !br_environment_init(&driver->environment, driver->cluster,
                                        options->journal ? driver->work.journal.run
                                                         : strchr(driver->work.mark, '=') + 1,
                                        driver->work.mark))
        status = br_fail_memory(driver->work.diag);
    for (uint32_t k = 0; jobs && k < jobs->count && !status; k++)
        if (!br_environment_fit(&driver->environment, &jobs->job[k]))
            status = br_fail_memory(driver->work.diag);
    br_raise_descriptors(); /* two for each task */
    return status ? status : watch_source(driver);
}

enum br_status br_local_run(const struct br_cluster *cluster, const struct br_run_jobs *jobs,
                            const struct br_run_source *source,
                            const struct br_run_options *options, struct br_run_result *result,
                            struct br_diag *diag)
{
    struct br_driver driver = {.cluster = cluster, .source = source, .more = source != NULL};
    br_slots_init(&driver.slots, options->cgroups);
    br_work_init(&driver.work, options, result, diag);
    enum br_status status = local_set_up(&driver, jobs);
    if (!status) {
        br_family_begin(&driver.family, driver.work.mark);
        br_work_begin(&driver.work);
        local_loop(&driver);
        br_driver_end_strays(&driver);
        br_family_end(&driver.family);
        status = driver.status;
    }
    br_driver_drop_jobs(&driver);
    status = br_work_finish(&driver.work, status);
    br_environment_finish(&driver.environment);
    br_slots_finish(&driver.slots);
    br_runtime_destroy(driver.runtime);
    return status;
}
