/* Starts the enforcer's decisions. The journal has a task's start before the task runs. */
#include "runtime/drivers/local/driver.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/text/diag.h"
#include "runtime/enforcer/decide.h"
#include "runtime/jobserver/jobserver.h"

enum { BATCH = 64 };

/* Is it a shortage that passes with time? */
static bool is_shortage(int error)
{
    return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == ENOSPC;
}

static void could_not_start(struct br_driver *driver, struct br_driver_job *job,
                            const struct br_decision *decision, int error)
{
    if (is_shortage(error) && driver->slots.running) {
        job->attempts[decision->task]--;
        driver->short_of = true;
        br_driver_note(driver, br_runtime_failed(driver->runtime, job->number, decision->task, true,
                                                 driver->work.diag));
        return;
    }
    struct br_task_end end = {
        .task = decision->task,
        .machine = decision->machine,
        .attempt = job->attempts[decision->task],
        .start_ns = driver->now_ns,
        .end_ns = driver->now_ns,
        .outcome = BR_TASK_NO_START,
        .code = error,
        .output = -1,
    };
    br_driver_failed(driver, job, &end);
    br_work_tell(&driver->work, &job->work, &end);
}

static void local_start(struct br_driver *driver, const struct br_decision *decision)
{
    struct br_driver_job *job = driver->job[decision->job];
    uint32_t task = decision->task, stage = br_dag_task_stage(job->work.dag, task), number;
    assert(job->fate[task] != BR_FATE_DONE);
    if (driver->closing || job->closing) {
        br_driver_note(
            driver, br_runtime_failed(driver->runtime, job->number, task, true, driver->work.diag));
        br_driver_touch(driver, job);
        return;
    }
    job->started[task] = true;
    if (!br_work_has_command(&job->work, task)) {
        br_driver_finished(driver, job, task, 0);
        return;
    }
    if (driver->work.options->needless &&
        driver->work.options->needless(driver->work.options->context, job->work.job, task)) {
        br_driver_passed(driver, job, task);
        return;
    }
    job->attempts[task]++;
    struct br_slot *slot = br_slots_take(&driver->slots, &number);
    if (!slot || !br_work_words(&driver->work, &job->work, task)) {
        br_driver_note(driver, br_fail_memory(driver->work.diag));
        return;
    }
    br_environment_set(&driver->environment, job->work.job, driver->cluster, task,
                       decision->machine);
    enum br_status status = br_work_started(&driver->work, &job->work, task);
    if (status) {
        br_driver_note(driver, status);
        br_driver_note(
            driver, br_runtime_failed(driver->runtime, job->number, task, true, driver->work.diag));
        br_slots_give(&driver->slots, number);
        return;
    }
    char *const *words = driver->work.words.word;
    if (driver->work.options->wrap)
        words = driver->work.options->wrap(driver->work.options->wrap_context, job->work.job, task,
                                           decision->machine, words);
    int error = words ? 0 : ENOMEM;
    if (!error && driver->work.options->cgroups)
        error = br_cgroup_make(driver->work.options->cgroups,
                               job->limit_bytes ? job->limit_bytes[stage] : 0, &slot->group,
                               &slot->group_number);
    br_driver_read_clock(driver);
    int stream[3];
    bool foreground = !error && driver->work.options->foreground &&
                      driver->work.options->foreground(driver->work.options->context, job->work.job,
                                                       task, stream);
    if (!error)
        error = br_process_start(&slot->process, words, driver->environment.entry,
                                 driver->work.options->directory, slot->group,
                                 foreground ? stream : NULL);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    if (!error && epoll_ctl(driver->slots.epoll, EPOLL_CTL_ADD, slot->process.watch, &event)) {
        struct br_ending ending;
        error = errno;
        br_process_signal(&slot->process, SIGKILL);
        while (!br_process_ended(&slot->process, &ending))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (error) {
        br_slots_give(&driver->slots, number);
        could_not_start(driver, job, decision, error);
        return;
    }
    slot->job = job;
    slot->task = task;
    slot->machine = decision->machine;
    slot->start_ns = driver->now_ns;
    slot->awake_start_ns = br_awake_at(&driver->awake, driver->now_ns);
    driver->slots.running++;
    if (driver->work.options->started)
        driver->work.options->started(driver->work.options->context, job->work.job, task,
                                      driver->now_ns);
}

/* Gives the enforcer the present limits of jobs. */
static void set_limits(struct br_driver *driver)
{
    for (uint32_t j = 0; j < driver->job_room; j++) {
        const struct br_driver_job *job = driver->job[j];
        if (job && job->work.job->limit)
            br_driver_note(driver, br_runtime_limit(driver->runtime, job->number,
                                                    *job->work.job->limit, driver->work.diag));
        if (job && job->work.job->share)
            br_driver_note(driver, br_runtime_cap(driver->runtime, job->number,
                                                  *job->work.job->share, driver->work.diag));
    }
}

/* Number of tasks that the held tokens allow, after taking one if none is left. The first task runs
 * on the token that our parent holds for us. */
static uint32_t token_room(struct br_driver *driver)
{
    struct br_jobserver *jobserver = driver->work.options->jobserver;
    if (!jobserver)
        return BATCH;
    if (driver->slots.running > br_jobserver_held(jobserver) && !br_jobserver_take(jobserver)) {
        driver->hungry = true;
        return 0;
    }
    assert(br_jobserver_held(jobserver) + 1 >= driver->slots.running);
    uint32_t room = br_jobserver_held(jobserver) + 1 - driver->slots.running;
    return room < BATCH ? room : BATCH;
}

/* Gives back tokens that no task needs, and waits for a token if one was missing. */
static void settle_tokens(struct br_driver *driver, bool hungry_before)
{
    struct br_jobserver *jobserver = driver->work.options->jobserver;
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = BR_ANY};
    if (!jobserver)
        return;
    br_jobserver_keep(jobserver, driver->slots.running ? driver->slots.running - 1 : 0, false);
    if (driver->hungry != hungry_before)
        epoll_ctl(driver->slots.epoll, driver->hungry ? EPOLL_CTL_ADD : EPOLL_CTL_DEL,
                  br_jobserver_watch(jobserver), &event);
}

void br_driver_start_all(struct br_driver *driver)
{
    struct br_decision decision[BATCH];
    uint32_t got = BATCH, room;
    bool hungry = driver->hungry;
    if (driver->work.options->jobserver && !driver->slots.running)
        br_jobserver_keep(driver->work.options->jobserver, 0, true);
    set_limits(driver);
    driver->hungry = false;
    /* A task that is only waited for ends at once, and may make others ready. */
    while (got && !driver->closing && !driver->short_of && (room = token_room(driver)) > 0) {
        got = br_runtime_decide(driver->runtime, BR_ANY, driver->now_ns, decision, room);
        assert(got <= room);
        for (uint32_t d = 0; d < got; d++)
            local_start(driver, &decision[d]);
    }
    settle_tokens(driver, hungry);
}
