/* Orders of all tasks. A barrier is followed once a stage, so that it costs nothing per pair of
 * tasks. */
#include "planner/model/task_order.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

/* The edges of every stage at one end. */
struct ends {
    uint32_t *first, *edge;
};

static bool list_ends(struct ends *ends, const struct br_dag *dag, enum br_edge_end end)
{
    *ends = (struct ends){br_calloc(br_csr_room(dag->stages), sizeof *ends->first),
                          br_malloc(((size_t)dag->edges + 1) * sizeof *ends->edge)};
    if (!ends->first || !ends->edge)
        return false;
    br_dag_list_edges(dag, end, ends->first, ends->edge);
    return true;
}

static void free_ends(struct ends *ends)
{
    br_free(ends->first);
    br_free(ends->edge);
}

/* ---- By longest paths ---- */

static int64_t task_order_sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* The longest path from the start of every task of the stage. longest: by stage, the longest of
 * its tasks; known for the children. Returns that of this one. */
static int64_t find_paths(const struct br_dag *dag, const struct ends *children, uint32_t s,
                          const int64_t *longest, int64_t *path)
{
    const struct br_stage *stage = &dag->stage[s];
    const uint32_t first = stage->first_task, end = first + stage->tasks;
    int64_t all = 0, most = 0;
    for (uint32_t k = children->first[s]; k < children->first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[children->edge[k]];
        if (!br_dag_is_paired(dag, edge) && longest[edge->child] > all)
            all = longest[edge->child];
    }
    for (uint32_t t = first; t < end; t++)
        path[t] = all;
    for (uint32_t k = children->first[s]; k < children->first[s + 1]; k++) {
        const struct br_edge *edge = &dag->edge[children->edge[k]];
        for (uint32_t t = first; br_dag_is_paired(dag, edge) && t < end; t++) {
            const int64_t behind = path[dag->stage[edge->child].first_task + t - first];
            path[t] = behind > path[t] ? behind : path[t];
        }
    }
    for (uint32_t t = first; t < end; t++) {
        path[t] = task_order_sum(path[t], dag->duration_ns[t]);
        most = path[t] > most ? path[t] : most;
    }
    return most;
}

bool br_dag_order_by_paths(const struct br_dag *dag, uint32_t *order)
{
    struct ends children = {0};
    int64_t *path = br_malloc(((size_t)dag->tasks + 1) * sizeof *path);
    int64_t *longest = br_malloc(((size_t)dag->stages + 1) * sizeof *longest);
    struct br_sort_item *item = br_malloc((2 * (size_t)dag->tasks + 1) * sizeof *item);
    bool ok = path && longest && item && list_ends(&children, dag, BR_EDGE_PARENT);
    for (uint32_t p = dag->stages; ok && p-- > 0;) {
        const uint32_t s = dag->topological[p];
        longest[s] = find_paths(dag, &children, s, longest, path);
    }
    uint32_t used = 0;
    for (uint32_t p = 0; ok && p < dag->stages; p++) {
        const struct br_stage *stage = &dag->stage[dag->topological[p]];
        for (uint32_t t = stage->first_task; t < stage->first_task + stage->tasks; t++)
            item[used++] = (struct br_sort_item){~br_sort_key(path[t]), t};
    }
    assert(!ok || used == dag->tasks);
    if (ok)
        br_sort(item, item + dag->tasks, dag->tasks);
    for (uint32_t k = 0; ok && k < dag->tasks; k++)
        order[k] = item[k].item;
    free_ends(&children);
    br_free(path);
    br_free(longest);
    br_free(item);
    return ok;
}

uint32_t *br_dag_places(const struct br_dag *dag, const uint32_t *order)
{
    uint32_t *place = br_malloc(((size_t)dag->tasks + 1) * sizeof *place);
    for (uint32_t k = 0; place && k < dag->tasks; k++)
        place[order[k]] = k;
    return place;
}

/* ---- From a list of some tasks ---- */

struct completion {
    const struct br_dag *dag;
    struct ends parents;
    uint32_t *listed; /* by task: its place in the list from 1 on; 0: not there */
    uint32_t *place;  /* by task, in the order of the rest */
    bool *taken;      /* by task: in the order, or about to be */
    bool *whole;      /* by stage: all of its tasks are taken */
    uint32_t *order, count;
    struct br_diag *diag;
};

static enum br_status refuse_listed(struct completion *c, uint32_t task, const char *hint,
                                    const char *format)
{
    char id[300];
    br_dag_task_id(c->dag, task, id, sizeof id);
    return br_fail(c->diag, BR_BAD_INPUT, hint, format, c->listed[task], id);
}

/* Takes the task, unless the list has it further down than `child`, which waits for it. */
static enum br_status take_parent(struct completion *c, uint32_t child, uint32_t task)
{
    char id[300], after[300];
    if (c->taken[task])
        return BR_OK;
    if (c->listed[task]) {
        br_dag_task_id(c->dag, task, id, sizeof id);
        br_dag_task_id(c->dag, child, after, sizeof after);
        return br_fail(c->diag, BR_BAD_INPUT, "list it ahead of the tasks that wait for it",
                       "task '%.120s', number %" PRIu32 " of the list, has to come before number "
                       "%" PRIu32 ", '%.120s', which waits for it",
                       id, c->listed[task], c->listed[child], after);
    }
    c->taken[task] = true;
    c->order[c->count++] = task;
    return BR_OK;
}

/* Takes those parents of the task that are not taken yet, for `child` of the list. */
static enum br_status take_parents(struct completion *c, uint32_t child, uint32_t task)
{
    const struct br_dag *dag = c->dag;
    const uint32_t s = br_dag_task_stage(dag, task);
    enum br_status status = BR_OK;
    for (uint32_t k = c->parents.first[s]; k < c->parents.first[s + 1] && !status; k++) {
        const struct br_edge *edge = &dag->edge[c->parents.edge[k]];
        const struct br_stage *parent = &dag->stage[edge->parent];
        if (br_dag_is_paired(dag, edge)) {
            status = take_parent(c, child, parent->first_task + task - dag->stage[s].first_task);
            continue;
        }
        for (uint32_t i = 0; !c->whole[edge->parent] && i < parent->tasks && !status; i++)
            status = take_parent(c, child, parent->first_task + i);
        c->whole[edge->parent] |= !status;
    }
    return status;
}

static int by_place(const void *a, const void *b, void *context)
{
    const uint32_t *place = context;
    const uint32_t x = place[*(const uint32_t *)a], y = place[*(const uint32_t *)b];
    return x < y ? -1 : x > y;
}

/* Takes the task of the list, and before it its ancestors, in the order of the rest. */
static enum br_status take_listed(struct completion *c, uint32_t task)
{
    const uint32_t before = c->count;
    enum br_status status = take_parents(c, task, task);
    for (uint32_t k = before; k < c->count && !status; k++)
        status = take_parents(c, task, c->order[k]);
    if (status)
        return status;
    br_sort_within(c->order + before, c->count - before, sizeof *c->order, by_place, c->place);
    c->taken[task] = true;
    c->order[c->count++] = task;
    return BR_OK;
}

static enum br_status task_order_complete(struct completion *c, const uint32_t *listed,
                                          uint32_t count, const uint32_t *rest)
{
    const struct br_dag *dag = c->dag;
    enum br_status status = BR_OK;
    for (uint32_t k = 0; k < count; k++) {
        if (listed[k] >= dag->tasks)
            return br_fail(c->diag, BR_USAGE, "tasks count from 0",
                           "the list has task %" PRIu32 ", and the job %" PRIu32 " tasks",
                           listed[k], dag->tasks);
        if (c->listed[listed[k]])
            return refuse_listed(c, listed[k], "leave it out the second time",
                                 "number %" PRIu32 " of the list, task '%.200s', is there twice");
        c->listed[listed[k]] = k + 1;
    }
    if (rest)
        memcpy(c->order, rest, dag->tasks * sizeof *rest);
    else if (!br_dag_order_by_paths(dag, c->order))
        return br_fail_memory(c->diag);
    for (uint32_t k = 0; k < dag->tasks; k++) {
        if (c->order[k] >= dag->tasks || c->place[c->order[k]])
            return br_fail(c->diag, BR_USAGE, "give every task once",
                           "the order of the rest is no order of the job's tasks");
        c->place[c->order[k]] = k + 1;
    }
    for (uint32_t k = 0; k < count && !status; k++)
        status = take_listed(c, listed[k]);
    if (status)
        return status;
    const uint32_t before = c->count;
    for (uint32_t t = 0; t < dag->tasks; t++)
        if (!c->taken[t])
            c->order[c->count++] = t;
    assert(c->count == dag->tasks);
    br_sort_within(c->order + before, c->count - before, sizeof *c->order, by_place, c->place);
    return BR_OK;
}

enum br_status br_dag_complete_order(const struct br_dag *dag, const uint32_t *listed,
                                     uint32_t count, const uint32_t *rest, uint32_t *order,
                                     struct br_diag *diag)
{
    BR_NEED(diag, dag, order);
    if (count && !listed)
        return br_fail(diag, BR_USAGE, "give the tasks", "the list of tasks is missing");
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    if (count > dag->tasks)
        return br_fail(diag, BR_BAD_INPUT, "list every task once at most",
                       "the list has %" PRIu32 " tasks, and the job %" PRIu32, count, dag->tasks);
    struct completion c = {
        .dag = dag,
        .listed = br_calloc((size_t)dag->tasks + 1, sizeof *c.listed),
        .place = br_calloc((size_t)dag->tasks + 1, sizeof *c.place),
        .taken = br_calloc((size_t)dag->tasks + 1, sizeof *c.taken),
        .whole = br_calloc((size_t)dag->stages + 1, sizeof *c.whole),
        .order = order,
        .diag = diag,
    };
    const bool room =
        c.listed && c.place && c.taken && c.whole && list_ends(&c.parents, dag, BR_EDGE_CHILD);
    enum br_status status =
        room ? task_order_complete(&c, listed, count, rest) : br_fail_memory(diag);
    br_free(c.listed);
    br_free(c.place);
    br_free(c.taken);
    br_free(c.whole);
    free_ends(&c.parents);
    return status;
}

enum br_status br_dag_check_order(const struct br_dag *dag, const uint32_t *order,
                                  struct br_diag *diag)
{
    uint32_t *whole = br_malloc(((size_t)dag->tasks + 1) * sizeof *whole);
    enum br_status status = whole ? br_dag_complete_order(dag, order, dag->tasks, NULL, whole, diag)
                                  : br_fail_memory(diag);
    br_free(whole);
    if (status == BR_BAD_INPUT) {
        status = BR_USAGE; /* an option, and no file */
        if (diag)
            diag->status = status;
    }
    return status;
}
