/* The chains of [Policella04], for room that several tasks may hold together: an output is there
 * until the last of its readers has ended, so who takes its room waits for all of them. */
#include "planner/instance/handover.h"

#include <assert.h>
#include <string.h>

#include "base/collections/csr.h"
#include "base/collections/grow.h"
#include "base/collections/heap.h"
#include "base/collections/memory.h"
#include "base/collections/sort.h"

enum { PAIRS_MOST = 20000000 };
#define NO_OUTPUT UINT32_MAX

/* Room of the resource that is free from then on. */
struct part {
    int64_t free_ns;
    int64_t amount;
    uint32_t task, output; /* who had it: the output of that task, or its demand */
};

static int is_freed_before(const void *none, const struct part *a, const struct part *b)
{
    (void)none;
    if (a->free_ns != b->free_ns)
        return a->free_ns < b->free_ns;
    return a->task != b->task ? a->task < b->task : a->output < b->output;
}

BR_HEAP(parts, struct part, const void *, is_freed_before, 4)

struct pair {
    uint32_t after, before;
};

struct handing {
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    const struct br_plan *plan;
    const char *who;
    struct br_diag *diag;
    uint32_t resource;
    struct part *heap; /* of the resource */
    uint32_t parts, part_room;
    struct pair *pair;
    uint32_t pairs, pair_room;
};

static enum br_status fail_room(const struct handing *by, uint32_t task)
{
    char id[80];
    br_dag_task_id(by->dag, task, id, sizeof id);
    return br_fail(by->diag, BR_BAD_INPUT, "let outputs be held from their task's start",
                   "%s cannot keep the %.80s that is held: when task '%.80s' starts, the plan has "
                   "no room for what it takes and leaves",
                   by->who, by->dag->resource[by->resource].name, id);
}

static enum br_status add_pair(struct handing *by, uint32_t before, uint32_t after)
{
    if (before == after)
        return BR_OK;
    if (by->plan->rank[before] > by->plan->rank[after])
        return fail_room(by, after);
    if (by->pairs == PAIRS_MOST)
        return br_fail(by->diag, BR_BAD_INPUT, "run it by bigrocks on one machine",
                       "%s would need more than %d waits to keep what is held", by->who,
                       PAIRS_MOST);
    if (!br_grow(&by->pair, by->pairs, &by->pair_room, sizeof *by->pair))
        return br_fail_memory(by->diag);
    by->pair[by->pairs++] = (struct pair){after, before};
    return BR_OK;
}

/* The tasks that read the output of a task over an edge: `count` from the first on. */
static uint32_t readers_over(const struct br_dag *dag, const struct br_edge *edge, uint32_t task,
                             uint32_t *count)
{
    const struct br_stage *child = &dag->stage[edge->child];
    bool paired = br_dag_is_paired(dag, edge);
    *count = paired ? 1 : child->tasks;
    return child->first_task + (paired ? task - dag->stage[edge->parent].first_task : 0);
}

/* When the output of the task is free; INT64_MAX: never. */
static int64_t freed_ns(const struct handing *by, uint32_t task, uint32_t output)
{
    const struct br_storage *storage = by->dag->storage;
    int64_t free_ns = by->plan->end_ns[task];
    if (br_output_is_result(storage, output))
        return INT64_MAX;
    for (uint32_t k = storage->output_first[output]; k < storage->output_first[output + 1]; k++) {
        uint32_t count, first;
        first = readers_over(by->dag, &by->dag->edge[storage->readers[k]], task, &count);
        for (uint32_t t = first; t < first + count; t++)
            free_ns = by->plan->end_ns[t] > free_ns ? by->plan->end_ns[t] : free_ns;
    }
    return free_ns;
}

/* `after` waits for all who hold the part. */
static enum br_status wait_for(struct handing *by, const struct part *part, uint32_t after)
{
    const struct br_storage *storage = by->dag->storage;
    uint32_t o = part->output;
    if (o == NO_OUTPUT || storage->output_first[o] == storage->output_first[o + 1])
        return add_pair(by, part->task, after);
    enum br_status status = BR_OK;
    for (uint32_t k = storage->output_first[o]; k < storage->output_first[o + 1] && !status; k++) {
        uint32_t count, first;
        first = readers_over(by->dag, &by->dag->edge[storage->readers[k]], part->task, &count);
        for (uint32_t t = first; t < first + count && !status; t++)
            status = add_pair(by, t, after);
    }
    return status;
}

static enum br_status give(struct handing *by, struct part part)
{
    if (part.amount == 0 || part.free_ns == INT64_MAX)
        return BR_OK;
    if (!br_grow(&by->heap, by->parts, &by->part_room, sizeof *by->heap))
        return br_fail_memory(by->diag);
    parts_push(NULL, by->heap, &by->parts, part);
    return BR_OK;
}

/* Takes the amount for the task, from what is free first. */
static enum br_status take(struct handing *by, uint32_t task, int64_t amount, int64_t *unused)
{
    int64_t fresh = amount < *unused ? amount : *unused;
    enum br_status status = BR_OK;
    *unused -= fresh;
    amount -= fresh;
    while (amount > 0 && !status) {
        if (by->parts == 0 || by->heap[0].free_ns > by->plan->start_ns[task])
            return fail_room(by, task);
        struct part part = parts_pop(NULL, by->heap, &by->parts);
        int64_t taken = part.amount < amount ? part.amount : amount;
        amount -= taken;
        part.amount -= taken;
        status = wait_for(by, &part, task);
        if (!status)
            status = give(by, part);
    }
    return status;
}

/* ---- A resource ---- */

struct scale {
    uint32_t resource;
    int32_t digits;
    int64_t unused;
};

static void widen(struct scale *scale, struct br_decimal amount)
{
    if (-amount.exponent > scale->digits)
        scale->digits = -amount.exponent;
}

static enum br_status find_scale(const struct handing *by, struct scale *scale)
{
    const struct br_dag *dag = by->dag;
    const char *name = dag->resource[scale->resource].name;
    const struct br_capacity *shared = br_cluster_shared(by->cluster, name);
    if (!shared && br_cluster_machine_count(by->cluster) > 1)
        return br_fail(by->diag, BR_BAD_INPUT,
                       "make it a shared resource if all machines see it, by --shared",
                       "%s does not keep tasks on the plan's machines, so it cannot keep what is "
                       "held of their %.80s",
                       by->who, name);
    struct br_decimal capacity =
        shared ? shared->amount : br_cluster_capacity(by->cluster, 0, name);
    widen(scale, capacity);
    for (uint32_t d = 0; d < dag->demands; d++)
        if (dag->demand[d].resource == scale->resource)
            widen(scale, dag->demand[d].amount);
    for (uint32_t o = 0; o < dag->storage->outputs; o++)
        if (dag->storage->output[o].resource == scale->resource)
            widen(scale, dag->storage->output[o].amount);
    if (!br_decimal_scale(capacity, scale->digits, &scale->unused))
        scale->unused = INT64_MAX;
    return BR_OK;
}

static int64_t scaled(const struct scale *scale, struct br_decimal amount)
{
    int64_t whole = INT64_MAX;
    return br_decimal_scale(amount, scale->digits, &whole) ? whole : INT64_MAX;
}

/* Takes what the task demands and leaves, then says when each is free. */
static enum br_status serve(struct handing *by, struct scale *scale, uint32_t task)
{
    const struct br_dag *dag = by->dag;
    const struct br_storage *storage = dag->storage;
    uint32_t s = br_dag_task_stage(dag, task);
    const struct br_stage *stage = &dag->stage[s];
    int64_t demand = 0;
    enum br_status status = BR_OK;
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        if (dag->demand[d].resource == scale->resource)
            demand = scaled(scale, dag->demand[d].amount);
    status = take(by, task, demand, &scale->unused);
    for (uint32_t o = storage->stage_first[s]; o < storage->stage_first[s + 1] && !status; o++)
        if (storage->output[o].resource == scale->resource)
            status = take(by, task, scaled(scale, storage->output[o].amount), &scale->unused);
    if (!status)
        status = give(by, (struct part){by->plan->end_ns[task], demand, task, NO_OUTPUT});
    for (uint32_t o = storage->stage_first[s]; o < storage->stage_first[s + 1] && !status; o++)
        if (storage->output[o].resource == scale->resource)
            status = give(by, (struct part){freed_ns(by, task, o),
                                            scaled(scale, storage->output[o].amount), task, o});
    return status;
}

static enum br_status hand_on(struct handing *by, uint32_t resource)
{
    struct scale scale = {.resource = resource};
    enum br_status status = find_scale(by, &scale);
    by->resource = resource;
    by->parts = 0;
    for (uint32_t k = 0; k < by->dag->tasks && !status; k++)
        status = serve(by, &scale, by->plan->order[k]);
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return x->before < y->before ? -1 : x->before > y->before;
}

static enum br_status list_pairs(struct handing *by, struct br_handovers *handover)
{
    uint32_t tasks = by->dag->tasks, count = 0;
    handover->first = br_calloc((size_t)tasks + 1, sizeof *handover->first);
    handover->before = br_malloc(((size_t)by->pairs + 1) * sizeof *handover->before);
    if (!handover->first || !handover->before)
        return br_fail_memory(by->diag);
    if (by->pairs)
        br_sort_by(by->pair, by->pairs, sizeof *by->pair, compare_pairs);
    for (uint32_t p = 0, t = 0; t < tasks; t++) {
        handover->first[t] = count;
        for (; p < by->pairs && by->pair[p].after == t; p++)
            if (count == handover->first[t] || handover->before[count - 1] != by->pair[p].before)
                handover->before[count++] = by->pair[p].before;
    }
    handover->first[tasks] = count;
    return BR_OK;
}

enum br_status br_handover_init(struct br_handovers *handover, const struct br_dag *dag,
                                const struct br_cluster *cluster, const struct br_plan *plan,
                                const char *who, struct br_diag *diag)
{
    struct handing by = {.dag = dag, .cluster = cluster, .plan = plan, .who = who, .diag = diag};
    enum br_status status = BR_OK;
    *handover = (struct br_handovers){NULL, NULL};
    bool *held = br_calloc((size_t)dag->resources + 1, sizeof *held);
    if (!held)
        return br_fail_memory(diag);
    for (uint32_t o = 0; dag->storage && o < dag->storage->outputs; o++)
        held[dag->storage->output[o].resource] |= dag->storage->output[o].amount.mantissa > 0;
    for (uint32_t r = 0; r < dag->resources && !status; r++)
        if (held[r])
            status = hand_on(&by, r);
    if (!status)
        status = list_pairs(&by, handover);
    if (status)
        br_handover_finish(handover);
    br_free(held);
    br_free(by.heap);
    br_free(by.pair);
    return status;
}

void br_handover_finish(struct br_handovers *handover)
{
    br_free(handover->first);
    br_free(handover->before);
    *handover = (struct br_handovers){NULL, NULL};
}
