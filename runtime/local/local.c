/* One thread, one loop: collect what has ended, look at time limits, tell the enforcer, start what
 * it decides, wait.
 *
 * Processes are watched by descriptors, so that the wait is one epoll call whatever their number.
 * The journal has a task's start before the task, and its end before what depends on it starts.
 *
 * This process may itself be stopped for any time (Ctrl-Z, a frozen container, a machine that is
 * short of memory), while tasks go on or stand still with it. So ends come before limits: a process
 * is late only if it still ran when the clock said so. Limits are kept on a clock that stands while
 * this process does not run. And an end that came meanwhile is told with how long ago it may have
 * been, since the kernel does not keep the time at which a process ended.
 */
#include "runtime/local/local.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "runtime/local/launch.h"
#include "runtime/local/setup.h"
#include "runtime/local/work.h"

enum { BATCH = 64 };
static const int64_t milli_ns = 1000000;
static const int64_t tick_ns = INT64_C(100000000);
/* How long tasks have to end when they are asked to. */
static const int64_t grace_ns = INT64_C(5000000000);
/* Looks for what has ended are a fifth of a second apart; this long without one means that this
 * process did not run. */
static const int64_t away_least_ns = INT64_C(1000000000);

/* A process and what it is for. */
struct slot {
    struct br_process process;
    int group; /* its control group; -1: none */
    uint32_t group_number;
    uint32_t task, machine, next; /* next: free slot */
    int64_t start_ns;
    int64_t unseen_ns;      /* it may have started this much later than start_ns */
    int64_t awake_start_ns; /* on the clock of the limits */
    int64_t asked_ns;       /* when it was asked to end, on the same clock; 0: not yet */
    bool timed_out, killed;
};

struct run {
    struct br_work work;
    const struct br_cluster *cluster;
    const struct br_plan *plan;
    int64_t *limit_bytes; /* of memory, by stage; NULL: nothing is limited */
    struct br_environment environment;
    struct br_family family;
    struct br_runtime *runtime;
    uint32_t job;
    uint8_t *attempts;  /* by task */
    uint32_t plan_head; /* all before it in the plan's order have been started */
    int64_t plan_ns;    /* where in the plan this run begins */
    uint8_t *started;   /* by task */

    int epoll;
    struct slot *slot;
    uint32_t slots, free_slot, running;
    int64_t now_ns, ticked_ns, synced_ns, reaped_ns;
    int64_t looked_ns; /* when the last look for ends began: what it left was running then */
    int64_t away_ns;   /* how long this process did not run, all in all */
    int64_t absent_ns; /* of that, right before the last look */
    int64_t asked_ns;  /* when all were asked to end, on the clock of the limits */
    int stopping;      /* as options->stop has it */
    bool closing;      /* nothing new is started: a failure, or a stop */
    bool short_of;     /* a process could not be started for want of resources; wait for an end */
    enum br_status status; /* of the driver itself */
};

static void read_clock(struct run *run)
{
    run->now_ns = br_work_now_ns(&run->work);
}

/* The clock of the limits: it stands while this process does not run. */
static int64_t awake_ns(const struct run *run)
{
    return run->looked_ns - run->away_ns;
}

/* ---- Slots ---- */

static struct slot *take_slot(struct run *run, uint32_t *number)
{
    if (run->free_slot == BR_ANY) {
        uint32_t more = run->slots ? run->slots : 64;
        struct slot *slot = realloc(run->slot, (size_t)(run->slots + more) * sizeof *slot);
        if (!slot)
            return NULL;
        run->slot = slot;
        for (uint32_t k = 0; k < more; k++)
            slot[run->slots + k] = (struct slot){
                .process = {-1, -1, -1, -1},
                .group = -1,
                .next = k + 1 < more ? run->slots + k + 1 : BR_ANY,
            };
        run->free_slot = run->slots;
        run->slots += more;
    }
    *number = run->free_slot;
    run->free_slot = run->slot[*number].next;
    return &run->slot[*number];
}

static void give_slot(struct run *run, uint32_t number)
{
    /* By hand, since closing need not be enough: a child that has just been started still holds a
     * copy of every descriptor for a moment. */
    struct br_process *process = &run->slot[number].process;
    if (process->watch >= 0)
        epoll_ctl(run->epoll, EPOLL_CTL_DEL, process->watch, NULL);
    br_process_close(process);
    if (run->slot[number].group >= 0)
        br_cgroup_remove(run->work.options->cgroups, run->slot[number].group,
                         run->slot[number].group_number);
    run->slot[number] = (struct slot){.process = *process, .group = -1, .next = run->free_slot};
    run->free_slot = number;
}

/* ---- Ends ---- */

static void note(struct run *run, enum br_status status)
{
    if (!run->status)
        run->status = status;
    if (run->status)
        run->closing = true;
}

static void finish(struct run *run, uint32_t task)
{
    note(run, br_work_finished(&run->work, task));
    note(run, br_runtime_finished(run->runtime, run->job, task, run->work.diag));
}

/* A task has come to nothing: again, or never. */
static void fail(struct run *run, struct br_task_end *end)
{
    bool stopped = end->outcome == BR_TASK_STOPPED;
    end->again =
        !stopped && !run->closing && run->attempts[end->task] <= run->work.options->retries;
    note(run, br_runtime_failed(run->runtime, run->job, end->task, end->again || stopped,
                                run->work.diag));
    if (end->again || stopped)
        return;
    run->work.result->failed++;
    if (!run->work.options->keep_going)
        run->closing = true;
}

static bool has_slot(const void *context, pid_t leader)
{
    const struct run *run = context;
    for (uint32_t k = 0; k < run->slots; k++)
        if (run->slot[k].process.pid == leader)
            return true;
    return false;
}

/* To what the task (NULL: any) has started and does not lead any more, such as daemons. */
static void signal_strays(struct run *run, const struct slot *slot, int number)
{
    struct br_own own = {has_slot, run};
    if (!br_family_has_other(&own))
        return;
    if (slot)
        br_environment_set(&run->environment, run->work.dag, run->cluster, slot->task,
                           slot->machine);
    br_family_signal(&run->family, &own, slot ? run->environment.task : NULL, number);
}

static void kill_all(const struct slot *slot)
{
    br_process_signal(&slot->process, SIGKILL);
    if (slot->group >= 0)
        br_cgroup_kill(slot->group);
}

static void collect(struct run *run, uint32_t number)
{
    struct slot *slot = &run->slot[number];
    struct br_ending ending;
    if (slot->asked_ns) /* and what it has started goes with it, while the number is its own */
        kill_all(slot);
    if (!br_process_ended(&slot->process, &ending))
        return;
    bool starved = slot->group >= 0 && br_cgroup_read(slot->group, &ending.usage);
    read_clock(run);
    struct br_task_end end = {
        .task = slot->task,
        .machine = slot->machine,
        .attempt = run->attempts[slot->task],
        .start_ns = slot->start_ns,
        .end_ns = run->now_ns,
        .unseen_ns = slot->unseen_ns + run->absent_ns,
        .usage = ending.usage,
        .code = ending.code,
        .output = slot->process.output,
    };
    bool good = !ending.signalled && ending.code == 0;
    if (end.unseen_ns > end.end_ns - end.start_ns)
        end.unseen_ns = end.end_ns - end.start_ns;
    run->running--;
    run->short_of = false;
    if (good && !slot->timed_out) {
        end.outcome = BR_TASK_DONE;
        finish(run, slot->task);
    } else {
        end.outcome = slot->timed_out    ? BR_TASK_TIMEOUT
                      : slot->asked_ns   ? BR_TASK_STOPPED
                      : starved          ? BR_TASK_MEMORY
                      : ending.signalled ? BR_TASK_SIGNAL
                                         : BR_TASK_EXIT;
        if (slot->group >= 0)
            br_cgroup_kill(slot->group);
        signal_strays(run, slot, SIGKILL);
        fail(run, &end);
    }
    br_work_tell(&run->work, &end);
    give_slot(run, number);
}

/* ---- Starts ---- */

/* Is there something that only time brings back? */
static bool is_shortage(int error)
{
    return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM ||
           error == ENOSPC;
}

static void could_not_start(struct run *run, const struct br_decision *decision, int error)
{
    if (is_shortage(error) && run->running) {
        run->attempts[decision->task]--;
        run->short_of = true;
        note(run, br_runtime_failed(run->runtime, run->job, decision->task, true, run->work.diag));
        return;
    }
    struct br_task_end end = {
        .task = decision->task,
        .machine = decision->machine,
        .attempt = run->attempts[decision->task],
        .start_ns = run->now_ns,
        .end_ns = run->now_ns,
        .outcome = BR_TASK_NO_START,
        .code = error,
        .output = -1,
    };
    fail(run, &end);
    br_work_tell(&run->work, &end);
}

static void start(struct run *run, const struct br_decision *decision)
{
    uint32_t task = decision->task, stage = br_dag_task_stage(run->work.dag, task), number;
    if (run->closing) {
        note(run, br_runtime_failed(run->runtime, run->job, task, true, run->work.diag));
        return;
    }
    run->started[task] = true;
    if (!br_work_has_command(&run->work, task)) {
        finish(run, task);
        return;
    }
    run->attempts[task]++;
    struct slot *slot = take_slot(run, &number);
    if (!slot || !br_work_words(&run->work, task)) {
        note(run, br_fail_memory(run->work.diag));
        return;
    }
    br_environment_set(&run->environment, run->work.dag, run->cluster, task, decision->machine);
    enum br_status status = br_work_started(&run->work, task);
    if (status) {
        note(run, status);
        note(run, br_runtime_failed(run->runtime, run->job, task, true, run->work.diag));
        give_slot(run, number);
        return;
    }
    char *const *words = run->work.words.word;
    if (run->work.options->wrap)
        words = run->work.options->wrap(run->work.options->wrap_context, task, decision->machine,
                                        words);
    int error = words ? 0 : ENOMEM;
    if (!error && run->work.options->cgroups)
        error = br_cgroup_make(run->work.options->cgroups,
                               run->limit_bytes ? run->limit_bytes[stage] : 0, &slot->group,
                               &slot->group_number);
    read_clock(run);
    if (!error)
        error = br_process_start(&slot->process, words, run->environment.entry,
                                 run->work.options->directory, slot->group);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
    if (!error && epoll_ctl(run->epoll, EPOLL_CTL_ADD, slot->process.watch, &event)) {
        struct br_ending ending;
        error = errno;
        br_process_signal(&slot->process, SIGKILL);
        while (!br_process_ended(&slot->process, &ending))
            nanosleep(&(struct timespec){0, milli_ns}, NULL);
    }
    if (error) {
        give_slot(run, number);
        could_not_start(run, decision, error);
        return;
    }
    slot->task = task;
    slot->machine = decision->machine;
    slot->start_ns = run->now_ns;
    slot->awake_start_ns = run->now_ns - run->away_ns;
    run->running++;
}

static void start_all(struct run *run)
{
    struct br_decision decision[BATCH];
    uint32_t got = BATCH;
    /* What is only waited for ends at once, and may make more ready. */
    while (got && !run->closing && !run->short_of) {
        got = br_runtime_decide(run->runtime, BR_ANY, run->now_ns, decision, BATCH);
        for (uint32_t d = 0; d < got; d++)
            start(run, &decision[d]);
    }
}

/* ---- Stops ---- */

static void ask_to_end(struct run *run, struct slot *slot, int number)
{
    if (slot->process.pid <= 0)
        return;
    if (!slot->asked_ns)
        slot->asked_ns = awake_ns(run) > 0 ? awake_ns(run) : 1;
    slot->killed |= number == SIGKILL;
    if (number == SIGKILL) {
        kill_all(slot);
        return;
    }
    br_process_signal(&slot->process, number);
    /* What was stopped by a signal has to run to see one. */
    br_process_signal(&slot->process, SIGCONT);
}

static void watch_stops(struct run *run)
{
    const volatile int *flag = run->work.options->stop;
    int stop = flag ? __atomic_load_n(flag, __ATOMIC_SEQ_CST) : 0;
    if (stop > run->stopping) {
        run->stopping = stop;
        run->closing = true;
        run->asked_ns = awake_ns(run);
        for (uint32_t k = 0; k < run->slots; k++)
            ask_to_end(run, &run->slot[k], stop > 1 ? SIGKILL : SIGTERM);
        signal_strays(run, NULL, stop > 1 ? SIGKILL : SIGTERM);
    }
    if (!run->work.options->timeout_ns && !run->stopping)
        return;
    for (uint32_t k = 0; k < run->slots; k++) {
        struct slot *slot = &run->slot[k];
        if (slot->process.pid <= 0)
            continue;
        if (slot->asked_ns && !slot->killed && awake_ns(run) - slot->asked_ns >= grace_ns) {
            ask_to_end(run, slot, SIGKILL);
            signal_strays(run, slot, SIGKILL);
        }
        if (!slot->asked_ns && run->work.options->timeout_ns &&
            awake_ns(run) - slot->awake_start_ns >= run->work.options->timeout_ns) {
            slot->timed_out = true;
            ask_to_end(run, slot, SIGTERM);
            signal_strays(run, slot, SIGTERM);
        }
    }
}

/* Milliseconds until something other than an end of a task is due. */
static int patience_ms(const struct run *run)
{
    int64_t wait_ns = 2 * tick_ns;
    for (uint32_t k = 0; run->work.options->timeout_ns && k < run->slots; k++) {
        const struct slot *slot = &run->slot[k];
        int64_t left_ns =
            slot->awake_start_ns + run->work.options->timeout_ns - run->now_ns + run->away_ns;
        if (slot->process.pid > 0 && !slot->asked_ns && left_ns < wait_ns)
            wait_ns = left_ns;
    }
    return wait_ns < 0 ? 0 : (int)(wait_ns / milli_ns) + 1;
}

/* ---- The loop ---- */

static void skip_started(struct run *run)
{
    const struct br_plan *plan = run->plan;
    while (run->plan_head < plan->tasks && run->started[plan->order[run->plan_head]])
        run->plan_head++;
}

/* The plan's makespan, and how late the first task is that has not been started. */
static int64_t predict(struct run *run)
{
    const struct br_plan *plan = run->plan;
    int64_t end_ns = run->now_ns;
    if (!plan)
        return 0;
    skip_started(run);
    if (run->plan_head < plan->tasks) {
        int64_t late_ns = run->now_ns + run->plan_ns - plan->start_ns[plan->order[run->plan_head]];
        return plan->makespan_ns - run->plan_ns + (late_ns > 0 ? late_ns : 0);
    }
    for (uint32_t k = 0; k < run->slots; k++) {
        const struct slot *slot = &run->slot[k];
        if (slot->process.pid > 0 &&
            slot->start_ns + run->work.dag->duration_ns[slot->task] > end_ns)
            end_ns = slot->start_ns + run->work.dag->duration_ns[slot->task];
    }
    return end_ns;
}

static void tick(struct run *run)
{
    if (run->now_ns - run->reaped_ns >= tick_ns) {
        br_family_reap(&(struct br_own){has_slot, run});
        run->reaped_ns = run->now_ns;
    }
    if (run->now_ns - run->synced_ns >= tick_ns || !run->running) {
        note(run, br_journal_sync(&run->work.journal, run->work.diag));
        run->synced_ns = run->now_ns;
    }
    if (!run->work.options->tick || run->now_ns - run->ticked_ns < tick_ns)
        return;
    run->ticked_ns = run->now_ns;
    run->work.options->tick(run->work.options->context,
                            &(struct br_run_state){
                                .runtime = run->runtime,
                                .tasks = run->work.dag->tasks,
                                .finished = run->work.result->resumed + run->work.result->finished,
                                .running = run->running,
                                .failed = run->work.result->failed,
                                .now_ns = run->now_ns,
                                .predicted_ns = predict(run),
                            });
}

/* Notes the time, and how long this process has not looked. */
static void wake(struct run *run)
{
    int64_t before_ns = run->looked_ns;
    read_clock(run);
    run->looked_ns = run->now_ns;
    run->absent_ns = run->now_ns - before_ns >= away_least_ns ? run->now_ns - before_ns : 0;
    run->away_ns += run->absent_ns;
    for (uint32_t k = 0; run->absent_ns && k < run->slots; k++)
        if (run->slot[k].process.pid > 0 && run->slot[k].start_ns >= before_ns)
            run->slot[k].unseen_ns += run->absent_ns;
}

/* Collects all that has ended, so that what is left did run at looked_ns. */
static void look(struct run *run)
{
    struct epoll_event event[BATCH];
    int got;
    wake(run);
    while ((got = epoll_wait(run->epoll, event, BATCH, 0)) > 0)
        for (int k = 0; k < got; k++)
            collect(run, event[k].data.u32);
    read_clock(run);
}

static void loop(struct run *run)
{
    struct epoll_event event;
    for (;;) {
        look(run);
        watch_stops(run);
        start_all(run);
        tick(run);
        if (!run->running)
            break;
        if (epoll_wait(run->epoll, &event, 1, patience_ms(run)) < 0 && errno != EINTR) {
            note(run, br_fail(run->work.diag, BR_SYSTEM, NULL, "epoll_wait: %s", strerror(errno)));
            run->stopping = 1;
        }
    }
}

/* Ends what tasks have left behind: asks, unless that was done with the tasks, and kills in the
 * end.
 */
static void end_strays(struct run *run)
{
    static const struct timespec pause = {.tv_nsec = 10000000};
    struct br_own own = {has_slot, run};
    if (!br_family_reap(&own))
        return;
    int stopping = run->stopping;
    wake(run);
    if (!stopping)
        run->asked_ns = awake_ns(run);
    run->work.result->strays = br_family_signal(&run->family, &own, NULL,
                                                stopping > 1 ? SIGKILL
                                                : stopping   ? 0
                                                             : SIGTERM);
    /* Those that hang in the kernel are left to it. */
    for (uint32_t left = run->work.result->strays;
         left && awake_ns(run) - run->asked_ns < 2 * grace_ns;) {
        nanosleep(&pause, NULL);
        wake(run);
        const volatile int *flag = run->work.options->stop;
        stopping = flag ? __atomic_load_n(flag, __ATOMIC_SEQ_CST) : 0;
        bool late = stopping > 1 || (stopping && !run->stopping) ||
                    awake_ns(run) - run->asked_ns >= grace_ns;
        if (!br_family_reap(&own))
            return;
        left = br_family_signal(&run->family, &own, NULL, late ? SIGKILL : 0);
    }
}

/* ---- Set up ---- */

static enum br_status open_journal(struct run *run)
{
    enum br_status status = br_work_open_journal(&run->work);
    for (uint32_t t = 0; t < run->work.dag->tasks && !status; t++)
        if (run->work.done[t]) {
            run->started[t] = true;
            status = br_runtime_finished(run->runtime, run->job, t, run->work.diag);
        }
    return status;
}

static enum br_status set_up(struct run *run)
{
    const struct br_local_options *options = run->work.options;
    uint32_t tasks = run->work.dag->tasks;
    run->attempts = br_arena_array(&run->work.arena, tasks, sizeof *run->attempts);
    run->started = br_arena_array(&run->work.arena, tasks, sizeof *run->started);
    if (!run->attempts || !run->started)
        return br_fail_memory(run->work.diag);
    if (options->limit_memory) {
        run->limit_bytes = br_local_limits(&run->work.arena, run->work.dag);
        if (!run->limit_bytes)
            return br_fail_memory(run->work.diag);
    }
    enum br_status status = br_local_runtime(run->cluster, &options->runtime, options->overbook,
                                             &run->runtime, run->work.diag);
    if (!status)
        status = br_runtime_submit(run->runtime, run->work.dag, run->plan, 0, BR_READY_BY_EDGES,
                                   &run->job, run->work.diag);
    if (!status)
        status = open_journal(run);
    if (!status && !br_environment_init(
                       &run->environment, &run->work.arena, run->work.dag, run->cluster,
                       options->journal ? run->work.journal.run : strchr(run->work.mark, '=') + 1,
                       run->work.mark))
        status = br_fail_memory(run->work.diag);
    br_raise_descriptors(); /* two for each task */
    run->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (!status && run->epoll < 0)
        status = br_fail(run->work.diag, BR_SYSTEM, NULL, "epoll_create: %s", strerror(errno));
    return status;
}

enum br_status br_local_run(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_plan *plan, const struct br_local_options *options,
                            struct br_run_result *result, struct br_diag *diag)
{
    struct run run = {.cluster = cluster, .plan = plan, .epoll = -1, .free_slot = BR_ANY};
    enum br_status status = br_work_init(&run.work, dag, options, result, diag);
    if (!status)
        status = set_up(&run);
    if (!status) {
        if (plan) {
            skip_started(&run);
            if (run.plan_head < plan->tasks)
                run.plan_ns = plan->start_ns[plan->order[run.plan_head]];
        }
        br_family_begin(&run.family, run.work.mark);
        br_work_begin(&run.work);
        loop(&run);
        end_strays(&run);
        br_family_end(&run.family);
        status = run.status;
    }
    status = br_work_finish(&run.work, status);
    if (run.epoll >= 0)
        close(run.epoll);
    br_runtime_destroy(run.runtime);
    free(run.slot);
    return status;
}
