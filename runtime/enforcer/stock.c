/* A stock is made when its job comes. */
#include "runtime/enforcer/stock.h"

#include <stdlib.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/text/diag.h"
#include "planner/general/walk.h"
#include "planner/general/witness.h"
#include "planner/eligibility/features.h"
#include "planner/instance/plan.h"

enum { WITNESS_WORK = 3000000 }; /* of a search for a witness */

static bool stock_allocate(struct br_stock *stock)
{
    const struct br_general *general = stock->general;
    struct br_arena *arena = &stock->arena;
    const size_t tasks = general->tasks, stages = general->stages, r = general->resources;
    return BR_ARRAY(arena, r, stock->column) && BR_ARRAY(arena, r, stock->factor) &&
           BR_ARRAY(arena, stages, stock->waits) && BR_ARRAY(arena, tasks, stock->pairs) &&
           BR_ARRAY(arena, stages, stock->unstarted) && BR_ARRAY(arena, stages, stock->unended) &&
           BR_ARRAY(arena, stages, stock->unread) && BR_ARRAY(arena, tasks, stock->from_ns) &&
           BR_ARRAY(arena, stages, stock->stage_from_ns) && BR_ARRAY(arena, tasks, stock->listed) &&
           BR_ARRAY(arena, tasks, stock->doomed) && BR_ARRAY(arena, tasks, stock->gone) &&
           BR_ARRAY(arena, tasks + 1, stock->timer) && BR_ARRAY(arena, tasks + 1, stock->turn) &&
           BR_ARRAY(arena, stages, stock->turns) && BR_ARRAY(arena, stages + 1, stock->round) &&
           BR_ARRAY(arena, tasks + 1, stock->aside) && BR_ARRAY(arena, stages, stock->looked) &&
           BR_ARRAY(arena, stages, stock->open) && BR_ARRAY(arena, stages, stock->is_open) &&
           BR_ARRAY(arena, tasks, stock->lies_on) && BR_ARRAY(arena, tasks, stock->since_ns) &&
           BR_ARRAY(arena, tasks, stock->told_late) &&
           BR_ARRAY(arena, tasks * r + 1, stock->holds) &&
           BR_ARRAY(arena, general->instances + 1, stock->readers) &&
           BR_ARRAY(arena, general->instances + 1, stock->lying) &&
           BR_ARRAY(arena, general->instances + 1, stock->freed);
}

/* ---- Amounts ---- */

/* If anything is held beyond its task, all amounts count: this job may wait for what others hold.
 * And no task is so short that its demand does not count. */
static void stock_widen(struct br_general *general)
{
    const size_t amounts = (size_t)general->stages * general->resources;
    general->any_stored = false;
    for (size_t at = 0; at < amounts; at++)
        general->any_stored |= general->made[at] || general->late[at];
    for (uint32_t r = 0; r < general->resources; r++)
        general->stored[r] = general->any_stored;
    for (uint32_t t = 0; t < general->tasks; t++)
        if (!general->duration[t])
            general->duration[t] = 1;
}

static enum br_status find_columns(struct br_stock *stock, const struct br_runtime *runtime,
                                   struct br_diag *diag)
{
    const struct br_general *general = stock->general;
    const struct br_pool *pool = &runtime->pool;
    for (uint32_t r = 0; r < general->resources; r++) {
        const char *name = general->dag->resource[general->resource_origin[r]].name;
        int32_t digits;
        if (general->shared[r]) {
            for (uint32_t k = 0; k < pool->resources; k++)
                if (strcmp(pool->name[k], name) == 0)
                    stock->column[r] = k;
            digits = pool->digits[stock->column[r]];
        } else {
            stock->column[r] = br_scale_find(&runtime->scale, name);
            digits = runtime->scale.digits[stock->column[r]];
        }
        digits -= general->digits[r];
        if (digits < 0 || digits > 18)
            return br_fail(diag, BR_BAD_INPUT, "use fewer digits",
                           "the job's amounts of %.80s are too fine or too large for the cluster's",
                           name);
        for (stock->factor[r] = 1; digits > 0; digits--)
            stock->factor[r] *= 10;
    }
    return BR_OK;
}

/* ---- The witness ---- */

/* Do the tasks come after their parents? */
static bool is_in_order(const struct br_general *general, const struct br_witness *witness)
{
    struct br_walk walk;
    bool ok = br_walk_init(&walk, general);
    for (uint32_t k = 0; k < general->tasks && ok; k++) {
        ok = br_walk_is_ready(&walk, witness->order[k]);
        if (ok)
            br_walk_run(&walk, witness->order[k], witness->machine[witness->order[k]]);
    }
    br_walk_finish(&walk);
    return ok;
}

/* The plan's tasks one after another in the order of their ends, each on its machine. What is held
 * then at the end of a task is held in the plan at that time, too. */
static bool witness_of_plan(const struct br_general *general, const struct br_plan *plan,
                            struct br_witness *witness)
{
    struct br_sort_item *item = br_malloc(2 * ((size_t)general->tasks + 1) * sizeof *item);
    uint32_t used = 0;
    bool ok = item != NULL;
    for (uint32_t k = 0; k < general->stages && ok; k++) {
        const uint32_t s = general->topological[k];
        for (uint32_t t = general->stage_first[s]; t < general->stage_first[s + 1]; t++) {
            item[used++] = (struct br_sort_item){br_sort_key(plan->end_ns[t]), t};
            witness->machine[t] = plan->machine[t];
            ok &= plan->machine[t] < general->machines;
        }
    }
    if (ok)
        br_sort(item, item + general->tasks, general->tasks);
    for (uint32_t k = 0; k < general->tasks && ok; k++)
        witness->order[k] = item[k].item;
    br_free(item);
    return ok && is_in_order(general, witness);
}

static enum br_status refuse_witness(const struct br_general *general, const struct br_dag *dag,
                                     uint32_t stuck, struct br_diag *diag)
{
    char id[300] = "a task";
    if (stuck != UINT32_MAX)
        br_dag_task_id(dag, stuck, id, sizeof id);
    (void)general;
    return br_fail(diag, BR_NO, "give the cluster more room, or hold less",
                   "no order of the tasks was found in which what is held leaves room for %s", id);
}

static enum br_status find_reserve(struct br_stock *stock, const struct br_dag *dag,
                                   const struct br_plan *plan, struct br_diag *diag)
{
    const struct br_general *general = stock->general;
    struct br_witness witness = {br_malloc(((size_t)general->tasks + 1) * sizeof(uint32_t)),
                                 br_malloc(((size_t)general->tasks + 1) * sizeof(uint32_t))};
    uint32_t stuck = UINT32_MAX;
    enum br_status status = witness.order && witness.machine ? BR_OK : br_fail_memory(diag);
    if (!status && plan && witness_of_plan(general, plan, &witness)) {
        stock->reserve = br_reserve_create(general, &witness);
        if (!stock->reserve)
            status = br_fail_memory(diag);
        else if (!br_reserve_holds(stock->reserve)) {
            br_reserve_destroy(stock->reserve);
            stock->reserve = NULL;
        }
    }
    if (!status && !stock->reserve) {
        switch (br_witness_find(general, WITNESS_WORK, NULL, &witness, &stuck)) {
        case BR_WITNESS_FOUND:
            if (!(stock->reserve = br_reserve_create(general, &witness)))
                status = br_fail_memory(diag);
            break;
        case BR_WITNESS_MEMORY:
            status = br_fail_memory(diag);
            break;
        default:
            status = refuse_witness(general, dag, stuck, diag);
        }
    }
    br_free(witness.order);
    br_free(witness.machine);
    return status;
}

/* The tasks that have started, parents before their children; their number. */
static uint32_t list_begun(const struct br_stock *stock, const struct br_job *job, uint32_t *order)
{
    const struct br_general *general = stock->general;
    uint32_t begun = 0;
    for (uint32_t k = 0; k < general->stages; k++) {
        const uint32_t s = general->topological[k];
        for (uint32_t t = general->stage_first[s]; t < general->stage_first[s + 1]; t++)
            if (job->task_state[t] == BR_TASK_RUNNING || job->task_state[t] == BR_TASK_FINISHED)
                order[begun++] = t;
    }
    return begun;
}

/* From now on another witness of the job counts, in which what has started comes first. */
static bool replace_reserve(struct br_stock *stock, const struct br_witness *witness,
                            uint32_t begun)
{
    struct br_reserve *reserve = br_reserve_create(stock->general, witness);
    if (!reserve)
        return false;
    br_reserve_destroy(stock->reserve);
    stock->reserve = reserve;
    for (uint32_t k = 0; k < begun; k++)
        br_reserve_put(reserve, witness->order[k], witness->machine[witness->order[k]]);
    return br_reserve_again(reserve, UINT32_MAX, stock->gone);
}

bool br_stock_refresh(struct br_stock *stock, const struct br_job *job)
{
    const uint32_t tasks = stock->general->tasks;
    stock->stale = false;
    if (!stock->reserve)
        return true;
    if (!br_reserve_again(stock->reserve, UINT32_MAX, stock->gone))
        return false;
    if (br_reserve_holds(stock->reserve) || job->state.failed || stock->gones)
        return true;
    struct br_witness witness = {br_malloc(((size_t)tasks + 1) * sizeof(uint32_t)),
                                 br_malloc(((size_t)tasks + 1) * sizeof(uint32_t))};
    bool ok = witness.order && witness.machine;
    if (ok) {
        const uint32_t begun = list_begun(stock, job, witness.order);
        memcpy(witness.machine, stock->lies_on, tasks * sizeof *witness.machine);
        if (br_witness_go_on(stock->general, begun, WITNESS_WORK, &witness) == BR_WITNESS_FOUND)
            ok = replace_reserve(stock, &witness, begun);
    }
    br_free(witness.order);
    br_free(witness.machine);
    return ok;
}

/* ---- The whole ---- */

static void stock_fill(struct br_stock *stock)
{
    const struct br_general *general = stock->general;
    for (uint32_t s = 0; s < general->stages; s++) {
        const uint32_t first = general->stage_first[s], end = general->stage_first[s + 1];
        stock->unstarted[s] = stock->unended[s] = stock->unread[s] = end - first;
        for (uint32_t a = general->parent_first[s]; a < general->parent_first[s + 1]; a++)
            if (!general->parent[a].one_to_one)
                stock->waits[s]++;
            else
                for (uint32_t t = first; t < end; t++)
                    stock->pairs[t]++;
    }
    for (uint32_t o = 0; o < general->outputs; o++) {
        const uint32_t s = general->output[o].stage;
        for (uint32_t i = 0; i < general->stage_first[s + 1] - general->stage_first[s]; i++)
            stock->readers[general->output[o].first + i] =
                general->reader_first[o + 1] - general->reader_first[o];
    }
}

enum br_status br_stock_create(const struct br_runtime *runtime, const struct br_dag *dag,
                               const struct br_plan *plan, struct br_stock **made,
                               struct br_diag *diag)
{
    *made = NULL;
    if (!(br_features(dag, runtime->pool.cluster) & ~(unsigned)BR_FEATURE_DEADLINES))
        return BR_OK;
    struct br_stock *stock = calloc(1, sizeof *stock);
    if (!stock)
        return br_fail_memory(diag);
    stock->most = BR_ANY;
    enum br_status status = br_general_create(dag, runtime->pool.cluster, &stock->general, diag);
    if (!status && !stock_allocate(stock))
        status = br_fail_memory(diag);
    if (!status)
        status = find_columns(stock, runtime, diag);
    if (!status) {
        stock_widen(stock->general);
        stock_fill(stock);
    }
    if (!status && stock->general->any_stored)
        status = find_reserve(stock, dag, plan, diag);
    if (!status)
        status = br_stock_check_calendar(stock, dag, diag);
    if (!status)
        stock->general->dag = NULL; /* it may go now */
    if (status)
        br_stock_destroy(stock);
    else
        *made = stock;
    return status;
}

void br_stock_destroy(struct br_stock *stock)
{
    if (!stock)
        return;
    br_reserve_destroy(stock->reserve);
    br_general_destroy(stock->general);
    br_free(stock->lag);
    br_arena_finish(&stock->arena);
    free(stock);
}
