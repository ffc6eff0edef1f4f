/* A job as the look ahead needs it: stages with demands and edges, and orders of the stages. */
#ifndef BR_CLUSTER_SIMULATE_JOINT_JOB_H
#define BR_CLUSTER_SIMULATE_JOINT_JOB_H

#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "runtime/enforcer/jobs/capacities.h"

/* Orders of the stages within a job. */
enum br_joint_within {
    BR_WITHIN_BREADTH, /* by the number of edges on the longest path from a source */
    BR_WITHIN_TAIL,    /* the longest path from here to the end of the job goes first */
    BR_WITHIN_WAY,     /* as the tail; a stage counts as its work on the whole cluster if longer */
    BR_WITHIN_LEVEL,   /* by the number of edges on the longest path to a sink, the most first */
    BR_WITHIN_WORK,    /* the stage with the most work first */
    BR_WITHIN_SHARE,   /* the largest demands first */
    BR_WITHIN_SEARCHED,
    BR_WITHIN_PLAN = BR_WITHIN_SEARCHED, /* by the first start in the job's plan; else by tail */
    BR_WITHIN_COUNT,
};

struct br_joint_stage {
    uint32_t first, tasks;          /* its tasks are first .. first + tasks - 1 */
    uint32_t barriers;              /* edges that lead here from whole stages */
    uint32_t pairs;                 /* edges that lead here from task to task */
    uint32_t first_child, children; /* run in br_joint_job.arc */
    uint32_t rank[BR_WITHIN_COUNT];
    const int64_t *demand; /* of a task, by resource */
    double share, sum;     /* the largest of its shares of the cluster, and the sum of them */
    int64_t tail_ns;       /* the longest path from here to the end of the job */
    double pace;           /* true over declared durations, as far as is known (pace.h); else 1 */
};
/* Declared and measured durations of a stage's tasks, added up. */
struct br_joint_seen {
    double waiting_ns;             /* declared, of tasks that have not started */
    double declared_ns, lasted_ns; /* of tasks that have ended, in all */
    uint32_t ended;
};
struct br_joint_arc {
    uint32_t stage;
    bool one_to_one;
};

/* A job as declared, and the paces of its stages, which alone change. Works are sums over tasks of
 * share x duration, in ns of the whole cluster. */
struct br_joint_job {
    struct br_arena arena;
    uint32_t number; /* in the workload */
    uint32_t stages, tasks;
    double weight;
    uint32_t group;
    int64_t arrival_ns;
    double work;                /* by the largest shares */
    double total_work;          /* by the sums of shares */
    double packing;             /* sum over tasks of these sums */
    bool pairs;                 /* it has one-to-one edges */
    const int64_t *duration_ns; /* by task; the dag's */
    uint32_t *task_stage;
    uint32_t *longest; /* the tasks of each stage, the longest first */
    struct br_joint_stage *stage;
    struct br_joint_arc *arc;
    struct br_joint_seen *seen; /* by stage */
    bool news;                  /* a task has ended since paces were settled */
};

/* *job is the caller's, also after a failure (NULL when memory is out). The dag must outlive it;
 * the plan of the job (may be NULL) is read now.
 * BR_BAD_INPUT (a demand that the cluster's scale cannot say), BR_SYSTEM. O(tasks + edges +
 * stages log stages). */
enum br_status br_joint_job_make(const struct br_dag *dag, const struct br_plan *plan,
                                 const struct br_capacities *capacities, uint32_t number,
                                 double weight, struct br_joint_job **job, struct br_diag *diag);
void br_joint_job_destroy(struct br_joint_job *job); /* NULL is fine */

/* The expected duration of the task. */
static inline int64_t br_joint_lasts(const struct br_joint_job *job, uint32_t task)
{
    int64_t declared_ns = job->duration_ns[task];
    double pace = job->stage[job->task_stage[task]].pace, lasts_ns = pace * (double)declared_ns;
    if (pace == 1)
        return declared_ns;
    return lasts_ns < 0x1p62 ? (int64_t)lasts_ns : INT64_C(1) << 62;
}

#endif
