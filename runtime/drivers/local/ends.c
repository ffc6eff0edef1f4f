/* The end of a task whose process has ended.
 *
 * A process is late only if it still ran at its limit, so ends are collected before limits are
 * checked. The kernel does not keep the time at which a process ended. So an end that came while
 * this process did not run is reported with the time that may have passed since.
 */
#include "runtime/drivers/local/driver.h"

#include <assert.h>
#include <stdio.h>

/* Tells of a deadline that the task has missed. It counts from the start of the run, so not for
 * jobs that come later. */
static void ends_say_late(const struct br_driver *driver, const struct br_driver_job *job,
                          uint32_t task)
{
    const struct br_run_options *options = driver->work.options;
    const int64_t deadline_ns = br_dag_deadline(job->work.dag, task);
    char id[200], text[600];
    if (driver->source || driver->now_ns <= deadline_ns || !options->note)
        return;
    br_dag_task_id(job->work.dag, task, id, sizeof id);
    snprintf(text, sizeof text, "Task %s has missed its deadline at %s s: it ended at %s s.", id,
             br_seconds(deadline_ns).text, br_seconds(driver->now_ns / 1000000 * 1000000).text);
    options->note(options->context, text);
}

void br_driver_finished(struct br_driver *driver, struct br_driver_job *job, uint32_t task,
                        int64_t lasted_ns)
{
    assert(job->fate[task] != BR_FATE_DONE);
    job->fate[task] = BR_FATE_DONE;
    br_driver_note(driver, br_work_finished(&driver->work, &job->work, task, lasted_ns));
    br_driver_note(driver,
                   br_runtime_finished(driver->runtime, job->number, task, driver->work.diag));
    if (driver->work.options->refine)
        br_driver_note(driver, br_runtime_lasted(driver->runtime, job->number, task, lasted_ns,
                                                 driver->work.diag));
    ends_say_late(driver, job, task);
    br_driver_touch(driver, job);
}

void br_driver_passed(struct br_driver *driver, struct br_driver_job *job, uint32_t task)
{
    assert(job->fate[task] != BR_FATE_DONE);
    job->fate[task] = BR_FATE_DONE;
    driver->work.tasks--;
    br_driver_note(driver,
                   br_runtime_finished(driver->runtime, job->number, task, driver->work.diag));
    br_driver_touch(driver, job);
}

void br_driver_failed(struct br_driver *driver, struct br_driver_job *job, struct br_task_end *end)
{
    bool stopped = end->outcome == BR_TASK_STOPPED;
    end->again = !stopped && !driver->closing && !job->closing &&
                 job->attempts[end->task] <= driver->work.options->retries;
    br_driver_note(driver, br_runtime_failed(driver->runtime, job->number, end->task,
                                             end->again || stopped, driver->work.diag));
    br_driver_touch(driver, job);
    if (end->again || stopped)
        return;
    assert(job->fate[end->task] != BR_FATE_DONE);
    job->fate[end->task] = BR_FATE_FAILED;
    br_work_failed(&driver->work, &job->work);
    const struct br_run_options *options = driver->work.options;
    const bool on = options->keep_going &&
                    (!options->failures || driver->work.result->failed < options->failures);
    if (on || job->closing)
        return;
    job->closing = true;
    br_driver_note(driver, br_runtime_close(driver->runtime, job->number, driver->work.diag));
}

void br_driver_collect(struct br_driver *driver, uint32_t number)
{
    struct br_slot *slot = &driver->slots.slot[number];
    struct br_driver_job *job = slot->job;
    struct br_ending ending;
    if (slot->asked_ns) /* its processes are killed with it, while the pid is its own */
        br_driver_kill(slot);
    if (!br_process_ended(&slot->process, &ending))
        return;
    bool starved = slot->group >= 0 && br_cgroup_read(slot->group, &ending.usage);
    br_driver_read_clock(driver);
    struct br_task_end end = {
        .task = slot->task,
        .machine = slot->machine,
        .attempt = job->attempts[slot->task],
        .start_ns = slot->start_ns,
        .end_ns = driver->now_ns,
        .unseen_ns = slot->unseen_ns + driver->awake.absent_ns,
        .usage = ending.usage,
        .code = ending.code,
        .output = slot->process.output,
    };
    bool good = !ending.signalled && ending.code == 0;
    if (end.unseen_ns > end.end_ns - end.start_ns)
        end.unseen_ns = end.end_ns - end.start_ns;
    assert(driver->slots.running > 0);
    driver->slots.running--;
    driver->short_of = false;
    if (good && !slot->timed_out) {
        end.outcome = BR_TASK_DONE;
        br_driver_finished(driver, job, slot->task, br_task_end_lasted(&end));
    } else {
        end.outcome = slot->timed_out    ? BR_TASK_TIMEOUT
                      : slot->asked_ns   ? BR_TASK_STOPPED
                      : starved          ? BR_TASK_MEMORY
                      : ending.signalled ? BR_TASK_SIGNAL
                                         : BR_TASK_EXIT;
        if (slot->group >= 0)
            br_cgroup_kill(slot->group);
        br_driver_kill_strays(driver, slot);
        br_driver_failed(driver, job, &end);
    }
    br_work_tell(&driver->work, &job->work, &end);
    br_slots_give(&driver->slots, number);
}
