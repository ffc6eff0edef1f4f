/* A workload: the jobs that come to one cluster over time, as their users declare them, and what
 * will be true of them. A plain struct over arrays, filled by the calls below, and read-only after
 * br_workload_finish.
 *
 * What is declared is the dag: its structure, demands and durations. True durations stand beside it
 * if a record knows them (`true_ns`); else the world draws them (world.h).
 */
#ifndef BR_CLUSTER_WORKLOAD_WORKLOAD_H
#define BR_CLUSTER_WORKLOAD_WORKLOAD_H

#include "base/collections/index.h"
#include "base/text/diag.h"
#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"

#define BR_NEVER INT64_MAX

/* Jobs whose fair share is counted together: a user, a queue. */
struct br_workload_group {
    const char *name;
    double weight; /* > 0 */
};

/* A dag that jobs of the workload are instances of. */
struct br_workload_dag {
    struct br_dag *dag;
    const char *path;  /* the file it comes from; NULL: none */
    const char *entry; /* which job of that file; NULL: the file holds one job, or its jobs say */
    double scale;      /* its durations are those of the file times this; 1 unless set */
    /* If users misjudge it (misjudge.h), else NULL: by stage what is declared over what is true of
     * durations, and by demand of the dag the true amount. */
    double *declared, *true_demand;
    /* For a record: how its jobs of several processors were read, in static storage (NULL: as they
     * are read unless said), and whether they demand processors only. */
    const char *parallel;
    bool cpu_only;
};

struct br_workload_job {
    const char *id;         /* unique in the workload */
    uint32_t dag;           /* number of the dag */
    uint32_t group;         /* number of the group; 0 is "default" */
    int64_t arrival_ns;     /* >= 0, on the workload's clock */
    int64_t recorded_ns;    /* that the record has between its arrival and its end; -1: not told */
    int64_t deadline_ns;    /* on the same clock, after the arrival; BR_NEVER: none */
    double weight;          /* > 0: of its completion time; 1 unless given */
    uint64_t seed;          /* of what the world draws for it */
    const int64_t *true_ns; /* by task; NULL: the world draws them from the declared ones */
    /* By feature of the workload: what is known of the job, such as its user; NULL: not known. No
     * array at all: nothing is. */
    const char *const *feature;
    const char
        *entry; /* the job's name in the dag's file, if that has several; NULL: the dag's name */
    struct br_pos pos; /* the place in the file at which it stands, if known */
};

enum { BR_WORKLOAD_EXECUTORS = 1000000 }; /* most of them */

struct br_workload {
    struct br_arena arena; /* owns texts and true durations */
    const char *name;
    const char *source; /* file it came from; NULL if made in memory */
    bool finished;
    bool ways; /* may its jobs have alternatives and name classes? Else they are refused. */
    uint32_t groups, dags, jobs;
    uint32_t group_room, dag_room, job_room;
    uint32_t features;    /* that jobs may have */
    const char **feature; /* their names */
    struct br_workload_group *group;
    struct br_index group_names;
    struct br_workload_dag *dag;
    struct br_workload_job *job; /* after br_workload_finish by arrival, then in the order given */
    uint64_t tasks;              /* of all jobs */
    struct br_cluster *cluster;  /* that the record is of, owned; NULL if it does not say */
    uint32_t executors;          /* of a Spark-like cluster that is to run it; 0: it does not say */
    const char *note; /* what its reader left out or assumed, in a sentence; NULL: nothing */
    bool note_is_of_declared; /* it is only about what jobs declare, not about what is true */
};

/* An empty workload with the group "default" of weight 1. Name and source are copied and may be
 * NULL. NULL when memory is out. */
struct br_workload *br_workload_create(const char *name, const char *source);
/* Releases it with its dags and its cluster; NULL is fine. */
void br_workload_destroy(struct br_workload *workload);

/* Adds a group, or gives the one of that name its weight. BR_BAD_INPUT (a weight that is not above
 * 0). */
enum br_status br_workload_add_group(struct br_workload *workload, const char *name, double weight,
                                     uint32_t *group, struct br_diag *diag);
/* The group of that name, or BR_NO_GROUP. O(1) expected. */
uint32_t br_workload_find_group(const struct br_workload *workload, const char *name);
#define BR_NO_GROUP UINT32_MAX

/* Adds a feature that jobs may have, or finds the one of that name; of jobs added before it is not
 * known. BR_BAD_INPUT for more than BR_WORKLOAD_FEATURES. */
enum br_status br_workload_add_feature(struct br_workload *workload, const char *name,
                                       uint32_t *feature, struct br_diag *diag);
enum { BR_WORKLOAD_FEATURES = 16 };

/* Adds a finished dag, of which it takes ownership, also on failure. Path and entry are copied. */
enum br_status br_workload_add_dag(struct br_workload *workload, struct br_dag *dag,
                                   const char *path, const char *entry, uint32_t *number,
                                   struct br_diag *diag);

/* Adds a job, which is copied with its id, entry, features and true durations. The diag gets the
 * job's place.
 */
enum br_status br_workload_add_job(struct br_workload *workload, const struct br_workload_job *job,
                                   struct br_diag *diag);
/* A job of weight 1 without a deadline, of group 0, that arrives at 0. */
struct br_workload_job br_workload_job_default(void);

/* Sorts the jobs and checks the whole: an id twice, a negative arrival, a deadline that is not
 * after its arrival, a true duration below 0, no job at all: BR_BAD_INPUT with the job's place. */
enum br_status br_workload_finish(struct br_workload *workload, struct br_diag *diag);

#endif
