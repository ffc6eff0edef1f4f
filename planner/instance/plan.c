/* Creating, ranking and reading plans. */
#include "planner/instance/plan.h"

#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"

struct br_plan *br_plan_create(uint32_t tasks)
{
    struct br_plan *plan = br_calloc(1, sizeof *plan);
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
    br_certificate_destroy(plan->certificate);
    br_arena_finish(&plan->arena);
    br_free(plan);
}

bool br_plan_allow_alternatives(struct br_plan *plan, const struct br_dag *dag)
{
    if (!dag->alternatives || !dag->alternatives->named)
        return true;
    plan->alternative = br_arena_array(&plan->arena, plan->tasks, sizeof *plan->alternative);
    return plan->alternative;
}

int64_t br_plan_duration(const struct br_plan *plan, const struct br_dag *dag,
                         const struct br_cluster *cluster, uint32_t stage, uint32_t task)
{
    const int64_t ns = dag->alternatives
                           ? br_alternative_duration(dag, br_plan_way(plan, dag, stage, task), task)
                           : dag->duration_ns[task];
    if (!cluster || !cluster->speeds || plan->machine[task] >= cluster->machines)
        return ns;
    return br_class_duration(&cluster->cls[br_cluster_machine_class(cluster, plan->machine[task])],
                             ns);
}

enum br_status br_plan_rank_on(struct br_plan *plan, const struct br_dag *dag,
                               const struct br_cluster *cluster, struct br_diag *diag)
{
    struct br_sort_item *sorted = br_malloc((2 * (size_t)plan->tasks + 1) * sizeof *sorted);
    if (!sorted)
        return br_fail_memory(diag);
    struct br_sort_item *scratch = sorted + plan->tasks, *item = sorted;
    const bool plain = !dag->alternatives && !(cluster && cluster->speeds);
    plan->makespan_ns = 0;
    /* The tasks are in the order for ties, which the sort by start keeps: by topological position,
     * longer first, then by number. */
    for (uint32_t p = 0; p < dag->stages; p++) {
        const struct br_stage *stage = &dag->stage[dag->topological[p]];
        for (uint32_t i = 0; i < stage->tasks; i++) {
            uint32_t t = stage->first_task + i;
            const int64_t lasts =
                plain ? dag->duration_ns[t]
                      : br_plan_duration(plan, dag, cluster, dag->topological[p], t);
            plan->end_ns[t] = plan->start_ns[t] + lasts;
            if (plan->end_ns[t] > plan->makespan_ns)
                plan->makespan_ns = plan->end_ns[t];
            item[i] = (struct br_sort_item){~br_sort_key(lasts), t};
        }
        br_sort(item, scratch, stage->tasks);
        for (uint32_t i = 0; i < stage->tasks; i++, item++)
            item->key = br_sort_key(plan->start_ns[item->item]);
    }
    br_sort(sorted, scratch, plan->tasks);
    for (uint32_t k = 0; k < plan->tasks; k++) {
        plan->order[k] = sorted[k].item;
        plan->rank[sorted[k].item] = k + 1;
    }
    br_free(sorted);
    return BR_OK;
}

enum br_status br_plan_rank(struct br_plan *plan, const struct br_dag *dag, struct br_diag *diag)
{
    return br_plan_rank_on(plan, dag, NULL, diag);
}

uint32_t br_plan_task_count(const struct br_plan *plan)
{
    return plan ? plan->tasks : 0;
}

struct br_plan_task br_plan_of(const struct br_plan *plan, uint32_t task)
{
    if (!plan || task >= plan->tasks)
        return (struct br_plan_task){0};
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

uint32_t br_plan_alternative(const struct br_plan *plan, uint32_t task)
{
    return plan && plan->alternative && task < plan->tasks ? plan->alternative[task] : 0;
}

struct br_plan_task br_plan_at(const struct br_plan *plan, uint32_t k)
{
    if (!plan || k >= plan->tasks)
        return (struct br_plan_task){0};
    return br_plan_of(plan, plan->order[k]);
}

int64_t br_plan_makespan_ns(const struct br_plan *plan)
{
    return plan ? plan->makespan_ns : 0;
}

int64_t br_plan_lower_bound_ns(const struct br_plan *plan)
{
    return plan ? plan->lower_bound_ns : 0;
}

const char *br_plan_bound_method(const struct br_plan *plan)
{
    return plan ? plan->bound_method : NULL;
}

double br_plan_gap(const struct br_plan *plan)
{
    if (!plan || plan->lower_bound_ns <= 0)
        return 0;
    return (double)plan->makespan_ns / (double)plan->lower_bound_ns - 1;
}

int64_t br_plan_mean_ns(const struct br_plan *plan)
{
    return plan ? plan->mean_ns : 0;
}

int64_t br_plan_mean_bound_ns(const struct br_plan *plan)
{
    return plan ? plan->mean_bound_ns : 0;
}

const char *br_plan_method(const struct br_plan *plan)
{
    return plan ? plan->method : NULL;
}

const char *br_plan_note(const struct br_plan *plan)
{
    return plan ? plan->note : NULL;
}

const struct br_bound_answer *br_plan_source_answer(const struct br_plan *plan)
{
    return plan ? &plan->source : NULL;
}

static enum br_status refuse_bound(const struct br_plan *plan, int64_t bound_ns,
                                   struct br_diag *diag)
{
    return br_fail(diag, BR_SYSTEM, "report this: a bound or a plan is wrong",
                   "a lower bound of %.9f s is above the makespan of %.9f s",
                   (double)bound_ns / 1e9, (double)plan->makespan_ns / 1e9);
}

enum br_status br_plan_raise_bound(struct br_plan *plan, int64_t lower_bound_ns, const char *method,
                                   struct br_diag *diag)
{
    BR_NEED(diag, plan, method);
    if (lower_bound_ns > plan->makespan_ns)
        return refuse_bound(plan, lower_bound_ns, diag);
    if (lower_bound_ns <= plan->lower_bound_ns)
        return BR_OK;
    char *copy = br_arena_text(&plan->arena, method);
    if (!copy)
        return br_fail_memory(diag);
    plan->lower_bound_ns = lower_bound_ns;
    plan->bound_method = copy;
    br_certificate_destroy(plan->certificate); /* which proves less */
    plan->certificate = NULL;
    return BR_OK;
}

const struct br_certificate *br_plan_certificate(const struct br_plan *plan)
{
    return plan ? plan->certificate : NULL;
}

enum br_status br_plan_prove(struct br_plan *plan, struct br_certificate *certificate,
                             const char *method, struct br_diag *diag)
{
    int64_t bound_ns = 0;
    if (!plan || !certificate || !method) {
        br_certificate_destroy(certificate);
        BR_NEED(diag, plan, certificate, method);
    }
    enum br_status status = BR_OK;
    br_certificate_bound(certificate, &bound_ns);
    if (bound_ns > plan->makespan_ns)
        status = refuse_bound(plan, bound_ns, diag);
    bool better =
        bound_ns > plan->lower_bound_ns || (bound_ns == plan->lower_bound_ns && !plan->certificate);
    char *copy = !status && better ? br_arena_text(&plan->arena, method) : NULL;
    if (!status && better && !copy)
        status = br_fail_memory(diag);
    if (!copy) {
        br_certificate_destroy(certificate);
        return status;
    }
    br_certificate_destroy(plan->certificate);
    plan->certificate = certificate;
    plan->lower_bound_ns = bound_ns;
    plan->bound_method = copy;
    if (bound_ns == plan->makespan_ns) /* whatever ended the search has cost nothing */
        plan->note = NULL;
    return BR_OK;
}

bool br_plan_has_network(const struct br_plan *plan)
{
    return plan && plan->network;
}

int64_t br_plan_network_bound_ns(const struct br_plan *plan)
{
    return plan ? plan->network_bound_ns : 0;
}

uint32_t br_plan_transfer_count(const struct br_plan *plan)
{
    return plan ? plan->carried.transfers : 0;
}

struct br_plan_transfer br_plan_transfer_at(const struct br_plan *plan, uint32_t k)
{
    if (k >= br_plan_transfer_count(plan))
        return (struct br_plan_transfer){0};
    const struct br_transfer *t = &plan->carried.transfer[k];
    return (struct br_plan_transfer){
        .parent = t->parent,
        .child = t->child,
        .index = t->index,
        .from = t->from,
        .to = t->to,
        .bytes = t->bytes,
        .start_ns = br_transfer_start(&plan->carried, k),
        .end_ns = br_transfer_end(&plan->carried, k),
    };
}

uint32_t br_plan_transfer_rate_count(const struct br_plan *plan, uint32_t k)
{
    return k < br_plan_transfer_count(plan) ? plan->carried.transfer[k].pieces : 0;
}

struct br_transfer_rate br_plan_transfer_rate_at(const struct br_plan *plan, uint32_t k, uint32_t i)
{
    if (i >= br_plan_transfer_rate_count(plan, k))
        return (struct br_transfer_rate){0};
    const struct br_piece *piece = &plan->carried.piece[plan->carried.transfer[k].first_piece + i];
    return (struct br_transfer_rate){piece->start_ns, piece->end_ns, piece->rate};
}
