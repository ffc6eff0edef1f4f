/* Creating, ranking and reading plans. */
#include "planner/plan.h"

#include <stdlib.h>
#include <string.h>

struct br_plan *br_plan_create(uint32_t tasks)
{
    struct br_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return NULL;
    struct br_arena *arena = &plan->arena;
    plan->tasks = tasks;
    plan->method = "";
    plan->bound_method = "";
    plan->start_ns = br_arena_array(arena, tasks, sizeof *plan->start_ns);
    plan->end_ns = br_arena_array(arena, tasks, sizeof *plan->end_ns);
    plan->machine = br_arena_array(arena, tasks, sizeof *plan->machine);
    plan->rank = br_arena_array(arena, tasks, sizeof *plan->rank);
    plan->subset = br_arena_array(arena, tasks, sizeof *plan->subset);
    plan->order = br_arena_array(arena, tasks, sizeof *plan->order);
    if (!plan->start_ns || !plan->end_ns || !plan->machine || !plan->rank || !plan->subset ||
        !plan->order) {
        br_plan_destroy(plan);
        return NULL;
    }
    memset(plan->subset, 'S', tasks);
    return plan;
}

void br_plan_destroy(struct br_plan *plan)
{
    if (!plan)
        return;
    br_arena_finish(&plan->arena);
    free(plan);
}

struct rank_key {
    int64_t start_ns, duration_ns;
    uint32_t position, task;
};

static int by_start(const void *a, const void *b)
{
    const struct rank_key *x = a, *y = b;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    if (x->position != y->position)
        return x->position < y->position ? -1 : 1;
    if (x->duration_ns != y->duration_ns)
        return x->duration_ns > y->duration_ns ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

enum br_status br_plan_rank(struct br_plan *plan, const struct br_dag *dag, struct br_diag *diag)
{
    struct rank_key *key = malloc(((size_t)plan->tasks + 1) * sizeof *key);
    uint32_t *position = malloc(((size_t)dag->stages + 1) * sizeof *position);
    if (!key || !position) {
        free(key);
        free(position);
        return br_fail_memory(diag);
    }
    for (uint32_t k = 0; k < dag->stages; k++)
        position[dag->topological[k]] = k;
    plan->makespan_ns = 0;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            uint32_t t = dag->stage[s].first_task + i;
            plan->end_ns[t] = plan->start_ns[t] + dag->duration_ns[t];
            if (plan->end_ns[t] > plan->makespan_ns)
                plan->makespan_ns = plan->end_ns[t];
            key[t] = (struct rank_key){plan->start_ns[t], dag->duration_ns[t], position[s], t};
        }
    qsort(key, plan->tasks, sizeof *key, by_start);
    for (uint32_t k = 0; k < plan->tasks; k++) {
        plan->order[k] = key[k].task;
        plan->rank[key[k].task] = k + 1;
    }
    free(key);
    free(position);
    return BR_OK;
}

uint32_t br_plan_task_count(const struct br_plan *plan)
{
    return plan->tasks;
}

struct br_plan_task br_plan_of(const struct br_plan *plan, uint32_t task)
{
    return (struct br_plan_task){
        .task = task,
        .machine = plan->machine[task],
        .start_ns = plan->start_ns[task],
        .end_ns = plan->end_ns[task],
        .rank = plan->rank[task],
        .priority = (double)(plan->tasks - plan->rank[task] + 1) / plan->tasks,
        .subset = plan->subset[task],
    };
}

struct br_plan_task br_plan_at(const struct br_plan *plan, uint32_t k)
{
    return br_plan_of(plan, plan->order[k]);
}

int64_t br_plan_makespan_ns(const struct br_plan *plan)
{
    return plan->makespan_ns;
}

int64_t br_plan_lower_bound_ns(const struct br_plan *plan)
{
    return plan->lower_bound_ns;
}

const char *br_plan_bound_method(const struct br_plan *plan)
{
    return plan->bound_method;
}

double br_plan_gap(const struct br_plan *plan)
{
    if (plan->lower_bound_ns <= 0)
        return 0;
    return (double)plan->makespan_ns / (double)plan->lower_bound_ns - 1;
}

const char *br_plan_method(const struct br_plan *plan)
{
    return plan->method;
}

const char *br_plan_note(const struct br_plan *plan)
{
    return plan->note;
}

enum br_status br_plan_raise_bound(struct br_plan *plan, int64_t lower_bound_ns, const char *method,
                                   struct br_diag *diag)
{
    if (lower_bound_ns > plan->makespan_ns)
        return br_fail(diag, BR_SYSTEM, "report this: a bound or a plan is wrong",
                       "a lower bound of %.9f s is above the makespan of %.9f s",
                       (double)lower_bound_ns / 1e9, (double)plan->makespan_ns / 1e9);
    if (lower_bound_ns <= plan->lower_bound_ns)
        return BR_OK;
    char *copy = br_arena_text(&plan->arena, method);
    if (!copy)
        return br_fail_memory(diag);
    plan->lower_bound_ns = lower_bound_ns;
    plan->bound_method = copy;
    return BR_OK;
}
