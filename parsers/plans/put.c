/* The rows of a plan: every task once, with the ranks 1 to n. */
#include "parsers/plans/put.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

struct br_plan *br_plan_empty(const struct br_dag *dag)
{
    const uint32_t tasks = dag->tasks;
    struct br_plan *plan = br_plan_create(tasks);
    if (!plan)
        return NULL;
    struct br_plan_stated *stated = br_arena_array(&plan->arena, 1, sizeof *stated);
    if (stated)
        stated->task = br_arena_array(&plan->arena, tasks, sizeof *stated->task);
    if (!stated || !stated->task || !br_plan_allow_alternatives(plan, dag)) {
        br_plan_destroy(plan);
        return NULL;
    }
    for (uint32_t t = 0; t < tasks; t++)
        stated->task[t] =
            (struct br_stated_task){(double)NAN, BR_STATED_NO_TIME, BR_STATED_NO_TIME};
    plan->stated = stated;
    memset(plan->order, 0xff, tasks * sizeof *plan->order);
    return plan;
}

enum br_status br_plan_find_alternative(const struct br_dag *dag, uint32_t task, const char *id,
                                        uint32_t *alternative, struct br_diag *diag)
{
    *alternative = 0;
    if (!id && !dag->alternatives)
        return BR_OK;
    const uint32_t stage = br_dag_task_stage(dag, task);
    if (!id && !br_alternatives_of(dag, stage))
        return BR_OK;
    if (!id)
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                       "a task of stage '%.80s' says none of its alternatives",
                       dag->stage[stage].id);
    *alternative = br_alternative_find(dag, stage, id);
    if (*alternative == UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                       "a task of stage '%.80s' runs by '%.80s', which is none of its alternatives",
                       dag->stage[stage].id, id);
    return BR_OK;
}

enum br_status br_plan_put(struct br_plan *plan, const struct br_plan_row *row,
                           struct br_diag *diag)
{
    const uint64_t rank = row->rank;
    assert(row->task < plan->tasks);
    if (row->subset && (strlen(row->subset) != 1 || !strchr("TSPC", *row->subset)))
        return br_fail(diag, BR_BAD_INPUT, "subsets are T, S, P and C", "'%.80s' is no subset",
                       row->subset);
    if (rank == 0)
        return br_fail(diag, BR_BAD_INPUT, "ranks count from 1", "a task has rank 0");
    if (rank > plan->tasks)
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                       "a task has rank %" PRIu64 ", and the job %" PRIu32 " tasks", rank,
                       plan->tasks);
    if (plan->rank[row->task])
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE,
                       "the task is there twice, also with rank %" PRIu32, plan->rank[row->task]);
    if (plan->order[rank - 1] != UINT32_MAX)
        return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "two tasks have rank %" PRIu64, rank);
    plan->start_ns[row->task] = row->start_ns;
    plan->end_ns[row->task] = row->end_ns;
    plan->machine[row->task] = row->machine;
    if (plan->alternative)
        plan->alternative[row->task] = row->alternative;
    plan->rank[row->task] = (uint32_t)rank;
    plan->subset[row->task] = 'S';
    if (row->subset)
        plan->subset[row->task] = *row->subset;
    plan->order[rank - 1] = row->task;
    return BR_OK;
}

enum br_status br_plan_check_rows(const struct br_plan *plan, const struct br_dag *dag,
                                  struct br_diag *diag)
{
    for (uint32_t task = 0; task < plan->tasks; task++)
        if (plan->rank[task] == 0) {
            char id[200];
            br_dag_task_id(dag, task, id, sizeof id);
            return br_fail(diag, BR_BAD_INPUT, BR_PLAN_REWRITE, "task '%s' is not planned", id);
        }
    return BR_OK;
}
