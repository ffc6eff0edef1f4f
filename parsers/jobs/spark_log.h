/* Spark's event log: a JSON object a line, in the order of what happened. Read into tables of jobs,
 * stages and the tasks that succeeded. Internal to readers. */
#ifndef BR_PARSERS_JOBS_SPARK_LOG_H
#define BR_PARSERS_JOBS_SPARK_LOG_H

#include "base/collections/arena.h"
#include "base/collections/index.h"
#include "parsers/text/source.h"
#include "planner/model/cluster.h"
#include "planner/model/dag.h"

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

/* The first lines of such a log. */
bool br_is_spark(const char *text);
/* Reads the whole log. Finish it also after a failure. O(n log n) in the events. */
enum br_status br_spark_log_read(struct br_source *source, struct br_spark_log *log,
                                 struct br_diag *diag);
void br_spark_log_finish(struct br_spark_log *log);

/* Adds the stages to a dag, with barriers between them: a task demands cpu, and by choice the
 * memory that the log tells; all last as long as they did on average. number[stage] is
 * BR_SPARK_NONE for every stage of the log before the call, and receives the numbers of these.
 * O(their size). */
enum br_status br_spark_add_stages(const struct br_spark_log *log, const uint32_t *stage,
                                   uint32_t stages, bool memory, struct br_dag *dag,
                                   uint32_t *number, struct br_diag *diag);
/* The executors at the time when most of them were there; NULL where the log tells of none, or not
 * of their memory although tasks took some. */
enum br_status br_spark_cluster(const struct br_spark_log *log, struct br_cluster **cluster,
                                struct br_diag *diag);

#endif
