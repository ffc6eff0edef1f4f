/* A job with features (planner/eligibility/features.h) that runs: what it holds and where, and when
 * its tasks may start.
 *
 * A place (planner/general/job.h) holds for each running task the larger of what the task holds
 * while it runs and what it leaves behind, less what nobody but this task still reads there; and
 * outputs that lie there for tasks that have not ended. So an end never adds to what a place holds,
 * whatever the order of ends.
 *
 * No dead end: for each job with outputs a witness is known, an order of all its tasks in which
 * they can run one after another (planner/general/reserve.h). A state is safe if the jobs can be
 * put in an order so that each, when all tasks that run have ended and the jobs before it have
 * gone, has room for the rest of its witness beside what the other jobs hold. That is Dijkstra's
 * banker [Dijkstra65] for several customers. A task starts only if the state stays safe. Then
 * whenever nothing runs, the first job of that order has a next task in its witness, which fits on
 * the machine that the witness has it on, and starting it leaves the state safe. A job that has not
 * begun holds nothing and comes last, so it may come at any time. Tasks of jobs without outputs
 * hold nothing beyond their end; while a job with features has nothing that runs and cannot start,
 * they are kept back, so room that they take comes free.
 *
 * Failures: a task that fails frees what it held beside the others, so when they have ended there
 * is room for it where it was, and after it has ended all is as before. So it becomes first in the
 * rest of its job's witness. If the state is not safe then by the order of jobs alone, or if
 * children that read its stream run and cannot end without it, it is owed: of several that are, the
 * last to fail may always start again where it was. */
#ifndef BR_RUNTIME_ENFORCER_STOCK_H
#define BR_RUNTIME_ENFORCER_STOCK_H

#include "planner/general/reserve.h"
#include "runtime/enforcer/model.h"

struct br_stock_turn {
    uint32_t rank, task;
};

struct br_stock_timer {
    int64_t due_ns;
    uint32_t task;
};

/* An arc with a lag whose parents have ended, or started, since the last decision. */
struct br_stock_lag {
    int64_t lag_ns;
    uint32_t stage, task; /* BR_ANY: all tasks of the stage */
};

enum br_lying { BR_NOT_MADE, BR_LIES, BR_FREED };

struct br_stock {
    struct br_arena arena;
    struct br_general *general;
    struct br_reserve *reserve; /* NULL: nothing is held beyond its task */
    uint32_t number;            /* of the job */
    uint32_t most;              /* running tasks; BR_ANY: no limit */
    uint32_t *column;           /* by resource: the enforcer's number of it, or the pool's */
    int64_t *factor;            /* by resource: the enforcer's units in one of the job's */

    /* Readiness. */
    bool begun;
    int64_t began_ns;    /* the first decision after it came */
    uint32_t *waits;     /* by stage: parents over barriers that it waits for */
    uint32_t *pairs;     /* by task: one-to-one parents */
    uint32_t *unstarted; /* by stage */
    uint32_t *unended;   /* by stage */
    uint32_t *unread; /* by stage: tasks that may still read; less than unended if some never will
                       */
    int64_t *from_ns; /* by task: the earliest start by lags and releases, on the caller's clock */
    int64_t *stage_from_ns;
    bool *listed;   /* by task: it has a timer or a turn */
    bool *doomed;   /* by task: one that it depends on has failed for good */
    bool *gone;     /* by task: it will never run */
    uint32_t gones; /* of the waiting */
    struct br_stock_lag *lag;
    uint32_t lags, lag_room;
    struct br_stock_timer *timer; /* a heap */
    uint32_t timers;
    struct br_stock_turn *turn; /* a heap for each stage, from its first task on */
    uint32_t *turns;            /* by stage */
    uint32_t *open;             /* stages with turns, and some that had */
    uint32_t opens;
    bool *is_open;                       /* by stage: it is among them */
    struct br_stock_turn *round, *aside; /* scratch of a pass */
    uint32_t *looked;                    /* by stage, too */

    /* Holding. */
    uint32_t *lies_on;      /* by task that has started: the machine */
    int64_t *since_ns;      /* by task that has started: when */
    bool *told_late;        /* by task: that it lasts into a window */
    int64_t *holds;         /* [task * resources], of running tasks, in the enforcer's units */
    uint32_t *readers;      /* by instance: edges over which not all have ended */
    uint8_t *lying;         /* by instance: enum br_lying */
    bool stale;             /* tasks have ended that had not started here */
    bool over;              /* nothing of it will run any more */
    struct br_freed *freed; /* in order */
    uint32_t freeds, told;
};

/* The stock of a job with features; NULL if it has none. BR_BAD_INPUT: what it does not know, or
 * amounts too fine. BR_NO: no order of its tasks fits. O(tasks log tasks), and a search if the
 * order of the plan's ends is no witness. */
enum br_status br_stock_create(const struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, struct br_stock **stock,
                               struct br_diag *diag);
/* Tasks have ended or started without having been decided here: finds a way on from there. False
 * when memory is out. O(tasks log tasks), and now and then a search. */
bool br_stock_refresh(struct br_stock *stock, const struct br_job *job);
void br_stock_destroy(struct br_stock *stock);

/* The job has come: its first tasks are ready. */
void br_stock_open(struct br_runtime *runtime, struct br_job *job);
/* Events of tasks; they change the job's states, too. BR_SYSTEM (memory). */
void br_stock_started(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                      uint32_t machine);
/* The same of a task that the caller has started by itself. */
void br_stock_started_outside(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                              uint32_t machine);
void br_stock_finished(struct br_runtime *runtime, struct br_job *job, uint32_t task);
enum br_status br_stock_failed(struct br_runtime *runtime, struct br_job *job, uint32_t task,
                               bool again, struct br_diag *diag);
/* All that has not started is given up. */
enum br_status br_stock_closed(struct br_runtime *runtime, struct br_job *job,
                               struct br_diag *diag);
/* Gives back all that it holds. */
void br_stock_retired(struct br_runtime *runtime, struct br_job *job);

/* What the task would hold of the resource there, as long as it runs, in the enforcer's units. */
int64_t br_stock_need(const struct br_stock *stock, const struct br_job *job, uint32_t task,
                      uint32_t machine, uint32_t resource);
/* What is free there of the resource. */
int64_t br_stock_room(const struct br_runtime *runtime, const struct br_stock *stock,
                      uint32_t machine, uint32_t resource);

/* Is the machine there for as long as the task is to last from now on? */
bool br_stock_is_there(const struct br_runtime *runtime, const struct br_stock *stock,
                       uint32_t task, uint32_t machine);
/* What is free there of the resource for as long. Other tasks end as planned. O(running tasks x
 * changes until then). */
int64_t br_stock_room_for(const struct br_runtime *runtime, const struct br_stock *stock,
                          uint32_t task, uint32_t machine, uint32_t resource);
/* The next time at which the cluster changes, on the caller's clock; INT64_MAX: none. */
int64_t br_stock_next_change(const struct br_runtime *runtime, const struct br_stock *stock);
/* BR_BAD_INPUT if a run that is late might never end. */
enum br_status br_stock_check_calendar(struct br_stock *stock, const struct br_dag *dag,
                                       struct br_diag *diag);
/* A running task whose machine is away now; each once. */
bool br_stock_find_overrun(struct br_runtime *runtime, struct br_job *job, uint32_t *task);

/* The task is ready again. */
void br_stock_list(struct br_job *job, uint32_t task);
/* Lets tasks whose time has come have their turns. */
void br_stock_wake(struct br_runtime *runtime, struct br_job *job);
/* The first turn of the stage; false if it has none. It is then taken, or given back. */
bool br_stock_take_turn(struct br_stock *stock, const struct br_job *job, uint32_t stage,
                        int64_t now_ns, struct br_stock_turn *turn);
void br_stock_give_turn(struct br_stock *stock, struct br_stock_turn turn);
/* Tells those that wait for the start of the task (streams), or for its end. */
void br_stock_tell(struct br_runtime *runtime, struct br_job *job, uint32_t task, bool start);
/* The task has failed, so what was told of its start is taken back. */
void br_stock_untell(struct br_job *job, uint32_t task);
/* Does a task run that reads a stream of this one? */
bool br_stock_is_streamed(const struct br_job *job, uint32_t task);
static inline bool br_stock_turn_before(const void *none, const struct br_stock_turn *a,
                                        const struct br_stock_turn *b)
{
    (void)none;
    return a->rank != b->rank ? a->rank < b->rank : a->task < b->task;
}

/* Is the state safe, by the orders of jobs? O(jobs with outputs x places) if they can go in the
 * order in which they came. */
bool br_stock_is_safe(struct br_runtime *runtime);
/* Starts tasks of jobs with features. */
uint32_t br_stock_decide(struct br_runtime *runtime, uint32_t machine,
                         struct br_decision *decisions, uint32_t room);

#endif
