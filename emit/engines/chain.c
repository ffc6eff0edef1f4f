/* Chains of tasks that pass their room on: a plan as a partial order that keeps all limits for any
 * durations. [Policella04] Differs: amounts of several resources are passed on at once, and the
 * room of parents is taken first, since that needs no new edge. */
#include <assert.h>
#include <stdlib.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "emit/engines/limits.h"

/* Room of a resource that a task hands on when it ends. */
struct room {
    int64_t free_ns; /* the task's end */
    uint32_t rank;
};

static int is_sooner(const void *none, const struct room *a, const struct room *b)
{
    (void)none;
    return a->free_ns != b->free_ns ? a->free_ns < b->free_ns : a->rank < b->rank;
}

BR_HEAP(rooms, struct room, const void *, is_sooner, 4)

struct chaining {
    const struct br_limits *limits;
    const struct br_emit_input *input;
    const struct br_parents *parents;
    enum br_chain_place place;
    unsigned keeps;
    /* By limit, then by task. */
    int64_t *held;     /* what the task still has for later tasks */
    struct room *heap; /* the tasks that hold something, and some that no longer do */
    /* By limit. */
    int64_t *unused, *capacity;
    uint32_t *size;
    /* By task and by stage: 1 + the number of a task that is known to wait for it. */
    uint32_t *known, *known_stage;
    uint32_t *asked; /* the tasks for which the task at hand waits in any case, each once */
    uint32_t asks;
    uint32_t *pair; /* before and after */
    uint32_t pairs, room;
};

static int64_t chain_capacity_of(const struct chaining *by, const struct br_limit *limit,
                                 uint32_t machine)
{
    const struct br_cluster *cluster = by->input->cluster;
    int64_t amount;
    if (by->place != BR_CHAIN_MACHINE)
        return by->place == BR_CHAIN_HOST ? limit->most : limit->total;
    struct br_decimal value =
        br_cluster_capacity(cluster, br_cluster_machine_class(cluster, machine),
                            by->input->dag->resource[limit->resource].name);
    return br_decimal_scale(value, limit->digits, &amount) ? amount : INT64_MAX;
}

static void ask(struct chaining *by, uint32_t task, uint32_t before)
{
    assert(by->asks < by->input->plan->tasks && before != task);
    by->known[before] = task + 1;
    by->asked[by->asks++] = before;
}

/* Finds the tasks for which the task waits by the job's edges. Stages for which it waits as a whole
 * are only marked. */
static void ask_parents(struct chaining *by, uint32_t task, uint32_t stage)
{
    const struct br_dag *dag = by->input->dag;
    by->asks = 0;
    for (uint32_t k = by->parents->first[stage]; k < by->parents->first[stage + 1]; k++) {
        const struct br_edge *edge = &dag->edge[by->parents->edge[k]];
        const struct br_stage *parent = &dag->stage[edge->parent];
        if (parent->tasks > 1 && !br_dag_is_paired(dag, edge)) {
            by->known_stage[edge->parent] = task + 1;
            continue;
        }
        uint32_t index = parent->tasks > 1 ? task - dag->stage[stage].first_task : 0;
        if (by->known[parent->first_task + index] != task + 1)
            ask(by, task, parent->first_task + index);
    }
}

static int64_t chain_take(int64_t *from, int64_t need)
{
    int64_t taken = *from < need ? *from : need;
    assert(taken >= 0);
    *from -= taken;
    return need - taken;
}

static bool is_here(const struct chaining *by, uint32_t task, uint32_t other)
{
    return by->place != BR_CHAIN_MACHINE ||
           by->input->plan->machine[task] == by->input->plan->machine[other];
}

static bool seat(struct chaining *by, uint32_t l, uint32_t task, int64_t need)
{
    const struct br_plan *plan = by->input->plan;
    int64_t *held = by->held + (size_t)l * plan->tasks;
    struct room *heap = by->heap + (size_t)l * plan->tasks;
    int64_t wanted = need = need < by->capacity[l] ? need : by->capacity[l];
    for (uint32_t k = 0; k < by->asks && need; k++)
        if (is_here(by, task, by->asked[k]))
            need = chain_take(&held[by->asked[k]], need);
    need = chain_take(&by->unused[l], need);
    while (need) {
        assert(by->size[l]); /* unused and held amounts add up to the capacity */
        uint32_t before = plan->order[heap[0].rank - 1];
        if (!held[before]) {
            rooms_pop(NULL, heap, &by->size[l]);
            continue;
        }
        need = chain_take(&held[before], need);
        if (by->known[before] == task + 1 ||
            by->known_stage[br_dag_task_stage(by->input->dag, before)] == task + 1)
            continue;
        ask(by, task, before);
        if (!br_grow(&by->pair, by->pairs + 1, &by->room, sizeof *by->pair))
            return false;
        assert(plan->rank[before] < plan->rank[task]);
        by->pair[by->pairs++] = before;
        by->pair[by->pairs++] = task;
    }
    held[task] = wanted;
    if (wanted)
        rooms_push(NULL, heap, &by->size[l], (struct room){plan->end_ns[task], plan->rank[task]});
    return true;
}

static bool seat_task(struct chaining *by, uint32_t task)
{
    const struct br_dag *dag = by->input->dag;
    uint32_t stage = br_dag_task_stage(dag, task);
    ask_parents(by, task, stage);
    for (uint32_t l = 0; l < by->limits->count; l++) {
        int64_t need = br_limit_demand(&by->limits->limit[l], dag, stage);
        if (need && by->capacity[l] != INT64_MAX && !seat(by, l, task, need))
            return false;
    }
    return true;
}

static void begin_place(struct chaining *by, uint32_t machine)
{
    for (uint32_t l = 0; l < by->limits->count; l++) {
        const struct br_limit *limit = &by->limits->limit[l];
        by->capacity[l] =
            br_limit_is_kept(limit, by->keeps) ? chain_capacity_of(by, limit, machine) : INT64_MAX;
        by->unused[l] = by->capacity[l];
        by->size[l] = 0;
    }
}

/* The tasks by machine, then by rank; *order is the caller's. */
static bool sort_tasks(const struct chaining *by, uint32_t **order)
{
    const struct br_plan *plan = by->input->plan;
    uint32_t machines = by->place == BR_CHAIN_MACHINE ? by->input->cluster->machines : 1;
    uint32_t *first = calloc(br_csr_room(machines), sizeof *first);
    *order = calloc((size_t)plan->tasks + 1, sizeof **order);
    bool good = first && *order;
    for (uint32_t t = 0; t < plan->tasks && good; t++)
        br_csr_count(first, machines > 1 ? plan->machine[t] : 0);
    if (good)
        br_csr_sum(first, machines);
    for (uint32_t k = 0; k < plan->tasks && good; k++) {
        uint32_t task = plan->order[k];
        (*order)[br_csr_place(first, machines > 1 ? plan->machine[task] : 0)] = task;
    }
    assert(!good || first[machines] == plan->tasks);
    free(first);
    return good;
}

static bool seat_all(struct chaining *by)
{
    const struct br_plan *plan = by->input->plan;
    uint32_t *order;
    bool good = sort_tasks(by, &order);
    for (uint32_t k = 0; k < plan->tasks && good; k++) {
        if (k == 0 || !is_here(by, order[k - 1], order[k]))
            begin_place(by, plan->machine[order[k]]);
        good = seat_task(by, order[k]);
    }
    free(order);
    return good;
}

/* Sorts the pairs by their later task, ties by when they were found. */
static bool sort_pairs(const struct chaining *by, struct br_chain *chain)
{
    uint32_t tasks = by->input->plan->tasks;
    assert(by->pairs % 2 == 0);
    chain->first = calloc(br_csr_room(tasks), sizeof *chain->first);
    chain->before = calloc((size_t)by->pairs / 2 + 1, sizeof *chain->before);
    if (!chain->first || !chain->before)
        return false;
    for (uint32_t p = 0; p < by->pairs; p += 2)
        br_csr_count(chain->first, by->pair[p + 1]);
    br_csr_sum(chain->first, tasks);
    for (uint32_t p = 0; p < by->pairs; p += 2)
        chain->before[br_csr_place(chain->first, by->pair[p + 1])] = by->pair[p];
    assert(chain->first[tasks] == by->pairs / 2);
    return true;
}

/* Ranks that go against an edge would close a circle with the chains. */
static enum br_status check_ranks(const struct br_emit_input *input,
                                  const struct br_parents *parents, struct br_diag *diag)
{
    const struct br_dag *dag = input->dag;
    const uint32_t *rank = input->plan->rank;
    uint32_t *last = calloc((size_t)dag->stages + 1, sizeof *last); /* by stage: its largest rank */
    enum br_status status = last ? BR_OK : br_fail_memory(diag);
    for (uint32_t t = 0; t < dag->tasks && !status; t++) {
        uint32_t stage = br_dag_task_stage(dag, t);
        last[stage] = rank[t] > last[stage] ? rank[t] : last[stage];
    }
    for (uint32_t s = 0; s < dag->stages && !status; s++)
        for (uint32_t k = parents->first[s]; k < parents->first[s + 1] && !status; k++) {
            const struct br_edge *edge = &dag->edge[parents->edge[k]];
            const struct br_stage *stage = &dag->stage[s], *parent = &dag->stage[edge->parent];
            bool pairs = br_dag_is_paired(dag, edge);
            for (uint32_t i = 0; i < stage->tasks && !status; i++)
                if (rank[stage->first_task + i] <=
                    (pairs ? rank[parent->first_task + i] : last[edge->parent]))
                    status =
                        br_fail(diag, BR_BAD_INPUT, "see what 'bigrocks check' says of the plan",
                                "the plan's order has stage '%s' before its parent '%s'", stage->id,
                                parent->id);
        }
    free(last);
    return status;
}

enum br_status br_chain_init(struct br_chain *chain, const struct br_limits *limits,
                             const struct br_emit_input *input, const struct br_parents *parents,
                             enum br_chain_place place, unsigned keeps, struct br_diag *diag)
{
    enum br_status status = check_ranks(input, parents, diag);
    *chain = (struct br_chain){0};
    if (status)
        return status;
    size_t tasks = input->plan->tasks, all = limits->count * tasks + 1;
    struct chaining by = {.limits = limits,
                          .input = input,
                          .parents = parents,
                          .place = place,
                          .keeps = keeps,
                          .held = calloc(all, sizeof *by.held),
                          .heap = calloc(all, sizeof *by.heap),
                          .unused = calloc(limits->count + 1, sizeof *by.unused),
                          .capacity = calloc(limits->count + 1, sizeof *by.capacity),
                          .size = calloc(limits->count + 1, sizeof *by.size),
                          .known = calloc(tasks + 1, sizeof *by.known),
                          .known_stage = calloc((size_t)input->dag->stages + 1, sizeof *by.known),
                          .asked = calloc(tasks + 1, sizeof *by.asked)};
    bool good = by.held && by.heap && by.unused && by.capacity && by.size && by.known &&
                by.known_stage && by.asked && seat_all(&by) && sort_pairs(&by, chain);
    free(by.held);
    free(by.heap);
    free(by.unused);
    free(by.capacity);
    free(by.size);
    free(by.known);
    free(by.known_stage);
    free(by.asked);
    free(by.pair);
    return good ? BR_OK : br_fail_memory(diag); /* the caller finishes it */
}

void br_chain_finish(struct br_chain *chain)
{
    free(chain->first);
    free(chain->before);
    *chain = (struct br_chain){0};
}
