/* A run of a job, as every driver takes it: how it is to go, what is told of it on the way, and its
 * result. */
#ifndef BR_RUNTIME_DRIVERS_COMMON_RUN_H
#define BR_RUNTIME_DRIVERS_COMMON_RUN_H

#include <bigrocks/runtime.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/process/stop.h"

struct br_cgroups;

/* The kernel counts it, including descendants that were waited for. */
struct br_usage {
    int64_t user_ns, system_ns;
    int64_t peak_bytes; /* of the largest process; not less than what this program itself needs */
};

enum br_outcome {
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
    uint32_t task, machine;
    const char *host; /* where it really ran; NULL: as the machine says */
    uint32_t attempt; /* from 1 */
    enum br_outcome outcome;
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

/* How far the run is. */
struct br_run_state {
    const struct br_runtime *runtime; /* for br_runtime_used; NULL: others decide */
    uint32_t tasks, finished, running, failed;
    int64_t now_ns;       /* since the run began */
    int64_t predicted_ns; /* when it will end, as the plan and its lateness have it */
};

struct br_run_options {
    struct br_runtime_options runtime;
    const char *overbook;  /* such as "net=150,disk=120" (percent); NULL: nothing */
    const char *directory; /* where the commands run; NULL: here */
    bool shell;            /* all commands are scripts for a shell */
    bool keep_going;       /* after a failure, with all that does not depend on it */
    uint32_t retries;      /* further attempts at a task that fails */
    int64_t timeout_ns;    /* for one attempt; 0: none */
    const char *mark;      /* of this session, see family.h; NULL: a new one */
    const char *journal;   /* file, or NULL */
    bool resume;
    /* Open ones: every task runs in a group of its own, and is counted by it; borrowed. NULL: in
     * none. With limit_memory, for which they must have memory, a task is held to its demand for
     * "mem" in bytes, if it has one. */
    struct br_cgroups *cgroups;
    bool limit_memory;
    const struct br_stop *stop; /* level 1: stop all tasks and end; 2: at once; may be NULL */
    /* The words that really start a task, such as those with a launcher before them; borrowed until
     * the next call, NULL when memory is out. NULL: the task's own. */
    char *const *(*wrap)(void *context, uint32_t task, uint32_t machine, char *const *words);
    void *wrap_context;
    /* All may be NULL. `resumed` is called at first for every task that an earlier run has
     * finished, and `damaged` where records of the journal cannot be read, the first of them at
     * that byte; what they told of is as if it had not been. `ended` is called for every attempt,
     * `tick` about ten times a second. */
    void (*resumed)(void *context, uint32_t task);
    void (*damaged)(void *context, uint32_t records, uint64_t offset);
    void (*ended)(void *context, const struct br_task_end *end);
    void (*tick)(void *context, const struct br_run_state *state);
    void *context;
};

/* The result of a run. */
struct br_run_result {
    uint32_t resumed;   /* tasks that an earlier run had finished */
    uint32_t in_flight; /* tasks that were running when it died, and run again */
    uint32_t orphans;   /* processes of it that were still there, and have been killed */
    uint32_t strays;    /* processes that tasks of this run have left behind, ended with it */
    uint32_t finished, failed, left; /* left: not started, or stopped */
    int64_t wall_ns;
};

#endif
