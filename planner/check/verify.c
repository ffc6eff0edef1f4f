/* Checks a plan against the job and the cluster as they were given.
 *
 * Nothing here is shared with what makes plans: no ticks, no scaled capacities of theirs. Times
 * stay nanoseconds, amounts are scaled here, into 128 bits, and sums are exact. */
#include "planner/check/verify.h"

#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/check/transfers.h"
#include "planner/eligibility/features.h"

static void verify_check_tasks(struct br_plan_check *check)
{
    const struct br_plan *plan = check->plan;
    int64_t last = 0;
    for (uint32_t t = 0; t < plan->tasks && !br_plan_check_enough(check); t++) {
        int64_t start = plan->start_ns[t], end = plan->end_ns[t], length;
        const bool plain = !check->dag->alternatives && !check->cluster->speeds;
        int64_t duration = check->dag->duration_ns[t];
        if (start < 0)
            br_plan_check_report(check, "task %s starts at %s s, before the plan does",
                                 br_check_task_name(check, t).text, br_seconds(start).text);
        if (plain && (__builtin_sub_overflow(end, start, &length) || length != duration))
            br_plan_check_report(check, "task %s runs from %s s to %s s, but its duration is %s s",
                                 br_check_task_name(check, t).text, br_seconds(start).text,
                                 br_seconds(end).text, br_seconds(duration).text);
        if (plan->machine[t] >= check->cluster->machines)
            br_plan_check_report(
                check, "task %s runs on machine number %" PRIu32 ", but the cluster has %" PRIu32,
                br_check_task_name(check, t).text, plan->machine[t], check->cluster->machines);
        if (!plan->subset[t] || !strchr("TSPC", plan->subset[t]))
            br_plan_check_report(check,
                                 "task %s is of subset number %d, which is none of T, S, P and C",
                                 br_check_task_name(check, t).text, plan->subset[t]);
        if (end > last)
            last = end;
    }
    if (plan->makespan_ns != last && !br_plan_check_enough(check))
        br_plan_check_report(check,
                             "the plan says that it takes %s s, but its last task ends at %s s",
                             br_seconds(plan->makespan_ns).text, br_seconds(last).text);
    if (plan->lower_bound_ns < 0)
        br_plan_check_report(check, "the lower bound of %s s is negative",
                             br_seconds(plan->lower_bound_ns).text);
    if (plan->lower_bound_ns > last)
        br_plan_check_report(check, "the lower bound of %s s is above the last end at %s s",
                             br_seconds(plan->lower_bound_ns).text, br_seconds(last).text);
}

static enum br_status verify_check_ranks(struct br_plan_check *check)
{
    const struct br_plan *plan = check->plan;
    bool *seen = br_calloc(plan->tasks, sizeof *seen);
    if (!seen)
        return br_fail_memory(check->diag);
    bool permutation = true;
    for (uint32_t t = 0; t < plan->tasks && !br_plan_check_enough(check); t++) {
        uint32_t rank = plan->rank[t];
        bool fault = true;
        if (rank < 1 || rank > plan->tasks)
            br_plan_check_report(check,
                                 "task %s has rank %" PRIu32 ", which is not within 1 and %" PRIu32,
                                 br_check_task_name(check, t).text, rank, plan->tasks);
        else if (seen[rank - 1])
            br_plan_check_report(check, "task %s has rank %" PRIu32 ", which another task has, too",
                                 br_check_task_name(check, t).text, rank);
        else if (plan->order[rank - 1] != t)
            br_plan_check_report(
                check, "task %s has rank %" PRIu32 ", but the order has another task there",
                br_check_task_name(check, t).text, rank);
        else
            fault = false;
        if (rank >= 1 && rank <= plan->tasks)
            seen[rank - 1] = true;
        permutation &= !fault;
    }
    for (uint32_t k = 1; permutation && k < plan->tasks && !br_plan_check_enough(check); k++) {
        uint32_t a = plan->order[k - 1], b = plan->order[k];
        if (plan->start_ns[a] > plan->start_ns[b])
            br_plan_check_report(
                check,
                "task %s with rank %" PRIu32 " starts at %s s, after task %s with rank %" PRIu32
                ", which starts at %s s",
                br_check_task_name(check, a).text, k, br_seconds(plan->start_ns[a]).text,
                br_check_task_name(check, b).text, k + 1, br_seconds(plan->start_ns[b]).text);
    }
    br_free(seen);
    return BR_OK;
}

static bool hear_transfer(void *context, const char *text)
{
    struct br_plan_check *check = context;
    br_plan_check_report(check, "%s", text);
    return !br_plan_check_enough(check);
}

enum br_status br_plan_verify(const struct br_plan *plan, const struct br_dag *dag,
                              const struct br_cluster *cluster, uint32_t limit,
                              void (*fault)(void *context, const char *text), void *context,
                              struct br_diag *diag)
{
    BR_NEED(diag, plan, dag, cluster);
    struct br_plan_check check = {plan, dag, cluster, 0, limit, fault, context, diag};
    enum br_status status = BR_OK;
    if (!dag->finished)
        return br_fail(diag, BR_USAGE, "call br_dag_finish first", "the job is not finished");
    if (plan->objective != BR_OBJECTIVE_MAKESPAN)
        status = br_features_refuse(dag, cluster, BR_FEATURES_ALL & ~(unsigned)BR_FEATURES_MODES,
                                    "the check of means", diag);
    if (status)
        return status;
    if (plan->tasks != dag->tasks) {
        br_plan_check_report(&check, "the plan has %" PRIu32 " tasks, the job has %" PRIu32,
                             plan->tasks, dag->tasks);
        return BR_NO;
    }
    bool known = true;
    verify_check_tasks(&check);
    if ((dag->alternatives || cluster->speeds) && !br_plan_check_enough(&check))
        br_plan_check_ways(&check, &known);
    if (!br_plan_check_enough(&check))
        status = br_plan_check_precedence(&check);
    if (!status && !br_plan_check_enough(&check))
        status = br_plan_check_dates(&check);
    if (!status && known && !br_plan_check_enough(&check))
        status = br_plan_check_holds(&check);
    if (!status && known && dag->alternatives && !br_plan_check_enough(&check))
        status = br_plan_check_consumed(&check);
    if (!status && !br_plan_check_enough(&check))
        status = verify_check_ranks(&check);
    if (!status && !br_plan_check_enough(&check))
        status = br_plan_check_mean(&check);
    if (!status && plan->network && !check.faults) /* which needs machines that exist */
        status = br_transfers_check(plan, dag, cluster, hear_transfer, &check, diag);
    return status ? status : check.faults ? BR_NO : BR_OK;
}
