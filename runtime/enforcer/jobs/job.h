/* A submitted job and its progress. The parts of its Dag and plan that never change are its form.
 */
#ifndef BR_RUNTIME_ENFORCER_JOBS_JOB_H
#define BR_RUNTIME_ENFORCER_JOBS_JOB_H

#include <bigrocks/runtime.h>
#include <stdbool.h>

#include "base/collections/arena.h"
#include "base/numbers/wide.h"
#include "runtime/enforcer/jobs/form.h"
#include "runtime/enforcer/jobs/offers.h"
#include "runtime/enforcer/jobs/pace.h"

enum br_task_state {
    BR_TASK_WAITING,
    BR_TASK_READY,
    BR_TASK_RUNNING, /* decided, and perhaps already started */
    BR_TASK_FINISHED,
    BR_TASK_FAILED,
};

/* Offers of a job that stand in trees, chained, and the remaining work that they carry: at most the
 * real one. */
struct br_posted_set {
    struct br_offer *first;
    uint32_t offers;
    double remaining;
};
enum { BR_POSTED_KINDS, BR_POSTED_CELLS, BR_POSTED_SETS };

/* The job's part of the trees over all jobs, kept by board.c. */
struct br_posted {
    struct br_offer *kind; /* by kind */
    /* By cell, if the job is planned. */
    struct br_offer *cell;
    uint32_t *cell_ready; /* ready tasks */
    uint32_t *cell_head;  /* in the form's ranks of cells: all before it have started */
    uint8_t *counted;     /* by rank - 1: among cell_ready */
    struct br_posted_set set[BR_POSTED_SETS];
    bool pending; /* counted in the sums behind eta, with this work */
    br_wide work;
    uint64_t looked; /* the last pass that looked at the plan's next tasks */
};

/* The limit on the total demand of its running tasks, and that demand. */
struct br_job_cap {
    uint32_t percent;     /* percent of the cluster; UINT32_MAX: no limit */
    int64_t *most, *used; /* by resource */
    bool *barred;         /* by kind: one more would exceed the cap */
};

struct br_stock;

struct br_job {
    struct br_form *form;
    uint32_t group;
    uint64_t submission; /* its number, which is never given again */
    bool by_event;       /* edges are ignored */
    bool closed;         /* nothing more is started */
    bool lossy;    /* finished tasks have been lost: what runs may wait for them if it fails */
    bool woken;    /* a task has become ready since this was last false */
    uint32_t most; /* running tasks; BR_ANY: no limit */
    bool held;     /* that many run, so that none of its offers stands in trees */
    struct br_job_cap *cap; /* NULL: there never was a cap */
    struct br_stock *stock; /* of a job with features; then `most` is 0, and runtime.c owns it.
                               NULL: it has none */
    uint32_t standing;      /* ready tasks that no limit keeps back */
    bool begun;             /* the plan */
    struct br_job_state state;
    struct br_paces *paces; /* from what ended tasks took; NULL: nothing has been told */
    br_wide work;           /* duration x demand of the tasks not started yet, at these paces: see
                               br_form_seconds */
    double remaining;       /* that work in seconds */

    /* The arrays stand behind the job in one block of memory. */
    struct br_ready ready;
    uint8_t *task_state;
    uint32_t *machine;     /* by task: where it runs, or BR_ANY */
    uint32_t *stage_left;  /* tasks that have not finished */
    uint32_t *stage_waits; /* barrier parents that have not ended */
    uint32_t *task_waits;  /* one-to-one parents that have not; NULL if there are no such edges */

    /* For a planned job. */
    uint32_t *local_head;   /* by place: all before it have been started */
    int64_t began_ns;       /* when the plan began, on the caller's clock */
    int64_t *plan_start_ns; /* by task, from the start of the plan; later if it has failed */
    int64_t *started_ns;    /* by task, from then on */
    /* By machine: its running tasks, chained; BR_ANY ends. NULL until br_job_chain. */
    uint32_t *first_running;
    uint32_t *next_running, *last_running; /* by task: neighbours in the chain */

    struct br_posted posted;
    struct br_arena arena;
};

/* A job of that form, which it holds from now on. Its source tasks are ready, or none if by_event.
 * NULL when memory is out. O(tasks) in bytes to copy. */
struct br_job *br_job_create(struct br_form *form, bool by_event);
void br_job_destroy(struct br_job *job);

/* The demand of the task, by resource. */
static inline const int64_t *br_job_demand(const struct br_job *job, uint32_t task,
                                           uint32_t resources)
{
    return br_form_demand(job->form, task, resources);
}

/* The plan's priority of the task with rank k + 1: 1 for the first, and above 0 for the last. */
static inline double br_job_priority(const struct br_job *job, uint32_t k)
{
    return (double)(job->form->tasks - k) / job->form->tasks;
}

/* The end of the task will be reported soon: prefetches the job or, if `closely` and that was done,
 * its data on the task. */
void br_job_expect(const struct br_job *job, uint32_t task, bool closely);

/* From now on keeps the running tasks of the planned job by machine. False when memory is out.
 * O(tasks + machines) the first time. */
bool br_job_chain(struct br_job *job, uint32_t machines);

/* The plan's time begins, unless it has: with this task, which need not be the plan's first if an
 * earlier run has finished others. */
void br_job_begin(struct br_job *job, uint32_t task, int64_t now_ns);

/* From now on keeps the demand of its running tasks. False when memory is out. O(tasks x resources)
 * the first time. */
bool br_job_watch_use(struct br_job *job, uint32_t resources);
/* Sets the kinds barred by the cap; true if they have changed. O(kinds x resources). */
bool br_job_bar(struct br_job *job, uint32_t resources);
static inline bool br_job_is_capped(const struct br_job *job)
{
    return job->cap && job->cap->percent != UINT32_MAX;
}
/* Nothing of the kind may start now, whatever the free capacity. */
static inline bool br_job_keeps_back(const struct br_job *job, uint32_t kind)
{
    return job->held || (job->cap && job->cap->barred[kind]);
}
/* Ready tasks that no limit keeps back. O(1), or for a job with a cap O(kinds + tasks / 64). */
uint32_t br_job_standing(const struct br_job *job);

/* Transitions of a task; the caller has checked that they make sense. */
void br_job_ready(struct br_job *job, uint32_t task);
void br_job_withdraw(struct br_job *job, uint32_t task);
void br_job_run(struct br_job *job, uint32_t task, uint32_t machine, int64_t now_ns);
void br_job_finish(struct br_job *job, uint32_t task);
void br_job_fail(struct br_job *job, uint32_t task, bool again, int64_t now_ns);
/* All tasks not started have failed, and none becomes ready again. */
void br_job_close(struct br_job *job);
/* The finished task has to run again; tasks that wait for it, and are ready, wait again. The job is
 * not closed, and its tasks become ready by edges. O(children), as for the last task of a stage. */
void br_job_lose(struct br_job *job, uint32_t task, int64_t now_ns);

/* An attempt at the task that did not fail lasted so long: the remaining work of the job follows.
 * False when memory is out. O(1), and O(tasks) the first time. */
bool br_job_lasted(struct br_job *job, uint32_t task, int64_t lasted_ns);

/* An invariant: the counts, the ready set and the remaining work match the tasks' states, and only
 * running tasks have a machine. O(tasks). */
bool br_job_is_sound(const struct br_job *job);

#endif
