/* Alternatives, classes, speeds and what is consumed, against the job as it was given. */
#include <inttypes.h>
#include <string.h>

#include "base/collections/memory.h"
#include "planner/check/amounts.h"
#include "planner/check/verify.h"

/* duration / speed, rounded up; false if that is beyond 63 bits. The exponent of a speed is within
 * -24 and 6, so 128 bits hold a duration times a power of ten only up to 18 of these; what is
 * beyond is reduced first. */
static bool ways_slower(int64_t duration_ns, struct br_decimal speed, int64_t *lasts)
{
    br_uwide over = (br_uwide)duration_ns, under = (br_uwide)speed.mantissa;
    for (int32_t e = speed.exponent; e > 0; e--)
        under *= 10;
    for (int32_t e = speed.exponent; e < 0; e++) {
        if (over > ~(br_uwide)0 / 10)
            return false;
        over *= 10;
    }
    const br_uwide quotient = (over + under - 1) / under;
    *lasts = (int64_t)quotient;
    return quotient <= INT64_MAX;
}

/* What the task lasts: by its alternative, if `way` is not NULL, on a machine of the class. */
static bool ways_lasts(const struct br_plan_check *check, const struct br_alternative *way,
                       const struct br_class *cls, uint32_t task, int64_t *lasts)
{
    const struct br_dag *dag = check->dag;
    *lasts = dag->duration_ns[task];
    if (way && way->id)
        *lasts = dag->alternatives
                     ->duration_ns[way->first_duration + task - dag->stage[way->stage].first_task];
    return ways_slower(*lasts, cls->speed, lasts);
}

static bool ways_names(const struct br_dag *dag, const struct br_alternative *way,
                       const struct br_class *cls)
{
    for (uint32_t k = 0; k < way->classes; k++)
        if (strcmp(dag->alternatives->class_name[way->first_class + k], cls->name) == 0)
            return true;
    return way->classes == 0;
}

static void ways_check_task(struct br_plan_check *check, const struct br_alternative *way,
                            uint32_t task)
{
    const struct br_plan *plan = check->plan;
    const struct br_class *cls =
        &check->cluster->cls[br_cluster_machine_class(check->cluster, plan->machine[task])];
    int64_t lasts, length;
    if (way && !ways_names(check->dag, way, cls))
        br_plan_check_report(check, "task %s runs on machine %s, but not on class '%.80s'%s%.80s%s",
                             br_check_task_name(check, task).text,
                             br_check_machine_name(check, plan->machine[task]).text, cls->name,
                             way->id ? " by its alternative '" : "", way->id ? way->id : "",
                             way->id ? "'" : "");
    const bool known = ways_lasts(check, way, cls, task, &lasts);
    if (!known || __builtin_sub_overflow(plan->end_ns[task], plan->start_ns[task], &length) ||
        length != lasts)
        br_plan_check_report(
            check, "task %s runs from %s s to %s s, but its duration%s%.80s%s there is %s s",
            br_check_task_name(check, task).text, br_seconds(plan->start_ns[task]).text,
            br_seconds(plan->end_ns[task]).text, way && way->id ? " by '" : "",
            way && way->id ? way->id : "", way && way->id ? "'" : "",
            known ? br_seconds(lasts).text : "too long");
}

void br_plan_check_ways(struct br_plan_check *check, bool *known)
{
    const struct br_dag *dag = check->dag;
    const struct br_alternatives *all = dag->alternatives;
    const struct br_plan *plan = check->plan;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t t = dag->stage[s].first_task + i;
            const uint32_t count = all ? all->stage_first[s + 1] - all->stage_first[s] : 1;
            const uint32_t number = plan->alternative ? plan->alternative[t] : 0;
            const bool missing = !plan->alternative && dag->stage[s].alternatives;
            if (number >= count || missing) {
                *known = false;
                if (!br_plan_check_enough(check))
                    br_plan_check_report(check,
                                         "task %s runs by alternative number %" PRIu32
                                         ", but its stage has %" PRIu32,
                                         br_check_task_name(check, t).text, number,
                                         dag->stage[s].alternatives);
            } else if (plan->machine[t] < check->cluster->machines &&
                       !br_plan_check_enough(check)) {
                ways_check_task(check, all ? &all->alternative[all->stage_first[s] + number] : NULL,
                                t);
            }
        }
}

/* The sums over all tasks, by resource. */
static void ways_sum(const struct br_plan_check *check, const struct br_check_amounts *amounts,
                     br_wide *sum)
{
    const struct br_dag *dag = check->dag;
    const struct br_alternatives *all = dag->alternatives;
    for (uint32_t s = 0; s < dag->stages; s++)
        for (uint32_t i = 0; i < dag->stage[s].tasks; i++) {
            const uint32_t t = dag->stage[s].first_task + i;
            const struct br_alternative *way =
                &all->alternative[br_plan_way(check->plan, dag, s, t)];
            for (uint32_t k = way->first_consumed; k < way->first_consumed + way->consumed; k++)
                sum[all->consumed[k].resource] += amounts->consumed[k];
        }
}

enum br_status br_plan_check_consumed(struct br_plan_check *check)
{
    const struct br_dag *dag = check->dag;
    struct br_check_amounts amounts;
    if (!dag->alternatives->any_consumed)
        return BR_OK;
    br_wide *sum = br_calloc((size_t)dag->resources + 1, sizeof *sum);
    enum br_status status = br_check_amounts_init(check, &amounts);
    if (!status && !sum)
        status = br_fail_memory(check->diag);
    if (!status)
        ways_sum(check, &amounts, sum);
    for (uint32_t r = 0; r < dag->resources && !status && !br_plan_check_enough(check); r++) {
        struct br_check_name text[2];
        const bool shared = amounts.shared && amounts.shared[r];
        const br_wide has =
            shared ? amounts.capacity[(size_t)check->cluster->classes * dag->resources + r] : 0;
        if (sum[r] <= has)
            continue;
        br_check_amount_texts(&amounts, check, r, has, sum[r], text);
        br_plan_check_report(check, "the cluster shares %s of %s, but all tasks consume %s of it",
                             text[0].text, dag->resource[r].name, text[1].text);
    }
    br_check_amounts_finish(&amounts);
    br_free(sum);
    return status;
}
