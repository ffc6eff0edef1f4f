/* Accepts jobs: checks whether they fit the cluster, and whether a plan is theirs. */
#include "base/collections/grow.h"
#include "base/invariant.h"
#include "base/text/diag.h"
#include "planner/model/dag.h"
#include "planner/instance/plan.h"
#include "planner/eligibility/features.h"
#include "planner/model/source.h"
#include "runtime/enforcer/board.h"
#include "runtime/enforcer/decide.h"
#include "runtime/enforcer/model.h"
#include "runtime/enforcer/stock.h"

/* A demand that no machine can ever hold would wait for good. */
static enum br_status check_kinds(const struct br_runtime *runtime, const struct br_form *form,
                                  const struct br_dag *dag, struct br_diag *diag)
{
    uint32_t width = runtime->resources;
    for (uint32_t s = 0; s < form->stages; s++) {
        const int64_t *demand = form->demand + (size_t)form->stage_kind[s] * width;
        bool held = false;
        for (uint32_t c = 0; c < runtime->classes && !held; c++) {
            held = true;
            for (uint32_t r = 0; r < width && held; r++)
                held = demand[r] <= runtime->capacity[(size_t)c * width + r];
        }
        if (!held) {
            br_dag_blame(dag, diag);
            return br_fail_at(diag, dag->stage[s].pos, BR_BAD_INPUT,
                              "give the cluster a larger machine, or the task a smaller demand",
                              "no machine holds a task of stage '%s'", dag->stage[s].id);
        }
    }
    return BR_OK;
}

static enum br_status submit_check_group(const struct br_runtime *runtime, uint32_t group,
                                         struct br_diag *diag)
{
    return group < runtime->groups ? BR_OK
                                   : br_fail(diag, BR_USAGE, NULL, "there is no group %u", group);
}

static enum br_status submit_form(const struct br_runtime *runtime, const struct br_dag *dag,
                                  const struct br_plan *plan, struct br_form **form,
                                  struct br_diag *diag)
{
    *form = NULL;
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish", "the job is not finished");
    if (plan && plan->tasks != dag->tasks)
        return br_fail(diag, BR_USAGE, "plan this very job", "the plan has %u tasks and the job %u",
                       plan->tasks, dag->tasks);
    struct br_form *made = NULL;
    enum br_status status =
        br_form_create(dag, plan, NULL, &runtime->scale, runtime->machines, &made, diag);
    if (!status)
        status = check_kinds(runtime, made, dag, diag);
    if (status)
        br_form_release(made);
    else
        *form = made;
    return status;
}

enum br_status br_runtime_form(const struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, struct br_form **form,
                               struct br_diag *diag)
{
    *form = NULL;
    if (dag->finished && br_features_refuse(dag, runtime->pool.cluster, BR_FEATURE_DEADLINES,
                                            "a run of many such jobs", diag))
        return BR_BAD_INPUT;
    return submit_form(runtime, dag, plan, form, diag);
}

/* Room for the stock of one more job. */
static bool submit_reserve_stock(struct br_runtime *runtime, const struct br_stock *stock)
{
    struct br_pool *pool = &runtime->pool;
    const size_t places = (size_t)runtime->machines * runtime->resources + pool->resources + 1;
    return !stock ||
           (br_grow(&pool->member, pool->stocks, &pool->member_room, sizeof *pool->member) &&
            br_grow(&pool->order, pool->stored, &pool->order_room, sizeof *pool->order) &&
            (pool->left || (pool->left = br_calloc(places, sizeof *pool->left))));
}

/* The job holds outputs, shares resources or has times, so it is decided apart. */
static void submit_stock(struct br_runtime *runtime, struct br_job *job, uint32_t number)
{
    struct br_pool *pool = &runtime->pool;
    struct br_stock *stock = job->stock;
    stock->number = number;
    pool->member[pool->stocks++] = number;
    if (stock->reserve)
        pool->order[pool->stored++] = number;
    br_stock_open(runtime, job);
}

/* Takes the stock, if all goes well. */
static enum br_status submit_job(struct br_runtime *runtime, struct br_form *form, uint32_t group,
                                 bool by_event, struct br_stock *stock, uint32_t *number,
                                 struct br_diag *diag)
{
    if (submit_check_group(runtime, group, diag))
        return BR_USAGE;
    uint32_t at = runtime->taken;
    assert(at <= runtime->jobs);
    while (at < runtime->jobs && runtime->job[at])
        at++;
    if (at == runtime->jobs &&
        !br_grow(&runtime->job, runtime->jobs, &runtime->job_room, sizeof *runtime->job))
        return br_fail_memory(diag);
    struct br_job *job = br_job_create(form, by_event || stock);
    if (!job)
        return br_fail_memory(diag);
    job->group = group;
    job->most = stock ? 0 : BR_ANY;
    if (!br_board_add(runtime, job, at) || (stock && (!submit_reserve_stock(runtime, stock) ||
                                                      !br_board_reserve_limited(runtime, job)))) {
        br_job_destroy(job);
        return br_fail_memory(diag);
    }
    job->stock = stock;
    assert(at == runtime->jobs || !runtime->job[at]);
    runtime->job[at] = job;
    job->submission = ++runtime->submissions;
    runtime->taken = at + 1;
    if (at == runtime->jobs)
        runtime->jobs++;
    if (stock)
        submit_stock(runtime, job, at);
    br_runtime_recount(runtime, at, &(struct br_job_state){0});
    br_costly_assert(br_job_is_sound(job));
    *number = at;
    return BR_OK;
}

enum br_status br_runtime_submit_form(struct br_runtime *runtime, struct br_form *form,
                                      uint32_t group, enum br_readiness readiness, uint32_t *number,
                                      struct br_diag *diag)
{
    return submit_job(runtime, form, group, readiness == BR_READY_BY_EVENT, NULL, number, diag);
}

enum br_status br_runtime_take(struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, uint32_t group,
                               enum br_readiness readiness, uint32_t *number, struct br_diag *diag)
{
    struct br_form *form = NULL;
    struct br_stock *stock = NULL;
    enum br_status status = submit_check_group(runtime, group, diag);
    if (!status)
        status = submit_form(runtime, dag, plan, &form, diag);
    if (!status)
        status = br_stock_create(runtime, dag, plan, &stock, diag);
    if (!status && stock && readiness == BR_READY_BY_EVENT)
        status = br_features_refuse(dag, runtime->pool.cluster, BR_FEATURE_DEADLINES,
                                    "a job whose tasks become ready by events", diag);
    if (!status)
        status =
            submit_job(runtime, form, group, readiness == BR_READY_BY_EVENT, stock, number, diag);
    if (status)
        br_stock_destroy(stock);
    br_form_release(form);
    return status;
}

/* The last of the stage's tasks in the plan's order, and the first. */
static uint32_t last_rank(const struct br_plan *plan, const struct br_stage *stage)
{
    uint32_t last = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        last = plan->rank[t] > last ? plan->rank[t] : last;
    return last;
}

static uint32_t submit_first_rank(const struct br_plan *plan, const struct br_stage *stage)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
        first = plan->rank[t] < first ? plan->rank[t] : first;
    return first;
}

/* Does the plan have the child of the edge after its parent? */
static bool keeps_edge(const struct br_plan *plan, const struct br_dag *dag,
                       const struct br_edge *edge)
{
    const struct br_stage *parent = &dag->stage[edge->parent], *child = &dag->stage[edge->child];
    if (edge->type == BR_BARRIER)
        return last_rank(plan, parent) < submit_first_rank(plan, child);
    for (uint32_t i = 0; i < parent->tasks; i++)
        if (plan->rank[parent->first_task + i] >= plan->rank[child->first_task + i])
            return false;
    return true;
}

/* Is it the plan of this job: as many tasks, each as long, and none before its parents? */
static enum br_status submit_check_plan(const struct br_plan *plan, const struct br_dag *dag,
                                        struct br_diag *diag)
{
    static const char hint[] = "plan this very job";
    for (uint32_t t = 0; t < dag->tasks && t < plan->tasks; t++) {
        const int64_t planned_ns = plan->end_ns[t] - plan->start_ns[t];
        char id[200];
        if (planned_ns == dag->duration_ns[t])
            continue;
        br_dag_task_id(dag, t, id, sizeof id);
        return br_fail(diag, BR_USAGE, hint,
                       "the plan is of another job: task %s lasts %.9g s in it, not %.9g s", id,
                       (double)planned_ns / 1e9, (double)dag->duration_ns[t] / 1e9);
    }
    for (uint32_t e = 0; e < dag->edges && plan->tasks == dag->tasks; e++)
        if (!keeps_edge(plan, dag, &dag->edge[e]))
            return br_fail(diag, BR_USAGE, hint,
                           "the plan is of another job: it starts '%s' before '%s', which it "
                           "waits for",
                           dag->stage[dag->edge[e].child].id, dag->stage[dag->edge[e].parent].id);
    return BR_OK;
}

enum br_status br_runtime_submit(struct br_runtime *runtime, const struct br_dag *dag,
                                 const struct br_plan *plan, uint32_t group,
                                 enum br_readiness readiness, uint32_t *number,
                                 struct br_diag *diag)
{
    BR_NEED(diag, runtime, dag, number);
    if (readiness != BR_READY_BY_EDGES && readiness != BR_READY_BY_EVENT)
        return br_fail(diag, BR_USAGE, "take a value of enum br_readiness",
                       "there is no readiness %d", (int)readiness);
    if (plan && dag->finished && submit_check_plan(plan, dag, diag))
        return BR_USAGE;
    return br_runtime_take(runtime, dag, plan, group, readiness, number, diag);
}
