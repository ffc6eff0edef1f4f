/* A Spark-like cluster in virtual time: executors that belong to jobs. [Mao19]
 *
 * An executor runs one task at a time, of the job to which it is bound. Moving it to another job
 * takes moving_ns. It stays on its stage while that has tasks to start; if it yields, until a job
 * has come. Then somebody has to say where it goes: the simulator stops and asks for a decision.
 *
 * The loop of all that use it:
 *
 *     br_executors_reset(sim, jobs, count, &run);
 *     while (br_executors_next(sim)) {
 *         ... look at *sim: sim->group, sim->ready, sim->job, sim->stage ...
 *         br_executors_decide(sim, stage, limit);
 *     }
 *
 * A decision is about a group of executors of one class: those that are idle in one job or in none,
 * or all that run the last tasks of one stage (who go as they end). It names a stage and the number
 * of executors that the stage's job may have; as many of the group go there as the stage needs and
 * the limit allows. What is left of the group is asked for again, until it is empty, no stage can
 * take it, or the answer is BR_EXECUTORS_STAY. A stage can be named once in such a round.
 *
 * The fields below show what a scheduler would know: durations stand in br_waves as they were
 * measured in past runs. How long a task is going to last is nowhere in this struct. The simulator
 * writes the fields, everybody else reads them.
 *
 * Nothing is allocated between reset and the end of a run; a reset allocates only if a run has more
 * jobs or stages than any run before it. One thread a simulator. Equal jobs, seeds and decisions
 * give equal runs. An event costs O(log executors + children of its stage). */
#ifndef BR_CLUSTER_EXECUTORS_EXECUTORS_H
#define BR_CLUSTER_EXECUTORS_EXECUTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/diag.h"
#include "cluster/workload/outcome.h"
#include "planner/model/waves.h"

#define BR_EXECUTORS_NONE UINT32_MAX
#define BR_EXECUTORS_STAY UINT32_MAX /* as a decision: nobody of the group goes anywhere */

enum { BR_EXECUTOR_CLASSES = 8 };

struct br_executors_options {
    uint32_t executors;
    int64_t moving_ns; /* to another job; 2,000 ms in the paper */
    /* Choose between two measured numbers of executors by their distance. Otherwise as the paper's
     * simulator does, which takes the farther one the more often. */
    bool by_distance;
    bool simple; /* every task lasts its stage's mean: no waves, no slowdown [Mao19, H] */
    /* If a job has come since an executor was placed, the policy is asked about it after each task,
     * even if its stage has tasks to start. In the paper it stays until its stage is used up. */
    bool yields;
    /* Executors of several sizes [Mao19, 7.3]: so many of each class, which make up all, the
     * smallest first. 0: all are equal. A task runs on those that are at least of its stage's
     * class. */
    uint32_t classes;
    struct {
        uint32_t executors; /* at least 1 */
        double memory;      /* of each; ascending */
    } cls[BR_EXECUTOR_CLASSES];
};

/* The request of a stage's task. */
struct br_executor_request {
    double memory;
    uint32_t cls; /* the first that has as much */
};

/* A job that is to come; the waves are borrowed. */
struct br_executors_arrival {
    const struct br_waves *waves;
    int64_t arrival_ns;
    uint64_t seed; /* of its tasks' durations, which no decision can change */
    const struct br_executor_request *request; /* by stage; borrowed until the reset has ended;
                                                  NULL: any executor will do */
    int64_t deadline_ns;                       /* on the same clock; 0: none */
};

struct br_executor_stage {
    uint32_t job;
    const struct br_wave_stage *waves; /* tasks, mean, children, what was measured */
    uint32_t tasks;                    /* of waves */
    uint32_t started, ended;           /* tasks; started - ended are running */
    uint32_t running;                  /* executors on it: they run a task of it right now */
    uint32_t coming;                   /* executors promised, on their way, or waiting for it */
    uint32_t unsaturated;              /* parents that still need executors */
    uint32_t open;                     /* parents of which a task has not ended; 0: it can run */
    uint32_t place;                    /* in ready; BR_EXECUTORS_NONE: it is not there */
    uint32_t round;                    /* in which it was last named */
    uint32_t changed;                  /* value of sim->changes when anything of it last changed */
    struct br_executor_request request;
};

struct br_executor_job {
    const struct br_waves *waves;
    int64_t arrival_ns, end_ns; /* end: -1 until its last task has ended */
    int64_t deadline_ns;        /* 0: none */
    uint64_t seed;
    uint32_t first_stage, stages; /* run in sim->stage */
    uint32_t ended;               /* stages */
    uint32_t executors;           /* bound to it: running, idle or waiting */
    uint32_t coming;              /* promised by other jobs, or on their way */
    uint32_t leaving;             /* of executors: promised to other jobs */
    uint32_t idle, waiting;       /* of executors; waiting: for a stage whose parents still run */
    uint32_t ready;               /* its stages in sim->ready */
    uint32_t place;               /* in sim->live; BR_EXECUTORS_NONE: not arrived, or ended */
    uint32_t changed;             /* value of sim->changes when anything of it last changed */
    uint64_t to_start;            /* tasks that have not started */
    int64_t left_us;              /* of those, the work by the means */
};

/* The executors that are to be placed. */
struct br_executor_group {
    uint32_t count;    /* executors still to be placed, at least 1 while a decision is wanted */
    uint32_t job;      /* to which they are bound; BR_EXECUTORS_NONE: to none */
    uint32_t stage;    /* that they still run; BR_EXECUTORS_NONE: they are idle */
    uint32_t executor; /* one that goes at once; BR_EXECUTORS_NONE: all are idle */
    uint32_t cls;      /* of all of them */
};

/* The public part of a simulator. */
struct br_executors {
    struct br_executors_options options;
    int64_t now_ns;
    uint32_t jobs; /* of the run, by arrival, also those to come, which nobody is to look at */
    struct br_executor_job *job;
    uint32_t stages; /* of all jobs */
    struct br_executor_stage *stage;
    uint32_t live_jobs; /* arrived and not ended, by arrival */
    uint32_t *live;
    /* Stages that could be named: all parents are saturated (every task started, or somebody is
     * coming for it), the stage itself is not. In no order. Of them those named in this round
     * (stage.round == sim->round) cannot be named again. */
    uint32_t ready_stages;
    uint32_t *ready;
    uint32_t round;
    uint32_t free;  /* executors bound to no job */
    uint32_t moves; /* between jobs, so far */
    struct br_executor_group group;
    /* The reward: the sum over jobs of their time in the system until now, and so the integral of
     * live_jobs. What it grows by between two decisions is what the first of them costs. */
    int64_t jobs_time_ns;
    int64_t busy_ns; /* time that executors have run tasks, up to the ends told */
    uint32_t ended_jobs;
    uint32_t decisions; /* so far */
    uint32_t changes;   /* grows with every change of a stage or a job, so that callers can compute
                           again only what has changed: those with `changed` above a value kept */
};

/* The options of a run. */
struct br_executors_run {
    int64_t until_ns; /* it ends there, whatever runs; BR_NEVER: with its last job */
    /* Gets a span for every task (machine: the executor) and the ends of jobs; NULL: nothing is
     * kept. Filling it may allocate; see br_executors_status. */
    struct br_outcome *record;
};

/* An empty simulator; NULL when memory is out. */
struct br_executors *br_executors_create(const struct br_executors_options *options);
void br_executors_destroy(struct br_executors *sim);

/* Begins a run of these jobs, which are copied; `run` may be NULL. At least one job, by arrival.
 * BR_SYSTEM (memory). O(stages). */
enum br_status br_executors_reset(struct br_executors *sim,
                                  const struct br_executors_arrival *arrival, uint32_t jobs,
                                  const struct br_executors_run *run, struct br_diag *diag);

/* Makes `to`, a simulator with the same options, a copy of the run as it stands: also when a
 * decision is wanted, which each of them gets by itself then. With a seed all that nobody can know
 * is drawn anew by it: how long tasks that run still last, and how long those to come; and no
 * further job comes. So a policy may try on copies what its decisions lead to. NULL: the copy goes
 * on as the original would. Nothing is recorded. BR_SYSTEM: memory, which is asked for only if `to`
 * has never had a run so large. O(stages + jobs + executors). */
enum br_status br_executors_fork(const struct br_executors *sim, const uint64_t *seed,
                                 struct br_executors *to, struct br_diag *diag);

/* Runs until somebody has to decide; false: the run has ended. */
bool br_executors_next(struct br_executors *sim);

/* Jobs that have come and have missed their deadlines by now. O(jobs). */
uint32_t br_executors_missed(const struct br_executors *sim);

/* Can the stage be named now? */
static inline bool br_executors_selectable(const struct br_executors *sim, uint32_t stage)
{
    const struct br_executor_stage *at = &sim->stage[stage];
    return at->place != BR_EXECUTORS_NONE && at->round != sim->round &&
           at->request.cls <= sim->group.cls;
}
/* Executors that the stage could use beside those that run it or are coming. */
static inline uint32_t br_executors_need(const struct br_executor_stage *stage)
{
    uint32_t used = stage->started + stage->coming;
    return used < stage->tasks ? stage->tasks - used : 0;
}
/* Executors that the job has or is promised, but for those of the group that is to be placed. A
 * limit for the job counts from this + 1 up to this + group.count. */
static inline uint32_t br_executors_held(const struct br_executors *sim, uint32_t job)
{
    const struct br_executor_job *at = &sim->job[job];
    return at->executors - at->leaving + at->coming -
           (sim->group.job == job ? sim->group.count : 0);
}

/* Sends executors of the group to a stage that br_executors_selectable allows: as many as it needs,
 * at most so many that its job has `limit`, at least one. Or BR_EXECUTORS_STAY: those that are idle
 * stay so in their job while it has tasks to start, else they are free, and they are asked for
 * again when something has changed. */
void br_executors_decide(struct br_executors *sim, uint32_t stage, uint32_t limit);

/* BR_OK, or why the run ended early: memory is out for its record. */
enum br_status br_executors_status(const struct br_executors *sim);

#endif
