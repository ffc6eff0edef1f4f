/* A run of jobs, as every driver takes it: what is to run and how, what is told of it on the way,
 * and its result. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_RUN_H
#define BR_RUNTIME_DRIVERS_COMMON_RUN_H

#include <bigrocks/diag.h>
#include <bigrocks/runtime.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"

struct br_cgroups;
struct br_jobserver;
struct br_dag;
struct br_plan;

/* What came of a job. Times are nanoseconds since the run began. */
struct br_job_result {
    uint32_t resumed;   /* tasks that an earlier run had finished */
    uint32_t in_flight; /* tasks that were running when it died, and run again */
    uint32_t finished, failed;
    int64_t start_ns; /* of its first task; -1: none has been started */
    int64_t end_ns;   /* of its last task; -1: none has ended */
};

/* A job of a run. Borrowed by it, and so is what it points to, until the job is told to be over or
 * the run has ended. */
struct br_run_job {
    const char *name; /* no other job of the run has it; tasks have it in their environment */
    const struct br_dag *dag;
    const struct br_plan *plan; /* NULL: none; one for another cluster gives the order alone */
    const char *group;          /* whose share it counts against; NULL: the default one's */
    /* Of the driver on this machine: at most so many of its tasks run at once; looked at before
     * every start, and may change in calls that the run makes. More than that which run go on.
     * NULL: no limit. */
    const uint32_t *limit;
    /* The same in percents of the cluster, which the demands of its running tasks do not exceed
     * together, of any resource. NULL: anything. */
    const uint32_t *share;
    void *context;               /* the caller's */
    struct br_job_result result; /* filled in */
};

/* Jobs that share one run. */
struct br_run_jobs {
    struct br_run_job *job;
    uint32_t count;
};

/* Jobs that come while the run goes on. All calls get the context. */
struct br_run_source {
    void *context;
    /* A descriptor that becomes readable when it is worth it to ask for a job; -1: none. A job is
     * also asked for when another one is over, and some times a second. */
    int watch;
    /* The next job that an earlier run has begun: asked for at first, until it is NULL. */
    struct br_run_job *(*earlier)(void *context);
    /* The next new job; NULL: none for now. *more: others may come later. */
    struct br_run_job *(*next)(void *context, bool *more);
    /* It cannot be run at all; the source may release it. */
    void (*refused)(void *context, struct br_run_job *job, const struct br_diag *diag);
    /* All of it that can run has run, and the result is filled in. The source may release it. What
     * this call does is done before the journal forgets the job, which it does not where this
     * returns false. */
    bool (*over)(void *context, struct br_run_job *job);
};

/* A group of jobs (a user, a queue). Groups that are not declared have the weight 1. */
struct br_run_group {
    const char *name;
    double weight; /* > 0 */
};

/* The kernel counts it, including descendants that were waited for. */
struct br_usage {
    int64_t user_ns, system_ns;
    int64_t peak_bytes; /* of the largest process; not less than what this program itself needs */
};

enum br_task_outcome {
    BR_TASK_DONE,
    BR_TASK_EXIT,     /* ended with a status other than 0: code */
    BR_TASK_SIGNAL,   /* died of a signal: code */
    BR_TASK_TIMEOUT,  /* was stopped since it took too long */
    BR_TASK_NO_START, /* could not be started: code is the errno */
    BR_TASK_STOPPED,  /* was stopped with the whole run */
    BR_TASK_MEMORY,   /* was killed for want of memory: code is the signal */
    BR_TASK_LOST,     /* of Slurm: its job is gone without a result */
};

/* The end of one attempt at a task. Times are nanoseconds since the run began. */
struct br_task_end {
    const struct br_run_job *job;
    uint32_t task, machine;
    const char *host; /* where it really ran; NULL: as the machine says */
    uint32_t attempt; /* from 1 */
    enum br_task_outcome outcome;
    int code;
    bool again; /* it will be tried once more */
    int64_t start_ns, end_ns;
    /* It may have ended up to this much before end_ns, since the driver was stopped meanwhile or
     * got no processor; 0: its end was seen when it came. */
    int64_t unseen_ns;
    struct br_usage usage;
    int output;          /* file with what it has written; -1: none */
    int64_t output_size; /* in bytes */
    char *const *words;  /* of its command, NULL-terminated; NULL: it has none */
};
/* How long the attempt took; 0 where that is known only roughly. */
int64_t br_task_end_lasted(const struct br_task_end *end);

/* How far the run is. */
struct br_run_state {
    const struct br_runtime *runtime; /* for br_runtime_used; NULL: others decide */
    uint32_t jobs, over;              /* that have come, and that are over */
    uint32_t tasks, finished, running, failed;
    int64_t now_ns;       /* since the run began */
    int64_t predicted_ns; /* when the only job will end, by what its plan has left; -1:
                             there are several */
};

/* Another plan of a job that runs. */
struct br_replan {
    const struct br_dag *dag;   /* the job with other durations; read during the call alone */
    const struct br_plan *plan; /* of it, on the run's clock; borrowed until the next one, or as a
                                   job's plan is */
};

struct br_run_options {
    struct br_runtime_options runtime;
    const struct br_run_group *group;
    uint32_t groups;
    const char *overbook;  /* such as "net=150,disk=120" (percent); NULL: nothing */
    const char *directory; /* where the commands run; NULL: here */
    bool shell;            /* all commands are scripts for a shell */
    bool keep_going;       /* after a failure, with all of its job that does not depend on it */
    uint32_t failures;     /* until so many tasks have failed; 0: however many */
    uint32_t retries;      /* further attempts at a task that fails */
    int64_t timeout_ns;    /* for one attempt; 0: none */
    /* Of the driver on this machine: what tasks that have ended leave behind, such as servers that
     * others use, lives on, also after the run. */
    bool leave;
    const char *mark;    /* of this session, see family.h; NULL: a new one */
    const char *journal; /* file, or NULL */
    bool resume;
    /* Open ones: every task runs in a group of its own, and is counted by it; borrowed. NULL: in
     * none. With limit_memory, for which they must have memory, a task is held to its demand for
     * "mem" in bytes, if it has one. */
    struct br_cgroups *cgroups;
    bool limit_memory;
    /* Of the driver on this machine: every task that runs beyond the first holds a token of it;
     * borrowed. NULL: none. */
    struct br_jobserver *jobserver;
    const struct br_stop *stop; /* level 1: stop all tasks and end; 2: at once; may be NULL */
    /* The words that really start a task, such as those with a launcher before them; borrowed until
     * the next call, NULL when memory is out. NULL: the task's own. */
    char *const *(*wrap)(void *context, const struct br_run_job *job, uint32_t task,
                         uint32_t machine, char *const *words);
    void *wrap_context;
    /* All may be NULL. `resumed` is called at first for every task that an earlier run has
     * finished and how long it took (0: nobody knows), and `damaged` where records of the journal
     * cannot be read, the first of them at that byte; what they told of is as if it had not been.
     * `ended` is called for every attempt, `tick` about ten times a second. */
    void (*resumed)(void *context, const struct br_run_job *job, uint32_t task, int64_t lasted_ns);
    void (*damaged)(void *context, uint32_t records, uint64_t offset);
    void (*ended)(void *context, const struct br_task_end *end);
    void (*note)(void *context, const char *text); /* what will not be kept, a sentence */
    void (*tick)(void *context, const struct br_run_state *state);
    /* Of the driver on this machine, may be NULL: `started` is called for every task that has been
     * started; `replan` often for every job, and returns true with a plan that is to be followed
     * from now on. */
    void (*started)(void *context, const struct br_run_job *job, uint32_t task, int64_t now_ns);
    bool (*replan)(void *context, struct br_run_job *job, struct br_replan *replan);
    /* Of the driver on this machine, may be NULL: asked right before a task with a command starts.
     * True: it is not to run; what waits for it goes on, and it is no task of the run any more. */
    bool (*needless)(void *context, const struct br_run_job *job, uint32_t task);
    /* Of the driver on this machine, may be NULL: asked right before a task with a command starts.
     * True: it runs in the foreground, in this program's process group, with these standard
     * streams (borrowed until its end is told; -1: nothing to read), and has no output of its own.
     * Where it could not be started for want of room, it is asked again. */
    bool (*foreground)(void *context, const struct br_run_job *job, uint32_t task, int stream[3]);
    /* Was `stop` raised by a signal that a terminal has sent, to tasks in the foreground, too? Then
     * these are not asked to end once more. NULL: no. */
    bool (*by_terminal)(void);
    void *context;
};

/* The result of a run, over all of its jobs. */
struct br_run_result {
    uint32_t resumed;   /* tasks that an earlier run had finished */
    uint32_t in_flight; /* tasks that were running when it died, and run again */
    uint32_t orphans;   /* processes of it that were still there, and have been killed */
    uint32_t strays;    /* processes that tasks of this run have left behind, ended with it */
    uint32_t finished, failed, left; /* left: not started, or stopped */
    int64_t wall_ns;
};

#endif
