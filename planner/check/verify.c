/* Checks a plan against the job and the cluster as they were given.
 *
 * Nothing here is shared with what makes plans: no instance, no ticks, no scaled capacities of
 * theirs. Times stay nanoseconds, amounts are scaled here, into 128 bits, and sums are exact. The
 * capacity of a machine is checked by one sweep over its starts and ends, ends first if times are
 * equal, since a task holds its demands from its start up to but not including its end.
 */
#include "base/collections/csr.h"
#include "planner/model/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/collections/memory.h"
#include "base/collections/sort.h"
#include "base/numbers/wide.h"
#include "base/roles.h"
#include "planner/check/transfers.h"
#include "planner/model/completions.h"
#include "planner/model/instance.h"

/* Scaled amounts stay below this, so that a sum over BR_MAX_TASKS of them fits 127 bits. */
#define AMOUNT_LIMIT ((br_wide)1 << 96)

enum { ID_TEXT = 200 };

struct check {
    const struct br_plan *plan;
    const struct br_dag *dag;
    const struct br_cluster *cluster;
    uint32_t faults, limit; /* at limit no more are looked for */
    void (*fault)(void *context, const char *text);
    void *context;
    struct br_diag *diag;
};

struct name {
    char text[ID_TEXT];
};

static struct name task_name(const struct check *check, uint32_t task)
{
    struct name name;
    br_dag_task_id(check->dag, task, name.text, sizeof name.text);
    return name;
}

static struct name machine_name(const struct check *check, uint32_t machine)
{
    struct name name;
    br_cluster_machine_name(check->cluster, machine, name.text, sizeof name.text);
    return name;
}

static bool enough(const struct check *check)
{
    return check->faults > 0 && check->faults >= check->limit;
}

static void verify_report(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void verify_report(struct check *check, const char *format, ...)
{
    char text[sizeof check->diag->what];
    if (enough(check))
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (check->faults == 0)
        br_fail(check->diag, BR_NO, NULL, "%s", text);
    check->faults++;
    if (check->fault && check->faults <= check->limit)
        check->fault(check->context, text);
}

static void verify_check_tasks(struct check *check)
{
    const struct br_plan *plan = check->plan;
    int64_t last = 0;
    for (uint32_t t = 0; t < plan->tasks && !enough(check); t++) {
        int64_t start = plan->start_ns[t], end = plan->end_ns[t], length;
        int64_t duration = check->dag->duration_ns[t];
        if (start < 0)
            verify_report(check, "task %s starts at %s s, before the plan does",
                          task_name(check, t).text, br_seconds(start).text);
        if (__builtin_sub_overflow(end, start, &length) || length != duration)
            verify_report(check, "task %s runs from %s s to %s s, but its duration is %s s",
                          task_name(check, t).text, br_seconds(start).text, br_seconds(end).text,
                          br_seconds(duration).text);
        if (plan->machine[t] >= check->cluster->machines)
            verify_report(
                check, "task %s runs on machine number %" PRIu32 ", but the cluster has %" PRIu32,
                task_name(check, t).text, plan->machine[t], check->cluster->machines);
        if (!plan->subset[t] || !strchr("TSPC", plan->subset[t]))
            verify_report(check, "task %s is of subset number %d, which is none of T, S, P and C",
                          task_name(check, t).text, plan->subset[t]);
        if (end > last)
            last = end;
    }
    if (plan->makespan_ns != last && !enough(check))
        verify_report(check, "the plan says that it takes %s s, but its last task ends at %s s",
                      br_seconds(plan->makespan_ns).text, br_seconds(last).text);
    if (plan->lower_bound_ns < 0)
        verify_report(check, "the lower bound of %s s is negative",
                      br_seconds(plan->lower_bound_ns).text);
    if (plan->lower_bound_ns > last)
        verify_report(check, "the lower bound of %s s is above the last end at %s s",
                      br_seconds(plan->lower_bound_ns).text, br_seconds(last).text);
}

static void check_pair(struct check *check, uint32_t parent, uint32_t child)
{
    const struct br_plan *plan = check->plan;
    if (plan->start_ns[child] < plan->end_ns[parent])
        verify_report(check, "task %s starts at %s s, before its parent %s ends at %s s",
                      task_name(check, child).text, br_seconds(plan->start_ns[child]).text,
                      task_name(check, parent).text, br_seconds(plan->end_ns[parent]).text);
}

static void check_rank_pair(struct check *check, uint32_t parent, uint32_t child)
{
    const struct br_plan *plan = check->plan;
    if (plan->rank[child] <= plan->rank[parent])
        verify_report(check,
                      "task %s has rank %" PRIu32 ", ahead of its parent %s with rank %" PRIu32,
                      task_name(check, child).text, plan->rank[child],
                      task_name(check, parent).text, plan->rank[parent]);
}

/* Precedence in time and in rank. The extremes of every stage are found once, so that a barrier
 * costs one comparison however many tasks it joins. */
static enum br_status check_precedence(struct check *check)
{
    const struct br_dag *dag = check->dag;
    const struct br_plan *plan = check->plan;
    /* By stage, the tasks that a barrier asks about. */
    struct extremes {
        uint32_t first_start, last_end, first_rank, last_rank;
    } *of = br_malloc((size_t)dag->stages * sizeof *of);
    if (!of)
        return br_fail_memory(check->diag);
    for (uint32_t s = 0; s < dag->stages; s++) {
        uint32_t t = dag->stage[s].first_task;
        struct extremes x = {t, t, t, t};
        for (; t < dag->stage[s].first_task + dag->stage[s].tasks; t++) {
            if (plan->start_ns[t] < plan->start_ns[x.first_start])
                x.first_start = t;
            if (plan->end_ns[t] > plan->end_ns[x.last_end])
                x.last_end = t;
            if (plan->rank[t] < plan->rank[x.first_rank])
                x.first_rank = t;
            if (plan->rank[t] > plan->rank[x.last_rank])
                x.last_rank = t;
        }
        of[s] = x;
    }
    for (uint32_t e = 0; e < dag->edges && !enough(check); e++) {
        const struct br_edge *edge = &dag->edge[e];
        const struct br_stage *parent = &dag->stage[edge->parent];
        const struct br_stage *child = &dag->stage[edge->child];
        if (edge->type == BR_BARRIER) {
            check_pair(check, of[edge->parent].last_end, of[edge->child].first_start);
            check_rank_pair(check, of[edge->parent].last_rank, of[edge->child].first_rank);
            continue;
        }
        for (uint32_t i = 0; i < parent->tasks && !enough(check); i++) {
            check_pair(check, parent->first_task + i, child->first_task + i);
            check_rank_pair(check, parent->first_task + i, child->first_task + i);
        }
    }
    br_free(of);
    return BR_OK;
}

static enum br_status verify_check_ranks(struct check *check)
{
    const struct br_plan *plan = check->plan;
    bool *seen = br_calloc(plan->tasks, sizeof *seen);
    if (!seen)
        return br_fail_memory(check->diag);
    bool permutation = true;
    for (uint32_t t = 0; t < plan->tasks && !enough(check); t++) {
        uint32_t rank = plan->rank[t];
        bool fault = true;
        if (rank < 1 || rank > plan->tasks)
            verify_report(check, "task %s has rank %" PRIu32 ", which is not within 1 and %" PRIu32,
                          task_name(check, t).text, rank, plan->tasks);
        else if (seen[rank - 1])
            verify_report(check, "task %s has rank %" PRIu32 ", which another task has, too",
                          task_name(check, t).text, rank);
        else if (plan->order[rank - 1] != t)
            verify_report(check,
                          "task %s has rank %" PRIu32 ", but the order has another task there",
                          task_name(check, t).text, rank);
        else
            fault = false;
        if (rank >= 1 && rank <= plan->tasks)
            seen[rank - 1] = true;
        permutation &= !fault;
    }
    for (uint32_t k = 1; permutation && k < plan->tasks && !enough(check); k++) {
        uint32_t a = plan->order[k - 1], b = plan->order[k];
        if (plan->start_ns[a] > plan->start_ns[b])
            verify_report(check,
                          "task %s with rank %" PRIu32
                          " starts at %s s, after task %s with rank %" PRIu32
                          ", which starts at %s s",
                          task_name(check, a).text, k, br_seconds(plan->start_ns[a]).text,
                          task_name(check, b).text, k + 1, br_seconds(plan->start_ns[b]).text);
    }
    br_free(seen);
    return BR_OK;
}

/* Everything that the sweep over the machines reads, in amounts scaled by 10^digits. */
struct amounts {
    int32_t *digits;   /* by resource */
    br_wide *demand;   /* by index into br_dag.demand */
    br_wide *capacity; /* [class * resources + resource] */
};

static bool verify_scale(struct br_decimal value, int32_t digits, br_wide *scaled)
{
    br_wide m = value.mantissa;
    for (int64_t e = (int64_t)value.exponent + digits; e > 0 && m < AMOUNT_LIMIT; e--)
        m *= 10; /* stays far below 127 bits: 10 * 2^96 */
    *scaled = m;
    return m < AMOUNT_LIMIT;
}

static enum br_status verify_scale_amounts(const struct check *check, struct amounts *amounts)
{
    const struct br_dag *dag = check->dag;
    const struct br_cluster *cluster = check->cluster;
    bool fits = true;
    amounts->digits = br_calloc((size_t)dag->resources + 1, sizeof *amounts->digits);
    amounts->demand = br_calloc((size_t)dag->demands + 1, sizeof *amounts->demand);
    amounts->capacity = br_calloc((size_t)cluster->classes * dag->resources + 1, sizeof(br_wide));
    if (!amounts->digits || !amounts->demand || !amounts->capacity)
        return br_fail_memory(check->diag);
    for (uint32_t d = 0; d < dag->demands; d++)
        if (-dag->demand[d].amount.exponent > amounts->digits[dag->demand[d].resource])
            amounts->digits[dag->demand[d].resource] = -dag->demand[d].amount.exponent;
    for (uint32_t r = 0; r < dag->resources; r++) {
        for (uint32_t c = 0; c < cluster->classes; c++) {
            struct br_decimal value = br_cluster_capacity(cluster, c, dag->resource[r].name);
            if (-value.exponent > amounts->digits[r])
                amounts->digits[r] = -value.exponent;
        }
        for (uint32_t c = 0; c < cluster->classes; c++)
            fits &= verify_scale(br_cluster_capacity(cluster, c, dag->resource[r].name),
                                 amounts->digits[r],
                                 &amounts->capacity[(size_t)c * dag->resources + r]);
    }
    for (uint32_t d = 0; d < dag->demands; d++)
        fits &= verify_scale(dag->demand[d].amount, amounts->digits[dag->demand[d].resource],
                             &amounts->demand[d]);
    if (!fits)
        return br_fail(check->diag, BR_BAD_INPUT, "use fewer decimals or a larger unit",
                       "the amounts of some resource differ by too many powers of ten");
    return BR_OK;
}

/* A scaled amount as text, for people if the resource is given; beyond 63 bits rounded, which
 * serves reading. */
static struct name verify_amount_text(br_wide scaled, int32_t digits,
                                      const struct br_resource *people)
{
    struct name name;
    while (digits > 0 && scaled % 10 == 0) {
        scaled /= 10;
        digits--;
    }
    if (scaled <= INT64_MAX && people) {
        br_role_amount(br_decimal_unscale((int64_t)scaled, digits), people->name, people->unit,
                       name.text);
    } else if (scaled <= INT64_MAX) {
        br_decimal_format((struct br_decimal){(int64_t)scaled, -digits}, name.text,
                          sizeof name.text);
    } else {
        double value = (double)scaled;
        for (int32_t k = 0; k < digits; k++)
            value /= 10;
        snprintf(name.text, sizeof name.text, "%g", value);
    }
    return name;
}

/* A task on its machine. */
struct held {
    uint32_t task, stage;
};

/* Adds the task's demands to the load of its machine; reports if that passes the capacity. */
static void begin_task(struct check *check, const struct amounts *amounts, br_wide *load,
                       uint32_t machine, const struct held *held)
{
    const struct br_dag *dag = check->dag;
    const struct br_stage *stage = &dag->stage[held->stage];
    uint32_t cls = br_cluster_machine_class(check->cluster, machine);
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++) {
        uint32_t r = dag->demand[d].resource;
        br_wide capacity = amounts->capacity[(size_t)cls * dag->resources + r];
        bool fitted = load[r] <= capacity;
        load[r] += amounts->demand[d];
        if (!fitted || load[r] <= capacity)
            continue;
        const struct br_resource *resource = &dag->resource[r];
        struct name has = verify_amount_text(capacity, amounts->digits[r], resource),
                    holds = verify_amount_text(load[r], amounts->digits[r], resource);
        if (strcmp(has.text, holds.text) == 0) { /* they differ behind the rounding */
            has = verify_amount_text(capacity, amounts->digits[r], NULL);
            holds = verify_amount_text(load[r], amounts->digits[r], NULL);
        }
        verify_report(
            check, "machine %s has %s of %s, but holds %s of it when task %s starts at %s s",
            machine_name(check, machine).text, has.text, resource->name, holds.text,
            task_name(check, held->task).text, br_seconds(check->plan->start_ns[held->task]).text);
    }
}

static void verify_end_task(const struct check *check, const struct amounts *amounts, br_wide *load,
                            const struct held *held)
{
    const struct br_dag *dag = check->dag;
    const struct br_stage *stage = &dag->stage[held->stage];
    for (uint32_t d = stage->first_demand; d < stage->first_demand + stage->demands; d++)
        load[dag->demand[d].resource] -= amounts->demand[d];
}

/* The sweep over one machine, whose tasks are in ascending order: every end comes after its start,
 * so at the last event nothing is held. `item` has room for three times as many. */
static void check_machine(struct check *check, const struct amounts *amounts, br_wide *load,
                          uint32_t machine, const struct held *held, uint32_t count,
                          struct br_sort_item *item)
{
    const struct br_plan *plan = check->plan;
    struct br_sort_item *start = item, *end = start + count, *scratch = end + count;
    for (uint32_t k = 0; k < count; k++) {
        start[k] = (struct br_sort_item){br_sort_key(plan->start_ns[held[k].task]), k};
        end[k] = (struct br_sort_item){br_sort_key(plan->end_ns[held[k].task]), k};
    }
    br_sort(start, scratch, count);
    br_sort(end, scratch, count);
    for (uint32_t i = 0, j = 0; i < count && !enough(check);) {
        if (end[j].key <= start[i].key)
            verify_end_task(check, amounts, load, &held[end[j++].item]);
        else
            begin_task(check, amounts, load, machine, &held[start[i++].item]);
    }
    memset(load, 0, (size_t)check->dag->resources * sizeof *load);
}

/* Tasks without duration hold nothing, and those on a machine that is not there were reported. */
static bool holds_something(const struct check *check, uint32_t task)
{
    const struct br_plan *plan = check->plan;
    return plan->machine[task] < check->cluster->machines &&
           plan->end_ns[task] > plan->start_ns[task];
}

/* The tasks are put in rows by machine, and then one machine after another is swept. */
static enum br_status check_capacities(struct check *check)
{
    const struct br_plan *plan = check->plan;
    const struct br_dag *dag = check->dag;
    uint32_t machines = check->cluster->machines;
    struct amounts amounts = {0};
    struct held *held = br_malloc((size_t)plan->tasks * sizeof *held);
    struct br_sort_item *item = NULL;
    uint32_t most = 0;
    br_wide *load = br_calloc((size_t)dag->resources + 1, sizeof *load);
    uint32_t *row = br_calloc(br_csr_room(machines), sizeof *row); /* by machine: in `held` */
    enum br_status status = BR_OK;
    if (!held || !load || !row)
        status = br_fail_memory(check->diag);
    if (!status)
        status = verify_scale_amounts(check, &amounts);
    if (status)
        goto out;
    for (uint32_t t = 0; t < plan->tasks; t++)
        if (holds_something(check, t))
            br_csr_count(row, plan->machine[t]);
    for (uint32_t m = 0; m < machines; m++)
        most = br_csr_counted(row, m) > most ? br_csr_counted(row, m) : most;
    br_csr_sum(row, machines);
    item = br_malloc(((size_t)most * 3 + 1) * sizeof *item);
    if (!item) {
        status = br_fail_memory(check->diag);
        goto out;
    }
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            uint32_t t = dag->stage[s].first_task + i;
            if (holds_something(check, t))
                held[br_csr_place(row, plan->machine[t])] = (struct held){t, s};
        }
    for (uint32_t m = 0; m < machines && !enough(check); m++)
        check_machine(check, &amounts, load, m, held + row[m], row[m + 1] - row[m], item);
out:
    br_free(held);
    br_free(item);
    br_free(load);
    br_free(row);
    br_free(amounts.digits);
    br_free(amounts.demand);
    br_free(amounts.capacity);
    return status;
}

/* The mean that the plan states for its objective, and the bound on it. */
static enum br_status check_mean(struct check *check)
{
    const struct br_plan *plan = check->plan;
    struct br_instance *in = NULL;
    struct br_completions ends;
    if (plan->objective == BR_OBJECTIVE_MAKESPAN)
        return BR_OK;
    enum br_status status = br_completions_find(
        check->dag, plan->objective == BR_OBJECTIVE_WEIGHTED, &ends, check->diag);
    if (!status)
        status = br_instance_create(check->dag, check->cluster, &in, check->diag);
    int64_t mean_ns = status ? 0 : br_completions_mean(&ends, check->dag, plan->end_ns);
    int64_t bound_ns = status ? 0 : br_completions_bound(&ends, in);
    if (mean_ns < 0 || bound_ns < 0)
        status = br_fail_memory(check->diag);
    if (!status && plan->mean_ns != mean_ns)
        verify_report(check, "the mean completion is %s s, not %s s", br_seconds(mean_ns).text,
                      br_seconds(plan->mean_ns).text);
    if (!status && plan->mean_bound_ns > bound_ns)
        verify_report(check, "the bound on the mean completion is %s s, not %s s",
                      br_seconds(bound_ns).text, br_seconds(plan->mean_bound_ns).text);
    br_instance_destroy(in);
    br_completions_finish(&ends);
    return status;
}

static bool hear_transfer(void *context, const char *text)
{
    struct check *check = context;
    verify_report(check, "%s", text);
    return !enough(check);
}

enum br_status br_plan_verify(const struct br_plan *plan, const struct br_dag *dag,
                              const struct br_cluster *cluster, uint32_t limit,
                              void (*fault)(void *context, const char *text), void *context,
                              struct br_diag *diag)
{
    BR_NEED(diag, plan, dag, cluster);
    struct check check = {plan, dag, cluster, 0, limit, fault, context, diag};
    enum br_status status = BR_OK;
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    if (plan->tasks != dag->tasks) {
        verify_report(&check, "the plan has %" PRIu32 " tasks, the job has %" PRIu32, plan->tasks,
                      dag->tasks);
        return BR_NO;
    }
    verify_check_tasks(&check);
    if (!enough(&check))
        status = check_precedence(&check);
    if (!status && !enough(&check))
        status = check_capacities(&check);
    if (!status && !enough(&check))
        status = verify_check_ranks(&check);
    if (!status && !enough(&check))
        status = check_mean(&check);
    if (!status && plan->network && !check.faults) /* which needs machines that exist */
        status = br_transfers_check(plan, dag, cluster, hear_transfer, &check, diag);
    return status ? status : check.faults ? BR_NO : BR_OK;
}
