/* A slow model of the enforcer. It looks at all tasks of all jobs at every step, and remembers
 * nothing from one call to the next but what the events say: no kinds in a tree, no heap, no
 * chains, no machine that is known to be idle. */
#ifndef TESTS_EXACTNESS_DECIDE_MODEL_H
#define TESTS_EXACTNESS_DECIDE_MODEL_H

#include <bigrocks/runtime.h>
#include <stdbool.h>

#include "planner/model/cluster/cluster.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"

enum { JOBS = 4, TASKS = 60, GROUPS = 3, MACHINES = 8, RESOURCES = 4, MOST = 5 };
enum { WAITING, READY, RUNNING, DONE, LOST };

struct model_job {
    bool here;
    const struct br_dag *dag;
    const struct br_plan *plan; /* or NULL */
    uint32_t group, tasks;
    int64_t demand[TASKS][RESOURCES];
    double work[TASKS], share[TASKS]; /* of the cluster: summed, and the largest */
    double mean_packing;
    uint32_t rank[TASKS], state[TASKS], machine[TASKS];
    bool begun;
    int64_t began_ns, due_ns[TASKS], started_ns[TASKS];
};

struct model {
    struct br_runtime_options options;
    const struct br_cluster *cluster;
    uint32_t resources, groups;
    const char *name[RESOURCES];
    int32_t digits[RESOURCES];
    double total[RESOURCES], slots;
    int64_t capacity[MACHINES][RESOURCES], extra[MACHINES][RESOURCES], free[MACHINES][RESOURCES];
    double weight[GROUPS], deficit[GROUPS];
    struct model_job job[JOBS];
    int64_t now_ns; /* of the last decision: events carry no time */
};

/* What is given. */
/* As many digits as sums below an eighth of 2^63 leave room for. */
void model_take_cluster(struct model *m, const struct br_cluster *cluster);
void model_take_job(struct model *m, uint32_t number, const struct br_dag *dag,
                    const struct br_plan *plan, uint32_t group);
void model_begin(struct model *m, struct model_job *job, uint32_t task);
void model_start(struct model *m, uint32_t number, uint32_t task, uint32_t machine);
void model_finish(struct model *m, uint32_t number, uint32_t task, uint32_t state);
uint32_t model_count(const struct model_job *job, uint32_t state);
uint32_t model_group_count(const struct model *m, uint32_t group, uint32_t state);
uint32_t model_decide(struct model *m, struct br_decision *out, uint32_t most);

#endif
