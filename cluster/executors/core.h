/* Inside the simulator of executors: what policies do not see, and the steps that its parts share.
 */
#ifndef BR_CLUSTER_EXECUTORS_CORE_H
#define BR_CLUSTER_EXECUTORS_CORE_H

#include "base/numbers/rng.h"
#include "cluster/executors/executors.h"

#define NONE BR_EXECUTORS_NONE

/* An executor is idle (in the list of its job, or of the free), waiting (in its job's other list,
 * for `stage`), on its way to `stage` (bound to no job), running a task of `stage`, or at hand: it
 * has just ended a task or arrived, and is in no list. */
struct br_executor {
    uint32_t job;   /* to which it is bound */
    uint32_t stage; /* see above */
    uint32_t last;  /* stage of the task that it ran last in this job; NONE: it is fresh */
    uint32_t task;  /* that it runs */
    uint32_t next;  /* in its list */
    uint32_t cls;
    uint32_t heard; /* jobs that had arrived when it was decided where it goes */
    bool moving;
    enum br_wave wave; /* of its task, and how many executors its job had when that began */
    uint32_t among;
    int64_t since_ns; /* its task began */
};

struct br_executor_list {
    uint32_t first, last, count;
    uint32_t asked; /* the news that its executors were asked about last; 0: they are to be asked */
};

/* So many executors, as they end a stage, go to another one: first come, first served. */
struct br_executor_promise {
    uint32_t stage; /* BR_EXECUTORS_STAY: they stay */
    uint32_t count;
    uint32_t next;
    uint32_t news;  /* when it was made */
    uint32_t heard; /* see br_executor */
};

struct br_executor_event {
    int64_t time_ns;
    uint64_t sequence;
    uint32_t executor;
};

struct br_executor_stage_inside {
    struct {
        uint32_t running;                     /* executors of that class */
        uint32_t first_promise, last_promise; /* of these; last: if first is not NONE */
    } cls[BR_EXECUTOR_CLASSES];
    bool saturated;
};

struct br_executor_job_inside {
    struct br_executor_list idle[BR_EXECUTOR_CLASSES], waiting;
};

struct br_executors_core {
    struct br_executors seen;
    struct br_executors_arrival *arrival;
    uint32_t arrived; /* jobs */
    struct br_executor *executor;
    struct br_executor_stage_inside *stage;
    struct br_executor_job_inside *job;
    struct br_executor_list free[BR_EXECUTOR_CLASSES];
    uint32_t classes;                    /* at least 1 */
    struct br_executor_promise *promise; /* as many as executors, since each is for one at least */
    uint32_t unused_promise;
    struct br_executor_event *event; /* a heap; at most one event an executor */
    uint32_t events;
    uint64_t sequence;
    uint32_t news;    /* grows when idle executors may be of use */
    uint32_t resting; /* executors that are idle in jobs */
    uint32_t current; /* job of the last event, whose idle executors are asked first */
    bool ended;
    int64_t until_ns;
    uint32_t job_room, stage_room;
    struct br_outcome *record;
    uint64_t span_room;
    enum br_status status;
};

/* ---- run.c ---- */

/* Room for so many jobs and stages; what was in the arrays is lost. False when memory is out. */
bool br_executors_make_room(struct br_executors_core *core, uint32_t jobs, uint32_t stages);

/* ---- stages.c: which stages are ready ---- */

/* To be called after `started` or `coming` of the stage has changed. O(children). */
void br_executors_touch(struct br_executors_core *core, uint32_t stage);
/* The job has arrived: its stages without parents are ready. O(stages of the job). */
void br_executors_open(struct br_executors_core *core, uint32_t job);
/* The last task of the stage has ended. True: that has let a child run. O(children). */
bool br_executors_close(struct br_executors_core *core, uint32_t stage);
static inline void br_executors_mark_job(struct br_executors_core *core, uint32_t job)
{
    core->seen.job[job].changed = ++core->seen.changes;
}

/* ---- place.c: where executors go ---- */

/* The executor at hand goes to the stage: it runs a task, waits there, is on its way, or finds no
 * task left and rests. The stage does not count it as coming. */
void br_executors_send(struct br_executors_core *core, uint32_t executor, uint32_t stage);
/* It has come to the stage's job. */
void br_executors_settle(struct br_executors_core *core, uint32_t executor, uint32_t stage);
/* The executor at hand stays idle in its job, or is free if the job has nothing to start. `asked`:
 * the news that it has been asked about; 0: none. */
void br_executors_rest(struct br_executors_core *core, uint32_t executor, uint32_t asked);
/* Takes an idle executor of the job, or of the free for NONE, and of that class; it is at hand
 * then. */
uint32_t br_executors_take(struct br_executors_core *core, uint32_t job, uint32_t cls);
/* The executors of the job that wait are idle. */
void br_executors_release(struct br_executors_core *core, uint32_t job);
/* All idle executors of the job are free. */
void br_executors_dismiss(struct br_executors_core *core, uint32_t job);

/* Promises the stage so many of the executors of the class that run `from`. */
void br_executors_promise(struct br_executors_core *core, uint32_t from, uint32_t cls,
                          uint32_t stage, uint32_t count);
/* The executor at hand has ended a task of the stage, of which none is left to start, and goes
 * where the first promise says. False: there is none. */
bool br_executors_keep(struct br_executors_core *core, uint32_t executor, uint32_t stage);

/* The random numbers that choose a task's duration; they do not depend on decisions. */
static inline void br_executors_random(uint64_t seed, uint32_t stage, uint32_t task,
                                       uint64_t random[2])
{
    struct br_rng rng =
        br_rng_seed(seed ^ ((uint64_t)stage << 32 | task) * UINT64_C(0xd1342543de82ef95));
    random[0] = br_rng_next(&rng);
    random[1] = br_rng_next(&rng);
}

/* ---- tasks.c: how long tasks last ---- */

/* The executor at hand starts the next task of the stage, which is of its job and open. */
void br_executors_start(struct br_executors_core *core, uint32_t executor, uint32_t stage);
/* It has ended its task, of which a span goes to the record. */
void br_executors_record(struct br_executors_core *core, uint32_t executor);
/* The end of the task that the executor runs, drawn anew of all that it could be by now. */
int64_t br_executors_redraw_ns(const struct br_executors_core *core, uint32_t executor);
/* Something of the executor ends at that time. */
void br_executors_at(struct br_executors_core *core, int64_t time_ns, uint32_t executor);
/* As br_executors_at, with a number that orders the event among others of that time. */
void br_executors_put(struct br_executors_core *core, struct br_executor_event event);
/* Takes the first event, which there is, and says of whom it is. */
uint32_t br_executors_due(struct br_executors_core *core);

#endif
