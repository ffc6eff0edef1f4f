/* Ends processes before their time: those of tasks that take too long, of a stopped run, and those
 * that tasks have left behind. They are first asked (SIGTERM), then killed. All times are on the
 * clock that stands still while this process does not run.
 */
#include "runtime/drivers/local/driver.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/collections/grow.h"

static const int64_t milli_ns = 1000000;
/* Time that processes have to end after being asked. */
static const int64_t grace_ns = INT64_C(5000000000);

void br_driver_kill(const struct br_slot *slot)
{
    br_process_signal(&slot->process, SIGKILL);
    if (slot->group >= 0)
        br_cgroup_kill(slot->group);
}

uint32_t br_driver_signal_strays(struct br_driver *driver, const struct br_slot *slot, int number)
{
    struct br_own own = {br_slots_has, &driver->slots};
    if (!br_family_has_other(&own))
        return 0;
    if (slot)
        br_environment_set(&driver->environment, slot->job->work.job, driver->cluster, slot->task,
                           slot->machine);
    return br_family_signal(&driver->family, &own, slot ? driver->environment.job : NULL,
                            slot ? driver->environment.task : NULL, number);
}

void br_driver_kill_strays(struct br_driver *driver, const struct br_slot *slot)
{
    if (driver->work.options->leave && !slot->asked_ns)
        return;
    /* Processes that hang in the kernel are not waited for. */
    for (int tries = 0; tries < 1000 && br_driver_signal_strays(driver, slot, SIGKILL); tries++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
}

void br_driver_end_job_strays(struct br_driver *driver, const struct br_driver_job *job)
{
    struct br_own own = {br_slots_has, &driver->slots};
    if (!br_family_has_other(&own))
        return;
    br_environment_set_job(&driver->environment, job->work.job->name);
    uint32_t asked =
        br_family_signal(&driver->family, &own, driver->environment.job, NULL, SIGTERM);
    driver->work.result->strays += asked;
    if (!asked || !br_grow(&driver->left, driver->lefts, &driver->left_room, sizeof *driver->left))
        return; /* if memory is out, the end of the run ends them */
    struct br_left_behind *left = &driver->left[driver->lefts];
    left->job = strdup(job->work.job->name);
    left->asked_ns = br_awake_ns(&driver->awake);
    driver->lefts += left->job != NULL;
}

static bool stops_is_here(const struct br_driver *driver, const char *name)
{
    for (uint32_t number = 0; number < driver->job_room; number++)
        if (driver->job[number] && strcmp(driver->job[number]->work.job->name, name) == 0)
            return true;
    return false;
}

void br_driver_watch_left(struct br_driver *driver)
{
    struct br_own own = {br_slots_has, &driver->slots};
    uint32_t late = 0;
    while (late < driver->lefts &&
           br_awake_ns(&driver->awake) - driver->left[late].asked_ns >= grace_ns) {
        char *name = driver->left[late++].job;
        if (!stops_is_here(driver, name)) {
            br_environment_set_job(&driver->environment, name);
            br_family_signal(&driver->family, &own, driver->environment.job, NULL, SIGKILL);
        }
        free(name);
    }
    driver->lefts -= late;
    if (late)
        memmove(driver->left, driver->left + late, driver->lefts * sizeof *driver->left);
}

static void ask_to_end(struct br_driver *driver, struct br_slot *slot, int number)
{
    if (slot->process.pid <= 0)
        return;
    if (!slot->asked_ns)
        slot->asked_ns = br_awake_ns(&driver->awake) > 0 ? br_awake_ns(&driver->awake) : 1;
    slot->killed |= number == SIGKILL;
    if (number == SIGKILL) {
        br_driver_kill(slot);
        return;
    }
    if (!slot->process.foreground || !driver->slots.told)
        br_process_signal(&slot->process, number);
    /* A stopped process must run to see a signal. */
    br_process_signal(&slot->process, SIGCONT);
}

/* Signals the strays of all tasks, or only those of running tasks if the others are to live. */
static void signal_strays(struct br_driver *driver, int number)
{
    if (!driver->work.options->leave)
        br_driver_signal_strays(driver, NULL, number);
    for (uint32_t k = 0; driver->work.options->leave && k < driver->slots.count; k++)
        if (driver->slots.slot[k].process.pid > 0)
            br_driver_signal_strays(driver, &driver->slots.slot[k], number);
}

void br_driver_watch_stops(struct br_driver *driver)
{
    int stop = br_stop_level(driver->work.options->stop);
    if (stop > driver->stopping) {
        driver->stopping = stop;
        driver->closing = true;
        driver->asked_ns = br_awake_ns(&driver->awake);
        /* Processes in the foreground already have the terminal's signal. */
        driver->slots.told =
            stop == 1 && driver->work.options->by_terminal && driver->work.options->by_terminal();
        for (uint32_t k = 0; k < driver->slots.count; k++)
            ask_to_end(driver, &driver->slots.slot[k], stop > 1 ? SIGKILL : SIGTERM);
        signal_strays(driver, stop > 1 ? SIGKILL : SIGTERM);
        driver->slots.told = false;
    }
    if (!driver->work.options->timeout_ns && !driver->stopping)
        return;
    for (uint32_t k = 0; k < driver->slots.count; k++) {
        struct br_slot *slot = &driver->slots.slot[k];
        if (slot->process.pid <= 0)
            continue;
        if (slot->asked_ns && !slot->killed &&
            br_awake_ns(&driver->awake) - slot->asked_ns >= grace_ns) {
            ask_to_end(driver, slot, SIGKILL);
            br_driver_signal_strays(driver, slot, SIGKILL);
        }
        if (!slot->asked_ns && driver->work.options->timeout_ns &&
            br_awake_ns(&driver->awake) - slot->awake_start_ns >=
                driver->work.options->timeout_ns) {
            slot->timed_out = true;
            ask_to_end(driver, slot, SIGTERM);
            br_driver_signal_strays(driver, slot, SIGTERM);
        }
    }
}

int br_driver_patience_ms(const struct br_driver *driver)
{
    int64_t wait_ns = 2 * BR_DRIVER_TICK_NS;
    for (uint32_t k = 0; driver->work.options->timeout_ns && k < driver->slots.count; k++) {
        const struct br_slot *slot = &driver->slots.slot[k];
        int64_t left_ns = slot->awake_start_ns + driver->work.options->timeout_ns -
                          br_awake_at(&driver->awake, driver->now_ns);
        if (slot->process.pid > 0 && !slot->asked_ns && left_ns < wait_ns)
            wait_ns = left_ns;
    }
    return wait_ns < 0 ? 0 : (int)(wait_ns / milli_ns) + 1;
}

void br_driver_end_strays(struct br_driver *driver)
{
    static const struct timespec pause = {.tv_nsec = 10000000};
    struct br_own own = {br_slots_has, &driver->slots};
    if (!br_family_reap(&own) || driver->work.options->leave)
        return;
    int stopping = driver->stopping;
    br_driver_wake(driver);
    if (!stopping)
        driver->asked_ns = br_awake_ns(&driver->awake);
    uint32_t left = br_family_signal(&driver->family, &own, NULL, NULL,
                                     stopping > 1 ? SIGKILL
                                     : stopping   ? 0
                                                  : SIGTERM);
    /* Processes that hang in the kernel are left to it. */
    driver->work.result->strays += left;
    while (left && br_awake_ns(&driver->awake) - driver->asked_ns < 2 * grace_ns) {
        nanosleep(&pause, NULL);
        br_driver_wake(driver);
        stopping = br_stop_level(driver->work.options->stop);
        bool late = stopping > 1 || (stopping && !driver->stopping) ||
                    br_awake_ns(&driver->awake) - driver->asked_ns >= grace_ns;
        if (!br_family_reap(&own))
            return;
        left = br_family_signal(&driver->family, &own, NULL, NULL, late ? SIGKILL : 0);
    }
}
