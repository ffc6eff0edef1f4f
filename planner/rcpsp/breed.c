/* Children are lists, too: whatever order an operator asks for, a task is appended only after its
 * parents. A task that comes too early waits for the last of them, and then comes at once. */
#include "planner/rcpsp/breed.h"

#include <assert.h>
#include <string.h>

#include "base/collections/memory.h"

struct br_breed {
    const struct br_rcpsp_model *model;
    struct br_rcpsp_workspace *workspace;
    const struct br_reach *reach;
    uint32_t *waiting; /* by node: the number of nodes for which it still waits */
    uint32_t *stack;   /* nodes */
    bool *marked;      /* by task */
    uint32_t *list;
    int64_t *key;
    double *weight;
    /* The list that is being appended to. */
    uint32_t *out, filled;
};

struct br_breed *br_breed_create(const struct br_rcpsp_model *m,
                                 struct br_rcpsp_workspace *workspace, const struct br_reach *reach)
{
    struct br_breed *b = br_calloc(1, sizeof *b);
    if (!b)
        return NULL;
    size_t n = m->tasks, nodes = m->side[BR_FORWARD].nodes;
    b->model = m;
    b->workspace = workspace;
    b->reach = reach;
    b->waiting = br_malloc(nodes * sizeof *b->waiting);
    b->stack = br_malloc(nodes * sizeof *b->stack);
    b->marked = br_malloc(n * sizeof *b->marked);
    b->list = br_malloc(n * sizeof *b->list);
    b->key = br_malloc(n * sizeof *b->key);
    b->weight = br_malloc(n * sizeof *b->weight);
    if (b->waiting && b->stack && b->marked && b->list && b->key && b->weight)
        return b;
    br_breed_destroy(b);
    return NULL;
}

void br_breed_destroy(struct br_breed *b)
{
    if (!b)
        return;
    br_free(b->waiting);
    br_free(b->stack);
    br_free(b->marked);
    br_free(b->list);
    br_free(b->key);
    br_free(b->weight);
    br_free(b);
}

static void breed_begin(struct br_breed *b, uint32_t *out)
{
    const struct br_rcpsp_side *side = &b->model->side[BR_FORWARD];
    memcpy(b->waiting, side->waits, side->nodes * sizeof *b->waiting);
    memset(b->marked, 0, b->model->tasks * sizeof *b->marked);
    b->out = out;
    b->filled = 0;
}

/* Appends the task and the marked tasks that waited only for it; or leaves it waiting. */
static void breed_append(struct br_breed *b, uint32_t task)
{
    const struct br_rcpsp_side *side = &b->model->side[BR_FORWARD];
    uint32_t size = 0;
    b->marked[task] = true;
    if (b->waiting[task])
        return;
    b->stack[size++] = task;
    while (size) {
        uint32_t node = b->stack[--size];
        if (node < b->model->tasks)
            b->out[b->filled++] = node;
        for (uint32_t a = side->after_first[node]; a < side->after_first[node + 1]; a++) {
            uint32_t next = side->after[a];
            assert(b->waiting[next] > 0);
            if (--b->waiting[next] == 0 && (next >= b->model->tasks || b->marked[next]))
                b->stack[size++] = next;
        }
    }
}

void br_breed_list(struct br_breed *b, const int64_t *key, uint32_t *list)
{
    for (uint32_t t = 0; t < b->model->tasks; t++)
        b->list[t] = t;
    br_rcpsp_sort(b->workspace, b->list, key);
    breed_begin(b, list);
    for (uint32_t k = 0; k < b->model->tasks; k++)
        breed_append(b, b->list[k]);
    assert(b->filled == b->model->tasks);
}

int64_t br_breed_parallel(struct br_breed *b, struct br_rng *rng, double blur, uint32_t *list,
                          int64_t *start)
{
    const struct br_reach *reach = b->reach;
    double noise = blur * (double)reach->critical_path;
    for (uint32_t t = 0; t < b->model->tasks; t++) {
        double one = br_rng_unit(rng), other = br_rng_unit(rng);
        assert(reach->tail[t] <= reach->critical_path);
        double shift = noise * (1 - one - other);
        b->key[t] = 16 * (int64_t)((double)(reach->critical_path - reach->tail[t]) + noise + shift);
    }
    for (uint32_t t = 0; t < b->model->tasks; t++)
        b->list[t] = t;
    br_rcpsp_sort(b->workspace, b->list, b->key);
    int64_t makespan =
        br_rcpsp_parallel(b->workspace, BR_FORWARD, b->list, BR_RCPSP_NO_LIMIT, start);
    br_breed_list(b, start, list);
    return makespan;
}

void br_breed_serial(struct br_breed *b, struct br_rng *rng, uint32_t *list)
{
    const struct br_rcpsp_side *side = &b->model->side[BR_FORWARD];
    uint32_t tasks = b->model->tasks, ready = 0, *set = b->list;
    breed_begin(b, list);
    for (uint32_t t = 0; t < tasks; t++)
        if (b->waiting[t] == 0)
            set[ready++] = t;
    while (ready) {
        int64_t least = INT64_MAX;
        double sum = 0;
        for (uint32_t k = 0; k < ready; k++)
            if (b->reach->tail[set[k]] < least)
                least = b->reach->tail[set[k]];
        for (uint32_t k = 0; k < ready; k++) {
            double regret = (double)(b->reach->tail[set[k]] - least + 1);
            b->weight[k] = regret * regret;
            sum += b->weight[k];
        }
        double left = br_rng_unit(rng) * sum;
        uint32_t at = 0, size = 0;
        while (at + 1 < ready && (left -= b->weight[at]) > 0)
            at++;
        uint32_t task = set[at];
        set[at] = set[--ready];
        b->out[b->filled++] = task;
        b->stack[size++] = task;
        while (size) {
            uint32_t node = b->stack[--size];
            for (uint32_t a = side->after_first[node]; a < side->after_first[node + 1]; a++) {
                uint32_t next = side->after[a];
                if (--b->waiting[next])
                    continue;
                if (next < tasks)
                    set[ready++] = next;
                else
                    b->stack[size++] = next;
            }
        }
    }
    assert(b->filled == tasks);
}

void br_breed_two_point(struct br_breed *b, struct br_rng *rng, double shortest, double longest,
                        const uint32_t *mother, const uint32_t *father, uint32_t *child)
{
    uint32_t n = b->model->tasks, least = (uint32_t)(shortest * n), most = (uint32_t)(longest * n);
    most = most > n ? n : most;
    least = least > most ? most : least;
    uint32_t length = least + (uint32_t)br_rng_below(rng, most - least + 1);
    uint32_t from = (uint32_t)br_rng_below(rng, n - length + 1), to = from + length, k = 0;
    assert(from <= to && to <= n);
    memset(b->marked, 0, n * sizeof *b->marked);
    for (; k < from; k++)
        b->marked[child[k] = mother[k]] = true;
    for (uint32_t at = 0; k < to; at++)
        if (!b->marked[father[at]])
            b->marked[child[k++] = father[at]] = true;
    for (uint32_t at = from; k < n; at++)
        if (!b->marked[mother[at]])
            child[k++] = mother[at];
}

static bool waits_for(const struct br_rcpsp_side *side, uint32_t task, uint32_t node)
{
    for (uint32_t a = side->before_first[task]; a < side->before_first[task + 1]; a++)
        if (side->before[a] == node)
            return true;
    return false;
}

void br_breed_swap(struct br_breed *b, struct br_rng *rng, double swaps, uint32_t *list)
{
    const struct br_rcpsp_side *side = &b->model->side[BR_FORWARD];
    uint32_t n = b->model->tasks, times = (uint32_t)swaps;
    times += br_rng_unit(rng) < swaps - times;
    for (; times && n > 1; times--) {
        uint32_t k = (uint32_t)br_rng_below(rng, n - 1), first = list[k], second = list[k + 1];
        if (waits_for(side, second, first) ||
            (side->hub[first] && waits_for(side, second, side->hub[first])))
            continue;
        list[k] = second;
        list[k + 1] = first;
    }
}
