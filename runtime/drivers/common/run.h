/* A run of jobs, as every driver takes it: its jobs and options, its callbacks, and its result. */
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

/* The result of a job. Times are nanoseconds since the run began. */
struct br_job_result {
    uint32_t resumed;   /* tasks that an earlier run had finished */
    uint32_t in_flight; /* tasks that were running when it died, and run again */
    uint32_t finished, failed;
    int64_t start_ns; /* of its first task; -1: none has been started */
    int64_t end_ns;   /* of its last task; -1: none has ended */
};

/* A job of a run. It and what it points to are borrowed until the job is reported over or the run
 * has ended. */
struct br_run_job {
    const char *name; /* no other job of the run has it; tasks have it in their environment */
    const struct br_dag *dag;
    const struct br_plan *plan; /* NULL: none; a plan for another cluster gives only the order */
    const char *group;          /* the group that it counts against; NULL: the default one */
    /* For the local driver: at most this many of its tasks run at once. Read before every start,
     * and may change in calls that the run makes; running tasks beyond it go on. NULL: no limit. */
    const uint32_t *limit;
    /* A limit in percents of the cluster, which the demands of its running tasks together do not
     * exceed, for any resource. NULL: no limit. */
    const uint32_t *share;
    void *context;               /* the caller's */
    struct br_job_result result; /* filled in */
};

/* Jobs that share one run. */
struct br_run_jobs {
    struct br_run_job *job;
    uint32_t count;
};

/* Jobs that arrive during the run. All calls get the context. */
struct br_run_source {
    void *context;
    /* A descriptor that becomes readable when asking for a job is worthwhile; -1: none. The run
     * also asks when another job is over, and a few times a second. */
    int watch;
    /* The next job that an earlier run has begun; asked for first, until it is NULL. */
    struct br_run_job *(*earlier)(void *context);
    /* The next new job; NULL: none for now. *more: others may come later. */
    struct br_run_job *(*next)(void *context, bool *more);
    /* The job cannot be run at all; the source may release it. */
    void (*refused)(void *context, struct br_run_job *job, const struct br_diag *diag);
    /* Everything of it that can run has run, and the result is filled in. The source may release
     * it. The journal forgets the job after this call, unless it returns false. */
    bool (*over)(void *context, struct br_run_job *job);
};

/* A group of jobs (a user, a queue). Undeclared groups have the weight 1. */
struct br_run_group {
    const char *name;
    double weight; /* > 0 */
};

/* Counted by the kernel, including descendants that were waited for. */
struct br_usage {
    int64_t user_ns, system_ns;
    int64_t peak_bytes; /* of the largest process; at least the memory of this program itself */
};

enum br_task_outcome {
    BR_TASK_DONE,
    BR_TASK_EXIT,     /* ended with a status other than 0: code */
    BR_TASK_SIGNAL,   /* died of a signal: code */
    BR_TASK_TIMEOUT,  /* was stopped because it took too long */
    BR_TASK_NO_START, /* could not be started: code is the errno */
    BR_TASK_STOPPED,  /* was stopped with the whole run */
    BR_TASK_MEMORY,   /* was killed because memory ran out: code is the signal */
    BR_TASK_LOST,     /* for Slurm: its job is gone without a result */
};

/* The end of one attempt at a task. Times are nanoseconds since the run began. */
struct br_task_end {
    const struct br_run_job *job;
    uint32_t task, machine;
    const char *host; /* where it really ran; NULL: on the machine `machine` */
    uint32_t attempt; /* from 1 */
    enum br_task_outcome outcome;
    int code;
    bool again; /* it will be tried again */
    int64_t start_ns, end_ns;
    /* It may have ended up to this much before end_ns, since the driver was stopped meanwhile or
     * got no processor; 0: its end was seen immediately. */
    int64_t unseen_ns;
    struct br_usage usage;
    int output;          /* file with its output; -1: none */
    int64_t output_size; /* in bytes */
    char *const *words;  /* of its command, NULL-terminated; NULL: it has none */
};
/* Duration of the attempt; 0 if it is known only roughly. */
int64_t br_task_end_lasted(const struct br_task_end *end);

/* Progress of the run. */
struct br_run_state {
    const struct br_runtime *runtime; /* for br_runtime_used; NULL: there is no enforcer */
    uint32_t jobs, over;              /* arrived, and over */
    uint32_t tasks, finished, running, failed;
    int64_t now_ns;       /* since the run began */
    int64_t predicted_ns; /* forecast end of the only job, from the rest of its plan; -1: there are
                             several */
};

/* Another plan of a job that runs. */
struct br_replan {
    const struct br_dag *dag;   /* the job with other durations; read only during the call */
    const struct br_plan *plan; /* plan of that job, on the run's clock; borrowed until the next
                                   one, or as a job's plan is */
};

struct br_run_options {
    struct br_runtime_options runtime;
    const struct br_run_group *group;
    uint32_t groups;
    const char *overbook;  /* a list of NAME=PERCENT (base/text/list.h); NULL: nothing */
    const char *directory; /* where the commands run; NULL: here */
    bool shell;            /* all commands are scripts for a shell */
    bool refine;           /* the enforcer is told what tasks took: br_runtime_lasted */
    bool keep_going;       /* after a failure, with the tasks of its job that do not depend on it */
    uint32_t failures;     /* number of failed tasks that ends it; 0: no limit */
    uint32_t retries;      /* further attempts at a task that fails */
    int64_t timeout_ns;    /* for one attempt; 0: none */
    /* For the local driver: processes that finished tasks leave behind, such as servers for others,
     * live on, also after the run. */
    bool leave;
    const char *mark;    /* of this session, see family.h; NULL: a new one */
    const char *journal; /* file, or NULL */
    bool resume;
    /* If open: every task runs in a control group of its own, which counts its usage; borrowed.
     * NULL: no groups. With limit_memory, for which they must have memory, a task's memory is
     * limited to its demand for "mem" in bytes, if it has one. */
    struct br_cgroups *cgroups;
    bool limit_memory;
    /* For the local driver: every running task beyond the first holds a token of it; borrowed.
     * NULL: none. */
    struct br_jobserver *jobserver;
    const struct br_stop *stop; /* level 1: stop all tasks and end; 2: at once; may be NULL */
    /* The words that really start a task, such as with a launcher before them; borrowed until the
     * next call, NULL when memory is out. NULL: the task's own. */
    char *const *(*wrap)(void *context, const struct br_run_job *job, uint32_t task,
                         uint32_t machine, char *const *words);
    void *wrap_context;
    /* All may be NULL. At first `resumed` is called for every task that an earlier run has
     * finished, with its duration (0: unknown), and `damaged` if records of the journal cannot be
     * read, with the byte of the first; these count as never written. `ended` is called for every
     * attempt, `tick` about ten times a second. */
    void (*resumed)(void *context, const struct br_run_job *job, uint32_t task, int64_t lasted_ns);
    void (*damaged)(void *context, uint32_t records, uint64_t offset);
    void (*ended)(void *context, const struct br_task_end *end);
    void (*note)(void *context,
                 const char *text); /* a request that cannot be kept, as a sentence */
    void (*tick)(void *context, const struct br_run_state *state);
    /* For the local driver, may be NULL: `started` is called for every started task; `replan` often
     * for every job, and returns true with a plan to follow from now on. */
    void (*started)(void *context, const struct br_run_job *job, uint32_t task, int64_t now_ns);
    bool (*replan)(void *context, struct br_run_job *job, struct br_replan *replan);
    /* For the local driver, may be NULL: asked right before a task with a command starts. True: it
     * is skipped; its children go on, and it no longer counts as a task of the run. */
    bool (*needless)(void *context, const struct br_run_job *job, uint32_t task);
    /* For the local driver, may be NULL: asked right before a task with a command starts. True: it
     * runs in the foreground, in this program's process group, with these standard streams
     * (borrowed until its end is reported; -1: nothing to read), and has no output of its own. If
     * it could not be started for lack of resources, this is asked again. */
    bool (*foreground)(void *context, const struct br_run_job *job, uint32_t task, int stream[3]);
    /* Was `stop` raised by a signal from a terminal, which also reaches tasks in the foreground?
     * Then these are not asked to end again. NULL: no. */
    bool (*by_terminal)(void);
    void *context;
};

/* The result of a run, over all of its jobs. */
struct br_run_result {
    uint32_t resumed;                /* tasks that an earlier run had finished */
    uint32_t in_flight;              /* tasks that were running when it died, and run again */
    uint32_t orphans;                /* its processes that still lived, and have been killed */
    uint32_t strays;                 /* processes left behind by tasks of this run, ended with it */
    uint32_t finished, failed, left; /* left: not started, or stopped */
    int64_t wall_ns;
};

#endif
