/* Stages keep their tasks that have not ended. If a stage has begun, an edge from task to task no
 * longer joins equal stages, so both of its ends become stages of one task each. */
#include "runtime/replanning/rest.h"

#include <bigrocks/runtime.h>
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/collections/sort.h"
#include "base/text/diag.h"

/* More edges than this between single tasks are too expensive. */
enum { EDGES_MOST = 2000000 };
/* A searched plan is followed if it is shorter by more than this share than that by longest paths.
 */
#define WORTH 0.05

/* ---- The rest as a job ---- */

struct making {
    const struct br_dag *dag;
    const struct br_rest *rest;
    struct br_dag *made;
    uint32_t *task; /* by task of the rest: its number in the job */
    uint32_t tasks;
    uint32_t *left;   /* by stage: tasks that have not ended */
    uint32_t *number; /* by stage: the rest's, of its first task if it is in single ones */
    bool *single;     /* by stage: every task is a stage of its own */
    struct br_diag *diag;
};

static bool rest_is_open(const struct making *making, uint32_t task)
{
    return making->rest->state[task] != BR_REST_ENDED;
}

/* Finds the stages to split; returns the number of edges between single tasks. An edge that becomes
 * single splits both its ends, which may spread along further edges. */
static double take_apart(struct making *making)
{
    const struct br_dag *dag = making->dag;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = 0; e < dag->edges; e++) {
            uint32_t a = dag->edge[e].parent, b = dag->edge[e].child;
            if (dag->edge[e].type != BR_ONE_TO_ONE || dag->stage[a].tasks == 1 ||
                !making->left[a] || !making->left[b] || (making->single[a] && making->single[b]))
                continue;
            if (making->single[a] || making->single[b] || making->left[a] < dag->stage[a].tasks) {
                making->single[a] = making->single[b] = true;
                changed = true;
            }
        }
    }
    double edges = 0;
    for (uint32_t e = 0; e < dag->edges; e++) {
        uint32_t a = dag->edge[e].parent, b = dag->edge[e].child;
        double from = making->single[a] ? making->left[a] : 1;
        double to = making->single[b] ? making->left[b] : 1;
        edges += dag->edge[e].type == BR_ONE_TO_ONE ? from : from * to;
    }
    return edges;
}

static enum br_status rest_add_demands(struct making *making, uint32_t s, uint32_t number)
{
    const struct br_dag *dag = making->dag;
    const struct br_stage *stage = &dag->stage[s];
    enum br_status status = BR_OK;
    char text[BR_DECIMAL_TEXT];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands && !status;
         d++) {
        br_decimal_format(dag->demand[d].amount, text, sizeof text);
        status = br_dag_add_demand(making->made, number,
                                   dag->resource[dag->demand[d].resource].name, text, making->diag);
    }
    return status;
}

static enum br_status rest_add_stage(struct making *making, uint32_t s)
{
    const struct br_stage *stage = &making->dag->stage[s];
    enum br_status status = BR_OK;
    uint32_t number = BR_ANY, index = 0;
    for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks && !status; t++) {
        char id[32];
        if (!rest_is_open(making, t))
            continue;
        int64_t ns = making->rest->duration_ns[t];
        if (number == BR_ANY || making->single[s]) {
            snprintf(id, sizeof id, "%" PRIu32, t);
            status = br_dag_add_stage(making->made, id, making->single[s] ? 1 : making->left[s], ns,
                                      &number, making->diag);
            if (!status)
                status = rest_add_demands(making, s, number);
            if (making->number[s] == BR_ANY)
                making->number[s] = number;
            index = 0;
        }
        if (!status)
            status = br_dag_set_duration(making->made, number, index++, ns, making->diag);
        making->task[making->tasks++] = t;
    }
    assert(status || making->number[s] != BR_ANY);
    return status;
}

/* The number of stages of single tasks at the stage's end of an edge; 1 if it is whole. */
static uint32_t ends_of(const struct making *making, uint32_t s)
{
    return making->single[s] ? making->left[s] : 1;
}

/* Between two tasks of equal index in stages of single tasks. */
static enum br_status add_twins(struct making *making, uint32_t a, uint32_t b)
{
    const struct br_stage *from = &making->dag->stage[a], *to = &making->dag->stage[b];
    uint32_t x = making->number[a], y = making->number[b];
    enum br_status status = BR_OK;
    for (uint32_t i = 0; i < from->tasks && !status; i++) {
        bool first = rest_is_open(making, from->first_task + i),
             second = rest_is_open(making, to->first_task + i);
        if (first && second)
            status = br_dag_add_edge(making->made, x, y, BR_BARRIER, making->diag);
        x += first;
        y += second;
    }
    return status;
}

static enum br_status rest_add_edge(struct making *making, const struct br_edge *edge)
{
    uint32_t a = edge->parent, b = edge->child;
    enum br_status status = BR_OK;
    if (!making->left[a] || !making->left[b])
        return BR_OK;
    bool twins = br_dag_is_paired(making->dag, edge);
    if (twins && making->single[a])
        return add_twins(making, a, b);
    for (uint32_t i = 0; i < ends_of(making, a); i++)
        for (uint32_t j = 0; j < ends_of(making, b) && !status; j++)
            status = br_dag_add_edge(making->made, making->number[a] + i, making->number[b] + j,
                                     twins ? BR_ONE_TO_ONE : BR_BARRIER, making->diag);
    return status;
}

static enum br_status rest_make(struct making *making)
{
    const struct br_dag *dag = making->dag;
    uint32_t left = 0;
    for (uint32_t s = 0; s < dag->stages; s++) {
        const struct br_stage *stage = &dag->stage[s];
        making->number[s] = BR_ANY;
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            making->left[s] += rest_is_open(making, t);
        left += making->left[s];
    }
    if (!left || take_apart(making) > EDGES_MOST)
        return BR_NO;
    enum br_status status = BR_OK;
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        if (making->left[s])
            status = rest_add_stage(making, s);
    assert(status || making->tasks == left);
    for (uint32_t e = 0; e < dag->edges && !status; e++)
        status = rest_add_edge(making, &dag->edge[e]);
    return status ? status : br_dag_finish(making->made, making->diag);
}

enum br_status br_rest_job(const struct br_dag *dag, const struct br_rest *rest,
                           struct br_dag **made, uint32_t **task, struct br_diag *diag)
{
    struct br_arena arena = {0};
    struct making making = {.dag = dag, .rest = rest, .diag = diag};
    making.made = br_dag_create(dag->name);
    making.task = malloc(((size_t)dag->tasks + 1) * sizeof *making.task);
    making.left = br_arena_array(&arena, dag->stages, sizeof *making.left);
    making.number = br_arena_array(&arena, dag->stages, sizeof *making.number);
    making.single = br_arena_array(&arena, dag->stages, sizeof *making.single);
    bool room = making.made && making.task && making.left && making.number && making.single;
    enum br_status status = room ? rest_make(&making) : br_fail_memory(diag);
    br_arena_finish(&arena);
    if (status) {
        br_dag_destroy(making.made);
        free(making.task);
        making.made = NULL;
        making.task = NULL;
    }
    *made = making.made;
    *task = making.task;
    return status;
}

/* ---- The order of all tasks ---- */

/* A lower class comes first. */
enum class { ENDED, RUNNING, PILOT, OTHER };

/* Ranks the plan's tasks by class, then by `place`; starts and makespan are set already. */
static enum br_status rest_rank(struct br_plan *plan, const uint8_t *class, const uint32_t *place,
                                struct br_diag *diag)
{
    struct br_sort_item *item = malloc((2 * (size_t)plan->tasks + 1) * sizeof *item);
    if (!item)
        return br_fail_memory(diag);
    for (uint32_t t = 0; t < plan->tasks; t++)
        item[t] = (struct br_sort_item){(uint64_t) class[t] << 32 | place[t], t};
    br_sort(item, item + plan->tasks, plan->tasks);
    for (uint32_t k = 0; k < plan->tasks; k++) {
        plan->order[k] = item[k].item;
        plan->rank[item[k].item] = k + 1;
    }
    free(item);
    memset(plan->machine, 0xff, plan->tasks * sizeof *plan->machine); /* none of the cluster's */
    return BR_OK;
}

struct ordering {
    struct br_plan *plan;
    uint8_t *class;
    uint32_t *place;
};

static bool open_order(struct ordering *ordering, uint32_t tasks)
{
    *ordering = (struct ordering){br_plan_create(tasks), calloc((size_t)tasks + 1, 1),
                                  calloc((size_t)tasks + 1, sizeof *ordering->place)};
    return ordering->plan && ordering->class && ordering->place;
}

static void close_order(struct ordering *ordering, enum br_status status, struct br_plan **plan)
{
    free(ordering->class);
    free(ordering->place);
    if (status)
        br_plan_destroy(ordering->plan);
    *plan = status ? NULL : ordering->plan;
}

static enum br_status rest_merge(const struct br_rest *rest, const struct br_plan *of_rest,
                                 const uint32_t *task, struct ordering *ordering,
                                 struct br_diag *diag)
{
    struct br_plan *plan = ordering->plan;
    for (uint32_t k = 0; k < of_rest->tasks; k++) {
        uint32_t t = task[k];
        assert(t < plan->tasks);
        bool runs = rest->state[t] == BR_REST_RUNNING;
        ordering->class[t] = runs ? RUNNING : rest->pilot && rest->pilot[t] ? PILOT : OTHER;
        ordering->place[t] = of_rest->rank[k];
        plan->start_ns[t] = rest->now_ns + (runs ? 0 : of_rest->start_ns[k]);
        plan->end_ns[t] = plan->start_ns[t] + rest->duration_ns[t];
    }
    plan->makespan_ns = rest->now_ns + of_rest->makespan_ns;
    return rest_rank(plan, ordering->class, ordering->place, diag);
}

/* Plans the rest by its search, and by longest paths. Expected durations are wrong, and a plan that
 * starts the tasks of a long path no sooner than necessary suffers from it. So longest paths are
 * followed unless the search is better by more than a share. */
static enum br_status plan_sturdily(const struct br_dag *job, const struct br_cluster *cluster,
                                    const struct br_plan_options *options, struct br_plan **plan,
                                    struct br_diag *diag)
{
    struct br_plan_options by_paths = *options;
    struct br_plan *sturdy = NULL;
    by_paths.method = "cp";
    enum br_status status = br_plan_make(job, cluster, options, plan, diag);
    if (!status)
        status = br_plan_make(job, cluster, &by_paths, &sturdy, diag);
    bool follow =
        !status && (double)sturdy->makespan_ns <= (1 + WORTH) * (double)(*plan)->makespan_ns;
    br_plan_destroy(follow || status ? *plan : sturdy);
    if (follow || status)
        *plan = status ? NULL : sturdy;
    return status;
}

enum br_status br_rest_plan(const struct br_dag *dag, const struct br_cluster *cluster,
                            const struct br_rest *rest, const struct br_plan_options *options,
                            struct br_plan **plan, struct br_diag *diag)
{
    struct br_dag *job = NULL;
    struct br_plan *of_rest = NULL;
    struct ordering ordering = {0};
    uint32_t *task = NULL;
    *plan = NULL;
    enum br_status status = br_rest_job(dag, rest, &job, &task, diag);
    if (!status)
        status = plan_sturdily(job, cluster, options, &of_rest, diag);
    if (!status && !open_order(&ordering, dag->tasks))
        status = br_fail_memory(diag);
    if (!status)
        status = rest_merge(rest, of_rest, task, &ordering, diag);
    close_order(&ordering, status, plan);
    br_plan_destroy(of_rest);
    br_dag_destroy(job);
    free(task);
    return status;
}

enum br_status br_rest_order(const struct br_dag *dag, const struct br_plan *whole,
                             const bool *pilot, struct br_plan **plan, struct br_diag *diag)
{
    struct ordering ordering;
    enum br_status status = open_order(&ordering, dag->tasks) ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; t < dag->tasks && !status; t++) {
        ordering.class[t] = pilot[t] ? PILOT : OTHER;
        ordering.place[t] = whole->rank[t];
        ordering.plan->start_ns[t] = whole->start_ns[t];
        ordering.plan->end_ns[t] = whole->end_ns[t];
    }
    if (!status) {
        ordering.plan->makespan_ns = whole->makespan_ns;
        ordering.plan->lower_bound_ns = whole->lower_bound_ns;
        ordering.plan->bound_method = "";
        ordering.plan->method = "";
        ordering.plan->counters = whole->counters;
        status = rest_rank(ordering.plan, ordering.class, ordering.place, diag);
    }
    close_order(&ordering, status, plan);
    return status;
}
