/* One dag of all jobs: the planner's bounds know nothing of arrivals, but a task that lasts until
 * an arrival, and demands nothing, says the same. */
#include <assert.h>
#include <stdio.h>

#include "planner/bounds/bounds.h"
#include "planner/bounds/closure.h"
#include "cluster/simulate/bounds/latest.h"

enum { TASKS_MOST = 300000 };

struct unite {
    struct br_dag *dag;
    const struct br_workload *workload;
    uint32_t job;
    int64_t release_ns;
    const int64_t *duration_ns; /* by task of the job */
    struct br_diag *diag;
};

static enum br_status union_add_demands(const struct unite *u, const struct br_dag *dag, uint32_t s,
                                        uint32_t number)
{
    enum br_status status = BR_OK;
    char amount[BR_DECIMAL_TEXT];
    const struct br_stage *stage = &dag->stage[s];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands && !status;
         d++) {
        br_decimal_format(dag->demand[d].amount, amount, sizeof amount);
        status = br_dag_add_demand(u->dag, number, dag->resource[dag->demand[d].resource].name,
                                   amount, u->diag);
    }
    return status;
}

static enum br_status union_add_stage(const struct unite *u, const struct br_dag *dag, uint32_t s,
                                      uint32_t *number)
{
    char id[32];
    const struct br_stage *stage = &dag->stage[s];
    const int64_t *duration_ns = u->duration_ns + stage->first_task;
    snprintf(id, sizeof id, "%u.%u", u->job, s);
    enum br_status status =
        br_dag_add_stage(u->dag, id, stage->tasks, duration_ns[0], number, u->diag);
    for (uint32_t k = 1; k < stage->tasks && !status; k++)
        if (duration_ns[k] != duration_ns[0])
            status = br_dag_set_duration(u->dag, *number, k, duration_ns[k], u->diag);
    return status ? status : union_add_demands(u, dag, s, *number);
}

static enum br_status union_add_job(const struct unite *u, const struct br_dag *dag)
{
    uint32_t first = br_dag_stage_count(u->dag), number;
    enum br_status status = BR_OK;
    char id[32];
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = union_add_stage(u, dag, s, &number);
    assert(status || br_dag_stage_count(u->dag) == first + dag->stages);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = br_dag_add_edge(u->dag, first + dag->edge[e].parent, first + dag->edge[e].child,
                                 dag->edge[e].type, u->diag);
    if (status || !u->release_ns)
        return status;
    snprintf(id, sizeof id, "%u", u->job);
    status = br_dag_add_stage(u->dag, id, 1, u->release_ns, &number, u->diag);
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        status = br_dag_add_edge(u->dag, number, first + s, BR_BARRIER, u->diag);
    return status;
}

static enum br_status bound_union(const struct br_dag *dag, const struct br_cluster *cluster,
                                  struct br_latest *latest, struct br_diag *diag)
{
    struct br_instance *in;
    enum br_status status = br_instance_create(dag, cluster, &in, NULL);
    if (status == BR_BAD_INPUT) /* amounts or durations of different jobs that fit no one scale */
        return BR_OK;
    if (status)
        return br_fail_memory(diag);
    struct br_bound bound = br_bounds_window(in);
    if (bound.ticks < 0)
        status = br_fail_memory(diag);
    else
        *latest = (struct br_latest){(double)bound.ticks * (double)in->tick_ns / 1e9,
                                     "the planner's bound of all jobs as one"};
    br_instance_destroy(in);
    return status;
}

enum br_status br_latest_of_union(const struct br_workload *workload,
                                  const struct br_cluster *cluster, const int64_t *const *true_ns,
                                  struct br_latest *latest, struct br_diag *diag)
{
    uint64_t stages = workload->jobs;
    *latest = (struct br_latest){0, "none"};
    for (uint32_t j = 0; j < workload->jobs; j++)
        stages += workload->dag[workload->job[j].dag].dag->stages;
    if (stages > BR_CLOSURE_STAGES || workload->tasks > TASKS_MOST)
        return BR_OK;
    struct unite u = {.dag = br_dag_create("union"), .workload = workload, .diag = diag};
    enum br_status status = u.dag ? BR_OK : br_fail_memory(diag);
    for (u.job = 0; u.job < workload->jobs && !status; u.job++) {
        const struct br_workload_job *job = &workload->job[u.job];
        const struct br_dag *dag = workload->dag[job->dag].dag;
        u.duration_ns = true_ns ? true_ns[u.job] : job->true_ns;
        u.duration_ns = u.duration_ns ? u.duration_ns : dag->duration_ns;
        u.release_ns = job->arrival_ns - workload->job[0].arrival_ns;
        assert(u.release_ns >= 0);
        status = union_add_job(&u, dag);
    }
    if (!status)
        status = br_dag_finish(u.dag, diag);
    if (!status)
        status = bound_union(u.dag, cluster, latest, diag);
    br_dag_destroy(u.dag);
    return status;
}
