/* A policy decides which ready tasks start where, as the scheduler of a cluster does. It is one row
 * of a table (cluster/simulate/rows.h). It is told what happens and sees what a real
 * scheduler would see: what is declared, what has finished, how long that took. It never gets a
 * true duration ahead, unless its row says that it is clairvoyant. A job is not known before it
 * arrives. */
#ifndef BR_CLUSTER_SIMULATE_POLICY_H
#define BR_CLUSTER_SIMULATE_POLICY_H

#include <bigrocks/runtime.h>

#include "base/text/named.h"
#include "cluster/workload/allotments.h"
#include "cluster/workload/workload.h"

struct br_deadline_settings;

struct br_predict_case;

/* A job that arrives; all borrowed, and valid until it retires. */
struct br_arrival {
    uint32_t job; /* number in the workload, which says nothing of jobs to come */
    const char *id;
    const struct br_dag *dag; /* as declared */
    uint32_t dag_number;      /* equal for jobs of equal dags, so that plans can be kept */
    uint32_t group;
    double weight;
    int64_t arrival_ns;
    int64_t deadline_ns;        /* BR_NEVER: none */
    const int64_t *true_ns;     /* by task; NULL but for clairvoyant policies */
    const char *const *feature; /* by feature of the setup; NULL: nothing is known, as of values */
};

/* The facts that all policies are given at the start; borrowed, and valid as long as the policy. */
struct br_policy_setup {
    const struct br_cluster *cluster;
    uint32_t groups;
    const struct br_workload_group *group; /* names and weights */
    uint64_t seed;                         /* for policies that draw */
    struct br_runtime_options enforcer;    /* of the options on the command line */
    /* By resource that is declared fungible: how far it may be overbooked, in percent. */
    uint32_t overbooked;
    const struct br_overbook *overbook;
    /* Policies by work that is left count what ended tasks took: see br_runtime_lasted. */
    bool refine;
    /* The share of what a ready task reads that lies on the machine, as br_transit_lies has it.
     * NULL: nothing moves. */
    double (*lies)(void *context, uint32_t job, uint32_t task, uint32_t machine);
    void *lies_context;
    /* Resources that the row does not look at, if it is `narrow`: it counts no demands of them, and
     * machines hold any. */
    uint32_t unseens;
    const char *const *unseen;
    /* The plan of the job; a policy that needs one asks, as jobs arrive. NULL: none can be had
     * (diag says why). */
    const struct br_plan *(*plan)(void *context, const struct br_arrival *arrival,
                                  struct br_diag *diag);
    /* As `plan`, with transfers accounted for. */
    const struct br_plan *(*network_plan)(void *context, const struct br_arrival *arrival,
                                          struct br_diag *diag);
    void *plan_context; /* of both */
    /* Settings of policies/deadline.h; NULL: no job is controlled. Their decisions are added to the
     * allotments, which the simulator fills in. */
    const struct br_deadline_settings *deadlines;
    bool evicts; /* the settings say that tasks may be taken back */
    struct br_allotments *allotments;
    uint32_t features; /* of jobs, such as their user */
    /* Jobs that have ended before, with these features; for policies that predict. */
    uint32_t histories;
    uint32_t wide; /* jobs of fewer tasks need no prediction if thin ones go first; 0: 3 */
    const struct br_predict_case *history;
    double number; /* the row's number, such as the exponent of weighted-fair; NAN: not given */
};
struct br_overbook {
    const char *resource;
    uint32_t percent; /* 100..400 */
};

/* A task that has ended on its machine. */
struct br_ended {
    uint32_t job, task, machine;
    int64_t lasted_ns; /* this attempt */
    bool failed;       /* by itself or with its machine; it is ready again */
};

/* The operations take the policy that `create` made. An event that fails ends the simulation. Of
 * events at one time the ends come first, then machines, then arrivals; then the policy decides. */
struct br_policy_row {
    struct br_named named;
    const char *number; /* what the number in NAME=NUMBER means; NULL: it takes none */
    /* A tuned row is run with every number from `least` to `most`, `step` apart, and told by the
     * one with the least mean completion time: what tuning to the workload could bring. 0: not
     * tuned. */
    double least, most, step;
    uint32_t slow; /* how long its runs take, in multiples of fifo's, roughly; 0: one */
    bool clairvoyant;
    bool narrow; /* takes the setup's unseen resources, as schedulers do that know cores and memory
                  */
    bool controls;      /* jobs with deadlines, by the setup's settings of control loops */
    bool plans;         /* asks for the plan of every job, so these may be made ahead */
    const void *detail; /* what its operations need to know; NULL: nothing */
    enum br_status (*create)(const struct br_policy_row *row, const struct br_policy_setup *setup,
                             void **policy, struct br_diag *diag);
    void (*destroy)(void *policy);
    enum br_status (*arrive)(void *policy, const struct br_arrival *arrival, int64_t now_ns,
                             struct br_diag *diag);
    enum br_status (*end)(void *policy, const struct br_ended *ended, int64_t now_ns,
                          struct br_diag *diag);
    /* The task's end is likely to be told next (`closely`), or after what is: the policy may ask
     * memory for what it will look at. It may do nothing else, and may be NULL. */
    void (*expect)(void *policy, uint32_t job, uint32_t task, bool closely);
    /* The last task of the job has ended: the policy forgets it. */
    enum br_status (*retire)(void *policy, uint32_t job, struct br_diag *diag);
    /* The machine leaves (what ran there has been told as failed before) or returns. */
    enum br_status (*machine)(void *policy, uint32_t machine, bool there, struct br_diag *diag);
    /* The output of a task that has ended is lost, and somebody needs it: it is to be done again.
     * Tasks that wait for it and have not started wait again. Of several at once, children before
     * parents, after what the machine ran has been told as failed. NULL: the policy cannot. */
    enum br_status (*lost)(void *policy, uint32_t job, uint32_t task, int64_t now_ns,
                           struct br_diag *diag);
    /* Both NULL, or the policy places jobs: the machine of each task, valid until the job retires,
     * asked for after `arrive`; and that the task, on its machine, waits for nothing any more, told
     * before the policy decides. It then starts there, and nowhere else. */
    const uint32_t *(*places)(void *policy, uint32_t job);
    enum br_status (*supplied)(void *policy, uint32_t job, uint32_t task, struct br_diag *diag);
    /* Up to `room` starts, each at once taken as made; called again while it returns `room`. A row
     * may also ask to be called at a later time, though nothing happens: *wake_ns, BR_NEVER on
     * entry. */
    uint32_t (*decide)(void *policy, int64_t now_ns, struct br_decision *decisions, uint32_t room,
                       int64_t *wake_ns);
    /* Up to `room` running tasks that are ended at once, told as failed, so that others may start:
     * the policy decides again, and is asked again while there are any. Asked after it has decided;
     * NULL: none ever is. */
    uint32_t (*evict)(void *policy, int64_t now_ns, struct br_decision *tasks, uint32_t room);
};

#endif
