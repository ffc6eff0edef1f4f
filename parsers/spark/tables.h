/* The contents of Spark's event log, in tables of jobs, stages and succeeded tasks; and the calls
 * that fill them. Internal to readers. */
#ifndef BR_PARSERS_SPARK_TABLES_H
#define BR_PARSERS_SPARK_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "base/numbers/wide.h"
#include "base/text/diag.h"

#define BR_SPARK_NONE UINT32_MAX

struct br_spark_job {
    uint32_t id;
    int64_t submit_ms, end_ms; /* since 1970; end -1: the log ends before */
    bool submit_told;          /* else taken from the first task of the job */
    bool ended, failed;
    const char *pool; /* pool of the fair scheduler; NULL: none */
    struct br_pos pos;
};

/* A stage that several jobs share ran in the first of them that names it; for the others it is
 * skipped. */
struct br_spark_stage {
    uint32_t id;
    uint32_t job; /* number of the job; BR_SPARK_NONE: none */
    bool known;   /* an event described it */
    bool linked;  /* its parents are known */
    bool ran;     /* it was submitted; else its result existed already */
    bool barrier; /* its tasks start together, or none does */
    const char *name;
    uint32_t attempt;               /* the first one that ran; BR_SPARK_NONE: none */
    uint32_t told;                  /* number of tasks in its first attempt; 0: unknown */
    uint32_t first_parent, parents; /* run in br_spark_log.parent */
    uint32_t profile;               /* of resources */
    uint32_t first_task, tasks;     /* run in br_spark_log.task: one for each partition */
    uint32_t lost;                  /* attempts at its tasks that do not count */
    int64_t first_ns, last_ns;      /* since 1970: launch of its first task, end of its last; 0 */
    int64_t mem_bytes;              /* largest memory of a task's execution; 0: unknown */
    struct br_pos pos;
};

struct br_spark_task {
    uint32_t stage, partition;
    int64_t launch_ns; /* since 1970 */
    int64_t ns;        /* time that it held its core */
    uint32_t executor; /* BR_SPARK_NONE: not one of those that the log has added */
};

/* Work that is left out of the log: the number of attempts, and the time of their tasks. */
struct br_spark_loss {
    uint32_t count, tasks;
    br_wide ns;
};

struct br_spark_executor {
    const char *id;
    uint32_t cores;
    int64_t mem_bytes; /* for execution and storage; 0: unknown */
};

/* An executor that comes or goes. */
struct br_spark_change {
    uint32_t executor;
    bool comes;
};

struct br_spark_log {
    struct br_arena arena;
    const char *name, *user; /* of the application; NULL: unknown */
    bool ended;              /* the log has the application's end */
    uint32_t jobs, stages, parents, tasks, executors, changes, profiles;
    struct br_spark_job *job;     /* in the order of their submission */
    struct br_spark_stage *stage; /* in the order of their first mention in the log */
    uint32_t *parent;             /* numbers of stages */
    struct br_spark_task *task;   /* by stage, then by partition */
    struct br_spark_executor *executor;
    struct br_spark_change *change;
    uint32_t *task_cpus;       /* by profile */
    uint32_t *ran;             /* numbers of the stages that ran, by job, then by id */
    uint32_t *first_ran;       /* by job: start of its run there; the next job's start ends it */
    struct br_spark_loss lost; /* attempts at tasks that failed, were killed, or finished second */
    /* Stages without a first attempt in the log: their results existed when their job came, and
     * were lost later. */
    struct br_spark_loss recovered;
    uint32_t orphans; /* stages that ran for no job in the log */
    uint32_t job_room, stage_room, parent_room, task_room, executor_room, change_room, profile_room;
    struct br_index job_ids, stage_ids, executor_ids;
};

void br_spark_log_finish(struct br_spark_log *log);

/* Numbers are BR_SPARK_NONE if there is no such thing or, for calls that add, if memory is out. */
uint32_t br_spark_find_job(const struct br_spark_log *log, uint32_t id);
/* Adds a job whose id is new. */
uint32_t br_spark_add_job(struct br_spark_log *log, const struct br_spark_job *job);
/* The stage or the executor of this id, added if it is new. */
uint32_t br_spark_find_stage(struct br_spark_log *log, uint32_t id, struct br_pos pos);
uint32_t br_spark_find_executor(struct br_spark_log *log, const char *id);
/* The executor of this id, if it was added. */
uint32_t br_spark_known_executor(const struct br_spark_log *log, const char *id);
/* Counts work left out, with that many tasks. */
void br_spark_lose(struct br_spark_loss *loss, uint32_t tasks, int64_t ns);
/* Number of tasks of a dag for the stage: the tasks of a barrier stage are one, which takes the
 * cores of all; a stage without tasks still stands between others. */
uint32_t br_spark_stage_size(const struct br_spark_stage *stage);
/* The longest of the stage's tasks; 0 if it has none. */
int64_t br_spark_longest_ns(const struct br_spark_log *log, const struct br_spark_stage *stage);
/* Did the child begin before its parent's tasks had ended? Then it read while the parent wrote, as
 * after a pipelined shuffle, and did not wait. */
bool br_spark_runs_beside(const struct br_spark_stage *parent, const struct br_spark_stage *child);
/* Called once all is read: sorts tasks and stages, drops tasks that succeeded after another of
 * their partition, and finds the missing times of jobs. False when memory is out. */
bool br_spark_sort(struct br_spark_log *log);

#endif
