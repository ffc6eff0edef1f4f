/* What Spark's event log tells, in tables of jobs, stages and the tasks that succeeded; and the
 * calls that fill them. Internal to readers. */
#ifndef BR_PARSERS_SPARK_TABLES_H
#define BR_PARSERS_SPARK_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "base/text/diag.h"

#define BR_SPARK_NONE UINT32_MAX

struct br_spark_job {
    uint32_t id;
    int64_t submit_ms, end_ms; /* since 1970; end -1: the log ends before */
    bool failed;
    const char *pool; /* of the fair scheduler; NULL: none */
    struct br_pos pos;
};

/* A stage that several jobs share ran in the first of them that names it; for the others it is
 * skipped. */
struct br_spark_stage {
    uint32_t id;
    uint32_t job; /* number of the job; BR_SPARK_NONE: of none */
    bool known;   /* its parents were told */
    bool ran;     /* it was submitted; else its result was there already */
    const char *name;
    uint32_t first_parent, parents; /* run in br_spark_log.parent */
    uint32_t profile;               /* of resources */
    uint32_t first_task, tasks;     /* run in br_spark_log.task: one for each partition */
    int64_t mem_bytes;              /* the most that a task's execution took; 0: not told */
    struct br_pos pos;
};

struct br_spark_task {
    uint32_t stage, partition;
    int64_t ns; /* that it held its core */
};

struct br_spark_executor {
    const char *id;
    uint32_t cores;
    int64_t mem_bytes; /* for execution and storage; 0: not told */
};

/* An executor that comes or goes. */
struct br_spark_change {
    uint32_t executor;
    bool comes;
};

struct br_spark_log {
    struct br_arena arena;
    const char *name, *user; /* of the application; NULL: not told */
    uint32_t jobs, stages, parents, tasks, executors, changes, profiles;
    struct br_spark_job *job;     /* in the order of their submission */
    struct br_spark_stage *stage; /* in the order in which the log names them */
    uint32_t *parent;             /* numbers of stages */
    struct br_spark_task *task;   /* by stage, then by partition */
    struct br_spark_executor *executor;
    struct br_spark_change *change;
    uint32_t *task_cpus; /* by profile */
    uint32_t *ran;       /* numbers of the stages that ran, by job, then by id */
    uint32_t *first_ran; /* by job: its run there, which ends where the next one's begins */
    uint32_t lost;       /* attempts at tasks that failed, were killed, or came second */
    uint32_t orphans;    /* stages that ran for no job of the log */
    uint32_t job_room, stage_room, parent_room, task_room, executor_room, change_room, profile_room;
    struct br_index job_ids, stage_ids, executor_ids;
};

void br_spark_log_finish(struct br_spark_log *log);

/* Numbers are BR_SPARK_NONE where there is no such thing, or, for calls that add, where memory is
 * out. */
uint32_t br_spark_find_job(const struct br_spark_log *log, uint32_t id);
/* Adds a job whose id is new. */
uint32_t br_spark_add_job(struct br_spark_log *log, const struct br_spark_job *job);
/* The stage or the executor of this id, added where it is new. */
uint32_t br_spark_find_stage(struct br_spark_log *log, uint32_t id, struct br_pos pos);
uint32_t br_spark_find_executor(struct br_spark_log *log, const char *id);
/* Once all is read: sorts tasks and stages, and drops tasks that succeeded after another of their
 * partition. False when memory is out. */
bool br_spark_sort(struct br_spark_log *log);

#endif
