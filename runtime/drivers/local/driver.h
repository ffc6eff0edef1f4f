/* The state of one local run, shared by the parts of the driver: takes.c takes jobs and lets them
 * go, replans.c switches to new plans of them, frees.c runs the commands of outputs, starts.c
 * starts the enforcer's decisions, ends.c collects ended tasks, stops.c keeps limits and ends
 * processes before their time, progress.c does the work that is due ten times a second, local.c is
 * the loop. */
#ifndef BR_RUNTIME_DRIVERS_LOCAL_DRIVER_H
#define BR_RUNTIME_DRIVERS_LOCAL_DRIVER_H

#include "runtime/drivers/local/awake.h"
#include "runtime/drivers/common/setup.h"
#include "runtime/drivers/local/slots.h"
#include "runtime/drivers/common/work.h"

/* How tasks end. */
enum br_fate { BR_FATE_OPEN, BR_FATE_DONE, BR_FATE_FAILED };

/* A job that has been taken and is not over. */
struct br_driver_job {
    struct br_job_work work;
    uint32_t number;            /* the enforcer's */
    int64_t *limit_bytes;       /* of memory, by stage; NULL: nothing is limited */
    struct br_command *free;    /* by output: run when it is no longer held; NULL: no outputs */
    uint8_t *attempts;          /* by task */
    uint8_t *started;           /* by task */
    uint8_t *fate;              /* by task: enum br_fate */
    uint32_t plan_head;         /* all before it in the plan's order have been started */
    const struct br_plan *plan; /* the job's, or the one that replaced it; NULL: none */
    bool closing;               /* no more of its tasks are started: a failure */
    bool touched;               /* on the list of jobs that may be over */
    struct br_driver_job *next;
};

/* A job that is over, whose leftover processes have been asked to end. */
struct br_left_behind {
    char *job;        /* its name */
    int64_t asked_ns; /* on the clock of the limits */
};

struct br_driver {
    struct br_work work;
    const struct br_cluster *cluster;
    const struct br_run_source *source; /* NULL: no job comes later */
    struct br_environment environment;
    struct br_family family;
    struct br_runtime *runtime;
    char **group; /* names of the enforcer's groups but the first; copies */
    uint32_t groups, group_room;

    struct br_driver_job **job; /* by number of the enforcer's; NULL: free */
    uint32_t job_room, jobs, over;
    struct br_driver_job *touched;
    bool settled; /* all jobs begun by an earlier run have come */
    bool more;    /* others may come later */

    struct br_left_behind *left; /* by time */
    uint32_t lefts, left_room;

    struct br_slots slots;
    struct br_awake awake;
    int64_t now_ns; /* last reading of the clock, since the run began */
    int64_t ticked_ns, synced_ns, reaped_ns;
    int64_t asked_ns; /* when all were asked to end, on the clock of the limits */
    int stopping;     /* as options->stop has it */
    bool closing;     /* nothing new is started: a stop, or a fault of the driver itself */
    bool hungry;      /* the jobserver had no token for a startable task */
    bool short_of;    /* a process could not be started for want of resources; wait for an end */
    enum br_status status; /* of the driver itself */
};

/* Interval of the work in br_driver_tick. */
#define BR_DRIVER_TICK_NS INT64_C(100000000)

/* driver.c */

void br_driver_read_clock(struct br_driver *driver);
/* Records the time, and how long this process has not looked. */
void br_driver_wake(struct br_driver *driver);
/* Keeps the first status that is not BR_OK; from then on nothing new is started. */
void br_driver_note(struct br_driver *driver, enum br_status status);

/* takes.c */

/* Takes the initial jobs: all of them, or none. */
enum br_status br_driver_take_first(struct br_driver *driver, const struct br_run_jobs *jobs);
/* Passes the job to the enforcer, with this plan and the durations of this dag; sets its number. */
enum br_status br_driver_submit(struct br_driver *driver, struct br_driver_job *job,
                                const struct br_dag *dag, const struct br_plan *plan,
                                struct br_diag *diag);
/* Takes the jobs that the source has now, or some of them. True if there was one. */
bool br_driver_take_more(struct br_driver *driver);
/* The job may be over: br_driver_let_go looks. */
void br_driver_touch(struct br_driver *driver, struct br_driver_job *job);
/* Reports the jobs that are over, and lets them go. True if there was one. */
bool br_driver_let_go(struct br_driver *driver);
/* Releases all. */
void br_driver_drop_jobs(struct br_driver *driver);

/* ends.c */

/* A task is done: informs the journal and the enforcer. */
void br_driver_finished(struct br_driver *driver, struct br_driver_job *job, uint32_t task,
                        int64_t lasted_ns);
/* A task is skipped: reports it to the enforcer as done, and forgets it. */
void br_driver_passed(struct br_driver *driver, struct br_driver_job *job, uint32_t task);
/* A task has failed: tells the enforcer whether it will run again, and fills end->again. */
void br_driver_failed(struct br_driver *driver, struct br_driver_job *job, struct br_task_end *end);
/* Collects the process of a slot if it has ended. */
void br_driver_collect(struct br_driver *driver, uint32_t number);

/* replans.c */

/* Gives the enforcer the new plans of jobs that have one. */
void br_driver_replan(struct br_driver *driver);

/* frees.c */

/* Reads the commands of the job's outputs. Names the output with a bad one. */
enum br_status br_driver_read_frees(struct br_driver_job *job, struct br_diag *diag);
/* Runs those of outputs that are no longer held, and waits for them. */
void br_driver_free_outputs(struct br_driver *driver);

/* starts.c */

/* Starts all tasks that the enforcer starts now. */
void br_driver_start_all(struct br_driver *driver);

/* stops.c */

/* Kills the process with its whole group. */
void br_driver_kill(const struct br_slot *slot);
/* Sends the signal to processes that the task of the slot (NULL: any task) has started and no
 * longer leads, such as daemons. Returns their number. */
uint32_t br_driver_signal_strays(struct br_driver *driver, const struct br_slot *slot, int number);
/* Kills the processes that the task of the slot has left behind, and waits until they are gone, so
 * that the next attempt does not meet them; unless they are to live. */
void br_driver_kill_strays(struct br_driver *driver, const struct br_slot *slot);
/* Asks the leftover processes of a finished job's tasks to end; br_driver_watch_left kills the
 * rest, unless a job of the same name has come meanwhile. */
void br_driver_end_job_strays(struct br_driver *driver, const struct br_driver_job *job);
void br_driver_watch_left(struct br_driver *driver);
/* Asks processes to end that must, and kills those that did not. */
void br_driver_watch_stops(struct br_driver *driver);
/* Milliseconds until something other than an end of a task is due. */
int br_driver_patience_ms(const struct br_driver *driver);
/* After the run: ends the processes that tasks have left behind. Asks them, unless that was done
 * with the tasks, and finally kills them. */
void br_driver_end_strays(struct br_driver *driver);

/* progress.c */

/* Does the work that is due ten times a second: zombies and leftover processes of jobs, the
 * journal's flush, the progress report. */
void br_driver_tick(struct br_driver *driver);

#endif
